/** Schedules and rules on a bus that takes less in one message than they are. */

import { expect, it, onTestFinished } from 'vitest';
import type { StoredRefusal } from '../../../contract/stored-schedule.ts';
import { TooLarge } from '../../../contract/too-large.ts';
import { AOS, MINUTE } from '../../mission/schedule/records.ts';
import { ScheduleWorld } from './world.ts';

async function started(): Promise<ScheduleWorld> {
  const world = await ScheduleWorld.start();
  onTestFinished(() => world.stop());
  return world;
}

it('scheduler.V9 a schedule that outgrows the bus is missed and says why, and the others start', async () => {
  const world = await ScheduleWorld.start([]);
  onTestFinished(() => world.stop());
  // What it would be as a fired one is more than the bus takes.
  const process = await world.process('one', {
    bucket: (real) => (definition) => {
      const bucket = real.bucket(definition);
      const put: typeof bucket.put = async (key, value, ...how) => {
        if (key === 'large' && Buffer.from(value).includes('"state":"fired"'))
          throw new TooLarge('a message', value.length, value.length - 1);
        return bucket.put(key, value, ...how);
      };
      return { ...bucket, put };
    },
  });
  await world.run(1_000);
  await world.pass();
  await world.schedule({ id: 'large' });
  await world.schedule({ id: 's1', start: 'aos + 2 min' });
  await world.runTo(AOS + MINUTE);
  expect(world.stored('large')).toMatchObject({
    state: 'missed',
    reasons: [expect.stringMatching(/takes \d+ bytes, and the bus takes .*max_payload/)],
  });
  expect(process.log.said.filter(({ message }) => message.includes('does not fit'))).toHaveLength(1);
  await world.runTo(AOS + 3 * MINUTE);
  expect(world.state('s1')).toBe('fired');
});

it('rule-maker.M6 a schedule of a rule that does not fit is refused once, with the reason', async () => {
  const world = await started();
  world.server.maxPayload = 700;
  await world.pass();
  await world.rule();
  await world.run(10_000);
  const refusal: StoredRefusal | undefined = world.observer.books.rules.refusalOf('each', 'p1');
  expect(refusal?.reasons).toEqual([expect.stringMatching(/takes \d+ bytes, and the bus takes 700/)]);
  const said = world.processes[0]!.log.said.filter(({ message }) =>
    message.includes('a rule made no schedule'),
  );
  expect(said).toHaveLength(1);
});
