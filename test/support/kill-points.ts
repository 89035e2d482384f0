/**
 * Which points of a kill drill a run of the tests takes: each costs a process or two. `KILL_POINTS=all` (`npm run
 * kill-points`) takes all of them; else a drill takes a third, its counterpart another, and the next day the next, so
 * that three days take every point of both. `KILL_POINTS=0`, `1` or `2` takes the thirds of that day.
 */

export type Drill = 'one' | 'counterpart';

const DAY_MS = 86_400_000;
const THIRDS = 3;

/** Every third point, from another one on each day. */
export function pointsOf<Point>(
  points: readonly Point[],
  drill: Drill,
  chosen: string = process.env['KILL_POINTS'] ?? String(Math.floor(Date.now() / DAY_MS)),
): Point[] {
  if (chosen === 'all') return [...points];
  const first = (Number(chosen) + (drill === 'one' ? 0 : 1)) % THIRDS;
  return points.filter((_, index) => index % THIRDS === first);
}
