/**
 * Whether a sample of a measure says the value of a parameter. Mission Control Service, section 2.5 (`matches`); the
 * rule for numbers is ours, for the section shows none.
 *
 * B1. What is no number is equal or not; texts of bytes whatever their case.
 * B2. Numbers are equal when the measure could not tell them apart: an f32 has 0.1 as 0.1, whatever the type of its
 *     measure; a whole count that is calibrated moves in steps, and what differs by less than a step is the same count.
 * B3. A value counts as its measure has it: converted from the unit of the parameter, in which nothing would come out
 *     otherwise, for a conversion moves both and the resolution alike.
 */

import type { ResolvedValue } from '../contract/telecommand.ts';
import type { MeasureDefinition, Parameter } from './platform.ts';
import { convert } from './quantity.ts';
import { isFloatType, isIntegerType } from './value-type.ts';

/** What the arithmetic of a calibration or of units may add to a double, relative. */
const DOUBLE_NOISE = 1e-12;
/** One unit in the last place of an f32, relative. */
const SINGLE_NOISE = 2 ** -23;
/** Neighbours differ by a whole step, less what the arithmetic of the calibration takes off. */
const NEARLY = 1 - 1e-6;

/** The value of the parameter in the unit of the measure that reads it back (B3). */
export function asReadback(
  value: ResolvedValue,
  { unit }: Parameter,
  measure: MeasureDefinition,
): ResolvedValue {
  if (typeof value !== 'number' || unit === undefined || measure.unit === undefined) return value;
  return convert(value, unit, measure.unit);
}

/** Whether the sample, as the API shows it, says the value, which is in the unit of the measure. */
export function readsAs(
  definition: MeasureDefinition,
  shown: number | boolean | string | null,
  wanted: ResolvedValue,
): boolean {
  const { type, enumeration, calibrate } = definition;
  if (shown === null) return false;
  if (enumeration !== undefined) return shown === wanted;
  if (isIntegerType(type) && calibrate === undefined) return sameInteger(shown, wanted);
  if (isFloatType(type) || isIntegerType(type)) return sameNumber(definition, Number(shown), Number(wanted));
  if (type === 'bytes') return hexadecimal(shown) === hexadecimal(wanted);
  return shown === wanted;
}

/** What a double cannot hold comes as text. */
function sameInteger(shown: ResolvedValue, wanted: ResolvedValue): boolean {
  if (typeof shown === 'number' && typeof wanted === 'number') return Math.abs(shown - wanted) < NEARLY;
  const [one, other] = [String(shown), String(wanted)];
  if (!/^-?\d+$/.test(one) || !/^-?\d+$/.test(other)) return false;
  return BigInt(one) === BigInt(other);
}

function sameNumber({ type, calibrate, step }: MeasureDefinition, sample: number, wanted: number): boolean {
  if (sample === wanted || (calibrate === undefined && sample === Math.fround(wanted))) return true;
  const noise = type === 'f32' && calibrate !== undefined ? SINGLE_NOISE : DOUBLE_NOISE;
  const apart = Math.abs(sample - wanted);
  return (
    apart <= noise * Math.max(Math.abs(sample), Math.abs(wanted)) || apart < NEARLY * (step?.(sample) ?? 0)
  );
}

function hexadecimal(value: ResolvedValue): string {
  return String(value).toLowerCase().replace(/^0x/, '');
}
