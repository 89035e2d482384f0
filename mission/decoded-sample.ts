/**
 * One decoded value in the terms of the catalogue. Mission Control Service, section 2.1 (DecodedSample).
 *
 * X1. `value` is null when the calibration does not cover the raw value, when an enumeration has no name for it, and
 *     when a double holds no finite number.
 */

import type { WideValue } from '../contract/batch.ts';
import type { DecodedSample } from '../contract/telecommand.ts';
import type { Measure, MeasureDefinition } from './platform.ts';

/** The sample of a raw value; `onboardMs` NaN when unknown. */
export function decodedSample(measure: Measure, raw: number | WideValue, onboardMs: number): DecodedSample {
  const { component, instance, definition } = measure;
  return {
    component,
    ...(instance !== undefined && { instance }),
    measure: definition.name,
    raw: rawOf(definition, raw),
    value: physicalOf(definition, raw),
    ...(definition.unit !== undefined && { unit: definition.unit }),
    ...(!Number.isNaN(onboardMs) && { onboard_time: new Date(onboardMs).toISOString() }),
  };
}

/** JSON has no integers past 2^53 and no infinities: those travel as text. */
function rawOf(definition: MeasureDefinition, raw: number | WideValue): number | boolean | string {
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'bigint' || !Number.isFinite(raw)) return String(raw);
  return definition.type === 'bool' ? raw !== 0 : raw;
}

function physicalOf(
  definition: MeasureDefinition,
  raw: number | WideValue,
): number | boolean | string | null {
  if (typeof raw !== 'number') return String(raw);
  if (definition.enumeration !== undefined) return definition.enumeration.nameOf(raw) ?? null;
  if (definition.type === 'bool') return Number.isNaN(raw) ? null : raw !== 0;
  const value = definition.calibrate === undefined ? raw : definition.calibrate(raw);
  return Number.isFinite(value) ? value : null;
}
