/**
 * The child's side of a peer: answers the calls of the benchmark over IPC.
 *
 * P1. A peer ends when the benchmark does, however that ends: the channel closes, and so does the process.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, join } from 'node:path';

export interface Call {
  readonly id: number;
  readonly call: string;
  readonly argument: unknown;
}

export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly ready: true };

// A handler takes what its one caller in `rows/` gives it.
type Handler = (argument: never) => unknown;

/** Answers calls by name from now on; beside them `cpuUs` answers the processor time used so far. */
export function answerCalls(calls: Readonly<Record<string, Handler>>): void {
  const handlers: Readonly<Record<string, Handler>> = { ...calls, cpuUs: ownCpuUs };
  const finish = profiled(process.env['MCS_PROFILE']);
  process.on('disconnect', () => {
    finish();
    process.exit(0);
  });
  process.on('message', (message) => void answer(handlers, message as Call));
  tell({ ready: true });
}

/** Processor time of this process so far, all threads. */
export function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Starts a processor profile, when there is a folder to write it to; the result writes it. */
function profiled(folder: string | undefined): () => void {
  if (folder === undefined) return () => undefined;
  mkdirSync(folder, { recursive: true });
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.start');
  return () => {
    const name = `${basename(process.argv[1] ?? 'peer', '.ts')}-${process.pid}.cpuprofile`;
    session.post('Profiler.stop', (_error, { profile }) => {
      writeFileSync(join(folder, name), JSON.stringify(profile));
    });
  };
}

async function answer(
  handlers: Readonly<Record<string, Handler>>,
  { id, call, argument }: Call,
): Promise<void> {
  try {
    const handler = handlers[call];
    if (handler === undefined) throw new Error(`this peer has no call ${call}`);
    tell({ id, value: await handler(argument as never) });
  } catch (error) {
    tell({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function tell(message: Answer): void {
  process.send?.(message);
}
