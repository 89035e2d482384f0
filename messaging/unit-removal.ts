/**
 * Removal of units, and what is left of one for whose serial number a key was enrolled: that key. Mission Control
 * Service, section 2.9 (ours).
 *
 * L1. A removal gives a serial number back to nobody: the credentials of earlier keys still hold, and one of them may
 *     be why another key was enrolled. The number stays with the enrolled one until the last of them has expired: none
 *     was given to another key behind the enrolment.
 * L2. What is left is no unit: it is neither listed nor counted, and the unit returns from it with its enrolment.
 * L3. It is bounded: where there are `UNITS_MOST` records and another key is enrolled, what is over goes, and of the
 *     rest the oldest beyond `UNITS_MOST`.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { UNIT_CREDENTIAL_MS, UNIT_WRITE_ROUNDS, UNITS_MOST } from '../contract/limits/unit.ts';
import { Outage } from '../contract/outage.ts';
import { asObject } from '../contract/reply.ts';
import { readStoredUnit, type StoredUnit } from '../contract/stored-unit.ts';
import type { Bucket, Bus, Entry } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';

/** How far the clocks of front ends may be apart. */
const CLOCKS_APART_MS = 24 * 3_600_000;
/** How long behind the enrolment (L1). */
export const UNIT_LEFT_MS = UNIT_CREDENTIAL_MS + CLOCKS_APART_MS;

type Enrolment = NonNullable<StoredUnit['enrolled']>;

/** Its enrolment stands aside: for who knows nothing of removals this is a record of a unit that never registered. */
interface LeftUnit extends StoredUnit {
  readonly removed: { readonly enrolled: Enrolment };
}

export function isLeft(record: StoredUnit | undefined): record is LeftUnit {
  const { removed } = asObject(record) ?? {};
  return typeof asObject(asObject(removed)?.enrolled)?.at === 'string';
}

/** The record that a registration or an enrolment goes on from (L1, L2). */
export function returning(record: StoredUnit | undefined, now: number): StoredUnit | undefined {
  if (!isLeft(record)) return record;
  return isOver(record, now)
    ? undefined
    : { public_key: record.public_key, enrolled: record.removed.enrolled };
}

/** Whether there was one. Throws `Outage`. */
export async function removeUnit({ bus }: { readonly bus: Bus }, serial: string): Promise<boolean> {
  const bucket = bus.bucket(buckets.units);
  for (let round = 0; round < UNIT_WRITE_ROUNDS; round += 1) {
    const entry = await bucket.get(serial);
    const record = entry && readStoredUnit(entry.value);
    if (entry === undefined || isLeft(record)) return false;
    const written = await remove(bucket, entry, record);
    if (written.outcome === 'written') return true;
  }
  throw new Outage('bus.unavailable', `the record of ${serial} changed ${UNIT_WRITE_ROUNDS} times meanwhile`);
}

/** How many of these records are units (L2). */
export function unitsAmong(records: Iterable<readonly [string, { readonly record: StoredUnit }]>): number {
  return [...records].filter(([, { record }]) => !isLeft(record)).length;
}

/** L3; how many units there are. Throws `Outage`. */
export async function tidied({ bus, clock }: { readonly bus: Bus; readonly clock: Clock }): Promise<number> {
  const bucket = bus.bucket(buckets.units);
  const entries = await bucket.list('>');
  const left = entries.flatMap((entry) => {
    const record = readStoredUnit(entry.value);
    return isLeft(record) ? [{ entry, record }] : [];
  });
  left.sort((one, other) => one.entry.revision - other.entry.revision);
  const surplus = left.length - UNITS_MOST;
  const over = left.filter(({ record }, at) => at < surplus || isOver(record, clock.now()));
  for (const { entry } of over) await bucket.remove(entry.key, entry.revision);
  return entries.length - left.length;
}

function remove(bucket: Bucket, { key, revision }: Entry, record: StoredUnit | undefined) {
  if (record?.enrolled === undefined) return bucket.remove(key, revision);
  const left: LeftUnit = { public_key: record.public_key, removed: { enrolled: record.enrolled } };
  return bucket.put(key, Buffer.from(JSON.stringify(left)), revision);
}

function isOver({ removed }: LeftUnit, now: number): boolean {
  return now > Date.parse(removed.enrolled.at) + UNIT_LEFT_MS;
}
