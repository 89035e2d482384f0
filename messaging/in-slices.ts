/**
 * Work on very many things that waits for nothing: between two slices of it the loop serves others, heartbeats first of
 * all.
 */

import { setImmediate } from 'node:timers/promises';

/** So many are worked on in a millisecond or two. */
const SLICE = 500;

/** What the work makes of each, without those of which it makes nothing, in their order. */
export async function mappedInSlices<Item, Value>(
  items: readonly Item[],
  work: (item: Item) => Value | undefined,
): Promise<Value[]> {
  const made: Value[] = [];
  for (let from = 0; from < items.length; from += SLICE) {
    if (from > 0) await setImmediate();
    for (const item of items.slice(from, from + SLICE)) {
      const value = work(item);
      if (value !== undefined) made.push(value);
    }
  }
  return made;
}

/** As `toSorted`: those that compare equal keep their order. */
export async function sortedInSlices<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Promise<readonly Item[]> {
  let runs: (readonly Item[])[] = [];
  for (let from = 0; from < items.length; from += SLICE) {
    if (from > 0) await setImmediate();
    runs.push(items.slice(from, from + SLICE).sort(compare));
  }
  while (runs.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await mergedInSlices(runs[at]!, runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedInSlices<Item>(
  first: readonly Item[],
  second: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Promise<readonly Item[]> {
  if (second.length === 0) return first;
  const merged: Item[] = [];
  let [one, other] = [0, 0];
  while (merged.length < first.length + second.length) {
    if (merged.length % SLICE === SLICE - 1) await setImmediate();
    const isFirst =
      other === second.length || (one < first.length && compare(first[one]!, second[other]!) <= 0);
    merged.push(isFirst ? first[one++]! : second[other++]!);
  }
  return merged;
}
