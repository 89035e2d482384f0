/**
 * One nats-server process on a state directory, from start to exit: operator mode, JetStream on files, on the loopback
 * interface only.
 *
 * It does not restart (`server.ts`) and does not decide who owns the directory (`state-lock.ts`).
 *
 * V1. The server ends when this process ends, however it ends: a shell between the two reads a pipe that only this
 *     process holds open, and interrupts the server at its end.
 * V2. Ready means that JetStream answered, not that a port is open.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'nats';
import type { Log } from '../ports/log.ts';
import { serverOptions } from './credentials.ts';
import type { Identity } from './identity.ts';

export interface ServerProcessOptions {
  readonly binary: string;
  readonly stateDir: string;
  readonly identity: Identity;
  /** 0: any free port. */
  readonly port: number;
  readonly log: Log;
}

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines the server wrote. */
  readonly tail: readonly string[];
}

export interface ServerProcess {
  readonly port: number;
  /** Of nats-server itself. */
  readonly pid: number;
  readonly exited: Promise<ServerExit>;
  /** Ends the server in good order; killed if it takes longer than 10 s. */
  stop(): Promise<ServerExit>;
}

/** Large records (configurations, snapshots) exceed the 1 MB the server allows by itself. */
const MAX_PAYLOAD = '8MB';
/** Left to itself the server takes three quarters of the machine. */
const MAX_MEMORY = '256MB';
const MAX_FILE = '64GB';
/** A store of several GB is checked at the start before the port opens. */
const READY_MS = 60_000;
const STOP_MS = 10_000;
const TAIL_LINES = 40;

/**
 * `$@` is the server. Background jobs of a shell read from /dev/null, hence descriptor 3. Whichever of server and
 * pipe ends first ends the other.
 */
const WATCHDOG = `
exec 3<&0
"$@" 3<&- </dev/null &
server=$!
trap 'kill -INT $server 2>/dev/null' INT TERM HUP
{
  read -r _ <&3
  kill -INT $server 2>/dev/null
  tries=0
  while kill -0 $server 2>/dev/null && [ $tries -lt 80 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -KILL $server 2>/dev/null
} >/dev/null 2>&1 &
watchdog=$!
wait $server; code=$?
while kill -0 $server 2>/dev/null; do wait $server; code=$?; done
kill $watchdog 2>/dev/null
exit $code
`;

/**
 * Starts the server and resolves when it is ready; rejects with its last lines when it ends or is not ready in time.
 */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { stateDir } = options;
  const runDir = join(stateDir, 'run');
  await rm(runDir, { recursive: true, force: true });
  await mkdir(runDir, { recursive: true, mode: 0o700 });
  const config = join(stateDir, 'server.conf');
  await writeFile(config, configuration(options), { mode: 0o600 });
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      WATCHDOG,
      'nats-server',
      options.binary,
      '-c',
      config,
      '--ports_file_dir',
      runDir,
      '-P',
      join(runDir, 'pid'),
    ],
    { stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  const tail = relayLines(child.stderr, options.log);
  const exited = exitOf(child, tail);
  const stop = () => end(child, exited);
  try {
    const { port, pid } = await ready(options, runDir, exited);
    return { port, pid, exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configuration({ stateDir, identity, port }: ServerProcessOptions): string {
  return `listen: "127.0.0.1:${port === 0 ? -1 : port}"
server_name: "mcs-${identity.account.slice(1, 9)}"
max_payload: ${MAX_PAYLOAD}
operator: ${identity.operatorJwt}
system_account: ${identity.systemAccount}
resolver: MEMORY
resolver_preload: {
  ${identity.systemAccount}: ${identity.systemJwt}
  ${identity.account}: ${identity.accountJwt}
}
jetstream: {
  store_dir: ${JSON.stringify(join(stateDir, 'store'))}
  max_mem: ${MAX_MEMORY}
  max_file: ${MAX_FILE}
}
`;
}

function exitOf(child: ChildProcess, tail: readonly string[]): Promise<ServerExit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, tail: [...tail, error.message] }));
    // A shell that was killed leaves the server to the end of the pipe.
    child.once('exit', () => child.stdin?.destroy());
    child.once('close', (code, signal) => resolve({ code, signal, tail: [...tail] }));
  });
}

async function end(child: ChildProcess, exited: Promise<ServerExit>): Promise<ServerExit> {
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  child.stdin?.end();
  return exited.finally(() => clearTimeout(kill));
}

async function ready(
  options: ServerProcessOptions,
  runDir: string,
  exited: Promise<ServerExit>,
): Promise<{ port: number; pid: number }> {
  let exit: ServerExit | undefined;
  exited.then((value) => {
    exit = value;
  });
  const deadline = performance.now() + READY_MS;
  let why: unknown = 'it did not open its port';
  while (performance.now() < deadline) {
    if (exit !== undefined) throw new Error(`nats-server exited at start:\n${exit.tail.join('\n')}`);
    const started = await readPorts(runDir);
    if (started !== undefined) {
      try {
        await answers(options, started.port);
        return started;
      } catch (error) {
        why = error;
      }
    }
    await pause(5);
  }
  throw new Error(`nats-server was not ready within ${READY_MS / 1000} s`, { cause: why });
}

/** The ports file names the binary and the pid; it may be half written. */
async function readPorts(runDir: string): Promise<{ port: number; pid: number } | undefined> {
  const name = (await readdir(runDir)).find((entry) => entry.endsWith('.ports'));
  const pid = Number(name?.match(/_(\d+)\.ports$/)?.[1]);
  if (name === undefined || !(pid > 0)) return undefined;
  try {
    const ports = JSON.parse(await readFile(join(runDir, name), 'utf8')) as { nats?: string[] };
    const port = Number(new URL(ports.nats?.[0] ?? '').port);
    return port > 0 ? { port, pid } : undefined;
  } catch {
    return undefined;
  }
}

async function answers({ identity }: ServerProcessOptions, port: number): Promise<void> {
  const client = await connect({
    ...serverOptions(`nats://127.0.0.1:${port}`, identity.service),
    reconnect: false,
    timeout: 2_000,
    inboxPrefix: '_MCS.start',
  });
  try {
    await client.request('$JS.API.INFO', undefined, { timeout: 2_000 });
  } finally {
    await client.close();
  }
}

/** Passes the server's own lines on to the log; the returned list always holds the last ones. */
function relayLines(stderr: Readable, log: Log): readonly string[] {
  const tail: string[] = [];
  createInterface({ input: stderr }).on('line', (line) => {
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
    if (/\[(ERR|FTL)\]/.test(line)) log.error({ line }, 'nats-server');
    else if (/\[WRN\]/.test(line)) log.warn({ line }, 'nats-server');
    else log.debug({ line }, 'nats-server');
  });
  return tail;
}
