/** The owner of a target that derives measures, and slept for so long that the target may be another's. */

import { expect, it } from 'vitest';
import { encodeBatch } from '../../../contract/batch.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { createTelemetryOwner } from '../../../telemetry/telemetry-owner.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';
import { FakeBus } from '../fake-bus.ts';
import { Missions, missionOf } from '../platform.ts';
import { batchOf, platformWith } from './derived-mission.ts';

const BEGIN = Date.parse('2026-03-01T12:00:00Z');
const platform = platformWith();

/** What is published of two samples far apart, with whether it was lost. */
async function published(awake: boolean): Promise<{ readonly turned: number; readonly lost: number }> {
  const [bus, clock] = [new FakeBus(), new HeapClock(BEGIN)];
  bus.now = () => clock.now();
  let [asleep, lost] = [false, 0];
  const owner = createTelemetryOwner({
    bus,
    clock,
    target: 'sat1',
    epoch: 1,
    log: keptLog(),
    missions: new Missions(missionOf('r1', { sat1: platform })),
    holds: () => !asleep,
    lost: () => {
      lost += 1;
    },
  });
  await owner.start();
  const hand = async (seq: number, at: number): Promise<void> => {
    const { platform: digest, blocks } = batchOf(platform, [{ at: BEGIN + at, values: { voltage: 5 } }]);
    const data = encodeBatch({ platform: digest, link: 'uhf', blocks, reports: [] });
    await owner.handle({
      subject: subject.decoded('sat1'),
      data,
      headers: {},
      seq,
      at: BEGIN + at,
      pending: 1,
    });
  };
  await hand(1, 1_000);
  await until(() => owner.counts.published === 1);
  asleep = !awake;
  await hand(2, 30_000);
  if (awake) await until(() => owner.counts.published > 2);
  await owner.stop();
  const turned = bus.messages(streams.values).filter(({ headers }) => headers[header.turned] !== undefined);
  return { turned: turned.length, lost };
}

it('telemetry-owner.O5 publishes what came due before the samples of a message only while the target is its own', async () => {
  const own = await published(true);
  expect(own.turned).toBeGreaterThan(0);
  expect(own.lost).toBe(0);
  expect(await published(false)).toEqual({ turned: 0, lost: 1 });
});
