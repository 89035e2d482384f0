/**
 * What feeders, planners and supervisors of a simulated run do, and which configurations are published when: passes
 * predicted, booked, moved, cancelled, merged and split, schedules and rules on them. Everything is data, so that a
 * failing run is made small by leaving items out.
 *
 * P1. Whoever is near a start races with it: moves, cancels and faults are drawn around the starts as often as
 *     anywhere.
 * P2. No run begins late in the silence at the end: passes begin before the last fault is long over, or far behind.
 */

import type { Pass, PassSnapshot, PassSource } from '../../../contract/pass.ts';
import type { ScheduleRequest } from '../../../contract/schedule.ts';
import type { RuleRequest } from '../../../contract/schedule-rule.ts';
import type { Chance } from '../chance.ts';
import { TARGETS } from '../mission.ts';
import { START_MS } from '../start.ts';
import {
  ENVIRONMENTS,
  PROCEDURES_OF_RULES,
  PROCEDURES_OF_SCHEDULES,
  STATIONS,
  VARIANT_NAMES,
  type VariantName,
} from './mission.ts';

/** What is asked of the front end. */
export type Request =
  | { readonly kind: 'pass'; readonly pass: Pass }
  | { readonly kind: 'snapshot'; readonly snapshot: PassSnapshot }
  | { readonly kind: 'schedule'; readonly schedule: ScheduleRequest }
  | { readonly kind: 'cancel' | 'validate' | 'unrule'; readonly id: string }
  | { readonly kind: 'rule'; readonly rule: RuleRequest };

export interface PlanAct {
  readonly at: number;
  readonly slot: number;
  readonly what: Request;
}

export interface Publication {
  readonly at: number;
  readonly variant: VariantName;
}

export interface Planning {
  /** Of feeders. */
  readonly writes: readonly PlanAct[];
  readonly acts: readonly PlanAct[];
  readonly publications: readonly Publication[];
}

interface Bounds {
  readonly slots: number;
  readonly from: number;
  readonly calmAt: number;
}

/** A pass as nature has it: what feeders say of it is near. */
interface Orbit {
  readonly n: number;
  readonly target: string;
  readonly station: string;
  readonly aos: number;
  readonly los: number;
  /** When somebody has said that there is one, ms since the start. */
  readonly knownAt: number;
}

/** Behind the last fault: passes that begin in the run. */
const NEAR_END_MS = 10_000;
/** No run of the simulation lasts so long. */
const FAR_MS = 300_000;
/** How far behind the last fault a start may be, with everything that moves it. */
export const LAST_START_MS = 26_000;

export function planningOf(chance: Chance, bounds: Bounds): Planning {
  const orbits = Array.from({ length: chance.whole(2, 6) }, (_, n) => orbitOf(chance, bounds, n));
  const marks = new Marks();
  const writes = orbits.flatMap((orbit) => writesOf(chance, bounds, orbit, marks));
  const snapshots = Array.from({ length: chance.whole(0, 3) }, () =>
    snapshotOf(chance, bounds, orbits, marks),
  );
  return {
    writes: [...writes, ...snapshots].sort((one, other) => one.at - other.at),
    acts: [...schedulesOf(chance, bounds, orbits), ...rulesOf(chance, bounds)],
    publications: Array.from({ length: chance.happens(0.5) ? chance.whole(1, 3) : 0 }, () => ({
      at: nearStart(chance, bounds, orbits),
      variant: chance.one(VARIANT_NAMES),
    })),
  };
}

/** Moments at which starts are near, ms since the start. */
export function startsOf({ acts, writes }: Planning): number[] {
  const aosOf = new Map<string, number>();
  for (const { what } of writes)
    if (what.kind === 'pass') aosOf.set(what.pass.id, Date.parse(what.pass.aos) - START_MS);
  return acts.flatMap(({ what }) => {
    if (what.kind !== 'schedule') return [];
    const aos = aosOf.get(what.schedule.pass);
    return aos === undefined ? [] : [aos + offsetOf(what.schedule.start)];
  });
}

function offsetOf(start: string): number {
  return 1_000 * Number(/\+ *([\d.]+)/.exec(start)?.[1] ?? 0);
}

/** Tells every write from every other: as the transceiver of what it says. */
class Marks {
  #last = 0;

  next(): string {
    this.#last += 1;
    return `w${this.#last}`;
  }
}

function orbitOf(chance: Chance, { from, calmAt }: Bounds, n: number): Orbit {
  const isFar = chance.happens(0.2);
  const aos = isFar ? calmAt + FAR_MS + chance.whole(0, 60_000) : chance.whole(-2_000, calmAt + NEAR_END_MS);
  const length = chance.one([
    () => chance.whole(3_000, 9_000),
    () => chance.whole(9_000, 50_000),
    () => chance.whole(33_000, 90_000),
    () => chance.whole(150_000, 200_000),
  ])();
  const knownAt = chance.happens(0.7)
    ? chance.whole(from - 400, from + 800)
    : chance.whole(from, calmAt - 3_000);
  return { n, target: chance.one(TARGETS), station: chance.one(STATIONS), aos, los: aos + length, knownAt };
}

/** A moment of a run: near the start of a pass as often as anywhere. */
function nearStart(chance: Chance, { from, calmAt }: Bounds, orbits: readonly Orbit[]): number {
  const anywhere = chance.whole(from, calmAt - 500);
  const { aos } = orbits[chance.whole(0, orbits.length - 1)]!;
  const near = aos + chance.whole(-700, 700) + (chance.happens(0.5) ? 0 : 1_000 * chance.whole(0, 5));
  const isNear = chance.happens(0.5);
  return isNear && near > from && near < calmAt - 500 ? near : anywhere;
}

// Passes --------------------------------------------------------------------------------------------------------------

interface Said {
  readonly id: string;
  readonly source: PassSource;
  readonly shiftMs: number;
  readonly stretchMs: number;
  readonly status: Pass['status'];
  readonly uplink: boolean;
}

function passOf({ target, station, aos, los }: Orbit, said: Said, mark: string, elevation: number): Pass {
  const { id, source, shiftMs, stretchMs, status, uplink } = said;
  const begin = START_MS + aos + shiftMs;
  const end = Math.max(begin + 1_000, START_MS + los + shiftMs + stretchMs);
  return {
    id,
    target,
    station,
    aos: new Date(begin).toISOString(),
    los: new Date(end).toISOString(),
    max_elevation: `${elevation} deg`,
    source,
    status,
    transceiver: mark,
    ...(!uplink && { uplink }),
  };
}

const predictionId = ({ n }: Orbit): string => `f-${n}`;
const bookingId = ({ n }: Orbit): string => `b-${n}`;

/** Prediction, booking, and what becomes of them. */
function writesOf(chance: Chance, bounds: Bounds, orbit: Orbit, marks: Marks): PlanAct[] {
  const isBooked = chance.happens(0.75);
  const races = chance.happens(0.4);
  const booking = chance.happens(0.25) ? predictionId(orbit) : bookingId(orbit);
  const bookedAt = races ? orbit.knownAt + chance.whole(-3, 3) : orbit.knownAt + chance.whole(-600, 4_000);
  const first = saidBy(chance, 'fds', predictionId(orbit));
  const writes = [
    writeOf(chance, bounds, orbit, { at: orbit.knownAt, said: { ...first, status: 'predicted' } }, marks),
    ...(isBooked
      ? [writeOf(chance, bounds, orbit, { at: bookedAt, said: saidBy(chance, 'provider', booking) }, marks)]
      : []),
  ];
  const later = Array.from({ length: chance.whole(0, 5) }, () => {
    const source = chance.one(['fds', 'provider', 'provider'] as const);
    const own = source === 'fds' ? predictionId(orbit) : booking;
    const isSplit = chance.happens(0.12);
    const said = changedBy(chance, source, isSplit ? `${own}-${chance.whole(1, 2)}` : own);
    const at = Math.max(bounds.from, nearStart(chance, bounds, [orbit]));
    return writeOf(chance, bounds, orbit, { at, said }, marks);
  });
  return [...writes, ...later];
}

function saidBy(chance: Chance, source: PassSource, id: string): Said {
  return {
    id,
    source,
    shiftMs: chance.happens(0.5) ? 0 : chance.whole(-1_500, 1_500),
    stretchMs: chance.happens(0.5) ? 0 : chance.whole(-1_500, 1_500),
    status: source === 'fds' ? 'predicted' : 'booked',
    uplink: chance.happens(0.9),
  };
}

/** Moved, cancelled, receive-only, as it was, or split off. */
function changedBy(chance: Chance, source: PassSource, id: string): Said {
  const same = { ...saidBy(chance, source, id), shiftMs: 0, stretchMs: 0, uplink: true };
  const far = chance.whole(-8_000, 8_000);
  const near = chance.whole(-900, 900);
  const shorter = chance.whole(-20_000, 2_000);
  return chance.one<Said>([
    same,
    { ...same, shiftMs: near },
    { ...same, shiftMs: near, stretchMs: -near },
    { ...same, shiftMs: far },
    { ...same, stretchMs: shorter },
    { ...same, status: 'cancelled' },
    { ...same, uplink: false },
  ]);
}

function writeOf(
  chance: Chance,
  { slots }: Bounds,
  orbit: Orbit,
  { at, said }: { readonly at: number; readonly said: Said },
  marks: Marks,
): PlanAct {
  const pass = passOf(orbit, said, marks.next(), chance.whole(1, 8) * 10);
  return { at, slot: chance.whole(0, slots - 1), what: { kind: 'pass', pass } };
}

/** What a source says of an interval, with some passes left out. */
function snapshotOf(chance: Chance, bounds: Bounds, orbits: readonly Orbit[], marks: Marks): PlanAct {
  const source = chance.one(['fds', 'fds', 'provider'] as const);
  const target = chance.one(TARGETS);
  const low = chance.happens(0.5) ? -20_000 : chance.whole(0, bounds.calmAt);
  const high = chance.happens(0.5) ? bounds.calmAt + 3 * FAR_MS : low + chance.whole(5_000, 40_000);
  const passes = orbits.flatMap((orbit) => {
    const isThere = chance.happens(0.75);
    const said = saidBy(chance, source, source === 'fds' ? predictionId(orbit) : bookingId(orbit));
    const pass = passOf(orbit, said, marks.next(), chance.whole(1, 8) * 10);
    const overlaps = Date.parse(pass.aos) < START_MS + high && Date.parse(pass.los) > START_MS + low;
    return orbit.target === target && isThere && overlaps ? [pass] : [];
  });
  const [from, to] = [low, high].map((ms) => new Date(START_MS + ms).toISOString());
  return {
    at: nearStart(chance, bounds, orbits),
    slot: chance.whole(0, bounds.slots - 1),
    what: { kind: 'snapshot', snapshot: { source, target, from: from!, to: to!, passes } },
  };
}

// Schedules -----------------------------------------------------------------------------------------------------------

function schedulesOf(chance: Chance, bounds: Bounds, orbits: readonly Orbit[]): PlanAct[] {
  let serial = 0;
  return Array.from({ length: chance.whole(2, 8) }, (_, n) => {
    const orbit = orbits[chance.whole(0, orbits.length - 1)]!;
    const id = `s-${n}`;
    const at = Math.max(orbit.knownAt + chance.whole(5, 1_500), bounds.from);
    const acts: PlanAct[] = [];
    const push = (when: number, what: Request): void =>
      void acts.push({ at: when, slot: chance.whole(0, bounds.slots - 1), what });
    const create = (when: number): void => {
      serial += 1;
      push(when, { kind: 'schedule', schedule: requestOf(chance, orbit, id, serial) });
    };
    create(at);
    if (chance.happens(0.25)) create(at + chance.whole(0, 6_000));
    for (let left = chance.whole(0, 3); left > 0; left -= 1)
      push(at + chance.whole(50, 5_000), { kind: 'validate', id });
    if (chance.happens(0.3)) push(nearStart(chance, bounds, [orbit]), { kind: 'validate', id });
    if (chance.happens(0.3)) push(nearStart(chance, bounds, [orbit]), { kind: 'cancel', id });
    return acts;
  })
    .flat()
    .filter(({ at }) => at < bounds.calmAt - 500);
}

function requestOf(chance: Chance, orbit: Orbit, id: string, serial: number): ScheduleRequest {
  const run = chance.one(PROCEDURES_OF_SCHEDULES);
  const environment = run === 'purge' && chance.happens(0.8) ? 'manned' : chance.one(ENVIRONMENTS);
  return {
    id,
    pass: chance.happens(0.7) ? predictionId(orbit) : bookingId(orbit),
    start: startIn(chance),
    run,
    targets: { sat: orbit.target },
    inputs: { serial },
    ...(chance.happens(0.8) && { environment }),
  };
}

function startIn(chance: Chance): string {
  const offset = chance.whole(0, 50) / 10;
  return chance.happens(0.4) ? 'aos' : `aos + ${offset} s`;
}

/** Rules that come, become others and go. */
function rulesOf(chance: Chance, bounds: Bounds): PlanAct[] {
  return Array.from({ length: chance.happens(0.6) ? chance.whole(1, 3) : 0 }, (_, n) => {
    const at = chance.whole(bounds.from - 500, bounds.calmAt - 3_000);
    const acts: PlanAct[] = [];
    const push = (when: number, what: Request): void =>
      void acts.push({ at: when, slot: chance.whole(0, bounds.slots - 1), what });
    push(at, { kind: 'rule', rule: ruleOf(chance, n, 1) });
    if (chance.happens(0.3)) push(at + chance.whole(0, 5_000), { kind: 'rule', rule: ruleOf(chance, n, 2) });
    if (chance.happens(0.2)) push(at + chance.whole(100, 6_000), { kind: 'unrule', id: `r-${n}` });
    if (chance.happens(0.5))
      push(at + chance.whole(100, 8_000), { kind: 'cancel', id: `r-${n}-f-${chance.whole(0, 5)}` });
    return acts;
  })
    .flat()
    .filter(({ at }) => at < bounds.calmAt - 500);
}

function ruleOf(chance: Chance, n: number, version: number): RuleRequest {
  const target = chance.one(TARGETS);
  const filter = {
    ...(chance.happens(0.3) && { status: chance.one(['predicted', 'booked'] as const) }),
    ...(chance.happens(0.3) && { min_elevation: `${chance.whole(1, 6) * 10} deg` }),
    ...(chance.happens(0.2) && { station: chance.one(STATIONS) }),
    ...(chance.happens(0.2) && { uplink: chance.happens(0.8) }),
  };
  const environment = chance.one(ENVIRONMENTS);
  return {
    id: `r-${n}`,
    target,
    ...(chance.happens(0.6) && { filter }),
    start: startIn(chance),
    run: chance.one(PROCEDURES_OF_RULES),
    targets: { sat: target },
    inputs: { serial: 1_000 * (n + 1) + version },
    ...(chance.happens(0.8) && { environment }),
  };
}
