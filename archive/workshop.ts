/**
 * Where the work of the archive is done: in threads, so that no loop of events waits for a disk or an encoder. One
 * thread writes and compacts, another one answers.
 *
 * T1. Calls of one thread are done in their order.
 * T2. A thread that dies rejects what it was asked with `ThreadEnded`, and the next call begins another one, which has
 *     gathered nothing.
 * T3. A question that nobody waits for any more is given up before its next file: the flag is memory that both threads
 *     see, for a thread that reads does not look at messages.
 */

import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { disk } from './disk.ts';
import type { FileSystem } from './file-system.ts';
import { NobodyWaits, type Waited } from './segment-reader.ts';
import { Work } from './work.ts';

type Done = 'open' | 'begin' | 'add' | 'addEvents' | 'seal' | 'probe' | 'probeEvents' | 'compact' | 'remove';
type Asked = 'samples' | 'buckets' | 'events';

type DoneArguments<Name extends Done> = Parameters<Work[Name]>;
type AskedArguments<Name extends Asked> =
  Parameters<Work[Name]> extends [...infer Rest, Waited] ? Rest : never;

export interface Workshop {
  /** Rejects with what went wrong; `code` is that of the system where it has one. */
  do<Name extends Done>(name: Name, ...args: DoneArguments<Name>): Promise<ReturnType<Work[Name]>>;
  ask<Name extends Asked>(
    name: Name,
    signal: AbortSignal | undefined,
    ...args: AskedArguments<Name>
  ): Promise<ReturnType<Work[Name]>>;
  end(): Promise<void>;
}

export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

export interface Order {
  readonly number: number;
  readonly name: Done | Asked;
  readonly args: readonly unknown[];
  readonly waits?: Int32Array;
}

export type Reply =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly error: string; readonly code?: string };

/** The work in this thread: for tests, and for programs that have nothing else to do. */
export function workHere(root: string, files: FileSystem = disk): Workshop {
  const work = new Work(files, root);
  const call = (name: Done | Asked, args: readonly unknown[]): unknown =>
    (work[name] as (...given: unknown[]) => unknown).apply(work, [...args]);
  return {
    do: async (name, ...args) => call(name, args) as ReturnType<Work[typeof name]>,
    ask: async (name, signal, ...args) => {
      signal?.throwIfAborted();
      // Nobody can leave while this thread works.
      const waited = (): void => undefined;
      return call(name, [...(args as readonly unknown[]), waited]) as ReturnType<Work[typeof name]>;
    },
    end: async () => undefined,
  };
}

/** The work in two threads (T1). */
export function workInThreads(root: string): Workshop {
  const writer = new WorkThread(root);
  const reader = new WorkThread(root);
  return {
    do: (name, ...args) => writer.call({ name, args }) as Promise<ReturnType<Work[typeof name]>>,
    ask: async (name, signal, ...args) => {
      signal?.throwIfAborted();
      const waits = new Int32Array(new SharedArrayBuffer(4));
      const giveUp = (): void => void Atomics.store(waits, 0, 1);
      signal?.addEventListener('abort', giveUp, { once: true });
      try {
        const answer = reader.call({ name, args: args as readonly unknown[], waits });
        return (await answer) as ReturnType<Work[typeof name]>;
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      } finally {
        signal?.removeEventListener('abort', giveUp);
      }
    },
    end: async () => {
      await Promise.all([writer.end(), reader.end()]);
    },
  };
}

interface Waiting {
  readonly done: (value: unknown) => void;
  readonly failed: (error: Error) => void;
}

class WorkThread {
  readonly #root: string;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #count = 0;

  constructor(root: string) {
    this.#root = root;
  }

  call(order: Omit<Order, 'number'>): Promise<unknown> {
    const thread = this.#started();
    this.#count += 1;
    const number = this.#count;
    return new Promise((done, failed) => {
      this.#waiting.set(number, { done, failed });
      thread.postMessage(Object.assign({ number }, order) satisfies Order);
    });
  }

  async end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  #started(): Worker {
    if (this.#thread !== undefined) return this.#thread;
    const program = fileURLToPath(new URL('./work-thread.mjs', import.meta.url));
    const thread = new Worker(program, { execArgv: [], workerData: this.#root });
    thread.unref();
    thread.on('message', (reply: Reply) => this.#reply(reply));
    thread.on('error', (error) => this.#ended(thread, error.message));
    thread.on('exit', () => this.#ended(thread, 'it ended'));
    this.#thread = thread;
    return thread;
  }

  #reply(reply: Reply): void {
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if ('error' in reply) waiting?.failed(Object.assign(new Error(reply.error), { code: reply.code }));
    else waiting?.done(reply.value);
  }

  #ended(thread: Worker, why: string): void {
    if (this.#thread === thread) this.#thread = undefined;
    const error = new ThreadEnded(`a thread of the archive has ended: ${why}`);
    for (const { failed } of this.#waiting.values()) failed(error);
    this.#waiting.clear();
  }
}

/** What a thread does with an order. */
export function doneOrder(work: Work, { number, name, args, waits }: Order): Reply {
  const waited = (): void => {
    if (waits !== undefined && Atomics.load(waits, 0) === 1)
      throw new NobodyWaits('nobody waits for the answer');
  };
  try {
    const call = work[name] as (...given: unknown[]) => unknown;
    return { number, value: call.apply(work, waits === undefined ? [...args] : [...args, waited]) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return code === undefined ? { number, error: message } : { number, error: message, code };
  }
}
