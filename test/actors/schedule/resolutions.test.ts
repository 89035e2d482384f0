import { expect, it } from 'vitest';
import { Resolutions } from '../../../actors/schedule/resolutions.ts';
import { SCHEDULE_SLICE } from '../../../contract/limits/schedule.ts';
import type { Bus } from '../../../ports/bus.ts';
import { at, MINUTE, storedSchedule } from '../../mission/schedule/records.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { scheduleMission } from './world.ts';

it('resolutions.E6 of thousands that wait behind a configuration, what starts first is resolved first', async () => {
  const mission = scheduleMission();
  const clock = new ManualClock(0);
  const known: string[] = [];
  const resolutions = new Resolutions({
    bus: { objects: () => ({}) } as unknown as Bus,
    clock,
    log: keptLog(),
    known: (id) => known.push(id),
  });
  const schedules = Array.from({ length: 3 * SCHEDULE_SLICE }, (_, n) =>
    storedSchedule({ id: `s${n}`, run: 'gone', config: 'before', fire_at: at((1_000 - n) * MINUTE) }),
  );
  for (const schedule of schedules) expect(resolutions.of(schedule, mission)).toBeUndefined();
  await settled();
  // The one that was asked for first was alone then.
  expect(known).toEqual(['s0']);
  await clock.run(1);
  const earliest = schedules.slice(-SCHEDULE_SLICE).map(({ id }) => id);
  expect(known.slice(1).toSorted()).toEqual(earliest.toSorted());
  resolutions.stop();
});
