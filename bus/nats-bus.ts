/**
 * The bus of the service on NATS JetStream: puts the parts of this folder behind `ports/bus.ts`.
 * Mission Control Service, section 6.
 */

import { buckets, objectStores } from '../contract/bus/buckets.ts';
import { type StreamDefinition, streams } from '../contract/bus/streams.ts';
import type { Appended, AppendOptions, Bus, StreamMessage } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { Replication, StreamOverrides } from '../ports/replication.ts';
import { checkFilter, checkHeaders, checkSubject } from './address.ts';
import { write } from './append.ts';
import { type AssetHandle, Assets } from './assets.ts';
import { Markers, openBucket } from './bucket.ts';
import { Connection } from './connection.ts';
import * as core from './core.ts';
import type { Credentials } from './credentials.ts';
import { Cursors } from './cursors.ts';
import { follow } from './follow.ts';
import { JetStream } from './jetstream.ts';
import { withoutProtocol } from './message.ts';
import { openObjects } from './objects.ts';
import { Past } from './past.ts';
import { Replicas } from './replicas.ts';
import { readLast } from './stored-last.ts';

export interface BusOptions {
  /** One or several `nats://host:port` with commas between. */
  readonly url: string;
  /** Names the process on the bus, a token. */
  readonly name: string;
  readonly credentials?: Credentials;
  readonly log: Log;
  /** Copies of every stream, as far as is known now (`replication`): 1 alone, 3 in a cluster. */
  readonly replicas?: number;
  readonly overrides?: StreamOverrides;
  /** How long behind each connecting nobody is taken for absent; default `MEMBER_TTL_MS` (`settling.ts`). */
  readonly settleMs?: number;
}

export interface NatsBus extends Bus {
  /** Why it is not reached; undefined while it is, and before the first attempt has failed. */
  readonly unreached: string | undefined;
  /** Makes or updates every stream and bucket of the contract; rejects with an outage at the deadline. */
  ensureAssets(options?: { deadlineMs?: number }): Promise<void>;
  readonly replication: Replication;
}

/** Returns at once and connects behind; throws on an address or a name that can never work. */
export function openBus(options: BusOptions): NatsBus {
  const log = options.log.child({ part: 'bus' });
  const connection = new Connection({ ...options, log });
  const jetstream = new JetStream(connection);
  const { replicas = 1, overrides = {} } = options;
  const assets = new Assets(jetstream, { replicas, overrides, log });
  const cursors = new Cursors(jetstream, log);
  const markers = new Markers(jetstream);
  const past = new Past(jetstream);
  const tools = { jetstream, assets, cursors, markers, past, log };
  const replication = new Replicas({ connection, assets, handles: () => everyAsset(assets), log });

  return {
    get connected() {
      return connection.connected;
    },
    get unreached() {
      return connection.unreached;
    },
    onConnection: (listener) => connection.onChange(listener),
    publish: (subject, data, headers) => core.publish(connection, subject, data, headers),
    subscribe: (subject, handle, choice) => core.subscribe(connection, subject, handle, choice),
    serve: (subject, answer, choice) => core.serve(connection, log, subject, answer, choice),
    request: (subject, data, settings) => core.request(connection, subject, data, settings),
    append: (stream, subject, data, settings) => append(tools, stream, { subject, data, ...settings }),
    last: (stream, subject) => last(tools, stream, subject),
    follow: async (stream, subject, from, handle, { wentBack } = {}) =>
      follow(tools, { stream, filter: checkFilter(subject), from, handle, wentBack }),
    stillHolds: (stream, known) => past.stillHolds(assets.stream(stream), known),
    get lostUntil() {
      return past.lostUntil;
    },
    lost: (until) => past.lost(until),
    dedupeMs: (stream) => assets.dedupeMs(stream),
    bucket: (definition) => openBucket(tools, definition),
    objects: (definition) => openObjects(tools, definition),
    ensureAssets: ({ deadlineMs } = {}) => ensureAssets(tools, deadlineMs),
    replication,
    close: async () => {
      replication.stop();
      cursors.close();
      if (connection.connected) await markers.deleteAll();
      await connection.close();
    },
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
  const message = await jetstream.retrying(undefined, async (left) => {
    await asset.ensure(left());
    return readLast(jetstream, { stream: stream.name, subject, timeoutMs: left });
  });
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
