/**
 * Writes the records of units: enrolment by a person, registration by the unit; for removal see `unit-removal.ts`.
 * Mission Control Service, sections 2.9 and 4.8.
 *
 * W1. Any number of front ends write, and none leads (record-write.W1).
 * W2. A serial number belongs to one key: that of the last enrolment, else that of the first registration. Who
 *     registers with another one is refused, so that a copied configuration cannot take the place of a unit.
 * W3. A registration that says the same again changes nothing but when it was: a unit may repeat it as often as it
 *     wants.
 * W4. A key that another one was enrolled after stays out behind a removal too, for as long as a credential of it may
 *     hold (unit-removal.L1).
 */

import { buckets } from '../contract/bus/buckets.ts';
import { UNITS_MOST } from '../contract/limits/unit.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import { readStoredUnit, type StoredUnit } from '../contract/stored-unit.ts';
import type { RegistrationFault, UnitRegistration } from '../contract/unit-wire.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import { type WrittenRecord, writeRecord } from './record-write.ts';
import { isLeft, returning, tidied } from './unit-removal.ts';

export { removeUnit } from './unit-removal.ts';

interface Writing {
  readonly bus: Bus;
  readonly clock: Clock;
  /** How many units there are; those that are left of removed ones may be among them. */
  readonly count: () => number;
}

export type WrittenUnit = WrittenRecord<StoredUnit>;

/** The serial number belongs to this key from now on. Throws `Outage`. */
export async function enrolUnit(
  writing: Writing,
  unit: { readonly serial: string; readonly publicKey: string; readonly by: string },
): Promise<Result<WrittenUnit, RegistrationFault>> {
  const { serial, publicKey, by } = unit;
  const at = new Date(writing.clock.now()).toISOString();
  const count = writing.count();
  const units = count < UNITS_MOST ? count : await tidied(writing);
  return write(writing, serial, (standing) => {
    const registered = standing?.registered;
    return (
      fullOf(standing, () => units) ??
      accepted({
        public_key: publicKey,
        enrolled: { at, by },
        ...(registered !== undefined && { registered }),
      })
    );
  });
}

/** W2, W3, W4. Throws `Outage`. */
export function registerUnit(
  writing: Writing,
  document: UnitRegistration,
): Promise<Result<WrittenUnit, RegistrationFault>> {
  const { instance, public_key } = document;
  const now = writing.clock.now();
  const at = new Date(now).toISOString();
  return write(writing, instance, (standing) => {
    const full = fullOf(standing, writing.count);
    if (full !== undefined) return full;
    const known = returning(standing, now);
    if (known !== undefined && known.public_key !== public_key) return otherKey(instance);
    const health = known?.registered?.health ?? { state: 'unknown' };
    return accepted({
      ...known,
      public_key,
      registered: { document, at, alive: true, health, last_heard: at },
    });
  });
}

function write(
  { bus }: Writing,
  serial: string,
  step: (standing: StoredUnit | undefined) => Result<StoredUnit, RegistrationFault>,
): Promise<Result<WrittenUnit, RegistrationFault>> {
  return writeRecord(bus, { bucket: buckets.units, key: serial, read: readStoredUnit }, step);
}

function fullOf(standing: StoredUnit | undefined, count: () => number) {
  if ((standing !== undefined && !isLeft(standing)) || count() < UNITS_MOST) return undefined;
  return refused<RegistrationFault>({
    code: 'unit::too-many',
    message: `there are ${UNITS_MOST} units already: remove those that are no more`,
  });
}

function otherKey(serial: string) {
  return refused<RegistrationFault>({
    code: 'unit::other-key',
    message: `serial number ${serial} belongs to another key: a supervisor may enrol this one in its place`,
    path: 'public_key',
  });
}
