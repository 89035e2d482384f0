/**
 * A peer: another process of the benchmark, a server under measure or a generator. The benchmark itself only calls.
 *
 * P2. Peers are ended by their handle; one that does not end by itself is killed.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { compiledPeers } from './compiled-peers.ts';
import type { Answer } from './peer-side.ts';

export interface Peer {
  readonly pid: number;
  /** Rejects with the peer's error, or with its last words when it ended. */
  call<Value>(name: string, argument?: unknown): Promise<Value>;
  /** Processor time it used so far. */
  cpuUs(): Promise<number>;
  end(): Promise<void>;
}

const END_MS = 5_000;
/** What the front end asks of the environment; it is read when the native module loads. */
const ENVIRONMENT = {
  UWS_HTTP_MAX_HEADERS_SIZE: '65536',
  MCS_LOG_LEVEL: process.env['MCS_LOG_LEVEL'] ?? 'error',
};

/** Starts `peers/<name>.ts`, compiled, and resolves when it answers calls; `flags` are for Node. */
export async function startPeer(name: string, flags: readonly string[] = []): Promise<Peer> {
  const child = fork(join(await compiledPeers(), `${name}.mjs`), {
    execArgv: [...flags],
    env: { ...process.env, ...ENVIRONMENT },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  const peer = new ChildPeer(name, child);
  await peer.ready;
  return peer;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

class ChildPeer implements Peer {
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #lastWords = '';
  #ended = false;

  constructor(name: string, child: ChildProcess) {
    this.pid = child.pid ?? 0;
    this.#name = name;
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-4_000);
      process.stderr.write(text);
    });
    this.ready = new Promise((resolve, reject) => {
      this.#waiting.set(0, { resolve, reject });
    });
    child.on('message', (message) => this.#take(message as Answer));
    child.on('exit', (code, signal) => this.#gone(code, signal));
  }

  call<Value>(name: string, argument?: unknown): Promise<Value> {
    if (this.#ended) return Promise.reject(this.#error('is gone'));
    this.#calls += 1;
    const id = this.#calls;
    this.#child.send({ id, call: name, argument });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  cpuUs(): Promise<number> {
    return this.call('cpuUs');
  }

  async end(): Promise<void> {
    if (this.#ended) return;
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await exited;
    clearTimeout(kill);
  }

  #take(answer: Answer): void {
    const id = 'ready' in answer ? 0 : answer.id;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if ('error' in answer) waiting?.reject(this.#error(answer.error));
    else waiting?.resolve(('ready' in answer ? undefined : answer.value) as never);
  }

  #gone(code: number | null, signal: string | null): void {
    this.#ended = true;
    for (const { reject } of this.#waiting.values()) reject(this.#error(`ended with ${code ?? signal}`));
    this.#waiting.clear();
  }

  #error(what: string): Error {
    return new Error(`peer ${this.#name}: ${what}\n${this.#lastWords}`);
  }
}
