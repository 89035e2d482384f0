/**
 * A bucket: one value per key, every write conditional on the revision it replaces (ports/bus.P1).
 *
 * B1. Conditional writes go through `append.ts`, never through the client's own key-value calls, which let two
 *     writers win on a cluster.
 * B2. A removal is a conditional write of a marker, so that it competes with the other writers; the marker is deleted
 *     a little later, when the watches have seen it. Until then, and after a crash in between, a marker is no key.
 * B4. A key is made where nothing stands, and never over a marker: what stands in its way is deleted first. In a
 *     cluster nats-server 2.9 compares an expected position only before the servers agree; where a marker was deleted
 *     at that moment, one writer won over it and another one where nothing stood. That nothing stands is compared
 *     behind the agreement as well.
 * B3. Nothing of a bucket is purged, and no marker rolls its key up: nats-server 2.9 lets every consumer that matches
 *     leave out what it has not delivered yet, and a watch would miss values of other keys. A bucket keeps one value
 *     of each key, so that the marker replaces it anyway; and the marker is deleted by its position.
 */

import type { BucketDefinition } from '../contract/bus/buckets.ts';
import { BUS_ATTEMPT_MS } from '../contract/limits/bus.ts';
import type { Bucket, Entry, StreamMessage, Written } from '../ports/bus.ts';
import { checkKey, checkKeyFilter } from './address.ts';
import type { Write, WriteOutcome } from './append.ts';
import { write } from './append.ts';
import type { Standing } from './asset.ts';
import { bucketStream } from './declared.ts';
import { ApiError } from './fault.ts';
import type { JetStream } from './jetstream.ts';
import { lastOf } from './stored-last.ts';
import { OPERATION_HEADER } from './view.ts';
import type { WatchTools } from './watch.ts';
import { list, watch } from './watch.ts';

export interface BucketTools extends WatchTools {
  readonly markers: Markers;
}

const REMOVAL = { [OPERATION_HEADER]: 'DEL' } as const;
const EMPTY = new Uint8Array(0);
/** With two markers deleted on the way; more of them is a race lost. */
const CREATE_ATTEMPTS = 3;

/** Access to the bucket of a definition, made on first use; throws on a malformed name. */
export function openBucket(tools: BucketTools, definition: BucketDefinition): Bucket {
  const asset = tools.assets.bucket(definition);
  const subjectOf = (key: string) => `$KV.${definition.name}.${checkKey(key)}`;

  const store = (key: string, request: Omit<Write, 'asset' | 'subject'>): Promise<WriteOutcome> =>
    write(tools.jetstream, { ...request, asset, subject: subjectOf(key) });
  const lastAt = (key: string): Promise<StreamMessage | undefined> =>
    lastOf(tools.jetstream, asset, subjectOf(key));
  /** A key that does not exist may have left a marker (B4). */
  const create = async (key: string, request: Pick<Write, 'data' | 'deadlineMs'>): Promise<Written> => {
    for (let attempt = 1; ; attempt += 1) {
      const written = asWritten(await store(key, { ...request, expect: 0 }));
      if (written.outcome === 'written' || attempt === CREATE_ATTEMPTS) return written;
      const last = await lastAt(key);
      if (last === undefined) continue;
      if (!isMarker(last)) return written;
      await tools.markers.delete({ stream: bucketStream(definition), seq: last.seq });
    }
  };

  const get = async (key: string, known = 0): Promise<Entry | undefined> => {
    const last = await lastAt(key);
    // Rejects while a new leader of the stream may not have it yet (past.H2).
    if ((last?.seq ?? 0) < known) tools.past.reaches(await asset.look(BUS_ATTEMPT_MS), known);
    return last === undefined || isMarker(last) ? undefined : asEntry(key, last);
  };

  return {
    get,
    put: async (key, value, expected, options = {}) => {
      checkRevision(expected);
      const request = { data: value, ...deadline(options) };
      if (expected === 0) return create(key, request);
      return asWritten(await store(key, { ...request, expect: expected }));
    },
    overwrite: async (key, value) => {
      const stored = await store(key, { data: value });
      if (stored.outcome === 'conflict') throw new Error('an unconditional write cannot conflict');
      return stored.seq;
    },
    remove: async (key, expected) => {
      checkRevision(expected);
      if (expected === 0) return { outcome: 'conflict' };
      const written = asWritten(await store(key, { data: EMPTY, headers: REMOVAL, expect: expected }));
      if (written.outcome === 'written') tools.markers.deleteSoon(bucketStream(definition), written.revision);
      return written;
    },
    watch: async (filter, changed) => watch(tools, definition, checkKeyFilter(filter), changed),
    list: async (filter) => {
      if (!/[*>]/.test(filter)) return [await get(filter)].filter((entry) => entry !== undefined);
      return list(tools, definition, checkKeyFilter(filter));
    },
    position: async () => {
      const look = (left: () => number): Promise<Standing> => asset.look(left());
      return (await tools.jetstream.retrying(undefined, look, { stream: asset.name })).lastSeq;
    },
  };
}

interface Marker {
  readonly stream: string;
  readonly seq: number;
}

/** Long enough for every watch that is alive to have been handed the marker. */
const DELETED_AFTER_MS = 1_000;

/** Markers of removed keys on their way out. */
export class Markers {
  readonly #jetstream: JetStream;
  #waiting: Marker[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(jetstream: JetStream) {
    this.#jetstream = jetstream;
  }

  deleteSoon(stream: string, seq: number): void {
    this.#waiting.push({ stream, seq });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.deleteAll();
    }, DELETED_AFTER_MS);
  }

  /** Deletes what waits, now; what cannot be deleted stays as a marker, which is no key. */
  async deleteAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const markers = this.#waiting;
    this.#waiting = [];
    await Promise.allSettled(markers.map((marker) => this.delete(marker)));
  }

  /** B3: the marker and nothing else, which somebody else may have deleted. Rejects with an outage. */
  async delete({ stream, seq }: Marker): Promise<void> {
    try {
      await this.#jetstream.read(`STREAM.MSG.DELETE.${stream}`, { seq, no_erase: true });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
}

function asWritten(outcome: WriteOutcome): Written {
  return outcome.outcome === 'stored'
    ? { outcome: 'written', revision: outcome.seq }
    : { outcome: 'conflict' };
}

function asEntry(key: string, { data, seq, at }: StreamMessage): Entry {
  return { key, value: data, revision: seq, at };
}

function isMarker(message: StreamMessage): boolean {
  return message.data.length === 0 && message.headers[OPERATION_HEADER] !== undefined;
}

function checkRevision(revision: number): void {
  if (!Number.isSafeInteger(revision) || revision < 0) throw new TypeError(`not a revision: ${revision}`);
}

function deadline(options: { deadlineMs?: number }): { deadlineMs?: number } {
  return options.deadlineMs === undefined ? {} : { deadlineMs: options.deadlineMs };
}
