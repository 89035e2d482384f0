/** `mcs` as a process of its own, the way a user starts it: real processes for tests that kill them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

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
  /** Do not wait for the ready line. */
  readonly unready?: boolean;
  /** How long it may take to be ready; longer where several are started at once. */
  readonly readyWithinMs?: number;
}

const running = new Set<ChildProcess>();

/** Starts `mcs …` and resolves at its ready line. */
export async function startMcs({
  args,
  env = {},
  unready = false,
  readyWithinMs = 25_000,
}: McsOptions): Promise<Mcs> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'cli/main.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, MCS_LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  let errors = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const exited = once(child, 'exit').then(([code, signal]) => {
    running.delete(child);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });
  const kill = (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal);
    return exited;
  };
  const ready = unready
    ? undefined
    : await readyLine(
        child,
        () => output,
        () => errors,
        readyWithinMs,
      );
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

async function readyLine(child: ChildProcess, output: () => string, errors: () => string, timeoutMs: number) {
  const line = await until(
    () => {
      if (child.exitCode !== null) throw new Error(`mcs ended with ${child.exitCode}:\n${errors()}`);
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
    [...running].map(async (child) => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }),
  );
}
