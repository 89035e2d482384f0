/**
 * What a row with a bus stands on: a nats-server of its own with an empty store, a connection to it, and the processor
 * time it uses. Nothing of it outlives the row.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JwtCredentials } from '../bus/credentials.ts';
import { type NatsBus, openBus } from '../bus/nats-bus.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../bus/server.ts';
import { cpuUsOf } from './processor.ts';
import { silentLog } from './silent-log.ts';

/** How a peer reaches the bus. */
export interface BusAddress {
  readonly url: string;
  readonly credentials: JwtCredentials;
}

export interface Ground {
  readonly address: BusAddress;
  readonly bus: NatsBus;
  /** Processor time of the bus server so far, in steps of a clock tick (10 ms). */
  cpuUs(): Promise<number>;
  /** The embedded server itself. */
  readonly server: Pick<EmbeddedServer, 'pid' | 'monitor'>;
  end(): Promise<void>;
}

/** Starts the bus; every stream and bucket of the contract is there when it resolves. */
export async function startGround({ monitored = false } = {}): Promise<Ground> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mcs-benchmark-'));
  const server = await startEmbeddedServer({ stateDir, log: silentLog, monitored });
  const address = { url: server.url, credentials: server.credentials };
  const bus = openBus({ ...address, name: 'benchmark', log: silentLog });
  await bus.ensureAssets({ deadlineMs: 10_000 });
  return {
    address,
    bus,
    server,
    cpuUs: async () => (server.pid === undefined ? 0 : cpuUsOf(server.pid)),
    end: async () => {
      await bus.close();
      await server.stop();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}
