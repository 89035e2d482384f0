/** The worker of an ownership: whose what it owns is while it is being stopped, and when it is started again. */

import { describe, expect, it } from 'vitest';
import { Outage } from '../../../contract/outage.ts';
import { pause } from '../../../messaging/pause.ts';
import { OwnedWorker, type WorkerContext } from '../../../supervision/ownership/owned-worker.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

it.each([
  ['given back is its own', false],
  ['lost is somebody else’s', true],
])('owned-worker.W6 what is %s until its worker has stopped, and never behind that', async (_how, isLost) => {
  let context: WorkerContext | undefined;
  let finished = (): void => undefined;
  const worker = new OwnedWorker({
    epoch: 1,
    clock: new ManualClock(0),
    log: keptLog(),
    start: async (given) => {
      context = given;
      return { stop: () => new Promise<void>((resolve) => (finished = resolve)) };
    },
    holds: () => true,
    crashed: () => undefined,
  });
  await worker.start();
  const over = worker.end({ isLost });
  await new Promise((resolve) => setImmediate(resolve));
  expect([context?.over?.aborted, context?.holds()]).toEqual([true, !isLost]);
  finished();
  await over;
  expect(context?.holds()).toBe(false);
});

describe('owned-worker.W3 one that cannot be started for an outage', () => {
  function away(lastsMs: number) {
    const clock = new ManualClock(0);
    const tries: { readonly began: number; ended: number }[] = [];
    const state = { isAway: true };
    const contexts: WorkerContext[] = [];
    const worker = new OwnedWorker({
      epoch: 1,
      clock,
      log: keptLog(),
      start: async (given) => {
        const one = { began: clock.now(), ended: 0 };
        tries.push(one);
        await pause(clock, lastsMs, new AbortController().signal);
        one.ended = clock.now();
        if (state.isAway) throw new Outage('bus.unavailable', 'away');
        contexts.push(given);
        return { stop: async () => undefined };
      },
      holds: () => true,
      crashed: () => undefined,
    });
    void worker.start();
    const pauses = () => tries.slice(1).map(({ began }, n) => began - tries[n]!.ended);
    return { clock, tries, state, contexts, worker, pauses };
  }

  it('is tried ever more seldom where each start lasts', async () => {
    const { clock, pauses } = away(10_000);
    await clock.run(85_000, 50);
    expect(pauses()).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
  });

  it.each([
    [0, [250, 250, 250, 250, 250]],
    [600, [250, 500, 600, 600, 600]],
  ])('is tried soon where a start lasts %i ms: the pause is no longer', async (lastsMs, expected) => {
    const { clock, pauses } = away(lastsMs);
    await clock.run(7_000, 50);
    expect(pauses().slice(0, 5)).toEqual(expected);
  });

  it('and fails again behind a start is tried soon', async () => {
    const { clock, tries, state, contexts, worker, pauses } = away(10_000);
    await clock.run(40_000, 50);
    state.isAway = false;
    await until(() => clock.run(1_000, 50).then(() => worker.running));
    state.isAway = true;
    tries.length = 0;
    tries.push({ began: clock.now(), ended: clock.now() });
    contexts[0]?.failed(new Outage('bus.unavailable', 'away'));
    await settled();
    await clock.run(12_000, 50);
    expect(pauses()).toEqual([250, 500]);
  });
});
