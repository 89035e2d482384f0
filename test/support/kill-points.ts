/**
 * Which points of a kill drill a run of the tests takes: each costs a process or two. `KILL_POINTS=all` (`npm run
 * kill-points`) takes all of them; else one drill takes one half and its counterpart the other, so that every point is
 * in one of both.
 */

export type Half = 'first' | 'second';

/** Points come in pairs, before and behind a step: a half has one of each pair, now this and now that. */
export function pointsOf<Point>(points: readonly Point[], half: Half): Point[] {
  if (process.env['KILL_POINTS'] === 'all') return [...points];
  return points.filter((_, index) => (index % 4 === 0 || index % 4 === 3) === (half === 'first'));
}
