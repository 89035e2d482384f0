/**
 * The record of one key written step by step, against others that write it: any number of processes, and none leads.
 *
 * W1. Every write is conditional on what was read; what stands there is read again each time.
 */

import type { BucketDefinition } from '../contract/bus/buckets.ts';
import { UNIT_WRITE_ROUNDS } from '../contract/limits/unit.ts';
import { Outage } from '../contract/outage.ts';
import { accepted, type Result } from '../contract/result.ts';
import type { Bus } from '../ports/bus.ts';

export interface RecordPlace<Stored> {
  readonly bucket: BucketDefinition;
  readonly key: string;
  /** The record; undefined for anything else. */
  readonly read: (bytes: Uint8Array) => Stored | undefined;
}

/** A record with the revision under which it was written. */
export interface WrittenRecord<Stored> {
  readonly record: Stored;
  readonly revision: number;
}

/** What the step makes of what stands there, or its refusal. Throws `Outage`. */
export async function writeRecord<Stored, Fault>(
  bus: Pick<Bus, 'bucket'>,
  { bucket: definition, key, read }: RecordPlace<Stored>,
  step: (standing: Stored | undefined) => Result<Stored, Fault>,
): Promise<Result<WrittenRecord<Stored>, Fault>> {
  const bucket = bus.bucket(definition);
  for (let round = 0; round < UNIT_WRITE_ROUNDS; round += 1) {
    const entry = await bucket.get(key);
    const made = step(entry && read(entry.value));
    if (!made.ok) return made;
    const bytes = Buffer.from(JSON.stringify(made.value));
    const written = await bucket.put(key, bytes, entry?.revision ?? 0);
    if (written.outcome === 'written') return accepted({ record: made.value, revision: written.revision });
  }
  throw overtaken(key);
}

/** Whether there was one. Throws `Outage`. */
export async function removeRecord<Stored>(
  bus: Pick<Bus, 'bucket'>,
  { bucket: definition, key }: Pick<RecordPlace<Stored>, 'bucket' | 'key'>,
): Promise<boolean> {
  const bucket = bus.bucket(definition);
  for (let round = 0; round < UNIT_WRITE_ROUNDS; round += 1) {
    const entry = await bucket.get(key);
    if (entry === undefined) return false;
    if ((await bucket.remove(key, entry.revision)).outcome === 'written') return true;
  }
  throw overtaken(key);
}

function overtaken(key: string): Outage {
  return new Outage('bus.unavailable', `the record of ${key} changed ${UNIT_WRITE_ROUNDS} times meanwhile`);
}
