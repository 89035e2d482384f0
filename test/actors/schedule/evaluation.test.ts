/** What becomes of schedules when what they depend on changes. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { SCHEDULE_TICK_MS } from '../../../contract/limits/schedule.ts';
import { cancelSchedule, validateSchedule } from '../../../messaging/schedule-commands.ts';
import type { Mission } from '../../../mission/mission.ts';
import { AOS, at, MINUTE, type PassParts } from '../../mission/schedule/records.ts';
import { ScheduleWorld, scheduleMission } from './world.ts';

const START = AOS + 30_000;
/** A run that sends a hazardous telecommand where a supervisor confirms those. */
const HAZARD = { run: 'reboot', environment: 'flight' };

async function started(mission?: Mission): Promise<ScheduleWorld> {
  const world = await ScheduleWorld.start(['one'], mission);
  onTestFinished(() => world.stop());
  await world.pass();
  return world;
}

function tools({ observer, clock }: ScheduleWorld) {
  const { passes, schedules } = observer.books;
  return { bus: observer.bus, clock, passes, schedules };
}

async function validated(world: ScheduleWorld, id = 's1'): Promise<void> {
  const done = await world.finish(validateSchedule(tools(world), world.mission, id, 'eve'));
  expect(done.outcome).toBe('validated');
  await world.run(50);
}

async function changed(world: ScheduleWorld, pass: PassParts): Promise<[string, readonly string[]]> {
  await world.pass(pass as object);
  await world.run(50);
  const { state, reasons } = world.stored()!;
  return [state, reasons];
}

describe('a pass that changes (MC-PASS-049)', () => {
  it.each<[string, PassParts, object, RegExp]>([
    ['MC-SCH-032 MC-SCH-042 is cut short', { los: at(MINUTE) }, {}, /may take/],
    [
      'MC-SCH-032 MC-SCH-044 loses its booking in orbit',
      { status: 'predicted' },
      { run: 'set', environment: 'flight' },
      /booking/,
    ],
    ['MC-PASS-049 MC-SCH-045 becomes receive-only', { uplink: false }, { run: 'typed' }, /receive-only/],
  ])(
    'MC-PASS-058 MC-SCH-034 MC-SCH-047 %s: at risk with the reason, and scheduled when it is as before',
    async (_how, pass, request, why) => {
      const world = await started();
      await world.schedule(request);
      expect(world.state()).toBe('scheduled');
      expect(await changed(world, pass)).toEqual(['at_risk', [expect.stringMatching(why)]]);
      expect(await changed(world, {})).toEqual(['scheduled', []]);
      expect(world.stored()!.changes.map(({ state }) => state)).toEqual([
        'scheduled',
        'at_risk',
        'scheduled',
      ]);
    },
  );

  it('MC-SCH-031 is gone: at risk, and scheduled when it is there again', async () => {
    const world = await started();
    await world.schedule();
    await world.removePass();
    await world.run(50);
    expect(world.stored()).toMatchObject({
      state: 'at_risk',
      reasons: ['pass p1 of sat1 is not stored any more'],
    });
    expect(await changed(world, {})).toEqual(['scheduled', []]);
  });

  it('MC-SCH-038 MC-PASS-058 is cancelled: so are its schedules, also those at risk, for good', async () => {
    const world = await started();
    await world.schedule();
    await world.schedule({ ...HAZARD, id: 's2', start: 'aos + 1 min' });
    await world.pass({ status: 'cancelled' });
    await world.run(50);
    expect([world.state('s1'), world.state('s2')]).toEqual(['cancelled', 'cancelled']);
    expect(world.stored()!.reasons).toEqual(['pass p1 of sat1 is cancelled']);
    await world.pass();
    await world.runTo(START + MINUTE);
    expect([world.state('s1'), world.state('s2'), world.submissions]).toEqual(['cancelled', 'cancelled', []]);
  });

  it('MC-SCH-047 scheduler.V1 costs nothing where it changes nothing of a schedule', async () => {
    const world = await started();
    await world.schedule();
    const before = world.stored();
    for (let n = 0; n < 5; n += 1) await world.pass({ max_elevation: `${n} deg` });
    await world.run(10 * SCHEDULE_TICK_MS);
    expect(world.stored()).toEqual(before);
  });
});

describe('other schedules of the pass', () => {
  it('MC-SCH-043 MC-SCH-061 A-52 an earlier one that is created later puts the later one at risk until it is cancelled', async () => {
    const world = await started();
    await world.schedule();
    await world.schedule({ id: 's0', start: 'aos + 28 s' });
    await world.run(50);
    expect(world.stored()).toMatchObject({
      state: 'at_risk',
      reasons: [expect.stringContaining('schedule s0')],
    });
    await world.finish(cancelSchedule(tools(world), 's0', 'ada'));
    await world.run(50);
    expect(world.state()).toBe('scheduled');
  });
});

describe('a validation (F-03)', () => {
  it('MC-SCH-030 MC-SCH-033 MC-SCH-034 MC-SCH-056 MC-SCH-057 falls when the AOS moves by ten seconds, does not stand again when it moves back, and a new one counts', async () => {
    const world = await started();
    await world.schedule(HAZARD);
    expect(world.state()).toBe('at_risk');
    await validated(world);
    expect(world.state()).toBe('scheduled');
    const [state, reasons] = await changed(world, { aos: at(10_000) });
    expect([state, reasons]).toEqual([
      'at_risk',
      [expect.stringContaining('validation by eve fell: AOS is')],
    ]);
    expect(await changed(world, {})).toEqual(['at_risk', reasons]);
    expect(world.stored()).toMatchObject({ fallen: { by: 'eve', aos: at(0) } });
    expect(world.stored()!.validation).toBeUndefined();
    await validated(world);
    expect(world.stored()).toMatchObject({ state: 'scheduled', reasons: [], validation: { by: 'eve' } });
    expect([world.stored()!.fell, world.stored()!.fallen]).toEqual([undefined, undefined]);
    await world.runTo(START + 100);
    expect([world.state(), world.submissions.length]).toEqual(['fired', 1]);
  });

  it('MC-SCH-037 MC-SCH-054 without one it is missed at its start', async () => {
    const world = await started();
    await world.schedule(HAZARD);
    await world.runTo(START + 100);
    expect(world.stored()).toMatchObject({
      state: 'missed',
      reasons: [expect.stringContaining('supervisor')],
    });
    expect(world.submissions).toEqual([]);
  });

  it('MC-SCH-056 MC-SCH-057 that was given while a change of the pass was on its way is not lost by it', async () => {
    const world = await started();
    await world.pass({ los: at(40_000) });
    const [process] = world.processes;
    await world.pass();
    await world.schedule({ ...HAZARD, start: 'aos + 5 min' });
    await changed(world, { los: at(5 * MINUTE) });
    expect(world.stored()!.reasons).toHaveLength(2);
    process!.late = 500;
    await world.pass();
    await world.run(100);
    await validated(world);
    expect(world.state()).toBe('scheduled');
    await world.run(3_000);
    expect(world.stored()).toMatchObject({ state: 'scheduled', validation: { by: 'eve' } });
  });
});

describe('a mission that is published again (A-26)', () => {
  const republished = (mission: Mission, revision: string): Mission => ({ ...mission, revision });

  it('MC-SCH-056 and gives the same run: nothing becomes of it', async () => {
    const world = await started();
    await world.schedule(HAZARD);
    await validated(world);
    const before = world.stored();
    world.publish(republished(world.mission, 'r2'));
    await world.run(5_000);
    expect(world.stored()).toEqual(before);
    await world.runTo(START + 100);
    expect(world.submissions).toMatchObject([{ ir: before!.ir }]);
  });

  it('MC-SCH-056 and gives another run: that one is fired, and a validation of the former one falls', async () => {
    const world = await started();
    await world.schedule({ run: 'nothing' });
    await world.schedule({ ...HAZARD, id: 's2', start: 'aos + 1 min' });
    await validated(world, 's2');
    const [before, validatedBefore] = [world.stored()!, world.stored('s2')!];
    const edited = scheduleMission((text) =>
      text.replaceAll('wait: 1 s', 'wait: 2 s').replaceAll('step: go\n', 'step: going\n'),
    );
    world.publish(edited);
    await world.run(1_000);
    const [now, validatedNow] = [world.stored()!, world.stored('s2')!];
    expect(now).toMatchObject({ state: 'scheduled', max_duration: '6 s', config: edited.revision });
    expect([now.ir === before.ir, now.content === before.content]).toEqual([false, false]);
    expect(validatedNow.ir).not.toBe(validatedBefore.ir);
    expect(validatedNow).toMatchObject({
      state: 'at_risk',
      reasons: [expect.stringContaining('gives another run')],
    });
    await world.runTo(START + 100);
    expect(world.submissions).toMatchObject([{ ir: now.ir, by: 'schedule s1' }]);
  });

  it('MC-SCH-056 without the procedure: at risk with what resolution says, and scheduled when it is back', async () => {
    const world = await started();
    await world.schedule();
    world.publish(scheduleMission((text) => text.replaceAll('nothing:', 'nothing_more:')));
    await world.run(1_000);
    expect(world.stored()).toMatchObject({
      state: 'at_risk',
      reasons: [expect.stringContaining('"nothing"')],
    });
    world.publish(world.mission);
    await world.run(1_000);
    expect(world.stored()).toMatchObject({ state: 'scheduled', reasons: [] });
  });

  it('MC-SCH-047 twice within a moment: what counts is the last one, and it is found out once', async () => {
    const world = await started();
    for (let n = 0; n < 100; n += 1) await world.schedule({ id: `s${n}`, start: `aos + ${n * 3 + 1} s` });
    // Another run, which is stored first: that takes some milliseconds.
    world.publish(scheduleMission((text) => text.replaceAll('wait: 1 s', 'wait: 900 ms')));
    await world.run(1);
    const edited = scheduleMission((text) => text.replaceAll('wait: 1 s', 'wait: 500 ms'));
    world.publish(edited);
    await world.run(5_000);
    for (let n = 0; n < 100; n += 1) expect(world.stored(`s${n}`)!.config).toBe(edited.revision);
  });

  it('MC-SCH-047 and cannot be resolved now: it is tried again every second, and then counts', async () => {
    const world = await ScheduleWorld.start([]);
    onTestFinished(() => world.stop());
    await world.pass();
    let isBroken = false;
    const { log } = await world.process('one', {
      bucket: (real) => (definition) => {
        if (isBroken && definition === buckets.programs) throw new Error('broken');
        return real.bucket(definition);
      },
    });
    await world.schedule();
    isBroken = true;
    const edited = scheduleMission((text) => text.replaceAll('wait: 1 s', 'wait: 2 s'));
    world.publish(edited);
    for (let n = 0; n < 5; n += 1) {
      await world.pass({ max_elevation: `${n} deg` });
      await world.run(1_000);
    }
    expect(world.stored()!.config).toBe(world.mission.revision);
    const tries = log.said.filter(({ message }) => message === 'schedule not resolved');
    expect([tries.length > 2, tries.length < 8]).toEqual([true, true]);
    isBroken = false;
    await world.run(2_000);
    expect(world.stored()!.config).toBe(edited.revision);
  });

  it.each([
    ['one', 'two'],
    ['two', 'one'],
  ])(
    'MC-SCH-047 scheduler.V7 to %s first: %s, which does not have it yet, does not undo what was found',
    async (ahead, behind) => {
      const world = await ScheduleWorld.start([ahead, behind]);
      onTestFinished(() => world.stop());
      await world.pass();
      await world.schedule({ run: 'nothing' });
      const edited = scheduleMission((text) => text.replaceAll('wait: 1 s', 'wait: 2 s'));
      const publishTo = (to: string): void =>
        world.processes.find(({ name }) => name === to)!.missions.publish(edited);
      publishTo(ahead);
      await world.run(SCHEDULE_TICK_MS / 2);
      const found = world.stored()!;
      expect(found.config).toBe(edited.revision);
      await world.run(SCHEDULE_TICK_MS / 2 - 100);
      publishTo(behind);
      await world.run(5 * SCHEDULE_TICK_MS);
      expect(world.stored()).toEqual(found);
    },
  );
});
