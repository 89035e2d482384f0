/**
 * The embedded bus: a nats-server child process under supervision, for one machine without a bus of its own.
 * Mission Control Service, section 6.
 *
 * R1. It comes back on the same port with the same identity and store after each crash, so clients only reconnect.
 * R2. Nobody else works on its directory (`state-lock.ts`), and it never outlives this process (`server-process.ts`).
 * R3. One that stands still is killed, and comes back as after a crash (`server-watch.ts`).
 */

import { isAbsolute, resolve } from 'node:path';
import { BUS_SILENCE_MS } from '../contract/limits/bus.ts';
import type { Log } from '../ports/log.ts';
import { Connection } from './connection.ts';
import type { JwtCredentials } from './credentials.ts';
import type { FollowerSigner, UnitSigner } from './identity.ts';
import { loadIdentity } from './identity.ts';
import { findServerBinary } from './server-binary.ts';
import type { ServerExit, ServerMonitor, ServerProcess, ServerProcessOptions } from './server-process.ts';
import { reachedAt, startServerProcess } from './server-process.ts';
import { ServerWatch } from './server-watch.ts';
import { lockState } from './state-lock.ts';

export interface EmbeddedServerOptions {
  readonly stateDir: string;
  /** Default: any free one; kept over restarts of the child. */
  readonly port?: number;
  /** Default 127.0.0.1; an IPv6 address in brackets. */
  readonly host?: string;
  /** Serves its monitoring and profiles (`ServerProcessOptions`). */
  readonly monitored?: boolean;
  /** Silence of JetStream after which the server counts as standing still (R3); default `BUS_SILENCE_MS`. */
  readonly silenceMs?: number;
  readonly log: Log;
}

export interface EmbeddedServer {
  readonly url: string;
  readonly credentials: JwtCredentials;
  /** What `POST /v1/auth/nats` signs with. */
  readonly followerSigner: FollowerSigner;
  /** What signs the credentials of units. */
  readonly unitSigner: UnitSigner;
  /** Of nats-server now; undefined while it is down. */
  readonly pid: number | undefined;
  /** Of nats-server now; undefined unless asked for. */
  readonly monitor: ServerMonitor | undefined;
  /** Called at each end of the child that was not asked for; it is then started again. */
  onExit(listener: (exit: ServerExit) => void): () => void;
  stop(): Promise<void>;
}

const RESTART_FIRST_MS = 50;
const RESTART_LONGEST_MS = 5_000;
/** A server that ran this long is healthy: its next crash starts the backoff afresh. */
const HEALTHY_MS = 30_000;

/**
 * Starts the server and resolves when JetStream answers; rejects when no nats-server is found, the directory is in use
 * or the server ends at once (with its last lines).
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const stateDir = isAbsolute(options.stateDir) ? options.stateDir : resolve(options.stateDir);
  const binary = await findServerBinary();
  const lock = await lockState(stateDir);
  try {
    const identity = await loadIdentity(stateDir);
    const log = options.log.child({ part: 'nats-server' });
    const { host = '127.0.0.1', port = 0, monitored = false, silenceMs = BUS_SILENCE_MS } = options;
    const settings = { binary, stateDir, identity, log, host, port, monitored };
    const supervised = await supervise(settings, silenceMs, (pid) => lock.serverStarted(pid));
    return {
      url: `nats://${reachedAt(host)}:${supervised.port}`,
      credentials: identity.service,
      followerSigner: identity.followerSigner,
      unitSigner: identity.unitSigner,
      get pid() {
        return supervised.pid;
      },
      get monitor() {
        return supervised.monitor;
      },
      onExit: (listener) => supervised.onExit(listener),
      stop: async () => {
        await supervised.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

type Started = (pid: number) => Promise<void>;

/** Starts the server and keeps it alive, at the port it began with (R1). */
async function supervise(
  options: ServerProcessOptions,
  silenceMs: number,
  started: Started,
): Promise<Supervised> {
  const first = await startServerProcess(options);
  await started(first.pid);
  return new Supervised({ ...options, port: first.port }, silenceMs, started, first);
}

class Supervised {
  readonly port: number;
  readonly #options: ServerProcessOptions;
  readonly #started: Started;
  readonly #listeners = new Set<(exit: ServerExit) => void>();
  readonly #stopping = new AbortController();
  readonly #silenceMs: number;
  /** For the looks of R3 alone. */
  readonly #watching: Connection;
  #current: ServerProcess | undefined;
  readonly #life: Promise<void>;

  constructor(options: ServerProcessOptions, silenceMs: number, started: Started, first: ServerProcess) {
    this.port = first.port;
    this.#options = options;
    this.#silenceMs = silenceMs;
    this.#started = started;
    const { host = '127.0.0.1', identity, log } = options;
    const url = `nats://${reachedAt(host)}:${first.port}`;
    const silent = keepsQuiet(log);
    this.#watching = new Connection({ url, name: 'mcs-watch', credentials: identity.service, log: silent });
    this.#current = first;
    this.#life = this.#keepAlive();
  }

  get pid(): number | undefined {
    return this.#current?.pid;
  }

  get monitor(): ServerMonitor | undefined {
    return this.#current?.monitor;
  }

  onExit(listener: (exit: ServerExit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#current?.stop();
    await this.#life;
    await this.#current?.stop();
    await this.#watching.close();
  }

  async #keepAlive(): Promise<void> {
    const { signal } = this.#stopping;
    let delayMs = RESTART_FIRST_MS;
    while (!signal.aborted) {
      const since = performance.now();
      const watch = this.#watch(this.#current);
      const exit = await this.#current?.exited;
      watch?.stop();
      this.#current = undefined;
      if (signal.aborted) return;
      if (exit !== undefined) this.#report(exit);
      delayMs = performance.now() - since > HEALTHY_MS ? RESTART_FIRST_MS : delayMs;
      await interruptible(delayMs, signal);
      delayMs = Math.min(delayMs * 2, RESTART_LONGEST_MS);
      if (!signal.aborted) this.#current = await this.#restart();
    }
  }

  /** R3 */
  #watch(server: ServerProcess | undefined): ServerWatch | undefined {
    if (server === undefined) return undefined;
    const { stateDir, log } = this.#options;
    const watched = { connection: this.#watching, stateDir, log, silenceMs: this.#silenceMs };
    return new ServerWatch({ ...watched, silent: () => server.kill() });
  }

  #report(exit: ServerExit): void {
    const { code, signal, tail } = exit;
    this.#options.log.error({ code, signal, tail: tail.slice(-5) }, 'bus server ended');
    for (const listener of this.#listeners) listener(exit);
  }

  async #restart(): Promise<ServerProcess | undefined> {
    const { log } = this.#options;
    try {
      const next = await startServerProcess(this.#options);
      await this.#started(next.pid);
      log.info({ port: this.port, pid: next.pid }, 'bus server is back');
      return next;
    } catch (error) {
      log.error({ err: error }, 'bus server does not start');
      return undefined;
    }
  }
}

/** What this connection meets, those of the service say. */
function keepsQuiet(log: Log): Log {
  const debug: Log['debug'] = (fields, message) => log.debug(fields, message);
  return { debug, info: debug, warn: debug, error: debug, child: () => keepsQuiet(log) };
}

function interruptible(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      done();
    };
    const timer = setTimeout(finish, delayMs);
    signal.addEventListener('abort', finish);
  });
}
