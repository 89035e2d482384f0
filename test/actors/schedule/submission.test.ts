/** submission.B1 to B5: one run for each fired schedule, whatever was submitted before. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { submitScheduled } from '../../../actors/schedule/submission.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import type { RunSummary } from '../../../contract/run.ts';
import type { ScheduleEffect } from '../../../machines/schedule/protocol.ts';
import { readStoredProgram } from '../../../messaging/stored-program.ts';
import { AOS, at } from '../../mission/schedule/records.ts';
import { TestMissions } from '../../support/missions.ts';
import { keptLog } from '../../support/silent-log.ts';
import { ScheduleWorld } from './world.ts';

const RUN = '01KE0000000000000000000000';
const OTHER = '01KE0000000000000000000001';
const IR = 'a'.repeat(64);

const effect = (more: Partial<ScheduleEffect> = {}): ScheduleEffect => ({
  type: 'effect.submit',
  run: RUN,
  ir: IR,
  config: 'r1',
  pass: 'p1',
  procedure: 'set',
  environment: 'lab',
  targets: { sat: 'sat1' },
  ...more,
});

async function started() {
  const world = await ScheduleWorld.start([]);
  onTestFinished(() => world.stop());
  const log = keptLog();
  const { bus } = world.observer;
  const { schedules } = world.observer.books;
  const tools = { bus, clock: world.clock, log, missions: new TestMissions(world.mission), schedules };
  const submit = async (schedule: string, wanted: ScheduleEffect): Promise<string | undefined> => {
    const run = await world.finish(submitScheduled(tools, schedule, wanted, new AbortController().signal));
    await world.run(50);
    return run;
  };
  return { world, submit, log, tools };
}

describe('the submission of a schedule', () => {
  it('MC-SCH-049 MC-SCH-050 submission.B1 is stored once, however often it is made, and lists its run', async () => {
    const { world, submit } = await started();
    for (let n = 0; n < 3; n += 1) expect(await submit('s1', effect())).toBe(RUN);
    expect(world.submissions).toEqual([{ run: RUN, ir: IR, by: 'schedule s1' }]);
    const entry = await world.finish(world.observer.bus.bucket(buckets.runs).get(RUN));
    expect(JSON.parse(Buffer.from(entry!.value).toString()) as RunSummary).toMatchObject({
      run: RUN,
      procedure: 'set',
      environment: 'lab',
      targets: { sat: 'sat1' },
      by: 'schedule s1',
    });
  });

  it('MC-SCH-050 submission.B2 is not made again for a run that is known, long after the stream has forgotten its message id', async () => {
    const { world, submit } = await started();
    await submit('s1', effect());
    await world.run(3 * 86_400_000);
    expect(await submit('s1', effect())).toBe(RUN);
    expect(world.submissions).toHaveLength(1);
  });

  it('MC-SCH-050 submission.B3 of `a-b` on `c` and of `a` on `b-c`, which have one message id, are two', async () => {
    const { world, submit, log } = await started();
    expect(await submit('a-b', effect({ pass: 'c' }))).toBe(RUN);
    for (let n = 0; n < 2; n += 1) expect(await submit('a', effect({ pass: 'b-c', run: OTHER }))).toBe(OTHER);
    expect(world.submissions).toEqual([
      { run: RUN, ir: IR, by: 'schedule a-b' },
      { run: OTHER, ir: IR, by: 'schedule a' },
    ]);
    expect(log.said.map(({ message }) => message)).toContain(
      'the message id of a schedule is in use by another one',
    );
  });

  it('MC-SCH-051 submission.B4 names the run that was started before the record was lost', async () => {
    const { world, submit } = await started();
    await submit('s1', effect());
    expect(await submit('s1', effect({ run: OTHER }))).toBe(RUN);
    expect(world.submissions).toHaveLength(1);
  });

  it('MC-SCH-049 waits for the bus, and ends when nobody waits for it', async () => {
    const { world, submit, tools } = await started();
    world.server.turn(false);
    const waiting = submit('s1', effect());
    await world.run(10_000);
    expect(world.submissions).toEqual([]);
    world.server.turn(true);
    await world.run(5_000);
    expect(await waiting).toBe(RUN);
    world.server.turn(false);
    const nobody = new AbortController();
    const given = submitScheduled(tools, 's2', effect({ run: OTHER }), nobody.signal);
    await world.run(1_000);
    nobody.abort();
    expect(await world.finish(given)).toBeUndefined();
    world.server.turn(true);
    await world.run(1_000);
  });
});

describe('the program of a schedule', () => {
  async function planned() {
    const world = await ScheduleWorld.start(['one']);
    onTestFinished(() => world.stop());
    await world.pass();
    const { ir } = await world.schedule();
    const programs = world.observer.bus.bucket(buckets.programs);
    const stored = async () => {
      const entry = await world.finish(programs.get(ir));
      return entry && { at: entry.at, program: readStoredProgram(entry.value, ir) };
    };
    return { world, ir, programs, stored };
  }

  it.each([
    ['lost', undefined],
    ['damaged', Buffer.from('{"format":1}')],
  ])(
    'MC-RUN-041 submission.B5 that the bus has %s is stored again before its run is submitted',
    async (_, left) => {
      const { world, ir, programs, stored } = await planned();
      const { revision } = (await world.finish(programs.get(ir)))!;
      if (left === undefined) await world.finish(programs.remove(ir, revision));
      else await world.finish(programs.overwrite(ir, left));
      await world.run(25 * 60_000);
      expect(world.submissions).toMatchObject([{ ir, by: 'schedule s1' }]);
      expect(await stored()).toMatchObject({ program: { format: 1, procedure: 'nothing' } });
      const said = world.processes[0]!.log.said.map(({ message }) => message);
      expect(said).toContain('program of a schedule was lost: resolved and stored again');
    },
  );

  it('submission.B5 that cannot be made again is named in the log, and its run says so', async () => {
    const { world, submit, log } = await started();
    expect(await submit('s1', effect())).toBe(RUN);
    expect(log.said.map(({ message }) => message)).toContain(
      'program of a schedule is lost and cannot be made again',
    );
    expect(world.submissions).toHaveLength(1);
  });

  it('run-launch.U2 that was stored long before is kept for as long as one that is launched now', async () => {
    const world = await ScheduleWorld.start(['one']);
    onTestFinished(() => world.stop());
    const later = 2 * 86_400_000;
    await world.pass({ aos: at(later), los: at(later + 600_000) });
    const { ir } = await world.schedule();
    const get = () => world.finish(world.observer.bus.bucket(buckets.programs).get(ir));
    const before = (await get())!;
    await world.runTo(AOS + later + 31_000);
    expect(world.submissions).toMatchObject([{ ir }]);
    const behind = (await get())!;
    expect(behind.at - before.at).toBeGreaterThan(later - 60_000);
    expect(Buffer.from(behind.value).equals(Buffer.from(before.value))).toBe(true);
  });
});

describe('a fired schedule (F-17)', () => {
  it('MC-SCH-050 two whose message ids are one start two runs', async () => {
    const world = await ScheduleWorld.start(['one']);
    onTestFinished(() => world.stop());
    await world.pass({ id: 'c' });
    await world.pass({ id: 'b-c' });
    await world.schedule({ id: 'a-b', pass: 'c' });
    await world.schedule({ id: 'a', pass: 'b-c' });
    await world.run(25 * 60_000);
    expect(world.submissions.map(({ by }) => by).toSorted()).toEqual(['schedule a', 'schedule a-b']);
    for (const id of ['a', 'a-b'])
      expect(world.stored(id)).toMatchObject({
        state: 'fired',
        submitted: true,
        run_id: world.submissions.find(({ by }) => by === `schedule ${id}`)!.run,
      });
  });
});
