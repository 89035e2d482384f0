/**
 * The readbacks of a configure as a condition that can be followed: true when the last sample of each measure equals
 * the value of its parameter. Mission Control Service, sections 2.5 and 4.3.
 *
 * Y1. Values are compared as their measure can hold them, as the page of parameters does (`mission/readback.ts`).
 */

import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { Evaluation, Truth } from '../../mission/condition/condition.ts';
import type { Measure } from '../../mission/platform.ts';
import { readsAs } from '../../mission/readback.ts';
import type { PlainValue } from '../../telemetry/reading/unknown-value.ts';
import { shownValue } from './samples.ts';

export interface WantedReadback {
  readonly measure: Measure;
  /** In the unit of the measure; enums by name. */
  readonly value: ResolvedValue;
}

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

  recall(): void {}

  deadline(): undefined {
    return undefined;
  }

  truth(): Truth {
    const truths = this.#wanted.map(({ measure, value }, ordinal) => {
      const last = this.#last[ordinal];
      if (last === undefined || last === null) return null;
      return readsAs(measure.definition, shownValue(measure.definition, last), value);
    });
    if (truths.includes(false)) return false;
    return truths.includes(null) ? null : true;
  }
}
