/**
 * What happens to archives in a scenario besides the faults of processes and of the bus: what is received, what people
 * ask, and troubles of disks, of the stream and of the time of day.
 *
 * K1. Everything is data, so that a failing run is made small by leaving items out. What a message holds follows from
 *     its number and the seed.
 */

import type { Delivery } from '../../../contract/history.ts';
import type { RoleName } from '../../../supervision/role.ts';
import type { Chance } from '../chance.ts';
import { ARCHIVE_TARGETS } from './mission.ts';

export interface Received {
  readonly at: number;
  /** Tells it from every other one: at most 1023. */
  readonly number: number;
  readonly target: string;
  readonly deferred: boolean;
  /** Nobody can read it. */
  readonly unreadable?: true;
}

export interface Question {
  readonly at: number;
  readonly slot: number;
  readonly target: string;
  /** How far it looks back, ms. */
  readonly backMs: number;
  readonly delivery: Delivery;
  readonly limit: number;
}

export type Trouble =
  /** The stream is full: all but its newest so many messages are gone. */
  | { readonly kind: 'discard'; readonly at: number; readonly left: number }
  /** The disk takes nothing. */
  | { readonly kind: 'full'; readonly at: number; readonly state: string; readonly forMs: number }
  /** Whoever works on the disk dies, and what was not synced may be gone. */
  | { readonly kind: 'power'; readonly at: number; readonly state: string; readonly backMs: number }
  /** A thread of the archive of a process dies. */
  | { readonly kind: 'thread'; readonly at: number; readonly slot: number }
  /** Nothing happens for so long: the time of day of everybody goes on at once. */
  | { readonly kind: 'leap'; readonly at: number; readonly byMs: number };

export interface Keeping {
  readonly received: readonly Received[];
  readonly questions: readonly Question[];
  readonly troubles: readonly Trouble[];
  /** Whether samples are deleted after a day. */
  readonly retains: boolean;
  /** How long samples wait in memory. */
  readonly openMs: number;
}

const SHARED = '/shared';
const MINUTE_MS = 60_000;
/** Behind the last fault: what was lost right before it is seen to be. */
const LAST_RECEIVED_MS = 2_000;

interface ArchivePlace {
  readonly roles: readonly RoleName[];
  readonly host: string;
  readonly skewMs: number;
  readonly startMs: number;
  /** Its state folder. */
  readonly state: string;
}

/** Two or three processes with archives: of one folder, or each with its own. */
export function archivesOf(chance: Chance): ArchivePlace[] {
  const skewed = chance.happens(0.3);
  const shared = chance.happens(0.7);
  return Array.from({ length: chance.whole(2, 3) }, (_, n) => ({
    roles: ['api', 'archive'] as const,
    host: `host${n}`,
    skewMs: skewed ? chance.whole(-900, 900) : 0,
    startMs: chance.whole(0, 800),
    state: shared ? SHARED : `/own${n}`,
  }));
}

interface Bounds {
  readonly slots: readonly Pick<ArchivePlace, 'state'>[];
  readonly from: number;
  readonly calmAt: number;
}

export function keepingOf(chance: Chance, { slots, from, calmAt }: Bounds): Keeping {
  const states = [...new Set(slots.map(({ state }) => state))] as [string, ...string[]];
  const to = calmAt - 500;
  const retains = chance.happens(0.3);
  const about = { chance, from, to, states, slots: slots.length, retains };
  const numbers = [...Array(chance.whole(30, 90)).keys()];
  const received = numbers.map((number) => receivedAt(chance, number, chance.whole(from, to)));
  const last = ARCHIVE_TARGETS.map((target, n): Received => {
    const at = calmAt + LAST_RECEIVED_MS + n;
    return { at, number: numbers.length + n, target, deferred: false };
  });
  return {
    received: [...received, ...last],
    questions: Array.from({ length: chance.whole(2, 8) }, () => questionOf(chance, slots.length, from, to)),
    troubles: Array.from({ length: chance.whole(1, 6) }, () => troubleOf(about)),
    retains,
    openMs: chance.one([700, 2_000, 6_000, 20_000]),
  };
}

function receivedAt(chance: Chance, number: number, at: number): Received {
  const target = chance.one(ARCHIVE_TARGETS);
  const deferred = chance.happens(0.15);
  const unreadable = chance.happens(0.03);
  return { at, number, target, deferred, ...(unreadable && { unreadable: true }) };
}

function questionOf(chance: Chance, slots: number, from: number, to: number): Question {
  return {
    at: chance.whole(from, to),
    slot: chance.whole(0, slots - 1),
    target: chance.one(ARCHIVE_TARGETS),
    backMs: chance.one([5_000, 60 * MINUTE_MS, 90 * 24 * 60 * MINUTE_MS]),
    delivery: chance.one(['all', 'all', 'realtime', 'deferred']),
    limit: chance.one([7, 60, 1_000]),
  };
}

interface Troubling {
  readonly chance: Chance;
  readonly from: number;
  readonly to: number;
  readonly states: readonly [string, ...string[]];
  readonly slots: number;
  readonly retains: boolean;
}

function troubleOf({ chance, from, to, states, slots, retains }: Troubling): Trouble {
  const at = chance.whole(from, to);
  const state = chance.one(states);
  const [left, slot] = [chance.whole(0, 12), chance.whole(0, slots - 1)];
  const forMs = Math.min(to - at, chance.whole(200, 12_000));
  const backMs = chance.whole(10, 4_000);
  const byMs = leapOf(chance, retains);
  const kind = chance.one([
    ...(['discard', 'discard', 'full', 'power', 'power', 'thread', 'leap', 'leap', 'leap'] as const),
  ] as unknown as [Trouble['kind'], ...Trouble['kind'][]]);
  switch (kind) {
    case 'discard':
      return { kind, at, left };
    case 'full':
      return { kind, at, state, forMs };
    case 'power':
      return { kind, at, state, backMs };
    case 'thread':
      return { kind, at, slot };
    case 'leap':
      return { kind, at, byMs };
  }
}

/** Into the next hour, the next day, or behind what is kept. */
function leapOf(chance: Chance, retains: boolean): number {
  const minutes = chance.one([chance.whole(1, 20), chance.whole(30, 90), chance.whole(600, 1_500)]);
  return (retains && chance.happens(0.5) ? chance.whole(1_440, 1_600) : minutes) * MINUTE_MS;
}
