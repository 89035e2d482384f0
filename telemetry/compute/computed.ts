/**
 * One derived measure while it is computed: its evaluation, what was last published of it and when it may change by
 * itself.
 *
 * E1. An evaluation outlives a change of the catalogue when its expression and everything it reads stay what they are;
 *     it knows its inputs by the ordinals it was opened with.
 */

import { DERIVED_TELL_MS } from '../../contract/limits/value.ts';
import type { ExpressionEvaluation } from '../../mission/condition/condition.ts';
import { meansTheSame } from '../../mission/measure-meaning.ts';
import type { Derived, Platform } from '../../mission/platform.ts';

export class Computed {
  readonly derived: Derived;
  /** Place in the order of computation. */
  readonly index: number;
  readonly evaluation: ExpressionEvaluation;
  /** Whether it goes on from an earlier catalogue. */
  readonly kept: boolean;
  /** For each measure it reads, the ordinal the evaluation knows it by. */
  readonly known: readonly number[];
  /** What was published last; NaN for null, and before the first. */
  last = Number.NaN;
  /** Of the sample published last in real time; before everything until there is one. */
  time = Number.NEGATIVE_INFINITY;
  ground = Number.NEGATIVE_INFINITY;
  /** When it has to be looked at without a sample; infinite when never. */
  due = Number.POSITIVE_INFINITY;
  /** A number that changed only because samples left a window is published then. */
  #tell = Number.POSITIVE_INFINITY;
  readonly #numeric: boolean;

  constructor(derived: Derived, index: number, platform: Platform, kept: Computed | undefined) {
    const { type, enumeration } = platform.measures[derived.ordinal]!.definition;
    this.derived = derived;
    this.index = index;
    this.kept = kept !== undefined;
    this.evaluation = kept?.evaluation ?? derived.open();
    this.known = kept?.known ?? derived.reads;
    this.last = kept?.last ?? Number.NaN;
    this.time = kept?.time ?? Number.NEGATIVE_INFINITY;
    this.ground = kept?.ground ?? Number.NEGATIVE_INFINITY;
    this.due = kept?.due ?? Number.POSITIVE_INFINITY;
    this.#tell = kept?.tell ?? Number.POSITIVE_INFINITY;
    this.#numeric = type !== 'bool' && enumeration === undefined;
  }

  get tell(): number {
    return this.#tell;
  }

  /** Notes when the sample published last is of. */
  dated(time: number, ground: number): void {
    this.time = time;
    this.ground = ground;
  }

  /** The value at `at` where a sample of it has to be published; NaN is null, undefined: nothing to publish. */
  afterSample(at: number): number | undefined {
    const value = this.evaluation.value(at) ?? Number.NaN;
    this.#schedule(at, Number.POSITIVE_INFINITY);
    return Number.isNaN(value) && Number.isNaN(this.last) ? undefined : value;
  }

  /** As `afterSample`, when time alone has passed. */
  afterTime(at: number): number | undefined {
    const value = this.evaluation.value(at) ?? Number.NaN;
    const same = value === this.last || (Number.isNaN(value) && Number.isNaN(this.last));
    const tell = this.#emitAt(value, at);
    const now = !same && tell <= at;
    this.#schedule(at, same || now ? Number.POSITIVE_INFINITY : tell);
    return now ? value : undefined;
  }

  /**
   * A turn and what becomes unknown or known is published at once, a number that drifts at the next whole
   * `DERIVED_TELL_MS`.
   */
  #emitAt(value: number, at: number): number {
    if (!this.#numeric || Number.isNaN(value) || Number.isNaN(this.last)) return at;
    return Math.min(this.#tell, (Math.floor(at / DERIVED_TELL_MS) + 1) * DERIVED_TELL_MS);
  }

  #schedule(at: number, tell: number): void {
    if (!this.derived.temporal) return;
    this.#tell = tell;
    this.due = Math.min(this.evaluation.deadline(at) ?? Number.POSITIVE_INFINITY, tell);
  }
}

/** What is computed of the earlier catalogue under the same key, when it is the same (E1). */
export function sameComputed(
  derived: Derived,
  platform: Platform,
  earlier: { readonly platform: Platform; readonly computed: readonly Computed[] },
): Computed | undefined {
  const { key } = platform.measures[derived.ordinal]!;
  const ordinal = earlier.platform.ordinal(key);
  const kept = earlier.computed.find((each) => each.derived.ordinal === ordinal);
  if (kept === undefined || kept.derived.source !== derived.source) return undefined;
  if (!sameMeasure(kept.derived.ordinal, earlier.platform, derived.ordinal, platform)) return undefined;
  const reads = kept.derived.reads;
  const same =
    reads.length === derived.reads.length &&
    reads.every((read, at) => sameMeasure(read, earlier.platform, derived.reads[at]!, platform));
  return same ? kept : undefined;
}

/** The same key and the same meaning. Ordinals rise as keys do, so the measures of both are in the same order. */
export function sameMeasure(one: number, of: Platform, other: number, platform: Platform): boolean {
  const [a, b] = [of.measures[one]!, platform.measures[other]!];
  return a.key === b.key && meansTheSame(a, b);
}
