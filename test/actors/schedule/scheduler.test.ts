/** When schedules are evaluated and fired, and on what: schedulers on the bus in memory, on a clock moved by hand. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { SCHEDULE_STANDBY_MS, SCHEDULE_TICK_MS } from '../../../contract/limits/schedule.ts';
import { cancelSchedule } from '../../../messaging/schedule-commands.ts';
import { AOS, at, MINUTE } from '../../mission/schedule/records.ts';
import { type SchedulerProcess, ScheduleWorld } from './world.ts';

const START = AOS + 30_000;
const NEVER = new Promise<never>(() => undefined);

async function started(...names: string[]): Promise<ScheduleWorld> {
  const world = await ScheduleWorld.start(names.length === 0 ? ['one'] : names);
  onTestFinished(() => world.stop());
  return world;
}

/** With a pass and a schedule on it. */
async function planned(...names: string[]): Promise<ScheduleWorld> {
  const world = await started(...names);
  await world.pass();
  await world.schedule();
  return world;
}

const only = (world: ScheduleWorld): SchedulerProcess => world.processes[0]!;

describe('firing', () => {
  it('MC-SCH-035 MC-SCH-049 MC-SCH-051 MC-MET-002 never before its start, then once, under <schedule>-<pass>, by schedule <id>', async () => {
    const world = await planned();
    expect(world.stored()).toMatchObject({ state: 'scheduled', fire_at: at(30_000) });
    await world.runTo(START - 1);
    expect([world.state(), world.submissions]).toEqual(['scheduled', []]);
    await world.runTo(START + 100);
    const stored = world.stored()!;
    expect(stored).toMatchObject({ state: 'fired', reasons: [], submitted: true });
    expect(Date.parse(stored.updated_at)).toBeGreaterThanOrEqual(START);
    await world.run(5 * MINUTE);
    expect(world.submissions).toEqual([{ run: stored.run_id, ir: stored.ir, by: 'schedule s1' }]);
    expect(world.messageIds).toEqual(['s1-p1']);
    expect(await world.counted()).toEqual({ fired: 1, missed: 0 });
  });

  it('MC-SCH-035 follows an AOS that moves, to later and to earlier', async () => {
    const world = await planned();
    await world.pass({ aos: at(20_000) });
    await world.runTo(START + 19_999);
    expect([world.state(), world.stored()?.fire_at]).toEqual(['scheduled', at(50_000)]);
    await world.pass({ aos: at(-5_000) });
    await world.run(50);
    expect([world.state(), world.submissions.length]).toEqual(['fired', 1]);
  });

  it('MC-SCH-047 MC-LIM-010 waits for its own time of day, which may be set back and forth by two seconds', async () => {
    const world = await planned();
    await world.runTo(START - 500);
    only(world).clock.step(-2_000);
    await world.runTo(START + 1_400);
    expect(world.state()).toBe('scheduled');
    only(world).clock.step(2_000);
    await world.run(SCHEDULE_TICK_MS + 50);
    expect([world.state(), world.submissions.length]).toEqual(['fired', 1]);
  });

  it('MC-SCH-035 MC-SCH-047 does not fire when the clock, set forth, is set back before the write, and then on time', async () => {
    const world = await planned();
    let reads = 0;
    const two = await world.process('two', {
      bucket: (real) => (definition) => {
        const bucket = real.bucket(definition);
        if (definition.name === buckets.schedules.name) reads += 1;
        return bucket;
      },
    });
    only(world).kill();
    await world.runTo(START - 1_500);
    const before = reads;
    two.clock.step(2_000);
    // Until its timer is over, and it has begun.
    while (reads === before && world.now < START) await world.run(1);
    two.clock.step(-2_000);
    await world.runTo(START - 1);
    expect([world.state(), world.submissions]).toEqual(['scheduled', []]);
    await world.runTo(START + 100);
    expect([world.state(), world.submissions.length]).toEqual(['fired', 1]);
  });

  it('MC-SCH-036 MC-MET-002 fires late after an outage if it still fits, and is missed with the reason otherwise', async () => {
    const world = await planned();
    await world.schedule({ id: 's2', start: 'aos + 1 min' });
    await world.runTo(START - 1_000);
    world.server.turn(false);
    await world.runTo(AOS + 9 * MINUTE);
    world.server.turn(true);
    await world.run(1_000);
    // `nothing` takes three seconds: there is half a minute.
    expect([world.state('s1'), world.state('s2')]).toEqual(['fired', 'fired']);
    expect(await world.counted()).toEqual({ fired: 2, missed: 0 });
  });

  it('MC-SCH-036 MC-MET-002 is missed where the rest of the pass is too short', async () => {
    const world = await planned();
    await world.runTo(START - 1_000);
    world.server.turn(false);
    await world.runTo(AOS + 9.5 * MINUTE);
    world.server.turn(true);
    await world.run(1_000);
    expect(world.stored()).toMatchObject({
      state: 'missed',
      reasons: [expect.stringContaining('the run may take')],
    });
    expect(world.submissions).toEqual([]);
    expect(await world.counted()).toEqual({ fired: 0, missed: 1 });
  });

  it('MC-SCH-037 MC-SCH-054 is missed when it is at risk to the last', async () => {
    const world = await planned();
    await world.pass({ los: at(31_000) });
    await world.run(50);
    expect(world.state()).toBe('at_risk');
    const { reasons } = world.stored()!;
    await world.runTo(START + 100);
    expect(world.stored()).toMatchObject({ state: 'missed', reasons });
    expect(world.submissions).toEqual([]);
  });
});

describe('a watch that is late', () => {
  it.each<[string, object, string, number]>([
    ['moved to later', { aos: at(MINUTE) }, 'fired', START + MINUTE],
    ['cancelled', { status: 'cancelled' }, 'cancelled', Number.POSITIVE_INFINITY],
    ['cut short', { los: at(MINUTE) }, 'missed', Number.POSITIVE_INFINITY],
  ])(
    'MC-SCH-035 MC-SCH-048 MC-PASS-058 a pass that was %s a moment before fires nothing',
    async (_how, more, end, due) => {
      const world = await planned();
      await world.runTo(START - 200);
      only(world).late = 3_000;
      await world.pass(more);
      await world.runTo(Math.min(START + MINUTE, due) - 1);
      expect([world.state() === 'fired', world.submissions]).toEqual([false, []]);
      await world.run(5_000);
      expect(world.state()).toBe(end);
      expect(world.submissions).toHaveLength(end === 'fired' ? 1 : 0);
    },
  );

  it('MC-SCH-036 misses nothing for a LOS that is not so any more', async () => {
    const world = await planned();
    await world.runTo(START - 1_000);
    only(world).late = 3_000;
    only(world).bus.breakConnection();
    world.server.turn(false);
    await world.runTo(AOS + 9.5 * MINUTE);
    world.server.turn(true);
    await world.run(10);
    await world.pass({ los: at(20 * MINUTE) });
    await world.run(5_000);
    expect([world.state(), world.submissions.length]).toEqual(['fired', 1]);
  });

  it('MC-SCH-041 a schedule that was cancelled, or replaced, a moment before does not fire as it was', async () => {
    const world = await planned();
    await world.schedule({ id: 's2', start: 'aos + 1 min' });
    await world.runTo(START - 200);
    only(world).late = 3_000;
    const tools = { bus: world.observer.bus, clock: world.clock };
    await world.finish(cancelSchedule(tools, 's1', 'ada'));
    await world.schedule({ id: 's2', start: 'aos + 2 min', run: 'draft', environment: 'bench' });
    const { ir } = world.stored('s2')!;
    await world.runTo(AOS + 2 * MINUTE - 1);
    expect([world.state('s1'), world.state('s2'), world.submissions]).toEqual(['cancelled', 'scheduled', []]);
    await world.run(4_000);
    expect(world.submissions).toMatchObject([{ ir, by: 'schedule s2' }]);
  });
});

describe('several schedulers', () => {
  it('MC-SCH-050 MC-SCH-051 F-17 that fire at once start one run, and count it once', async () => {
    const world = await planned('one', 'two', 'three');
    world.isBlind = true;
    await world.runTo(START + 2_000);
    expect(world.submissions).toHaveLength(1);
    expect(world.stored()).toMatchObject({ state: 'fired', run_id: world.submissions[0]!.run });
    expect(await world.counted()).toEqual({ fired: 1, missed: 0 });
  });

  it('MC-SCH-041 F-17 of a cancel and a start at the same moment one counts', async () => {
    for (let offset = -6; offset <= 6; offset += 1) {
      const world = await planned('one', 'two');
      await world.runTo(START + offset);
      const tools = { bus: world.observer.bus, clock: world.clock };
      const { outcome } = await world.finish(cancelSchedule(tools, 's1', 'ada'));
      await world.run(1_000);
      const isCancelled = outcome === 'changed';
      expect([world.state(), world.submissions.length]).toEqual(
        isCancelled ? ['cancelled', 0] : ['fired', 1],
      );
      if (!isCancelled) expect(['final', 'overtaken']).toContain(outcome);
    }
  });

  it('MC-SCH-050 who ranks first and is dead is waited for a moment, and then another one fires', async () => {
    const world = await planned('one');
    for (let n = 0; n < 8; n += 1) world.ghosts.push(`ghost-${n}`);
    await world.runTo(START + 9 * SCHEDULE_STANDBY_MS);
    expect([world.state(), world.submissions.length]).toEqual(['fired', 1]);
  });

  it('MC-SCH-050 MC-SCH-051 one that died between the record and the submission: another one submits that run', async () => {
    const world = await started();
    await world.pass();
    const mortal = await world.process('mortal', {
      append:
        (real) =>
        (stream, ...rest) =>
          stream === streams.runSubmissions ? NEVER : real.append(stream, ...rest),
    });
    // Alone at the start.
    only(world).clock.pause();
    await world.schedule();
    await world.runTo(START + 100);
    expect(world.stored()).toMatchObject({ state: 'fired', run_id: expect.any(String) });
    expect(world.submissions).toEqual([]);
    const { run_id: run } = world.stored()!;
    mortal.kill();
    only(world).clock.resume({ arrivalsFirst: true, pullsExpired: false });
    await world.run(2_000);
    expect(world.submissions).toMatchObject([{ run }]);
    expect(world.stored()).toMatchObject({ run_id: run, submitted: true });
  });

  it('MC-SCH-050 MC-SCH-051 what one left is done by another one that had the schedule a moment ago', async () => {
    const world = await started();
    await world.pass();
    const [heir] = world.processes;
    const mortal = await world.process('mortal', {
      append:
        (real) =>
        (stream, ...rest) =>
          stream === streams.runSubmissions ? NEVER : real.append(stream, ...rest),
    });
    await world.schedule();
    mortal.clock.pause();
    await world.runTo(START - 2_000);
    // The heir has a cell of it, alive for some seconds.
    await world.pass({ los: at(31_000) });
    await world.run(300);
    await world.pass();
    await world.run(300);
    mortal.clock.resume({ arrivalsFirst: true, pullsExpired: false });
    await world.run(100);
    expect(world.state()).toBe('scheduled');
    heir!.clock.pause();
    await world.runTo(START + 100);
    expect([world.state(), world.submissions]).toEqual(['fired', []]);
    mortal.kill();
    heir!.clock.resume({ arrivalsFirst: true, pullsExpired: false });
    await world.run(2_500);
    expect(world.submissions).toMatchObject([{ run: world.stored()!.run_id }]);
  });

  it('MC-SCH-050 one that sleeps through the start and wakes starts nothing again', async () => {
    for (const arrivalsFirst of [true, false]) {
      const world = await planned('one', 'two');
      await world.runTo(START - 100);
      const [one] = world.processes;
      one!.clock.pause();
      await world.runTo(START + 10_000);
      expect([world.state(), world.submissions.length]).toEqual(['fired', 1]);
      one!.clock.resume({ arrivalsFirst, pullsExpired: true });
      await world.run(5_000);
      expect(world.submissions).toHaveLength(1);
      expect(await world.counted()).toEqual({ fired: 1, missed: 0 });
    }
  });

  it('MC-SCH-047 a write that was lost is made again', async () => {
    const world = await started();
    await world.pass();
    let lost = 0;
    await world.process('unlucky', {
      bucket: (real) => (definition) => {
        const bucket = real.bucket(definition);
        if (definition.name !== buckets.schedules.name) return bucket;
        const put: typeof bucket.put = async (key, value, revision) => {
          lost += 1;
          return lost <= 2 ? { outcome: 'conflict' } : bucket.put(key, value, revision);
        };
        return { ...bucket, put, get: (key) => bucket.get(key), watch: (...of) => bucket.watch(...of) };
      },
    });
    only(world).clock.pause();
    await world.schedule();
    await world.runTo(START + SCHEDULE_TICK_MS);
    expect([lost > 2, world.state()]).toEqual([true, 'fired']);
  });
});

describe('a schedule that cannot be evaluated as the others', () => {
  it('scheduler.V10 schedule/assess.F4 whose pass is moved to the edge of the calendar is at risk, then missed, and the others go on', async () => {
    const world = await started();
    const edge = { aos: '9999-12-31T23:59:00Z', los: '9999-12-31T23:59:59Z' };
    await world.pass();
    await world.pass({ id: 'p2' });
    await world.schedule({ start: 'aos + 2 min' });
    await world.schedule({ id: 's2', pass: 'p2' });
    await world.pass(edge);
    const reason = 'start "aos + 2 min" on pass p1 of sat1 is outside of the years 1 to 9999';
    expect(world.stored()).toMatchObject({ state: 'at_risk', fire_at: at(2 * MINUTE) });
    expect(world.stored()!.reasons).toContain(reason);
    await world.process('two');
    await world.runTo(AOS + 2 * MINUTE + 1_000);
    expect([world.state(), world.state('s2')]).toEqual(['missed', 'fired']);
    expect(world.stored()!.reasons).toContain(reason);
  });

  it('scheduler.V10 that breaks what looks at it is logged once, stops no other one, and is looked at again', async () => {
    const world = await started();
    await world.pass();
    await world.pass({ id: 'p2' });
    const { passes } = only(world).books;
    const find = passes.find.bind(passes);
    let isBroken = true;
    passes.find = (target, name) => {
      if (isBroken && name === 'p1') throw new Error('broken');
      return find(target, name);
    };
    await world.schedule();
    await world.schedule({ id: 's2', pass: 'p2' });
    only(world).missions.publish({ ...world.mission });
    await world.runTo(START + 2_000);
    expect([world.state(), world.state('s2')]).toEqual(['scheduled', 'fired']);
    const said = only(world).log.said.filter(({ message }) => message === 'schedule not evaluated');
    expect(said).toMatchObject([{ level: 'error', fields: { schedule: 's1' } }]);
    isBroken = false;
    await world.run(SCHEDULE_TICK_MS);
    expect(world.state()).toBe('fired');
  });
});
