/**
 * Where passes and their schedules stand on the timeline, and what is at a place of it. Pure.
 *
 * L1. What is worked out is what is in sight: a lane finds its first pass by search, and passes that would stand on the
 *     same dots are one bar. It costs the width of the screen, not the number of passes.
 */

import type { Schedule } from '../../../contract/schedule.ts';
import { firstFrom, type HeldPass } from '../data/held-pass.ts';

export type LaneKind = 'station' | 'target';

export interface Lane {
  readonly name: string;
  /** By AOS. */
  readonly passes: readonly HeldPass[];
  /** The longest of them, ms. */
  readonly longest: number;
}

/** What is seen of time: `from` and `to` in ms since 1970 over so many dots. */
export interface Sight {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

export interface Bar {
  readonly held: HeldPass;
  /** Dots from the left edge. */
  readonly x: number;
  readonly width: number;
  /** Further passes on the same dots. */
  readonly more: number;
}

/** Bars are as wide as can be seen, and hit. */
const LEAST_WIDTH = 3;
/** How far beside a bar a pointer still means it. */
const NEAR = 5;

/** A lane for each station, or target, by name; `passes` by AOS. Cancelled ones are left out. */
export function lanesOf(passes: readonly HeldPass[], kind: LaneKind): Lane[] {
  const byName = new Map<string, HeldPass[]>();
  for (const held of passes) {
    const { pass } = held.view;
    if (pass.status === 'cancelled') continue;
    const lane = byName.get(pass[kind]);
    if (lane === undefined) byName.set(pass[kind], [held]);
    else lane.push(held);
  }
  return [...byName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, own]) => ({
      name,
      passes: own,
      longest: own.reduce((longest, { aos, los }) => Math.max(longest, los - aos), 0),
    }));
}

export function xOf(at: number, { from, to, width }: Sight): number {
  return ((at - from) / (to - from)) * width;
}

export function timeAt(x: number, { from, to, width }: Sight): number {
  return from + (x / width) * (to - from);
}

/** L1: the bars of a lane that are in sight, from left to right. */
export function barsOf({ passes, longest }: Lane, sight: Sight): Bar[] {
  const bars: Bar[] = [];
  for (let index = firstFrom(passes, sight.from - longest); index < passes.length; index += 1) {
    const held = passes[index]!;
    if (held.aos >= sight.to) break;
    if (held.los <= sight.from) continue;
    const x = Math.max(0, xOf(held.aos, sight));
    const width = Math.max(LEAST_WIDTH, Math.min(sight.width, xOf(held.los, sight)) - x);
    const last = bars.at(-1);
    if (last !== undefined && width === LEAST_WIDTH && x < last.x + LEAST_WIDTH)
      bars[bars.length - 1] = { ...last, more: last.more + 1 };
    else bars.push({ held, x, width, more: 0 });
  }
  return bars;
}

/** The pass at a place of a lane: of several the one whose middle is nearest; undefined where there is none. */
export function passAt(lane: Lane, x: number, sight: Sight): HeldPass | undefined {
  let best: HeldPass | undefined;
  let nearest = Number.POSITIVE_INFINITY;
  const margin = (NEAR / sight.width) * (sight.to - sight.from);
  const at = timeAt(x, sight);
  for (
    let index = firstFrom(lane.passes, at - lane.longest - margin);
    index < lane.passes.length;
    index += 1
  ) {
    const held = lane.passes[index]!;
    if (held.aos > at + margin) break;
    if (held.los < at - margin) continue;
    const distance = Math.abs((held.aos + held.los) / 2 - at);
    if (distance < nearest) [best, nearest] = [held, distance];
  }
  return best;
}

export type Direction = 'earlier' | 'later' | 'up' | 'down';

/** Where the selection goes from a pass: along all lanes by AOS, or to the lane above or below, nearest in time. */
export function neighbour(
  lanes: readonly Lane[],
  from: HeldPass | undefined,
  direction: Direction,
  now: number,
): HeldPass | undefined {
  const place = from === undefined ? -1 : lanes.findIndex(({ passes }) => passes.includes(from));
  if (from === undefined || place === -1)
    return nearestOf(
      lanes.flatMap(({ passes }) => passes[Math.min(firstFrom(passes, now), passes.length - 1)] ?? []),
      now,
    );
  if (direction === 'up' || direction === 'down') {
    const lane = lanes[place + (direction === 'up' ? -1 : 1)];
    if (lane === undefined) return from;
    const index = firstFrom(lane.passes, from.aos);
    return nearestOf(
      [lane.passes[index - 1], lane.passes[index]].flatMap((each) => each ?? []),
      from.aos,
    );
  }
  const sign = direction === 'later' ? 1 : -1;
  const others = lanes.flatMap(({ passes }) => beside(passes, from, sign));
  return others.sort((a, b) => sign * (a.aos - b.aos || compare(a, b)))[0] ?? from;
}

/** The next one of a lane behind `from`, or before it, in the order of AOS and identifier. */
function beside(passes: readonly HeldPass[], from: HeldPass, sign: 1 | -1): HeldPass[] {
  let index = firstFrom(passes, from.aos);
  const isPast = (held: HeldPass): boolean =>
    sign * (held.aos - from.aos) > 0 || (held.aos === from.aos && sign * compare(held, from) > 0);
  if (sign === 1) while (index < passes.length && !isPast(passes[index]!)) index += 1;
  else {
    while (index < passes.length && passes[index]!.aos === from.aos) index += 1;
    index -= 1;
    while (index >= 0 && !isPast(passes[index]!)) index -= 1;
  }
  const found = passes[index];
  return found === undefined ? [] : [found];
}

function compare(one: HeldPass, other: HeldPass): number {
  const [a, b] = [one, other].map(({ view }) => `${view.pass.target} ${view.pass.id}`);
  return a! < b! ? -1 : a! > b! ? 1 : 0;
}

function nearestOf(passes: readonly HeldPass[], at: number): HeldPass | undefined {
  return passes.reduce<HeldPass | undefined>(
    (best, held) => (best === undefined || Math.abs(held.aos - at) < Math.abs(best.aos - at) ? held : best),
    undefined,
  );
}

/** Schedules by the pass they are on, `target/pass`. */
export function byPass(schedules: readonly Schedule[]): ReadonlyMap<string, readonly Schedule[]> {
  const found = new Map<string, Schedule[]>();
  for (const schedule of schedules) {
    const key = passName(schedule.target, schedule.pass);
    const others = found.get(key);
    if (others === undefined) found.set(key, [schedule]);
    else others.push(schedule);
  }
  return found;
}

export function passName(target: string, pass: string): string {
  return `${target}/${pass}`;
}
