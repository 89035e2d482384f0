/** Ranges of bytes against a set of bytes that is as simple as can be. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteRanges } from '../../contract/byte-ranges.ts';

const BYTES = 60;

/** The ranges of a row of marks. */
function rangesOf(marks: readonly boolean[], from = 0, to = marks.length): [number, number][] {
  const ranges: [number, number][] = [];
  for (let byte = from; byte < to; byte += 1) {
    if (marks[byte] !== true) continue;
    const last = ranges.at(-1);
    if (last?.[1] === byte) last[1] = byte + 1;
    else ranges.push([byte, byte + 1]);
  }
  return ranges;
}

const span = fc
  .tuple(fc.nat(BYTES), fc.nat(BYTES))
  .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
const step = fc.record({ what: fc.constantFrom('add', 'add', 'remove'), span });

it('MC-XFER-004 byte-ranges.B1 are sorted, disjoint and what a set of bytes says after any adds and removals', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), span, (steps, [from, to]) => {
      const ranges = new ByteRanges();
      const marks: boolean[] = Array.from({ length: BYTES }, () => false);
      for (const {
        what,
        span: [start, end],
      } of steps) {
        const fresh = marks.map((mark, byte) => !mark && byte >= start && byte < end);
        if (what === 'add') expect(ranges.add(start, end)).toEqual(rangesOf(fresh));
        else expect(ranges.remove(start, end)).toBe(true);
        marks.fill(what === 'add', start, end);
        expect(ranges.list()).toEqual(rangesOf(marks));
        expect(ranges.total).toBe(marks.filter(Boolean).length);
      }
      const absent = marks.map((mark) => !mark);
      expect(ranges.missing(from, to)).toEqual(rangesOf(absent, from, to));
      expect(ranges.missing(from, to, 2)).toEqual(rangesOf(absent, from, to).slice(0, 2));
      expect(ranges.overlaps(from, to)).toBe(rangesOf(marks, from, to).length > 0);
      expect(ranges.covers(from, to)).toBe(rangesOf(absent, from, to).length === 0);
      expect(ranges.end).toBe(marks.lastIndexOf(true) + 1);
      expect(ranges.first).toEqual(rangesOf(marks)[0]);
    }),
  );
});

it('byte-ranges.B2 never hold more than the bound: what would need one more changes nothing', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const ranges = new ByteRanges(4);
      for (const {
        what,
        span: [start, end],
      } of steps) {
        const before = ranges.list();
        const total = ranges.total;
        const taken = what === 'add' ? ranges.add(start, end) !== undefined : ranges.remove(start, end);
        expect(ranges.count).toBeLessThanOrEqual(4);
        if (taken) continue;
        expect([ranges.list(), ranges.total]).toEqual([before, total]);
      }
    }),
  );
});

it('byte-ranges.B2 alternating bytes stop at the bound, and filling the gaps makes room again', () => {
  const ranges = new ByteRanges(1_000);
  for (let n = 0; n < 5_000; n += 1) ranges.add(2 * n, 2 * n + 1);
  expect(ranges.count).toBe(1_000);
  expect(ranges.add(1, 2)).toEqual([[1, 2]]);
  expect(ranges.count).toBe(999);
  expect(ranges.add(8_000, 8_001)).toEqual([[8_000, 8_001]]);
});

it('byte-ranges.B3 bytes in order stay one range, however many they are', () => {
  const ranges = new ByteRanges(2);
  let added = 0;
  for (let n = 0; n < 50_000; n += 1) added += ranges.add(n * 10, n * 10 + 10)?.length ?? 0;
  expect(added).toBe(50_000);
  expect(ranges.list()).toEqual([[0, 500_000]]);
});

it('offsets beyond 32 bits are as exact as small ones', () => {
  const ranges = new ByteRanges();
  const high = 2 ** 52;
  ranges.add(high, high + 5);
  ranges.add(2 ** 33, 2 ** 33 + 1);
  expect(ranges.missing(0, high + 6)).toEqual([
    [0, 2 ** 33],
    [2 ** 33 + 1, high],
    [high + 5, high + 6],
  ]);
});

it('a stored list is read in any order, and refused when it is malformed or has too many ranges', () => {
  expect(
    ByteRanges.from([
      [4, 6],
      [0, 2],
      [2, 4],
    ])?.list(),
  ).toEqual([[0, 6]]);
  expect(ByteRanges.from([[3, 1]])).toBeUndefined();
  expect(ByteRanges.from([[0, 1.5]])).toBeUndefined();
  expect(ByteRanges.from([[-1, 1]])).toBeUndefined();
  expect(
    ByteRanges.from(
      [
        [0, 1],
        [2, 3],
        [4, 5],
      ],
      2,
    ),
  ).toBeUndefined();
});
