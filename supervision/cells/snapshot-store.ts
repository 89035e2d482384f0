/**
 * The store of kinds whose record is their snapshot: one key `<kind>.<id>` per entity in a bucket, written by
 * conditional write (O1). MessagePack, because contexts may hold bytes, dates and big integers.
 *
 * S1. What is given of an entry is an envelope in every field, and that of its key; anything else cannot be read.
 * S2. What cannot be read is copied before anything is written over it: a person may still find out what it said.
 */

import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { asObject, type Foreign, isListOf } from '../../contract/reply.ts';
import { packr, readEnvelope } from '../../messaging/kept-envelopes.ts';
import type { Bus, Entry } from '../../ports/bus.ts';
import type { Commit, Committed, Envelope, Store, Stored } from '../../ports/entity.ts';

/** No kind has this name. */
const ASIDE = 'unreadable';

interface SnapshotStoreOptions {
  readonly bus: Bus;
  readonly kind: string;
  readonly bucket?: BucketDefinition;
  /** Whether a final entity leaves its record behind. */
  readonly keepFinal?: boolean;
}

/** An entry as it is found. */
export interface Found {
  readonly position: number;
  /** Undefined where the entry cannot be read (S1). */
  readonly envelope: Envelope | undefined;
}

/** A store that also lists everything it holds. */
export interface SnapshotStore extends Store {
  /** What `load` gives, also where it cannot be read. */
  find(id: string): Promise<Found | undefined>;
  /**
   * Copies the entry of that position to a key of its own, whose name it returns (S2); undefined where another entry is
   * there by now.
   */
  copyAside(id: string, position: number): Promise<string | undefined>;
  /** `unreadable` is called with the id of each entity whose entry cannot be read. */
  list(unreadable?: (id: string) => void): Promise<Stored[]>;
  /** Forgets an entity that is over. */
  remove(id: string): Promise<void>;
}

/** Envelopes of a kind in a bucket. */
export function createSnapshotStore({
  bus,
  kind,
  bucket,
  keepFinal = true,
}: SnapshotStoreOptions): SnapshotStore {
  const { name } = bucket ?? buckets.actors;
  const records = bus.bucket(bucket ?? buckets.actors);
  const key = (id: string): string => `${kind}.${id}`;

  const find = async (id: string): Promise<Found | undefined> => {
    const entry = await records.get(key(id));
    return entry && { position: entry.revision, envelope: envelopeIn(entry, id) };
  };

  const load = async (id: string): Promise<Stored | undefined> => {
    const found = await find(id);
    if (found === undefined) return undefined;
    const { envelope, position } = found;
    if (envelope === undefined) throw new Error(`entry ${key(id)} of ${name} cannot be read`);
    return { envelope, position };
  };

  const copyAside = async (id: string, position: number): Promise<string | undefined> => {
    const entry = await records.get(key(id));
    if (entry?.revision !== position) return undefined;
    const aside = `${ASIDE}.${key(id)}.${position}`;
    // A conflict means that it stands there already.
    await records.put(aside, entry.value, 0);
    return aside;
  };

  const commit = async (wanted: Commit): Promise<Committed> => {
    const bytes = packr.pack(wanted.envelope());
    const written = await records.put(key(wanted.id), bytes, wanted.position);
    if (written.outcome === 'conflict') return { outcome: 'fenced' };
    if (wanted.final && !keepFinal) await records.remove(key(wanted.id), written.revision);
    return { outcome: 'committed', position: written.revision };
  };

  // One that cannot be read keeps no other from being listed.
  const list = async (unreadable: (id: string) => void = () => undefined): Promise<Stored[]> => {
    const stored: Stored[] = [];
    for (const entry of await records.list(key('*'))) {
      const id = entry.key.slice(key('').length);
      const envelope = envelopeIn(entry, id);
      if (envelope === undefined) unreadable(id);
      else stored.push({ envelope, position: entry.revision });
    }
    return stored;
  };

  const remove = async (id: string): Promise<void> => {
    const entry = await records.get(key(id));
    if (entry !== undefined) await records.remove(key(id), entry.revision);
  };

  return { find, load, copyAside, commit, list, remove };
}

/** The envelope of that entity; undefined where the entry holds anything that a cell cannot come back from (S1). */
function envelopeIn(entry: Entry, id: string): Envelope | undefined {
  const envelope = readEnvelope(entry);
  if (envelope === undefined || envelope.id !== id) return undefined;
  const { version, revision, epoch, timers, effects } = envelope;
  const areNumbers = [version, revision, epoch].every(Number.isSafeInteger);
  return areNumbers && isListOf(timers, isTimer) && isListOf(effects, isPending) ? envelope : undefined;
}

function isTimer({ event, id, dueAt }: Foreign): boolean {
  return asObject(event) !== undefined && typeof id === 'string' && Number.isFinite(dueAt);
}

function isPending({ key, effect }: Foreign): boolean {
  return typeof key === 'string' && typeof asObject(effect)?.type === 'string';
}
