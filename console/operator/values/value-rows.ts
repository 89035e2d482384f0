/** The rows of the table of values: which, in which order, and what each says. Pure. */

import type { Catalogue, CatalogueMeasure } from '../data/catalogue.ts';
import type { LiveValue } from '../data/live-value.ts';
import { type Standing, standingOf } from '../parts/limits.ts';

export interface ValueRow {
  readonly name: string;
  /** Undefined where the catalogue does not have it, as the measures of a file. */
  readonly measure: CatalogueMeasure | undefined;
  /** Undefined: never received. */
  readonly live: LiveValue | undefined;
  readonly standing: Standing;
  readonly isStale: boolean;
}

export interface RowChoice {
  /** Words that a name or description has, all of them. */
  readonly find: string;
  /** What is out of limits or stale before the rest. */
  readonly abnormalFirst: boolean;
  /** A value is stale when the ground received it longer ago than this. */
  readonly staleAfterMs: number;
}

/** `at`: ms since 1970 by the clock of the service. */
export function valueRows(
  catalogue: Catalogue | undefined,
  values: ReadonlyMap<string, LiveValue>,
  { find, abnormalFirst, staleAfterMs }: RowChoice,
  at: number,
): ValueRow[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const rows: ValueRow[] = [];
  for (const name of namesOf(catalogue, values)) {
    const measure = catalogue?.byName.get(name);
    if (words.length > 0 && !hasAll(`${name} ${measure?.description ?? ''}`, words)) continue;
    const live = values.get(name);
    rows.push({
      name,
      measure,
      live,
      standing: standingOf(live?.sample.value, measure),
      isStale: live !== undefined && at - live.groundAt > staleAfterMs,
    });
  }
  // Sorting is stable: within a place they stay in the order of the catalogue.
  return abnormalFirst ? rows.sort((a, b) => placeOf(a) - placeOf(b)) : rows;
}

/** Of the catalogue in its order, then what it does not have. */
function* namesOf(
  catalogue: Catalogue | undefined,
  values: ReadonlyMap<string, LiveValue>,
): Generator<string> {
  for (const { name } of catalogue?.measures ?? []) yield name;
  for (const name of values.keys()) if (catalogue?.byName.has(name) !== true) yield name;
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

function placeOf({ standing, isStale, live }: ValueRow): number {
  if (standing.level === 'critical') return 0;
  if (standing.level === 'warning') return 1;
  if (live === undefined) return 3;
  return isStale ? 2 : 4;
}

/** The line of a spark as the points of a polyline in a box; a line through the middle where nothing changes. */
export function sparkPoints(values: readonly number[], width: number, height: number): string {
  const least = Math.min(...values);
  const span = Math.max(...values) - least;
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values
    .map((value, index) => {
      const y = span === 0 ? height / 2 : height - ((value - least) / span) * height;
      return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
}
