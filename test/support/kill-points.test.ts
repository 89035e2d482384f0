/** No point of a drill is left out for longer than three days. */

import { expect, it } from 'vitest';
import { pointsOf } from './kill-points.ts';

const points = Array.from({ length: 34 }, (_, n) => n);
const sorted = (drawn: readonly number[]): number[] => drawn.toSorted((one, other) => one - other);

it('three days behind each other take every point of both drills once, and never the same of both', () => {
  const days = ['20780', '20781', '20782'];
  for (const drill of ['one', 'counterpart'] as const)
    expect(sorted(days.flatMap((day) => pointsOf(points, drill, day)))).toEqual(points);
  for (const day of days) {
    const counterpart = new Set(pointsOf(points, 'counterpart', day));
    expect(pointsOf(points, 'one', day).filter((point) => counterpart.has(point))).toEqual([]);
  }
});

it('all of them where they are asked for', () => {
  expect(pointsOf(points, 'one', 'all')).toEqual(points);
});
