/** Where a follower goes on in a stream that lost its tail, and has another one since or not. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Standing } from '../../bus/asset.ts';
import { CATCH_UP_MS, type Past } from '../../bus/past.ts';
import { Place } from '../../bus/place.ts';
import { quiet } from '../support/nats.ts';

/** When the message at each position was stored. */
type Stored = ReadonlyMap<number, number>;

const storedAt = (times: Readonly<Record<number, number>>): Stored =>
  new Map(Object.entries(times).map(([seq, at]) => [Number(seq), at]));

const standsAt = (stored: Stored, replicas = 3): Standing => {
  const lastSeq = Math.max(0, ...stored.keys());
  const [messages, madeAt, meanBytes] = [stored.size, 0, 1];
  const [firstSeq, firstAt, lastAt] = [1, 1, stored.get(lastSeq)];
  const known = { firstSeq, firstAt, lastAt, madeAt, meanBytes };
  return { stream: 'S', identity: 'one', lastSeq, messages, replicas, ...known };
};

let stored: Stored;
let asked: number[];
let wentBack: number;
let lostUntil: (number | undefined)[];

beforeEach(() => {
  asked = [];
  wentBack = 0;
  lostUntil = [];
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => void vi.useRealTimers());

/** A place that has taken what the stream held then. */
function placeAfter(taken: Stored): Place {
  const past: Pick<Past, 'holdsAt' | 'lost'> = {
    async holdsAt(_stream, { seq, at, isYoung }) {
      asked.push(seq);
      const there = stored.get(seq);
      return there === undefined ? isYoung !== true : there === at;
    },
    lost: (at) => void lostUntil.push(at),
  };
  const place = new Place({
    past: past as Past,
    log: quiet,
    filter: '>',
    from: { from: 'start' },
    stands: standsAt(taken),
    wentBack: () => {
      wentBack += 1;
    },
  });
  for (const [seq, at] of taken) place.take({ seq, at });
  return place;
}

/** Where it goes on once it has waited for copies that lag. */
async function resumed(place: Place) {
  const stands = standsAt(stored);
  if (stands.lastSeq < place.taken) {
    await expect(place.resume(stands)).rejects.toThrow('has not caught up');
    vi.advanceTimersByTime(CATCH_UP_MS);
  }
  return place.resume(stands);
}

const from = (seq: number) => ({ deliver_policy: 'by_start_sequence', opt_start_seq: seq });
const COMMON = { 1: 10, 2: 20, 3: 30, 4: 40 };

it.each([
  ['has others in their places that were stored before them', { ...COMMON, 5: 45, 6: 46, 7: 47 }, 5],
  ['has others in the places of some of them, and ends there', { ...COMMON, 5: 45 }, 5],
  ['has others behind an earlier message', { 1: 10, 2: 20, 3: 31, 4: 41, 5: 42, 6: 43 }, 3],
  ['ends where they began', COMMON, 5],
])(
  'bus/follow.F4 nothing is left out where a stream that lost what was delivered last %s',
  async (_what, now, start) => {
    const place = placeAfter(storedAt({ ...COMMON, 5: 50, 6: 60 }));
    stored = storedAt(now);
    expect(await resumed(place)).toEqual(from(start));
    expect(place.taken).toBe(start - 1);
    expect([wentBack, lostUntil]).toEqual([1, [60]]);
    // What it takes from now on is known as what it took before is.
    place.take({ seq: start, at: 99 });
    stored = storedAt({ ...now, [start]: 98 });
    expect(await resumed(place)).toEqual(from(start));
  },
);

it('bus/follow.F4 a position that holds nothing is not one of both', async () => {
  const place = placeAfter(storedAt({ ...COMMON, 5: 50, 6: 60 }));
  stored = storedAt({ ...COMMON, 6: 61 });
  expect(await resumed(place)).toEqual(from(5));
});

it('bus/follow.F2 goes on by time, or at the end, where none of those it took last stands there', async () => {
  const taken = storedAt(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [n + 1, n * 10])));
  const place = placeAfter(taken);
  stored = new Map([...taken].map(([seq, at]) => [seq, seq > 20 ? at + 5 : at]));
  expect(await resumed(place)).toEqual({
    deliver_policy: 'by_start_time',
    opt_start_time: new Date(391).toISOString(),
  });
  const other = placeAfter(taken);
  stored = storedAt({ 1: 0, 2: 10 });
  expect(await resumed(other)).toEqual(from(3));
  // Each is asked about once, and not more of them the more were taken.
  expect(asked.length).toBeLessThan(20);
});

it('bus/follow.F1 asks for one message where nothing was lost, also behind messages that are handed over again', async () => {
  stored = storedAt({ ...COMMON, 5: 50 });
  const place = placeAfter(storedAt(COMMON));
  const back = place.mark();
  place.take({ seq: 5, at: 51 });
  back();
  expect(await resumed(place)).toEqual(from(5));
  expect([asked, wentBack]).toEqual([[4], 0]);
  stored = storedAt({ 1: 10, 2: 20, 3: 30, 4: 41, 5: 51 });
  expect(await resumed(place)).toEqual(from(4));
});
