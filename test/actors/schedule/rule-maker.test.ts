/** What rules make of passes: flow F-16, and how much at once. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { NAME_CHARACTERS } from '../../../contract/limits/request.ts';
import { RULE_CREATIONS } from '../../../contract/limits/schedule.ts';
import type { StoredRefusal, StoredSchedule } from '../../../contract/stored-schedule.ts';
import { removeRule } from '../../../messaging/rule-writes.ts';
import { cancelSchedule } from '../../../messaging/schedule-commands.ts';
import { AOS, at, MINUTE, type PassParts } from '../../mission/schedule/records.ts';
import { partlyOther } from '../../support/partly-other.ts';
import { RULE, ScheduleWorld, scheduleMission } from './world.ts';

const HOUR = 60 * MINUTE;

async function started(...names: string[]): Promise<ScheduleWorld> {
  const world = await ScheduleWorld.start(names.length === 0 ? ['one'] : names);
  onTestFinished(() => world.stop());
  return world;
}

/** The nth pass of a day, an hour behind the one before. */
function nth(n: number, more: PassParts = {}): object {
  return { id: `p${n}`, aos: at(n * HOUR), los: at(n * HOUR + 10 * MINUTE), ...more };
}

const made = (world: ScheduleWorld): string[] =>
  world.observer.books.schedules.schedules().map(({ id, state }) => `${id} ${state}`);
const refusals = (world: ScheduleWorld) =>
  world.processes.flatMap(({ log }) =>
    log.said.filter(({ message }) => message === 'a rule made no schedule of a pass'),
  );
const storedRefusal = (world: ScheduleWorld, pass: string): StoredRefusal | undefined =>
  world.observer.books.rules.refusalOf('each', pass);

describe('a rule', () => {
  it('MC-RULE-009 makes <rule>-<pass>, by rule <id>, of each pass there is and of each that comes', async () => {
    const world = await started();
    await world.pass(nth(1));
    await world.rule();
    await world.pass(nth(2));
    await world.run(200);
    expect(made(world)).toEqual(['each-p1 scheduled', 'each-p2 scheduled']);
    expect(world.stored('each-p1')).toMatchObject({
      by: 'rule each',
      pass: 'p1',
      start: 'aos + 30 s',
      fire_at: at(HOUR + 30_000),
      run: 'nothing',
      environment: 'lab',
    });
    await world.runTo(AOS + HOUR + 31_000);
    expect(world.submissions).toMatchObject([{ by: 'schedule each-p1' }]);
  });

  it('MC-RULE-002 MC-RULE-003 MC-RULE-004 of those alone that its filter matches, also when they come to match', async () => {
    const world = await started();
    await world.rule({ filter: { min_elevation: '20 deg', station: 'kiruna' } });
    await world.pass(nth(1, { max_elevation: '12 deg' }));
    await world.pass(nth(2, { station: 'svalbard' }));
    await world.pass(nth(3, { status: 'cancelled' }));
    await world.pass(nth(4, { target: 'twin' }));
    await world.run(200);
    expect(made(world)).toEqual([]);
    await world.pass(nth(1, { max_elevation: '21 deg' }));
    await world.run(200);
    expect(made(world)).toEqual(['each-p1 scheduled']);
  });

  it('MC-RULE-010 makes none whose start is not in the future', async () => {
    const world = await started();
    await world.pass({ aos: at(-25 * MINUTE), los: at(10 * MINUTE) });
    await world.rule();
    await world.run(1_000);
    expect([made(world), refusals(world)]).toEqual([[], []]);
  });

  it('MC-RULE-012 F-16 makes none again that was cancelled, and takes one of a person for its own (A-57)', async () => {
    const world = await started();
    await world.pass(nth(1));
    await world.pass(nth(2));
    await world.schedule({ id: 'each-p2', pass: 'p2', start: 'aos + 1 min' });
    await world.rule();
    await world.run(200);
    await world.finish(cancelSchedule({ bus: world.observer.bus, clock: world.clock }, 'each-p1', 'ada'));
    await world.pass(nth(1, { max_elevation: '60 deg' }));
    await world.rule({ start: 'aos + 40 s' });
    await world.run(1_000);
    expect(made(world)).toEqual(['each-p1 cancelled', 'each-p2 scheduled']);
    expect([world.stored('each-p1')!.start, world.stored('each-p2')!.by]).toEqual(['aos + 30 s', 'ada']);
  });

  it('MC-RULE-012 makes none again that was made and cancelled before its process sees it', async () => {
    const world = await started();
    await world.rule();
    world.processes[0]!.late = 500;
    await world.pass(nth(1));
    await world.schedule({ id: 'each-p1', pass: 'p1' });
    await world.finish(cancelSchedule({ bus: world.observer.bus, clock: world.clock }, 'each-p1', 'ada'));
    await world.run(3_000);
    expect(made(world)).toEqual(['each-p1 cancelled']);
  });

  it('MC-RULE-013 MC-RULE-015 F-16 that is removed keeps its schedules, which fire, and makes no more', async () => {
    const world = await started();
    await world.pass(nth(1));
    await world.rule();
    await world.run(200);
    await world.finish(removeRule({ bus: world.observer.bus }, 'each'));
    await world.run(100);
    await world.pass(nth(2));
    await world.run(1_000);
    expect(made(world)).toEqual(['each-p1 scheduled']);
    await world.runTo(AOS + HOUR + 31_000);
    expect(world.submissions).toMatchObject([{ by: 'schedule each-p1' }]);
  });

  it('MC-RULE-011 F-16 a refusal is logged once for a pass, however often it is looked at and by how many, and once more for other reasons', async () => {
    const world = await started('one', 'two', 'three');
    await world.rule();
    await world.pass(nth(1, { los: at(HOUR + MINUTE) }));
    await world.run(1_000);
    expect(refusals(world)).toMatchObject([
      { level: 'warn', fields: { rule: 'each', pass: 'p1', reasons: [expect.stringContaining('may take')] } },
    ]);
    expect(storedRefusal(world, 'p1')).toMatchObject({ reasons: [expect.stringContaining('may take')] });
    for (let n = 0; n < 5; n += 1)
      await world.pass(nth(1, { los: at(HOUR + MINUTE), max_elevation: `${n} deg` }));
    await world.run(1_000);
    expect(refusals(world)).toHaveLength(1);
    await world.pass(nth(1, { los: at(HOUR + MINUTE), uplink: false }));
    await world.rule({ run: 'typed' });
    await world.run(1_000);
    expect(refusals(world)).toHaveLength(2);
    expect(storedRefusal(world, 'p1')!.reasons).toHaveLength(2);
  });

  it('MC-RULE-011 a refusal that another process has logged is not logged again by one whose watch is late', async () => {
    const world = await started('one', 'two', 'three');
    for (const process of world.processes) process.late = 400;
    await world.rule();
    await world.pass(nth(1, { los: at(HOUR + MINUTE) }));
    await world.run(3_000);
    expect(refusals(world)).toHaveLength(1);
  });

  it('MC-RULE-011 a pass that was refused is asked for again when it changes, and when its place is free', async () => {
    const world = await started();
    await world.pass(nth(1));
    await world.schedule({ id: 'other', pass: 'p1', start: 'aos + 29 s' });
    await world.rule();
    await world.run(200);
    expect(refusals(world)).toMatchObject([
      { fields: { reasons: [expect.stringContaining('schedule other')] } },
    ]);
    await world.finish(cancelSchedule({ bus: world.observer.bus, clock: world.clock }, 'other', 'ada'));
    await world.run(200);
    expect(world.state('each-p1')).toBe('scheduled');
  });

  it('MC-RULE-011 rule-maker.M7 a refusal is that of the configuration that is in force, also where it is published while one is written', async () => {
    const world = await ScheduleWorld.start([]);
    onTestFinished(() => world.stop());
    let letGo = (): void => undefined;
    let writes = 0;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await world.process('one', {
      bucket: (real) => (definition) => {
        const bucket = real.bucket(definition);
        if (definition.name !== buckets.ruleRefusals.name) return bucket;
        const put: typeof bucket.put = async (...of) => {
          writes += 1;
          if (writes === 1) await held;
          return bucket.put(...of);
        };
        return partlyOther(bucket, { put });
      },
    });
    await world.rule();
    await world.pass(nth(1, { los: at(HOUR + MINUTE) }));
    await world.run(500);
    world.publish(scheduleMission((text) => text.replaceAll('nothing:', 'nothing_more:')));
    await world.run(500);
    letGo();
    await world.run(2_000);
    expect(storedRefusal(world, 'p1')).toMatchObject({ reasons: [expect.stringContaining('nothing')] });
    expect(storedRefusal(world, 'p1')!.reasons.join()).not.toContain('may take');
  });

  it('MC-RULE-009 makes one of a pass whose identifier is as long as its own may be, and it is fired', async () => {
    const world = await started();
    const [rule, pass] = ['e'.repeat(NAME_CHARACTERS), 'p'.repeat(NAME_CHARACTERS)];
    await world.rule({ id: rule });
    await world.pass(nth(1, { id: pass }));
    await world.run(500);
    expect([made(world), refusals(world)]).toEqual([[`${rule}-${pass} scheduled`], []]);
    await world.runTo(AOS + HOUR + 31_000);
    expect(world.submissions).toMatchObject([{ by: `schedule ${rule}-${pass}` }]);
  });
});

describe('many', () => {
  it('MC-RULE-009 of a rule over many passes only so many are made at once, and all in the end, each once', async () => {
    const world = await started('one', 'two');
    let open = 0;
    let most = 0;
    let written = 0;
    await world.process('three', {
      bucket: (real) => (definition) => {
        const bucket = real.bucket(definition);
        if (definition.name !== buckets.schedules.name) return bucket;
        const put: typeof bucket.put = async (...of) => {
          open += 1;
          most = Math.max(most, open);
          const done = await bucket.put(...of);
          open -= 1;
          if (done.outcome === 'written') written += 1;
          return done;
        };
        return partlyOther(bucket, { put });
      },
    });
    for (let n = 0; n < 200; n += 1) await world.pass(nth(n));
    await world.rule();
    await world.run(20_000);
    const all = world.observer.books.schedules.schedules();
    expect(all).toHaveLength(200);
    expect(
      all.every(({ state, changes }: StoredSchedule) => state === 'scheduled' && changes.length === 1),
    ).toBe(true);
    expect([most <= RULE_CREATIONS, written > 20]).toEqual([true, true]);
  });

  it('rule-maker.M3 a pass that changes has its turn before those of a rule that is marked as a whole', async () => {
    const world = await started('one');
    for (let n = 0; n < 400; n += 1) await world.pass(nth(n, { target: 'twin' }));
    await world.rule({ id: 'wide', target: 'twin', targets: { sat: 'twin' }, environment: 'bench' });
    await world.rule();
    await world.pass(nth(900));
    for (let n = 0; n < 100 && world.stored('each-p900') === undefined; n += 1) await world.run(1);
    expect(world.stored('each-p900')?.state).toBe('scheduled');
    const wide = made(world).length - 1;
    expect([wide > 0, wide < 300]).toEqual([true, true]);
    await world.run(20_000);
    expect(made(world)).toHaveLength(401);
  });

  it.each<object>([{ filter: null }, { filter: { min_elevation: 20 } }])(
    'MC-RULE-009 stored with %j is left out, and reported, and the others go on',
    async (more) => {
      const world = await started();
      await world.rule();
      await world.rule({ id: 'bad', ...more });
      await world.pass(nth(1));
      await world.run(200);
      expect(made(world)).toEqual(['each-p1 scheduled']);
      expect(world.processes[0]!.log.said).toContainEqual(
        expect.objectContaining({ level: 'error', message: 'malformed rule: left out' }),
      );
    },
  );

  it('MC-RULE-009 makes what it can where a pass has no elevation', async () => {
    const world = await started();
    await world.rule({ filter: { min_elevation: '5 deg' } });
    await world.pass(nth(1, { max_elevation: undefined }));
    await world.pass(nth(2));
    await world.run(200);
    expect(made(world)).toEqual(['each-p2 scheduled']);
  });

  it('rule-maker.M8 that breaks what compares it is logged once until it changes, and stops no other one', async () => {
    const world = await started();
    const { books, log } = world.processes[0]!;
    const get = books.schedules.get.bind(books.schedules);
    books.schedules.get = (id) => {
      if (id.startsWith('bad-')) throw new Error('broken');
      return get(id);
    };
    const said = () => log.said.filter(({ message }) => message === 'rule not compared with a pass');
    await world.rule({ id: 'bad' });
    await world.rule();
    await world.pass(nth(1));
    await world.pass(nth(2));
    await world.run(200);
    expect(made(world)).toEqual(['each-p1 scheduled', 'each-p2 scheduled']);
    expect(said()).toMatchObject([{ level: 'error', fields: { rule: 'bad', target: 'sat1', pass: 'p1' } }]);
    await world.rule({ id: 'bad' });
    await world.run(200);
    expect(said()).toHaveLength(2);
  });

  it('MC-RULE-009 who ranks first for a pass and is dead is waited for a moment', async () => {
    const world = await started('one');
    for (let n = 0; n < 6; n += 1) world.ghosts.push(`ghost-${n}`);
    await world.pass(nth(1));
    await world.rule();
    await world.run(1_000);
    expect(made(world)).toEqual(['each-p1 scheduled']);
  });

  it.each(['schedules', 'passes', 'rules'] as const)(
    'MC-RULE-009 rule-maker.M4 what was due while the bus was silent, so that %s were not known, is made when it answers again',
    async (silent) => {
      const world = await started('one');
      await world.rule();
      let isSilent = true;
      const [one] = world.processes;
      Object.defineProperty(one!.books[silent], 'live', { get: () => !isSilent });
      await world.pass(nth(1));
      await world.run(5_000);
      expect(made(world)).toEqual([]);
      isSilent = false;
      await world.run(2_000);
      expect(made(world)).toEqual(['each-p1 scheduled']);
    },
  );

  it('MC-RULE-009 what was due while the bus was away is made when it is back', async () => {
    const world = await started('one');
    await world.rule({ ...RULE });
    await world.pass(nth(1, { status: 'cancelled' }));
    const [one] = world.processes;
    one!.bus.breakConnection();
    await world.pass(nth(1));
    await world.run(2_000);
    expect(made(world)).toEqual(['each-p1 scheduled']);
  });
});
