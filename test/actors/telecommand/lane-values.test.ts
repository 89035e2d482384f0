/** What a lane judges its telecommands by: the values of its target, now and as they come, of whatever configuration. */

import { describe, expect, it } from 'vitest';
import { encodeBatch } from '../../../contract/batch.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { Mission } from '../../../mission/mission.ts';
import type { Measure, Platform, Requirement, Verification } from '../../../mission/platform.ts';
import type { ReceivedValue } from '../../../ports/target-values.ts';
import { compiled, KEYS } from '../../mission/condition-platform.ts';
import { eventsOf, type LaneWorld, missionOf, obligingWorld, SENT, submit } from './lane-world.ts';
import { batch, block, platformOf } from './platform.ts';

const COUNTER = 'obc.counter';
const ORDERED: Platform = platformOf('two', [...KEYS].reverse());

const verifiedBy = (expects: string): Verification => ({
  expect: compiled(expects),
  fail: undefined,
  reports: undefined,
  withinMs: 60_000,
});

/** A mission whose platform has the measures of the tests of conditions. */
function missionWith(
  platform: Platform,
  verify: Verification | undefined,
  requires: readonly Requirement[] = [],
): Mission {
  const mission = missionOf(verify, platform.digest, true, requires);
  const target = mission.targets.get('sat1')!;
  const flown = { ...platform, components: target.platform!.components };
  return {
    ...mission,
    platforms: new Map([['p', flown]]),
    targets: new Map([['sat1', { ...target, platform: flown }]]),
  };
}

const known = (value: number): ReceivedValue => ({
  value,
  groundMs: 999_000,
  timeMs: 999_000,
  deferred: false,
});

async function counts({ bus, clock }: LaneWorld, value: number, platform: Platform): Promise<void> {
  const values = batch(platform, [block(platform, [COUNTER], [[clock.now(), value]])]);
  await bus.append(streams.values, subject.values('sat1'), encodeBatch(values));
}

describe('a telecommand of a lane', () => {
  it.each([
    [4, [...SENT, 'COMPLETE']],
    [3, ['PENDING', 'REJECTED']],
  ])('is judged by the current values of its target: the counter is %d', async (counter, states) => {
    const platform = platformOf('one');
    const requires = [{ that: compiled('obc.counter > 3'), maxAgeMs: 60_000 }];
    const sample = (target: string, { key }: Measure): ReceivedValue | undefined =>
      target === 'sat1' && key === COUNTER ? known(counter) : undefined;
    const one = obligingWorld({
      mission: missionWith(platform, undefined, requires),
      values: { sample, position: () => undefined, upToDate: async () => undefined },
    });
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    expect(one.states(1)).toEqual(states);
    await one.lane.stop();
  });

  it('effects/check.C1 is judged by what was stored before it, though the reader of values has not taken it up yet', async () => {
    let caughtUp = (): void => undefined;
    const catchingUp = new Promise<void>((resolve) => {
      caughtUp = resolve;
    });
    let counter = 4;
    const requires = [{ that: compiled('obc.counter > 3'), maxAgeMs: 60_000 }];
    const one = obligingWorld({
      mission: missionWith(platformOf('one'), undefined, requires),
      values: {
        sample: (_, { key }) => (key === COUNTER ? known(counter) : undefined),
        position: () => undefined,
        upToDate: () => catchingUp,
      },
    });
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    expect(one.states(1)).toEqual(['PENDING']);
    counter = 3;
    caughtUp();
    await one.run(100);
    expect(one.states(1)).toEqual(['PENDING', 'REJECTED']);
    await one.lane.stop();
  });

  it('is verified by a change from the current value, though the stream holds it no more', async () => {
    const platform = platformOf('one');
    const one = obligingWorld({
      mission: missionWith(platform, verifiedBy('obc.counter changes')),
      values: {
        sample: (_, { key }) => (key === COUNTER ? known(5) : undefined),
        position: (target) => (target === 'sat1' ? 0 : undefined),
        upToDate: async () => undefined,
      },
    });
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    await counts(one, 6, platform);
    await one.run(100);
    expect(one.states(1)).toEqual([...SENT, 'VERIFIED']);
    await one.lane.stop();
  });

  it('is verified by values of a configuration that was published since it was sent', async () => {
    const one = obligingWorld({ mission: missionWith(platformOf('one'), verifiedBy('obc.counter == 5')) });
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    one.publish(missionWith(ORDERED, undefined));
    await counts(one, 5, ORDERED);
    await one.run(100);
    expect(one.states(1)).toEqual([...SENT, 'VERIFIED']);
    await one.lane.stop();
  });

  it('is verified by values of an earlier configuration that another telecommand was resolved with', async () => {
    const now = missionWith(platformOf('one'), verifiedBy('obc.counter == 5'));
    const before = missionWith(ORDERED, undefined);
    const one = obligingWorld({
      mission: now,
      at: (revision) => (revision === before.revision ? before : now),
    });
    await submit(one.bus, 1, { revision: before.revision });
    await submit(one.bus, 2);
    await one.lane.start();
    await one.run(100);
    await counts(one, 5, ORDERED);
    await one.run(100);
    expect([one.states(1), one.states(2)]).toEqual([
      [...SENT, 'COMPLETE'],
      [...SENT, 'VERIFIED'],
    ]);
    await one.lane.stop();
  });

  it('telecommand/sending.H4 that nothing verifies is handed over without a place in the stream of values', async () => {
    const one = obligingWorld({ mission: missionOf(undefined) });
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    expect(eventsOf(one.bus, 1).at(-1)?.state).toBe('COMPLETE');
    expect(one.sent).toHaveLength(1);
    expect(one.sent[0]).not.toHaveProperty('handed');
    const headers = one.bus.messages(streams.telecommandEvents).map((event) => event.headers);
    expect(headers.filter((each) => each[header.handed] !== undefined)).toEqual([]);
    await one.lane.stop();
  });
});
