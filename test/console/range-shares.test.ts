/** How much of each part of a file is there, and in words. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inWords, paceInWords, rangesIn, shares } from '../../console/inspect/range-shares.ts';

const ranges = (received: [number, number][], size = 1_000) => ({ size, received });

it.each([
  [[], '0 of 1,000 B · 0 % · 1 gap'],
  [[[0, 1_000]], '1,000 of 1,000 B · 100 % · no gap'],
  [[[0, 999]], '999 of 1,000 B · 99 % · 1 gap'],
  [[[1, 999]], '998 of 1,000 B · 99 % · 2 gaps'],
  [
    [
      [0, 10],
      [20, 1_000],
    ],
    '990 of 1,000 B · 99 % · 1 gap',
  ],
])('%j is said as %s', (received, words) => {
  expect(inWords(ranges(received as [number, number][]))).toBe(words);
});

it.each([
  [{ rate: 9_600, source: 'gateway', lasts_s: 125 }, '9.6 kbit/s (gateway) · at least 2:05 left'],
  [
    { rate: 2e6, source: 'pass', lasts_s: 3_725, los: '2026-01-02T03:04:05.678Z', ends_before_los: true },
    '2 Mbit/s (pass) · at least 1:02:05 left · ends before LOS 03:04:05 UTC',
  ],
  [
    { rate: 300, source: 'measured', lasts_s: 9, los: '2026-01-02T03:04:05.678Z', ends_before_los: false },
    '300 bit/s (measured) · at least 0:09 left · ends after LOS 03:04:05 UTC',
  ],
  [undefined, ''],
  [{ rate: 'x' }, ''],
])('MC-XFER-050 MC-XFER-051 MC-XFER-052 MC-XFER-053 the pace %j is said as %s', (pace, words) => {
  expect(paceInWords({ pace, record: {} })).toBe(words);
});

it('a share is how much of its part is there, in steps: all and none are said of nothing else', () => {
  const bounds = fc.uniqueArray(fc.integer({ min: 0, max: 700 }), { maxLength: 20 });
  fc.assert(
    fc.property(bounds, fc.integer({ min: 1, max: 40 }), (edges, cells) => {
      edges.sort((one, other) => one - other);
      const received: [number, number][] = [];
      for (let n = 0; n + 1 < edges.length; n += 2) received.push([edges[n]!, edges[n + 1]!]);
      const width = 700 / cells;
      for (const [cell, share] of shares(ranges(received, 700), cells).entries()) {
        const [low, high] = [cell * width, (cell + 1) * width];
        const bytes = received.reduce(
          (sum, [start, end]) => sum + Math.max(0, Math.min(end, high) - Math.max(start, low)),
          0,
        );
        expect(share === 1).toBe(bytes > width - 1e-6);
        expect(share > 0).toBe(bytes > 0);
        expect(Math.abs(share - bytes / width)).toBeLessThan(1 / 16 + 1e-6);
      }
    }),
  );
});

it.each([
  [undefined],
  [{}],
  [{ record: { reasons: [] } }],
  [{ record: { size: 0, received: [] } }],
  [{ record: { size: 10, received: 'more' } }],
  [{ record: { size: 10, received: [[0, 1], 'and 4,000 more'] } }],
])('%j has no bytes to draw', (context) => {
  expect(rangesIn(context)).toBeUndefined();
});

it('a transfer that has received nothing has', () => {
  expect(rangesIn({ record: { size: 10 } })).toEqual({ size: 10, received: [] });
});
