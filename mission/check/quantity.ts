/**
 * Quantities in mission documents: read into numbers, their faults reported where they stand.
 */

import type { FaultsAt } from '../document/fault.ts';
import { parseDuration, readQuantity, unknownUnit } from '../quantity.ts';
import { findUnit } from '../unit.ts';

/** The number in `unit`; a plain number is taken as it is. Undefined after a fault. */
export function numberIn(
  value: string | number,
  unit: string | undefined,
  faults: FaultsAt,
): number | undefined {
  if (typeof value === 'number') return value;
  if (unit === undefined) {
    faults.fault(`"${value}" is text, and there is no unit to read it in`, 'write a number, or give a unit');
    return undefined;
  }
  if (findUnit(unit) === undefined) return undefined;
  const read = readQuantity(value, unit);
  if (read.ok) return read.value;
  for (const { message, help } of read.faults) faults.fault(message, help ?? `write it in ${unit}`);
  return undefined;
}

/** ms; undefined after a fault. */
export function durationIn(
  text: string,
  faults: FaultsAt,
  reading?: { readonly negative?: boolean },
): number | undefined {
  const read = parseDuration(text, reading);
  if (read.ok) return read.value;
  for (const { message, help } of read.faults) faults.fault(message, help ?? 'write a duration like 10 s');
  return undefined;
}

/** [low, high] in `unit`, low below high; undefined after a fault. */
export function intervalIn(
  interval: readonly [string | number | null, string | number | null],
  unit: string | undefined,
  faults: FaultsAt,
): readonly [number | null, number | null] | undefined {
  const [low, high] = interval.map((bound, index) =>
    bound === null ? null : numberIn(bound, unit, faults.in(index)),
  );
  if (low === undefined || high === undefined) return undefined;
  if (low !== null && high !== null && low >= high) {
    faults.fault(`the low side ${low} is not below the high side ${high}`, 'write [low, high]');
    return undefined;
  }
  if (low === null && high === null) faults.fault('both sides are open', 'leave it out, or give one side');
  return [low, high];
}

/** Reports a unit that is not in the table; true when it is. */
export function unitKnown(unit: string | undefined, faults: FaultsAt): boolean {
  if (unit === undefined || findUnit(unit) !== undefined) return true;
  const { message, help } = unknownUnit(unit);
  faults.fault(message, help ?? 'write a unit of the table');
  return false;
}
