/**
 * Whether a measure of one platform is the same measure on another. A telecommand is judged by the configuration it was
 * resolved with; samples come in the columns of the current one.
 *
 * M1. A measure whose type, unit or enumeration changed is another measure: its samples would be misread as evidence.
 */

import type { Measure, MeasureDefinition } from '../../mission/mission.ts';

/** Whether the numbers of both mean the same; false when one of them is missing. */
export function meansTheSame(one: Measure | undefined, other: Measure | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return meaningOf(one.definition) === meaningOf(other.definition);
}

function meaningOf({ type, unit, enumeration }: MeasureDefinition): string {
  const names = enumeration?.names.map((name) => `${name}=${enumeration.numberOf(name)}`) ?? [];
  return [type, unit ?? '', ...names].join(' ');
}
