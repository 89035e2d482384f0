/**
 * One nats-server process on a state directory, from start to exit: operator mode, JetStream on files, on the loopback
 * interface unless another address is given.
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
import { serverVersion, takesSyncInterval } from './server-version.ts';
import { storeBytes } from './store-size.ts';

export interface ServerProcessOptions {
  readonly binary: string;
  readonly stateDir: string;
  readonly identity: Identity;
  /** 0: any free port. */
  readonly port: number;
  /** The address it listens on; default 127.0.0.1. */
  readonly host?: string;
  /** Whether its monitoring and its profiles are served, on free ports of loopback; default: they are not. */
  readonly monitored?: boolean;
  readonly log: Log;
}

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines the server wrote. */
  readonly tail: readonly string[];
}

export interface ServerMonitor {
  readonly monitoring: string;
  readonly profile: string;
}

export interface ServerProcess {
  readonly port: number;
  /** Of nats-server itself. */
  readonly pid: number;
  /** Base addresses of its monitoring (`/varz`) and its profiles (`/debug/pprof`); undefined unless asked for. */
  readonly monitor: ServerMonitor | undefined;
  readonly exited: Promise<ServerExit>;
  /** Ends the server in good order; killed if it takes longer than 10 s. */
  stop(): Promise<ServerExit>;
  /** Ends it at once. */
  kill(): void;
}

/** Large records (configurations, snapshots) exceed the 1 MB the server allows by itself. */
const MAX_PAYLOAD = '8MB';
/** Left to itself the server takes three quarters of the machine. */
const MAX_MEMORY = '256MB';
/**
 * Near it the server collects its garbage sooner. By itself it takes twice what it has in use, and that is every block
 * of 8 MB that a message was read from within the last minute (decision 55).
 */
const MEMORY_LIMIT = '1536MiB';
/** What a crash of the machine may lose. As fast as two minutes, the default of nats-server (`npm run sync-interval`). */
const SYNC_INTERVAL = '1s';
/** A store of several GB is checked at the start before the port opens. */
const READY_MS = 60_000;
const STOP_MS = 10_000;
const LOOPBACK = '127.0.0.1';
/** Profiles are served at the address that the server listens on. */
const MONITORED = `http: "${LOOPBACK}:-1"
prof_port: -1
`;
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
  const syncs = takesSyncInterval(await serverVersion(options.binary));
  await writeFile(config, configuration(options, await storeBytes(stateDir), syncs), { mode: 0o600 });
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
    {
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
      env: { GOMEMLIMIT: MEMORY_LIMIT, ...process.env },
    },
  );
  const tail = relayLines(child.stderr, options.log);
  const exited = exitOf(child, tail);
  const stop = () => end(child, exited);
  try {
    const { port, pid, monitor } = await ready(options, runDir, exited);
    return { port, pid, monitor, exited, stop, kill: () => killed(pid) };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configuration(
  { stateDir, identity, host = LOOPBACK, port, monitored = false }: ServerProcessOptions,
  maxFile: number,
  syncs: boolean,
): string {
  return `listen: "${host}:${port === 0 ? -1 : port}"
server_name: "mcs-${identity.account.slice(1, 9)}"
${monitored ? MONITORED : ''}max_payload: ${MAX_PAYLOAD}
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
  max_file: ${maxFile}${syncs ? `\n  sync_interval: ${SYNC_INTERVAL}` : ''}
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

function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function ready(
  options: ServerProcessOptions,
  runDir: string,
  exited: Promise<ServerExit>,
): Promise<Started> {
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

type Started = Pick<ServerProcess, 'port' | 'pid' | 'monitor'>;

/** The ports file names the binary and the pid; it may be half written. */
async function readPorts(runDir: string): Promise<Started | undefined> {
  const name = (await readdir(runDir)).find((entry) => entry.endsWith('.ports'));
  const pid = Number(name?.match(/_(\d+)\.ports$/)?.[1]);
  if (name === undefined || !(pid > 0)) return undefined;
  try {
    const ports = JSON.parse(await readFile(join(runDir, name), 'utf8')) as Record<string, string[]>;
    const port = Number(new URL(ports['nats']?.[0] ?? '').port);
    const [monitoring, profile] = [ports['monitoring']?.[0], ports['profile']?.[0]];
    const monitor = monitoring === undefined || profile === undefined ? undefined : { monitoring, profile };
    return port > 0 ? { port, pid, monitor } : undefined;
  } catch {
    return undefined;
  }
}

async function answers({ identity, host = LOOPBACK }: ServerProcessOptions, port: number): Promise<void> {
  const client = await connect({
    ...serverOptions(`nats://${reachedAt(host)}:${port}`, identity.service),
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

/** Where a server that listens on `host` is reached from its own machine. */
export function reachedAt(host: string): string {
  return host === '0.0.0.0' || host === '[::]' ? '127.0.0.1' : host;
}

/** It cannot tell a system account, which it does not have, that a consumer or a stream came or went. */
const NOBODY_LISTENS = /Advisory could not be sent.*system account not setup/;

/** Passes the server's own lines on to the log; the returned list always holds the last ones. */
function relayLines(stderr: Readable, log: Log): readonly string[] {
  const tail: string[] = [];
  createInterface({ input: stderr }).on('line', (line) => {
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
    if (/\[(ERR|FTL)\]/.test(line)) log.error({ line }, 'nats-server');
    else if (/\[WRN\]/.test(line) && !NOBODY_LISTENS.test(line)) log.warn({ line }, 'nats-server');
    else log.debug({ line }, 'nats-server');
  });
  return tail;
}
