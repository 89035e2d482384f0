/** `mcs` as a process of its own: real processes for tests that kill them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { mcsProgram } from './program.ts';
import { until } from './until.ts';

const READY_WITHIN_MS = 120_000;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Mcs {
  readonly child: ChildProcess;
  readonly api: string;
  readonly nats: string;
  /** Everything it wrote to stderr so far. */
  readonly output: () => string;
  readonly errors: () => string;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface McsOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** By the launcher, as a person starts it, and not the program that was compiled for the tests. */
  readonly launched?: boolean;
  /** Do not wait for the ready line. */
  readonly unready?: boolean;
  /** A program that starts it, with its arguments, as `unshare` does. */
  readonly within?: readonly string[];
  /** Default: long enough for a small mission, also on a machine that has much else to do. */
  readonly readyWithinMs?: number;
}

/** Those that are there, and when they have ended. */
const running = new Map<ChildProcess, Promise<unknown>>();

/**
 * For a process that shall lose nothing while a busy machine stands still for seconds: others take it for dead later.
 * One that is killed is seen by those of its machine all the same.
 */
export const STEADY = { MCS_MEMBER_TTL_MS: '20000' } as const;

/** Starts `mcs …` and resolves at its ready line. */
export async function startMcs({
  args,
  env = {},
  launched = false,
  unready = false,
  within = [],
  readyWithinMs = READY_WITHIN_MS,
}: McsOptions): Promise<Mcs> {
  const program = launched ? ['tools/launch.mjs'] : await mcsProgram();
  const [command, ...rest] = [...within, process.execPath, ...program, ...args];
  const child = spawn(command!, rest, {
    cwd: ROOT,
    env: { ...process.env, MCS_LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text));
  // Not at its exit: what it wrote last is here once its outputs are closed.
  const exited = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });
  running.set(child, exited);
  const kill = (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal);
    return exited;
  };
  const ready = unready
    ? undefined
    : await readyLine({ child, exited, output: () => output, errors: () => errors }, readyWithinMs);
  return {
    child,
    api: ready?.api ?? '',
    nats: ready?.nats ?? '',
    output: () => output,
    errors: () => errors,
    exited,
    kill,
  };
}

type Started = Pick<Mcs, 'child' | 'exited' | 'output' | 'errors'>;

async function readyLine({ child, exited, output, errors }: Started, timeoutMs: number) {
  const line = await until(
    async () => {
      if (child.exitCode !== null || child.signalCode !== null) {
        const { code, signal } = await exited;
        throw new Error(`mcs ended with ${code ?? signal}:\n${errors()}`);
      }
      return output()
        .split('\n')
        .slice(0, -1)
        .find((each) => each.startsWith('{"ready":true,'));
    },
    { timeoutMs, what: 'mcs being ready' },
  ).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`${String(error)}\n${errors()}`);
  });
  return JSON.parse(line) as { api: string; nats: string };
}

/** Ends every process still running; for `afterAll`. */
export async function endAllMcs(): Promise<void> {
  await Promise.all(
    [...running].map(([child, exited]) => {
      child.kill('SIGKILL');
      return exited;
    }),
  );
}
