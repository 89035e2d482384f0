/**
 * Samples as a run shows them: in its log as the API shows current values, in texts and reasons in words. Mission
 * Control Service, sections 2.2 and 2.3.
 *
 * S1. A number in words is the shortest that means the same: what an f32 has for 0.1 is 0.1, arithmetic leaves no
 *     trace.
 */

import type { RunSample, RunValue } from '../../contract/run-event.ts';
import type { Measure, MeasureDefinition } from '../../mission/platform.ts';
import { isNumberType } from '../../mission/value-type.ts';
import type { PlainValue } from '../../telemetry/reading/unknown-value.ts';

export interface SampleAt {
  readonly value: PlainValue;
  /** On-board time when known, else ground time, ms since 1970. */
  readonly timeMs: number;
  readonly groundMs: number;
  readonly deferred: boolean;
}

/** Significant digits that every double keeps: what is past them is an artefact of its arithmetic. */
const DOUBLE_DIGITS = 15;
/** With so many significant digits every f32 is distinguished from its neighbours. */
const SINGLE_DIGITS = 9;

/** `sat1 battery[1].voltage` */
export function measureName(target: string, { key }: Measure): string {
  return `${target} ${key}`;
}

export function runSample(target: string, measure: Measure, sample: SampleAt): RunSample {
  return {
    target,
    component: measure.component,
    ...(measure.instance !== undefined && { instance: measure.instance }),
    measure: measure.definition.name,
    value: shownValue(measure.definition, sample.value),
    time: new Date(sample.timeMs).toISOString(),
    ground_time: new Date(sample.groundMs).toISOString(),
  };
}

/**
 * The value as the API shows it: a number in the unit of the measure, a boolean, an enum value, text; null is unknown.
 */
export function shownValue({ type, enumeration }: MeasureDefinition, value: PlainValue): RunValue {
  if (value === null) return null;
  if (enumeration !== undefined) return enumeration.nameOf(Number(value)) ?? null;
  if (type === 'bool') return Number(value) !== 0;
  if (!isNumberType(type)) return typeof value === 'string' ? value : null;
  const number = Number(value);
  // A whole number that no double holds stays exact as text.
  return Number.isFinite(number) && (typeof value === 'number' || Number.isSafeInteger(number))
    ? number
    : textOf(value);
}

/** `7.42 V`, `SAFE`, `true`, `unknown`. */
export function valueInWords(definition: MeasureDefinition, value: PlainValue): string {
  const shown = shownValue(definition, value);
  if (shown === null) return 'unknown';
  if (!isNumberType(definition.type) || definition.enumeration !== undefined) return String(shown);
  const { unit } = definition;
  return `${typeof shown === 'number' ? numberText(shown, definition) : shown}${unit === undefined ? '' : ` ${unit}`}`;
}

/** A value of a name: `12 dB`, `NOMINAL`, `true`; `unknown` when it has none. */
export function namedInWords(value: RunValue | undefined, unit: string | undefined): string {
  if (value === undefined || value === null) return 'unknown';
  if (typeof value !== 'number') return String(value);
  return `${shortest(value, DOUBLE_DIGITS)}${unit === undefined ? '' : ` ${unit}`}`;
}

function numberText(value: number, { calibrate }: MeasureDefinition): string {
  if (calibrate !== undefined || Math.fround(value) !== value) return shortest(value, DOUBLE_DIGITS);
  for (let digits = 1; digits < SINGLE_DIGITS; digits += 1) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return String(text);
  }
  return shortest(value, SINGLE_DIGITS);
}

function shortest(value: number, digits: number): string {
  const rounded = Number.isSafeInteger(value) ? value : Number(value.toPrecision(digits));
  // The largest double rounds to none.
  return String(Number.isFinite(rounded) ? rounded : value);
}

function textOf(value: PlainValue): string | null {
  return typeof value === 'string' && /^-?\d+$/.test(value) ? value : null;
}
