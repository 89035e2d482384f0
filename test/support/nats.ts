/** A private nats-server for a test file: the embedded one, on a free port, with a store that is removed after. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JwtCredentials } from '../../bus/credentials.ts';
import type { FollowerSigner, UnitSigner } from '../../bus/identity.ts';
import { loadIdentity } from '../../bus/identity.ts';
import type { BusOptions, NatsBus } from '../../bus/nats-bus.ts';
import { openBus } from '../../bus/nats-bus.ts';
import { findServerBinary } from '../../bus/server-binary.ts';
import type { ServerProcess, ServerProcessOptions } from '../../bus/server-process.ts';
import { startServerProcess } from '../../bus/server-process.ts';
import type { Log } from '../../ports/log.ts';
import { freePort } from './free-port.ts';
import { freeze } from './freeze.ts';
import { until } from './until.ts';

export interface TestNats {
  readonly stateDir: string;
  readonly url: string;
  /** Of the server; 0 while there is none. */
  readonly pid: number;
  readonly credentials: JwtCredentials;
  readonly followerSigner: FollowerSigner;
  readonly unitSigner: UnitSigner;
  /** For a process of its own. */
  readonly credentialsFile: string;
  /** A bus of its own, closed by `stop`; who is not there is absent at once. */
  open(options?: Partial<BusOptions>): NatsBus;
  /** `open`, and connected. */
  connected(options?: Partial<BusOptions>): Promise<NatsBus>;
  /** kill -9; the store stays. Nothing restarts it but `start`. */
  kill(): Promise<void>;
  /** It hangs: its connections stay, and nothing is answered. */
  freeze(): Promise<void>;
  thaw(): void;
  /** The same server again, on the same port and store. */
  start(): Promise<void>;
  /** Closes every bus it opened, ends the server and removes the store. */
  stop(): Promise<void>;
}

const PORTS_TRIED = 5;

export const quiet: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => quiet,
};

/** At a port that nobody else is given while the server is away; at another one where a second run was faster. */
async function startAtOwnPort(settings: Omit<ServerProcessOptions, 'port'>): Promise<ServerProcess> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startServerProcess({ ...settings, port: await freePort('tcp') });
    } catch (error) {
      if (tries === PORTS_TRIED || !String(error).includes('address already in use')) throw error;
    }
  }
}

/** Starts a server that only this caller knows. */
export async function startNats({ log = quiet }: { log?: Log } = {}): Promise<TestNats> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mcs-nats-'));
  const identity = await loadIdentity(stateDir);
  const settings = { binary: await findServerBinary(), stateDir, identity, log };
  const begun = await startAtOwnPort(settings);
  const { port } = begun;
  let server: ServerProcess | undefined = begun;
  const url = `nats://127.0.0.1:${port}`;
  const opened: NatsBus[] = [];

  const open = (options: Partial<BusOptions> = {}) => {
    const bus = openBus({ url, name: 'test', credentials: identity.service, log, settleMs: 0, ...options });
    opened.push(bus);
    return bus;
  };
  return {
    stateDir,
    url,
    get pid() {
      return server?.pid ?? 0;
    },
    credentials: identity.service,
    followerSigner: identity.followerSigner,
    unitSigner: identity.unitSigner,
    credentialsFile: join(stateDir, 'service.creds'),
    open,
    connected: async (options) => {
      const bus = open(options);
      await until(() => bus.connected, { what: 'the connection' });
      return bus;
    },
    kill: async () => {
      if (server === undefined) return;
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
      server = undefined;
    },
    freeze: () => freeze(server!.pid),
    thaw: () => void process.kill(server!.pid, 'SIGCONT'),
    start: async () => {
      server ??= await startServerProcess({ ...settings, port });
    },
    stop: async () => {
      await Promise.all(opened.map((bus) => bus.close()));
      await server?.stop();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}
