/**
 * The bus without the service: the same client, a stream of the same kind (files, limits, ids of messages), and nothing
 * else. Ceilings publish and consume on it.
 */

import {
  connect,
  consumerOpts,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  type NatsConnection,
  StorageType,
} from 'nats';
import { serverOptions } from '../bus/credentials.ts';
import type { BusAddress } from './ground.ts';

export interface BareBus {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
}

const DEDUPE_NS = 600_000_000_000;
const BARE_STREAM = 'BENCH';

/** Connects, and makes the stream of every `bench.>` subject where it is missing. */
export async function connectBare({ url, credentials }: BusAddress): Promise<BareBus> {
  const connection = await connect({
    ...serverOptions(url, credentials),
    noAsyncTraces: true,
    inboxPrefix: `_MCS.bare-${process.pid}`,
  });
  const manager = await connection.jetstreamManager();
  await manager.streams.add({
    name: BARE_STREAM,
    subjects: ['bench.>'],
    storage: StorageType.File,
    duplicate_window: DEDUPE_NS,
  });
  return { connection, jetstream: connection.jetstream(), manager };
}

/**
 * Hands on what is stored on a subject from now on, one message after the other. Pushed and not pulled: a pull that
 * expires with a message on its way is dropped by nats-server 2.9, and the client then waits for most of a minute.
 */
export async function followBare(
  { jetstream }: BareBus,
  subject: string,
  handle: (message: JsMsg) => void | Promise<void>,
): Promise<void> {
  const options = consumerOpts();
  options.orderedConsumer();
  options.deliverNew();
  const messages = await jetstream.subscribe(subject, options);
  void (async () => {
    for await (const message of messages) await handle(message);
  })();
}
