/** The decoder of a gateway, as its process has it. */

import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { markIn } from '../../../messaging/mark-entry.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import type { RoleContext } from '../../../supervision/role.ts';
import { startDrivers } from '../../../supervision/roles/drivers.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { settled } from '../../support/manual-clock.ts';
import { demoMission, TestMissions } from '../../support/missions.ts';
import { noPasses } from '../../support/passes.ts';
import { keptLog } from '../../support/silent-log.ts';

it('low-water-mark.F2 the low-water mark of a decoder that has rested follows its frames within a second', async () => {
  const clock = new HeapClock(1_000_000);
  const server = new TwinServer({ now: () => clock.now(), choose: (count) => count - 1 });
  const clocks = { outside: clock, inside: clock };
  const log = keptLog();
  const bus = new TwinBus({ server, name: 'test', settleMs: 0, ...clocks, weather: fairWeather, log });
  const run = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) {
      clock.advance(50);
      await settled();
    }
  };
  const during = async <Value>(work: Promise<Value>): Promise<Value> => {
    const ended = work.finally(() => {
      isOver = true;
    });
    let isOver = false;
    while (!isOver) await run(50);
    return ended;
  };
  await run(100);
  const failed = (error: unknown): void => expect.unreachable(String(error));
  const context = {
    bus,
    clock,
    random: seededRandom(1),
    log,
    missions: new TestMissions(demoMission()),
    deadLetters: createDeadLetters(bus, log),
    instance: 'here',
    failpoint: undefined,
    failed,
    passes: noPasses,
    registry: new Registry(),
  };
  const role = await during(startDrivers(context as unknown as RoleContext));
  const { role: decoders } = role.shared.find((each) => each.role.prefix === 'decoder')!;
  const worker = await during(decoders.start('sim-1', { epoch: 1, holds: () => true, failed }));
  const next = async (): Promise<unknown> => {
    const entry = await during(bus.bucket(buckets.members).get('checkpoint.decoder.sim-1'));
    return entry && markIn(entry.value)?.stands['next'];
  };
  for (const frames of [1, 2]) {
    await run(60_000);
    expect(await next()).toBe(frames);
    await during(bus.append(streams.frames, subject.frames('sim-1'), Buffer.from('no frame')));
    await run(1_500);
    expect(await next()).toBe(frames + 1);
  }
  await during(worker.stop());
  await during(Promise.resolve(role.stop()));
  await during(bus.close());
});
