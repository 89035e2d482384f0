/**
 * Whether a measure of one configuration is the same measure in another: samples and verdicts outlive a change of the
 * catalogue only where they do.
 *
 * M1. A measure whose type, unit or enumeration changed is another measure: its samples would be misread.
 */

import type { Measure, MeasureDefinition, Platform } from './platform.ts';

/** Whether the numbers of both mean the same; false when one of them is missing. */
export function meansTheSame(one: Measure | undefined, other: Measure | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return meaningOf(one.definition) === meaningOf(other.definition);
}

/** The same measure in a catalogue; undefined where there is none, or one that means something else (M1). */
export function sameMeasure(measure: Measure | undefined, platform: Platform): Measure | undefined {
  const ordinal = measure && platform.ordinal(measure.key);
  const found = ordinal === undefined ? undefined : platform.measures[ordinal];
  return meansTheSame(found, measure) ? found : undefined;
}

/** What the numbers of a measure mean: equal texts, equal meaning. */
export function meaningOf({ type, unit, enumeration }: MeasureDefinition): string {
  const names = enumeration?.names.map((name) => `${name}=${enumeration.numberOf(name)}`) ?? [];
  return [type, unit ?? '', ...names].join(' ');
}
