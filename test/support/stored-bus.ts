/**
 * A bus with what stood on another one: each message at the position it had (`test/data/stores/`). Streams give
 * messages the time at which they are put back, so what is kept of these times beside a position is put there as well:
 * it is what shows a store that was put back by an operator.
 */

import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import {
  connect,
  type JetStreamManager,
  jwtAuthenticator,
  headers as newHeaders,
  type StreamConfig,
} from 'nats';
import type { TestNats } from './nats.ts';

type Headers = Readonly<Record<string, readonly string[]>>;
type StoredMessage = readonly [seq: number, subject: string, headers: Headers, data: string];

interface StoredStream {
  readonly name: string;
  readonly lastSeq: number;
  readonly config: StreamConfig;
  readonly messages: readonly StoredMessage[];
}

export interface StoredBus {
  readonly version: string;
  /** What was open, by what it waited for. */
  readonly ids: Readonly<Record<'asking' | 'suspended' | 'deciding' | 'running' | 'finished', string>> & {
    readonly sent: readonly string[];
  };
  readonly streams: readonly StoredStream[];
}

export async function readStoredBus(path: string | URL): Promise<StoredBus> {
  return JSON.parse(gunzipSync(await readFile(path)).toString()) as StoredBus;
}

/** When the message at that position of the stream is stored now, ms since 1970. */
type TimeAt = (stream: string, seq: number) => Promise<number>;

/** Puts it all on the server, which must be empty. */
export async function putBack(nats: TestNats, { streams }: StoredBus): Promise<void> {
  const { jwt, seed } = nats.credentials;
  const authenticator = jwtAuthenticator(jwt, Buffer.from(seed));
  const connection = await connect({ servers: nats.url, authenticator });
  const manager = await connection.jetstreamManager();
  const timeAt: TimeAt = async (stream, seq) => {
    const { time } = await manager.streams.getMessage(stream, { seq });
    return time.getTime();
  };
  const put = async (chosen: readonly StoredStream[]): Promise<void> => {
    await Promise.all(chosen.map((stream) => putStream(manager, stream, timeAt)));
  };
  // Each behind what it refers to.
  const [buckets, logs] = partition(streams, ({ name }) => name.startsWith('KV_'));
  const [values, others] = partition(logs, ({ name }) => name === 'TM_VALUES');
  await put(others);
  await put(values);
  await put(buckets);
  await connection.close();
}

async function putStream(
  manager: JetStreamManager,
  { name, lastSeq, config, messages }: StoredStream,
  timeAt: TimeAt,
): Promise<void> {
  await manager.streams.add(config);
  const jetstream = manager.jetstream();
  const standing = new Map(messages.map((message) => [message[0], message]));
  // Only buckets have gaps: earlier values of a key.
  const gap = config.subjects[0]!.replace('>', 'gap');
  for (let seq = 1; seq <= lastSeq; seq += 1) {
    const [, subject = gap, headers = {}, data = ''] = standing.get(seq) ?? [];
    const bytes = await redated(subject, Buffer.from(data, 'base64'), timeAt);
    const stored = await jetstream.publish(subject, new Uint8Array(bytes), {
      headers: await headersOf(headers, timeAt),
    });
    if (stored.seq !== seq) throw new Error(`${name}: stored at ${stored.seq}, not at ${seq}`);
  }
  if (messages.length < lastSeq) await manager.streams.purge(name, { filter: gap });
}

/** As they were; what was expected of the stream then is not expected again. */
async function headersOf(stored: Headers, timeAt: TimeAt) {
  const headers = newHeaders();
  for (const [key, values] of Object.entries(stored))
    if (!key.startsWith('Nats-Expected-')) for (const value of values) headers.append(key, value);
  const source = stored['Mcs-Source']?.[0];
  if (stored['Mcs-Source-At'] !== undefined)
    headers.set('Mcs-Source-At', String(await timeAt('TM', Number(source))));
  return headers;
}

/** What an owner has read of its streams names the last messages it knew, with their times. */
async function redated(subject: string, data: Buffer, timeAt: TimeAt): Promise<Buffer> {
  if (!subject.startsWith('$KV.mcs_members.checkpoint.')) return data;
  const read = JSON.parse(data.toString()) as {
    known?: Record<string, { seq: number; at: number }>;
    position?: number;
    stored?: number;
  };
  for (const [stream, known] of Object.entries(read.known ?? {})) known.at = await timeAt(stream, known.seq);
  if (read.stored !== undefined) read.stored = await timeAt('TM_VALUES', read.position!);
  return Buffer.from(JSON.stringify(read));
}

function partition<Item>(items: readonly Item[], belongs: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}
