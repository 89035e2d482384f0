/** When a server over which no leader answers is left, on a clock of its own. */

import { describe, expect, it } from 'vitest';
import { ApiError } from '../../bus/fault.ts';
import { LeaderReach } from '../../bus/leader-reach.ts';
import {
  BUS_CUT_OFF_MS,
  BUS_LEFT_AGAIN_MS,
  BUS_LEFT_AGAIN_MS_MOST,
  BUS_UNWRITTEN_MS,
} from '../../contract/limits/bus.ts';
import { Outage } from '../../contract/outage.ts';

const SILENT = new Outage('bus.timeout', 'no answer');
const NOBODY = new Outage('bus.no-responder', 'no responder');
const LEADERLESS = new ApiError(503, 10008, 'JetStream system temporarily unavailable');
const STORING = new ApiError(409, 10158, 'a message of this id is being stored');
const REFUSED = new ApiError(404, 10059, 'stream not found');
const FULL = new ApiError(400, 10002, 'resource limits exceeded for account');
const LOST = new Outage('bus.unavailable', 'the connection was lost before the bus answered');

/** Times at which the server was left; `ask` takes `ms` until it fails, or is answered. */
function reach() {
  const left: number[] = [];
  let now = 0;
  const tried = new LeaderReach(
    () => left.push(now),
    () => now,
  );
  const ask = async (ms: number, error?: Error, isWrite = true): Promise<void> => {
    const asked = tried.around(isWrite, async () => {
      await Promise.resolve();
      now += ms;
      if (error !== undefined) throw error;
    });
    await asked.catch((thrown: unknown) => expect(thrown).toBe(error));
  };
  return { left, ask, wait: (ms: number) => (now += ms), tried, at: () => now };
}

describe('bus/leader-reach', () => {
  it.each([
    ['silence', 2_000, SILENT],
    ['nobody who takes the question', 100, NOBODY],
    ['no leader', 100, LEADERLESS],
    ['a leader that is still storing', 100, STORING],
  ])('leader-reach.E1 leader-reach.E2 %s for three seconds is left', async (_name, ms, error) => {
    const { left, ask, at } = reach();
    while (left.length === 0 && at() < 10_000) await ask(ms, error);
    expect(left).toHaveLength(1);
    expect(left[0]).toBeGreaterThanOrEqual(BUS_CUT_OFF_MS);
    expect(left[0]).toBeLessThanOrEqual(BUS_CUT_OFF_MS + ms);
  });

  it.each([
    ['an answer', undefined],
    ['a refusal', REFUSED],
    ['a limit', FULL],
  ])('leader-reach.E1 %s in between is a leader that is reached', async (_name, error) => {
    const { left, ask } = reach();
    for (let n = 0; n < 20; n += 1) {
      await ask(1_000, SILENT);
      await ask(1_000, SILENT);
      await ask(10, error);
    }
    expect(left).toEqual([]);
  });

  it('leader-reach.E1 a connection that was lost says nothing', async () => {
    const { left, ask } = reach();
    for (let n = 0; n < 20; n += 1) await ask(2_000, LOST);
    expect(left).toEqual([]);
    // Nor is it an answer between others.
    for (let n = 0; n < 20; n += 1) {
      await ask(1_000, SILENT);
      await ask(10, LOST);
    }
    expect(left.length).toBeGreaterThan(0);
  });

  it('leader-reach.E2 what ran out of time in one pause of the process is no reason, nor is one question now and then', async () => {
    const { left, ask, tried, wait } = reach();
    const before = Array.from({ length: 10 }, () => tried.around(true, () => Promise.reject(SILENT)));
    wait(20_000);
    await Promise.allSettled(before);
    await ask(10);
    for (let n = 0; n < 10; n += 1) {
      await ask(2_000, SILENT);
      wait(60_000);
    }
    expect(left).toEqual([]);
  });

  it('leader-reach.E3 a leader that is cut off and answers what is read is left for its writes', async () => {
    const { left, ask, at } = reach();
    while (left.length === 0 && at() < 60_000) {
      await ask(1_000, SILENT, true);
      await ask(10, undefined, false);
    }
    expect(left[0]).toBeGreaterThanOrEqual(BUS_UNWRITTEN_MS);
    expect(left[0]).toBeLessThan(BUS_UNWRITTEN_MS + 1_100);
  });

  it('leader-reach.E4 the next server has longer and longer, until one answers', async () => {
    const { left, ask, at } = reach();
    while (at() < 400_000) await ask(500, SILENT);
    const pauses = left.slice(1).map((time, n) => time - left[n]!);
    expect(pauses).toEqual(
      [10_000, 20_000, 40_000, 60_000, 60_000, 60_000, 60_000, 60_000].slice(0, pauses.length),
    );
    expect(pauses.length).toBeGreaterThan(5);
    expect([pauses[0], Math.max(...pauses)]).toEqual([BUS_LEFT_AGAIN_MS, BUS_LEFT_AGAIN_MS_MOST]);
    // An answer to a reading is none: only a leader that stores is one that is reached.
    const before = left.length;
    while (left.length < before + 1) {
      await ask(500, SILENT);
      await ask(10, undefined, false);
    }
    expect(left.at(-1)! - left.at(-2)!).toBeGreaterThanOrEqual(BUS_LEFT_AGAIN_MS_MOST);
    await ask(10);
    const again = left.length;
    while (left.length < again + 2) await ask(500, SILENT);
    expect(left.at(-1)! - left.at(-2)!).toBe(BUS_LEFT_AGAIN_MS);
  });
});
