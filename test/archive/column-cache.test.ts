/** Decoded columns that are kept: within their bound, the ones used last. */

import { describe, expect, it } from 'vitest';
import { addNumbers, addSample, emptySums } from '../../archive/bucket-sums.ts';
import { countedOf } from '../../archive/cell-values.ts';
import { ColumnCache } from '../../archive/column-cache.ts';
import { seededRandom } from '../../ports/seeded-random.ts';

const cells = (count: number): Float64Array => new Float64Array(count).fill(count);

describe('columns that are kept', () => {
  it('column-cache.C1 are those used last, of so many bytes at most', () => {
    const cache = new ColumnCache(800);
    cache.keep('one', cells(40));
    cache.keep('two', cells(40));
    expect(cache.get('one')).toEqual(cells(40));
    cache.keep('three', cells(60));
    expect([cache.get('one')?.length, cache.get('two'), cache.get('three')?.length]).toEqual([
      40,
      undefined,
      60,
    ]);
    cache.keep('four', cells(40));
    expect(cache.get('three')?.length).toBe(60);
    expect(cache.bytes).toBe(800);
  });

  it('are never one that is larger than all, and a name counts once', () => {
    const cache = new ColumnCache(80);
    cache.keep('large', cells(11));
    expect([cache.get('large'), cache.bytes]).toEqual([undefined, 0]);
    cache.keep('one', cells(4));
    cache.keep('one', cells(5));
    expect([cache.get('one')?.length, cache.bytes]).toEqual([5, 40]);
  });
});

it('sums of columns of numbers are those of their samples one by one, to the last bit', () => {
  const random = seededRandom(15);
  const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0];
  for (let round = 0; round < 200; round += 1) {
    const grid = { start: 1e12 + round, width: 1 + Math.floor(random.next() * 7), count: 40, minutes: false };
    const rows = Math.floor(random.next() * 60);
    const span = grid.width * grid.count;
    const times = Float64Array.from({ length: rows }, () => grid.start + random.next() * span * 0.999).sort();
    const values = times.map(() =>
      random.next() < 0.2 ? odd[Math.floor(random.next() * odd.length)]! : random.next() * 1e3 - 500,
    );
    const [together, each] = [emptySums(grid), emptySums(grid)];
    for (const [first, end] of [
      [0, rows >> 1],
      [rows >> 1, rows],
    ] as const) {
      addNumbers(together, { times, values, first, end, start: grid.start, width: grid.width });
      for (let row = first; row < end; row += 1) {
        const bucket = Math.floor((times[row]! - grid.start) / grid.width);
        addSample(each, bucket, times[row]!, countedOf(values[row]!));
      }
    }
    expect(together).toEqual(each);
  }
});
