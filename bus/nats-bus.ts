/**
 * The bus of the service on NATS JetStream: puts the parts of this folder behind `ports/bus.ts`.
 * Mission Control Service, section 6.
 */

import {
  type BucketDefinition,
  buckets,
  type ObjectsDefinition,
  objectStores,
} from '../contract/bus/buckets.ts';
import { type StreamDefinition, streams } from '../contract/bus/streams.ts';
import { TAIL_FROM } from '../contract/limits/archive.ts';
import type { Appended, AppendOptions, Bus, StreamMessage } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { Replication, StreamOverrides } from '../ports/replication.ts';
import type { StreamLevels } from '../ports/stream-levels.ts';
import { checkFilter, checkHeaders, checkSubject } from './address.ts';
import { write } from './append.ts';
import type { AssetHandle } from './asset.ts';
import { Assets } from './assets.ts';
import { Markers, openBucket } from './bucket.ts';
import { Connection } from './connection.ts';
import * as core from './core.ts';
import type { Credentials } from './credentials.ts';
import { Cursors } from './cursors.ts';
import { hearOfDisk } from './disk-level.ts';
import { follow } from './follow.ts';
import { type Inventory, openInventory } from './inventory.ts';
import { JetStream } from './jetstream.ts';
import { streamLevels } from './levels.ts';
import { withoutProtocol } from './message.ts';
import { openObjects } from './objects.ts';
import { Past } from './past.ts';
import { Replicas } from './replicas.ts';
import { readLast } from './stored-last.ts';
import { Tails } from './stream-tail.ts';

export interface BusOptions {
  /** One or several `nats://host:port` with commas between. */
  readonly url: string;
  /** Names the process on the bus, a token. */
  readonly name: string;
  readonly credentials?: Credentials;
  /** File of the authorities that sign the certificates of the servers; default: those of the system. */
  readonly ca?: string;
  readonly log: Log;
  /** Copies of every stream, as far as is known now (`replication`): 1 alone, 3 in a cluster. */
  readonly replicas?: number;
  readonly overrides?: StreamOverrides;
  /** How long behind each connecting nobody is taken for absent; default `MEMBER_TTL_MS` (`settling.ts`). */
  readonly settleMs?: number;
  /** No stream or bucket is made or changed: what is missing is refused, and different is taken as it stands. */
  readonly looksOnly?: boolean;
  /** From how many followers of one stream on they are read together; default `TAIL_FROM`. */
  readonly tailFrom?: number;
}

export interface NatsBus extends Bus {
  /** Why it is not reached; undefined while it is, and before the first attempt has failed. */
  readonly unreached: string | undefined;
  readonly levels: StreamLevels;
  /** Makes or updates every stream and bucket of the contract; rejects with an outage at the deadline. */
  ensureAssets(options?: { deadlineMs?: number }): Promise<void>;
  readonly inventory: Inventory;
  readonly replication: Replication;
}

/** Returns at once and connects behind; throws on an address or a name that can never work. */
export function openBus(options: BusOptions): NatsBus {
  const log = options.log.child({ part: 'bus' });
  const connection = new Connection({ ...options, log });
  const jetstream = new JetStream(connection);
  const { replicas = 1, overrides = {}, looksOnly } = options;
  const assets = new Assets(jetstream, { replicas, overrides, looksOnly, log });
  const cursors = new Cursors(jetstream, log);
  const markers = new Markers(jetstream);
  const past = new Past(jetstream);
  const tails = new Tails({ jetstream, assets, cursors, past, log }, options.tailFrom ?? TAIL_FROM);
  const tools = { jetstream, assets, cursors, markers, past, tails, log };
  hearOfDisk(connection, jetstream.room);
  const replication = new Replicas({ connection, assets, handles: () => everyAsset(assets), log });

  return {
    get connected() {
      return connection.connected;
    },
    get silent() {
      return connection.pulse.silent;
    },
    get unreached() {
      return connection.unreached;
    },
    onConnection: (listener) => connection.onChange(listener),
    onSilence: (listener) => connection.pulse.onSilence(listener),
    publish: (subject, data, headers) => core.publish(connection, subject, data, headers),
    subscribe: (subject, handle, choice) => core.subscribe(connection, subject, handle, choice),
    serve: (subject, answer, choice) => core.serve(connection, log, subject, answer, choice),
    request: (subject, data, settings) => core.request(connection, subject, data, settings),
    append: (stream, subject, data, settings) => append(tools, stream, { subject, data, ...settings }),
    last: (stream, subject) => last(tools, stream, subject),
    follow: async (stream, subject, from, handle, options = {}) =>
      follow(tools, { stream, filter: checkFilter(subject), from, handle, ...options }),
    stillHolds: (stream, known) => past.stillHolds(assets.stream(stream), known),
    holesUntil: (stream) => past.holesUntil(assets.stream(stream)),
    leftUntil: (stream) => past.leftUntil(assets.stream(stream)),
    get lostUntil() {
      return past.lostUntil;
    },
    lost: (until) => past.lost(until),
    dedupeMs: (stream) => assets.dedupeMs(stream),
    keptMs: (stream) => assets.keptMs(stream),
    levels: streamLevels(jetstream, () => everyAsset(assets).map(({ name }) => name)),
    bucket: onceEach((definition: BucketDefinition) => openBucket(tools, definition)),
    objects: onceEach((definition: ObjectsDefinition) => openObjects(tools, definition)),
    ensureAssets: ({ deadlineMs } = {}) => ensureAssets(tools, deadlineMs),
    inventory: openInventory({ ...tools, handles: () => everyAsset(assets) }),
    replication,
    close: async () => {
      replication.stop();
      cursors.close();
      if (connection.connected) await markers.deleteAll();
      await connection.close();
    },
  };
}

/** One for each definition: thousands of parts of a process hold on to theirs, and what they ask for at once is shared. */
function onceEach<Definition extends object, Opened>(
  open: (definition: Definition) => Opened,
): (definition: Definition) => Opened {
  const opened = new WeakMap<Definition, Opened>();
  return (definition) => {
    const known = opened.get(definition);
    if (known !== undefined) return known;
    const one = open(definition);
    opened.set(definition, one);
    return one;
  };
}

interface Tools {
  readonly jetstream: JetStream;
  readonly assets: Assets;
}

async function append(
  { jetstream, assets }: Tools,
  stream: StreamDefinition,
  request: AppendOptions & { readonly subject: string; readonly data: Uint8Array },
): Promise<Appended> {
  const { id, expectLastSubjectSeq: expect, headers, deadlineMs, once, subject, data } = request;
  checkSubject(subject);
  if (headers !== undefined) checkHeaders(headers);
  if (id !== undefined) checkHeaders({ id });
  return write(jetstream, {
    asset: assets.stream(stream),
    subject,
    data,
    headers,
    id,
    expect,
    deadlineMs,
    once,
  });
}

async function last(
  { jetstream, assets }: Tools,
  stream: StreamDefinition,
  subject: string,
): Promise<StreamMessage | undefined> {
  checkSubject(subject);
  const asset = assets.stream(stream);
  const read = async (left: () => number): Promise<StreamMessage | undefined> => {
    await asset.ensure(left());
    return readLast(jetstream, { stream: stream.name, subject, timeoutMs: left });
  };
  const message = await jetstream.retrying(undefined, read, { stream: asset.name });
  return message === undefined ? undefined : withoutProtocol(message);
}

async function ensureAssets({ jetstream, assets }: Tools, deadlineMs: number | undefined): Promise<void> {
  const handles = everyAsset(assets);
  await Promise.all(handles.map((asset) => jetstream.retrying(deadlineMs, (left) => asset.ensure(left()))));
}

/** Every stream, bucket and object store of the contract. */
function everyAsset(assets: Assets): AssetHandle[] {
  return [
    ...Object.values(streams).map((definition) => assets.stream(definition)),
    ...Object.values(buckets).map((definition) => assets.bucket(definition)),
    ...Object.values(objectStores).map((definition) => assets.objects(definition)),
  ];
}
