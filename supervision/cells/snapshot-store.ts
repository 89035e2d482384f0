/**
 * The store of kinds whose record is their snapshot: one key `<kind>.<id>` per entity in a bucket, written by
 * conditional write (O1). MessagePack, because contexts may hold bytes, dates and big integers.
 */

import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { packr, readEnvelope } from '../../messaging/kept-envelopes.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Commit, Committed, Store, Stored } from '../../ports/entity.ts';

interface SnapshotStoreOptions {
  readonly bus: Bus;
  readonly kind: string;
  readonly bucket?: BucketDefinition;
  /** Whether a final entity leaves its record behind. */
  readonly keepFinal?: boolean;
}

/** A store that also lists everything it holds. */
export interface SnapshotStore extends Store {
  list(): Promise<Stored[]>;
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

  const load = async (id: string): Promise<Stored | undefined> => {
    const entry = await records.get(key(id));
    if (entry === undefined) return undefined;
    const envelope = readEnvelope(entry);
    if (envelope === undefined) throw new Error(`entry ${entry.key} of ${name} cannot be read`);
    return { envelope, position: entry.revision };
  };

  const commit = async (wanted: Commit): Promise<Committed> => {
    const bytes = packr.pack(wanted.envelope());
    const written = await records.put(key(wanted.id), bytes, wanted.position);
    if (written.outcome === 'conflict') return { outcome: 'fenced' };
    if (wanted.final && !keepFinal) await records.remove(key(wanted.id), written.revision);
    return { outcome: 'committed', position: written.revision };
  };

  const list = async (): Promise<Stored[]> => {
    const entries = await records.list(key('*'));
    // One that cannot be read keeps no other from being listed; whoever loads that one learns why.
    return entries.flatMap((entry) => {
      const envelope = readEnvelope(entry);
      return envelope === undefined ? [] : { envelope, position: entry.revision };
    });
  };

  const remove = async (id: string): Promise<void> => {
    const entry = await records.get(key(id));
    if (entry !== undefined) await records.remove(key(id), entry.revision);
  };

  return { load, commit, list, remove };
}
