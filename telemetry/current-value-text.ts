/**
 * CurrentValue as JSON bytes, written by hand: a tenth of the cost of `JSON.stringify`, and exact for 64-bit integers.
 * Mission Control Service, section 2.2.
 *
 * J1. The text is a CurrentValue of `contract/value.ts`: names are escaped once, numbers that JSON has not are null.
 * J2. An integer past 2^53 is written with all its digits, as a number.
 */

import type { WideValue } from '../contract/batch.ts';
import type { Measure, MeasureDefinition, Platform } from '../mission/platform.ts';
import { plainSample } from './reading/unknown-value.ts';

/** One sample as the columns of a store hold it. */
export interface SampleColumns {
  /** In the unit of the measure; NaN is unknown. */
  readonly value: number;
  readonly raw: number;
  /** What stands for `raw` where a double does not serve. */
  readonly wide: WideValue | undefined;
  /** On-board time when known, else ground time, ms since 1970. */
  readonly timeMs: number;
  readonly groundMs: number;
  readonly link: string;
  readonly deferred: boolean;
}

export class CurrentValueWriter {
  readonly #measures: readonly Measure[];
  /** Everything before the value, which never changes for a measure. */
  readonly #openings: string[] = [];
  readonly #time = new InstantText();
  readonly #groundTime = new InstantText();

  constructor(platform: Platform) {
    this.#measures = platform.measures;
  }

  write(ordinal: number, sample: SampleColumns): Buffer {
    const measure = this.#measures[ordinal]!;
    this.#openings[ordinal] ??= openingOf(measure);
    return this.writeAs(this.#openings[ordinal], measure.definition, sample);
  }

  /** With what stands before the value; of a measure that the platform has not. */
  writeAs(opening: string, definition: MeasureDefinition, sample: SampleColumns): Buffer {
    const value = valueText(definition, sample);
    const raw = rawText(definition, sample, value);
    return Buffer.from(
      `${opening}${value}${raw},"time":"${this.#time.of(sample.timeMs)}","ground_time":"${this.#groundTime.of(
        sample.groundMs,
      )}","link":${JSON.stringify(sample.link)},"delivery":"${sample.deferred ? 'deferred' : 'realtime'}"}}`,
    );
  }
}

/** RFC 3339 with the last answer remembered: the samples of a frame share their times, and dates are dear. */
class InstantText {
  #ms = Number.NaN;
  #text = '';

  of(ms: number): string {
    if (ms !== this.#ms) {
      this.#ms = ms;
      this.#text = new Date(ms).toISOString();
    }
    return this.#text;
  }
}

function openingOf({ component, instance, definition }: Measure): string {
  const names = { component, ...(instance !== undefined && { instance }), measure: definition.name };
  return `${JSON.stringify(names).slice(0, -1)},"sample":{"value":`;
}

/** What conditions take for unknown is null here, and nothing else is. */
function valueText(definition: MeasureDefinition, { value, wide }: SampleColumns): string {
  const plain = plainSample(definition, value, wide);
  if (plain === null) return 'null';
  const { enumeration, type } = definition;
  if (enumeration !== undefined) return JSON.stringify(enumeration.nameOf(value));
  if (type === 'bool') return String(plain !== 0);
  // Text of a number is its digits (J2).
  return typeof plain === 'number' || !isText(type) ? String(plain) : JSON.stringify(plain);
}

function isText(type: string): boolean {
  return type === 'string' || type === 'bytes';
}

/** The raw value where the service calibrated it, or where the number names no value of its enumeration. */
function rawText(definition: MeasureDefinition, { raw, wide }: SampleColumns, value: string): string {
  const unnamed = definition.enumeration !== undefined && value === 'null';
  if (definition.calibrate === undefined && !unnamed) return '';
  if (wide !== undefined) return `,"raw":${wideText(wide)}`;
  return Number.isFinite(raw) ? `,"raw":${raw}` : '';
}

function wideText(wide: WideValue): string {
  return typeof wide === 'bigint' ? wide.toString() : JSON.stringify(wide);
}
