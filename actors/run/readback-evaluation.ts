/**
 * The readbacks of a configure as a condition that can be followed: true when the last sample of each measure equals the
 * value of its parameter. Mission Control Service, sections 2.5 and 4.3.
 *
 * Y1. Values are compared as their measure can hold them: 0.1 read back through an f32 is 0.1.
 */

import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { Evaluation, Truth } from '../../mission/condition/condition.ts';
import type { Measure, MeasureDefinition } from '../../mission/platform.ts';
import { isFloatType, isIntegerType } from '../../mission/value-type.ts';
import { type PlainValue, shownValue } from './samples.ts';

export interface WantedReadback {
  readonly measure: Measure;
  /** In the unit of the measure; enums by name. */
  readonly value: ResolvedValue;
}

/** What the arithmetic of a calibration may add to a double, relative. */
const DOUBLE_NOISE = 1e-12;
/** One unit in the last place of an f32, relative. */
const SINGLE_NOISE = 2 ** -23;

export class ReadbackEvaluation implements Evaluation {
  readonly reads: readonly number[];
  readonly #wanted: readonly WantedReadback[];
  /** By ordinal; undefined before the first sample. */
  readonly #last: (PlainValue | undefined)[];

  /** The ordinal of a readback is its place. */
  constructor(wanted: readonly WantedReadback[]) {
    this.#wanted = wanted;
    this.#last = wanted.map(() => undefined);
    this.reads = wanted.map((_, ordinal) => ordinal);
  }

  feed(ordinal: number, value: PlainValue): void {
    this.#last[ordinal] = value;
  }

  /** What was read before the configure says nothing of it. */
  prime(): void {}

  deadline(): undefined {
    return undefined;
  }

  truth(): Truth {
    const truths = this.#wanted.map(({ measure, value }, ordinal) => {
      const last = this.#last[ordinal];
      return last === undefined || last === null ? null : readsAs(measure.definition, last, value);
    });
    if (truths.includes(false)) return false;
    return truths.includes(null) ? null : true;
  }
}

/** Whether a sample of the measure says that value (Y1). */
export function readsAs(definition: MeasureDefinition, sample: PlainValue, wanted: ResolvedValue): boolean {
  const { type, enumeration } = definition;
  if (enumeration !== undefined) return shownValue(definition, sample) === wanted;
  if (isIntegerType(type) && definition.calibrate === undefined) return sameInteger(sample, wanted);
  if (isFloatType(type) || isIntegerType(type)) return sameNumber(definition, Number(sample), Number(wanted));
  if (type === 'bytes') return hexadecimal(sample) === hexadecimal(wanted);
  return shownValue(definition, sample) === wanted;
}

function sameInteger(sample: PlainValue, wanted: ResolvedValue): boolean {
  if (typeof sample === 'number' && typeof wanted === 'number') return sample === wanted;
  const [one, other] = [String(sample), String(wanted)];
  if (!/^-?\d+$/.test(one) || !/^-?\d+$/.test(other)) return false;
  return BigInt(one) === BigInt(other);
}

/** A sample may be carried by an f32 whatever the type of its measure: then it is the wanted number as an f32 has it. */
function sameNumber({ type, calibrate }: MeasureDefinition, sample: number, wanted: number): boolean {
  if (sample === wanted) return true;
  if (calibrate === undefined) return sample === Math.fround(wanted);
  const noise = type === 'f32' ? SINGLE_NOISE : DOUBLE_NOISE;
  return Math.abs(sample - wanted) <= noise * Math.max(Math.abs(sample), Math.abs(wanted));
}

function hexadecimal(value: PlainValue | ResolvedValue): string {
  return String(value).toLowerCase().replace(/^0x/, '');
}
