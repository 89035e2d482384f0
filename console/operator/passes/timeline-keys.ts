/** The timeline by keyboard: what the pointer does, and the way from one pass to the next. */

import type { HeldPass } from '../data/held-pass.ts';
import { panned, type TimeRange } from '../values/plot-time.ts';
import type { Workspace } from '../workspace.ts';
import { selectionOf } from './selection.ts';
import { type Lane, neighbour } from './timeline-layout.ts';
import { broughtIntoSight, zoomedTimeline } from './timeline-range.ts';

const PAN = 0.3;
const ZOOM = 1.5;
const DIRECTIONS = new Map([
  ['ArrowLeft', 'earlier'],
  ['ArrowRight', 'later'],
  ['ArrowUp', 'up'],
  ['ArrowDown', 'down'],
] as const);

export interface OnTimeline {
  readonly range: TimeRange;
  readonly lanes: readonly Lane[];
  readonly selected: HeldPass | undefined;
}

/** Whether the key means something here. */
export function keyOnTimeline(space: Workspace, key: string, on: OnTimeline): boolean {
  const { range, selected } = on;
  const middle = (range.from + range.to) / 2;
  switch (key) {
    case '+':
    case '=':
      space.select(zoomedTimeline(range, 1 / ZOOM, selected?.aos ?? middle));
      return true;
    case '-':
      space.select(zoomedTimeline(range, ZOOM, selected?.aos ?? middle));
      return true;
    case 'PageUp':
    case 'PageDown':
      space.select(panned(range, key === 'PageUp' ? -PAN : PAN));
      return true;
    case 'Home':
      space.select({ from: '', to: '' });
      return true;
    case 'Enter':
      if (selected !== undefined) space.select({ form: 'yes' });
      return selected !== undefined;
    default:
      return step(space, key, on);
  }
}

function step(space: Workspace, key: string, { range, lanes, selected }: OnTimeline): boolean {
  const direction = DIRECTIONS.get(key as 'ArrowLeft');
  if (direction === undefined) return false;
  const found = neighbour(lanes, selected, direction, space.clock.now());
  if (found === undefined) return true;
  const { selected: id, query } = selectionOf(space, found);
  space.address = { ...space.address, selected: id };
  space.select({ ...query, ...broughtIntoSight(range, found.aos) });
  return true;
}
