/** Judging on the real bus: what is stored is found, late and early, and an outage is waited for. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJudge } from '../../../../actors/run/effects/judge.ts';
import { createSetMode } from '../../../../actors/run/effects/set-mode.ts';
import type { RunAtHand, RunServices } from '../../../../actors/run/services.ts';
import type { NatsBus } from '../../../../bus/nats-bus.ts';
import { encodeBatch } from '../../../../contract/batch.ts';
import { header } from '../../../../contract/bus/headers.ts';
import { streams } from '../../../../contract/bus/streams.ts';
import { subject } from '../../../../contract/bus/subjects.ts';
import type { RunChartEvent } from '../../../../machines/run/protocol.ts';
import { HandOvers } from '../../../../messaging/hand-overs.ts';
import type { MissionSource } from '../../../../ports/mission-source.ts';
import { realClock } from '../../../../supervision/clock.ts';
import { KnownPlatforms } from '../../../../telemetry/reading/known-platforms.ts';
import { targetValues } from '../../../../telemetry/target-values.ts';
import { type RunningValueFeeds, startValueFeeds } from '../../../../telemetry/value-feeds.ts';
import { startNats, type TestNats } from '../../../support/nats.ts';
import { noFiles } from '../../../support/no-files.ts';
import { noPasses } from '../../../support/passes.ts';
import { keptLog } from '../../../support/silent-log.ts';
import { until } from '../../../support/until.ts';
import { batchIn, MISSION, PROGRAM, RUN } from './effect-world.ts';

const COUNTER = 'obc.counter';
const platform = MISSION.targets.get('sat1')!.platform!;
const missions: MissionSource = {
  current: MISSION,
  at: async () => MISSION,
  onChange: (listener) => {
    listener(MISSION);
    return () => undefined;
  },
};
const at: RunAtHand = { run: RUN, program: PROGRAM, mission: MISSION, by: undefined, holds: () => true };
let nats: TestNats;
let bus: NatsBus;
let telemetry: NatsBus;
let feeds: RunningValueFeeds;
let services: RunServices;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  telemetry = await nats.connected();
  feeds = startValueFeeds({ bus, missions, clock: realClock, log: keptLog() });
  await feeds.ready;
  const values = targetValues(feeds);
  const platforms = new KnownPlatforms(missions, realClock);
  const world = { bus, clock: realClock, log: keptLog(), missions, passes: noPasses };
  services = {
    ...world,
    platforms,
    values,
    files: noFiles,
    instance: 'executor-1',
    handOvers: new HandOvers(world.clock),
  };
});
afterAll(async () => {
  await feeds.stop();
  await nats.stop();
});

async function count(value: number, groundMs = realClock.now()): Promise<void> {
  const data = encodeBatch(batchIn(platform, [COUNTER], [[groundMs, value]]));
  await telemetry.append(streams.values, subject.values('sat1'), data, {
    headers: { [header.config]: MISSION.revision },
    deadlineMs: 20_000,
  });
}

function judge(kind: 'check' | 'expect' | 'wait_until', condition: string, since = realClock.now()) {
  const names = { inputs: {}, answers: {}, inputTypes: {} };
  const statement = { kind, condition, targets: { sat: 'sat1' }, ...names, withinMs: 10_000 };
  const effect = { type: 'effect.judge' as const, ticket: 1, path: 'a', since, answers: {}, statement };
  return createJudge(services)(effect, at, new AbortController().signal);
}

describe('on the real bus', () => {
  it('a check sees each value that was stored before it', async () => {
    for (let value = 1; value <= 40; value += 1) {
      await count(value);
      const event = await judge('check', `sat.obc.counter == ${value}`);
      expect(event).toMatchObject({ ok: true, samples: [{ value }] });
    }
  });

  it('an expect misses nothing between its begin and the first look', async () => {
    const since = realClock.now() - 1;
    await count(1_001, since + 1);
    await count(1_002, since + 2);
    expect(await judge('expect', 'sat.obc.counter == 1001', since)).toMatchObject({ ok: true });
    const waiting = judge('expect', 'sat.obc.counter == 1003');
    await count(1_003, realClock.now() + 1);
    expect(await waiting).toMatchObject({ ok: true });
  });

  it('an outage is waited for', async () => {
    await nats.kill();
    await until(() => !bus.connected);
    let verdict: RunChartEvent | undefined;
    const asked = judge('wait_until', 'sat.obc.counter == 2000').then((event) => (verdict = event));
    const { signal } = new AbortController();
    const set = createSetMode(services)(
      { type: 'effect.set-mode', ticket: 2, target: 'sat1', mode: 'safe' },
      at,
      signal,
    );
    const stored = count(2_000, realClock.now() + 1);
    expect(verdict).toBeUndefined();
    await nats.start();
    await stored;
    await asked;
    expect(verdict).toMatchObject({ type: 'judged', ok: true });
    expect(await set).toMatchObject({ type: 'done' });
  }, 40_000);
});
