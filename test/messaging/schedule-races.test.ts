/** Posts, cancels, validations and rules that meet each other, on the bus in memory whose answers take what chance says. */

import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import {
  SCHEDULE_FRESH_MS,
  SCHEDULE_RULES,
  SCHEDULES_OF_PASS,
  SCHEDULES_OPEN,
} from '../../contract/limits/schedule.ts';
import { Outage } from '../../contract/outage.ts';
import { passKey, type StoredPass } from '../../contract/pass.ts';
import type { RuleRequest } from '../../contract/schedule-rule.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import type { RuleBook } from '../../messaging/rule-book.ts';
import { ruleRefusal } from '../../messaging/rule-writes.ts';
import { type ScheduleTools, storedSchedule } from '../../messaging/schedule-changes.ts';
import { cancelSchedule, validateSchedule } from '../../messaging/schedule-commands.ts';
import { draftOf } from '../../messaging/schedule-draft.ts';
import { type Created, createSchedule } from '../../messaging/schedule-writes.ts';
import { assess } from '../../mission/schedule/assess.ts';
import type { Bucket } from '../../ports/bus.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { REQUEST, RULE, ScheduleWorld } from '../actors/schedule/world.ts';
import { AOS, at, MINUTE, storedPass } from '../mission/schedule/records.ts';

const HAZARD = { run: 'reboot', environment: 'flight' };

it('schedule-commands.D1 MC-SCH-060 whether the caller may is asked of the record that is changed', async () => {
  const world = await started();
  await world.schedule();
  const before = world.stored();
  const asked: unknown[] = [];
  const mayNot = (standing: StoredSchedule): boolean => {
    asked.push(standing.environment);
    return false;
  };
  const tools = await world.api('a', () => 1);
  const cancelled = await world.finish(cancelSchedule(tools, 's1', 'ada', mayNot));
  const validated = await world.finish(validateSchedule(tools, world.mission, 's1', 'ada', mayNot));
  expect([cancelled, validated]).toEqual(
    Array(2).fill({ outcome: 'forbidden', standing: expect.objectContaining({ id: 's1' }) }),
  );
  expect([world.stored(), asked]).toEqual([before, Array(2).fill(before!.environment)]);
  await world.finish(tools.stop());
  await world.stop();
});

async function started(names: string[] = []): Promise<ScheduleWorld> {
  const world = await ScheduleWorld.start(names);
  await world.pass();
  return world;
}

async function create(
  world: ScheduleWorld,
  tools: ScheduleTools,
  more: object = {},
  onlyNew = false,
): Promise<Created> {
  const draft = await draftOf({ ...REQUEST, ...more }, world.mission, tools);
  if (!draft.ok) throw new Error(JSON.stringify(draft.faults));
  return createSchedule(draft.value, world.mission, tools, { by: 'ada', onlyNew });
}

type Step = 'create' | 'cancel' | 'validate';

/** A change that was answered as made, with the revision it has in the bucket. */
interface Made {
  readonly step: Step;
  readonly by: string;
  readonly revision: number;
}

async function taken(
  world: ScheduleWorld,
  tools: ScheduleTools,
  step: Step,
  n: number,
): Promise<Made | undefined> {
  const by = `${step}-${n}`;
  if (step === 'create') {
    const done = await create(world, tools, { ...HAZARD, start: `aos + ${n + 1} s` });
    return done.outcome === 'created' ? { step, by: done.stored.start, revision: done.revision } : undefined;
  }
  if (step === 'cancel') {
    const done = await cancelSchedule(tools, 's1', by);
    return done.outcome === 'changed' ? { step, by, revision: done.revision } : undefined;
  }
  const done = await validateSchedule(tools, world.mission, 's1', by);
  return done.outcome === 'validated' ? { step, by, revision: done.revision } : undefined;
}

/** What the record has to be if each change was made on what the one before had left. */
function expected(made: readonly Made[]): { start: string; state: string; makers: string[] } {
  let record = { start: 'aos + 30 s', state: 'at_risk', makers: ['ada'] };
  for (const { step, by } of made) {
    if (step === 'create') record = { start: by, state: 'at_risk', makers: ['ada'] };
    else {
      if (record.state === 'cancelled') throw new Error(`${by} behind a cancel`);
      const state = step === 'cancel' ? 'cancelled' : 'scheduled';
      record = { ...record, state, makers: [...record.makers, by] };
    }
  }
  return record;
}

it('MC-SCH-025 MC-SCH-041 MC-SCH-048 of changes at once each that was answered is in the record, one behind the other, and the last one stands', async () => {
  const steps = fc.array(fc.constantFrom<Step[]>('create', 'cancel', 'validate'), {
    minLength: 2,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 1_000_000 }), async (each, seed) => {
      const world = await started();
      const random = seededRandom(seed);
      const latency = (): number => 1 + Math.floor(random.next() * 12);
      await world.schedule(HAZARD);
      const apis = [await world.api('a', latency), await world.api('b', latency)];
      const work = each.map((step, n) => taken(world, apis[n % 2]!, step, n));
      const made = (await world.finish(Promise.all(work))).filter((one) => one !== undefined);
      expect(new Set(made.map(({ revision }) => revision)).size).toBe(made.length);
      const { start, state, changes } = world.stored()!;
      const makers = changes.map(({ by }) => by ?? '');
      const inOrder = made.toSorted((one, other) => one.revision - other.revision);
      expect({ start, state, makers }).toEqual(expected(inOrder));
      for (const api of apis) await world.finish(api.stop());
      await world.stop();
    }),
    { numRuns: 40 },
  );
});

it('MC-RULE-012 of a rule in several processes and a person at once one makes the schedule, and no rule writes over it', async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const world = await started();
    const random = seededRandom(seed);
    const latency = (): number => 1 + Math.floor(random.next() * 12);
    const apis = [
      await world.api('a', latency),
      await world.api('b', latency),
      await world.api('c', latency),
    ];
    const work = apis.map((api, n) => create(world, api, { start: `aos + ${n} s` }, n > 0));
    const outcomes = await world.finish(Promise.all(work));
    const created = outcomes.filter(({ outcome }) => outcome === 'created');
    // The person writes over what a rule made, and never the other way round.
    expect(outcomes[0]!.outcome).toBe('created');
    expect(created.length).toBeLessThanOrEqual(2);
    expect(world.stored()!.start).toBe('aos + 0 s');
    for (const api of apis) await world.finish(api.stop());
    await world.stop();
  }
});

it('MC-PASS-058 MC-SCH-047 MC-SCH-061 whatever two feeders and two people do at once, within a second each schedule is what the rules say of its pass', async () => {
  const change = fc.record({
    kind: fc.constantFrom('pass', 'post', 'cancel'),
    id: fc.constantFrom('s1', 's2', 's3'),
    value: fc.integer({ min: 0, max: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 10 }), async (changes) => {
      const world = await started(['one', 'two']);
      const apis = [await world.api('a'), await world.api('b')];
      const work = changes.map(async ({ kind, id, value }, n) => {
        const api = apis[n % 2]!;
        if (kind === 'pass') return;
        if (kind === 'post')
          await create(world, api, { id, start: `aos + ${value * 2} s` }).catch(() => undefined);
        else await cancelSchedule(api, id, 'ada');
      });
      const all = Promise.all(work);
      for (const { kind, value } of changes)
        if (kind === 'pass') await world.pass({ los: at((value + 30) * 1_000), uplink: value % 2 === 0 });
      await world.finish(all);
      await world.run(1_000);
      const { schedules, passes } = apis[0]!;
      for (const schedule of schedules.schedules()) {
        if (schedule.state === 'cancelled') continue;
        const found = assess(schedule, {
          pass: passes.find('sat1', 'p1'),
          others: schedules.onPass('sat1', 'p1'),
          resolution: { outcome: 'same' },
          environment: world.mission.environments.get('lab'),
          marginMs: world.mission.settings.schedulerMarginMs,
        });
        expect([schedule.state, schedule.reasons]).toEqual([
          found.reasons.length === 0 ? 'scheduled' : 'at_risk',
          found.reasons,
        ]);
      }
      for (const api of apis) await world.finish(api.stop());
      await world.stop();
    }),
    { numRuns: 30 },
  );
}, 20_000);

/** `real`, some of it otherwise. */
function partly<Tool extends object>(real: Tool, otherwise: Partial<Tool>): Tool {
  return new Proxy(real, {
    get: (on, name) => {
      const value: unknown = Reflect.get(name in otherwise ? otherwise : on, name);
      return typeof value === 'function' && !(name in otherwise) ? value.bind(on) : value;
    },
  });
}

/**
 * The process of an API that sleeps as the run of a schedule is stored, and its record is not written yet: what
 * happens meanwhile, by how often it slept.
 */
function sleepy(tools: ScheduleTools, meanwhile: (times: number) => Promise<boolean>): ScheduleTools {
  let [times, sleptMs] = [0, 0];
  const bucket = (definition: BucketDefinition): Bucket => {
    const real = tools.bus.bucket(definition);
    if (definition !== buckets.programs) return real;
    const slept = async <Value>(done: Promise<Value>): Promise<Value> => {
      const value = await done;
      if (await meanwhile(times++)) sleptMs += 2 * SCHEDULE_FRESH_MS;
      return value;
    };
    const get: Bucket['get'] = (key) => slept(real.get(key));
    const put: Bucket['put'] = (...content) => slept(real.put(...content));
    return partly(real, { get, put });
  };
  const monotonic = (): number => tools.clock.monotonic() + sleptMs;
  return { ...tools, bus: partly(tools.bus, { bucket }), clock: partly(tools.clock, { monotonic }) };
}

describe('a process that sleeps between what it reads and what it writes', () => {
  async function sleeper(meanwhile: (world: ScheduleWorld, times: number) => Promise<boolean>) {
    const world = await started();
    onTestFinished(() => world.stop());
    const tools = await world.api('a');
    return { world, api: sleepy(tools, (times) => meanwhile(world, times)) };
  }
  const change = async ({ observer }: ScheduleWorld, more: Partial<StoredPass>): Promise<true> => {
    const pass = storedPass(more);
    const bytes = Buffer.from(JSON.stringify(pass));
    await observer.bus.bucket(buckets.passes).overwrite(passKey(pass.target, pass.id), bytes);
    return true;
  };

  it('MC-SCH-028 schedule-writes.W4 makes no schedule of a pass that was cancelled meanwhile', async () => {
    const { world, api } = await sleeper((there) => change(there, { status: 'cancelled' }));
    expect(await world.finish(create(world, api))).toMatchObject({
      outcome: 'refused',
      faults: [{ code: 'schedule::refused', message: expect.stringContaining('cancelled') }],
    });
    expect(world.stored()).toBeUndefined();
  });

  it('MC-SCH-052 schedule-writes.W4 makes it of the pass as it is then, where it was moved', async () => {
    const moved = { aos: at(MINUTE) };
    const { world, api } = await sleeper(async (there, times) => times === 0 && change(there, moved));
    expect((await world.finish(create(world, api))).outcome).toBe('created');
    expect(world.stored()!.fire_at).toBe(at(MINUTE + 30_000));
  });

  it('MC-RULE-013 schedule-writes.W4 makes no schedule that its rule does not want any more', async () => {
    const { world, api } = await sleeper(async () => true);
    let asked = 0;
    const wanted = async (): Promise<boolean> => {
      asked += 1;
      return asked === 1;
    };
    const draft = await world.finish(draftOf(REQUEST, world.mission, api));
    if (!draft.ok) throw new Error(JSON.stringify(draft.faults));
    const options = { by: 'rule each', onlyNew: true, wanted };
    const made = await world.finish(createSchedule(draft.value, world.mission, api, options));
    expect([made.outcome, asked]).toEqual(['unwanted', 2]);
    expect(world.stored()).toBeUndefined();
  });

  it('schedule-writes.W4 says that the bus is away where every round takes too long', async () => {
    const { world, api } = await sleeper(async () => true);
    await expect(world.finish(create(world, api))).rejects.toBeInstanceOf(Outage);
    expect(world.stored()).toBeUndefined();
  });
});

it('MC-SCH-019 schedule-writes.W1 one is refused whose pass would start it behind the calendar', async () => {
  const world = await started();
  onTestFinished(() => world.stop());
  await world.pass({ id: 'last', aos: '9999-12-31T23:00:00Z', los: '9999-12-31T23:59:59Z' });
  const late = create(world, await world.api('a'), { pass: 'last', start: 'aos + 2 h' });
  const done = await world.finish(late);
  expect(done).toMatchObject({ outcome: 'refused', faults: [{ code: 'schedule::refused' }, {}] });
  expect(JSON.stringify(done)).toContain('outside of the years 1 to 9999');
  expect(world.stored()).toBeUndefined();
});

describe('what is bounded', () => {
  it('MC-SCH-019 a pass has only so many schedules; one of them is still replaced', async () => {
    const world = await started();
    onTestFinished(() => world.stop());
    const api = await world.api('a');
    for (let n = 0; n < SCHEDULES_OF_PASS; n += 1) {
      const more = { id: `s${n}`, run: 'draft', environment: 'bench', start: `aos + ${n} s` };
      expect((await world.finish(create(world, api, more))).outcome).toBe('created');
      await world.run(5);
    }
    const more = { run: 'draft', environment: 'bench', start: 'aos + 5 min' };
    expect(await world.finish(create(world, api, { ...more, id: 'another' }))).toMatchObject({
      outcome: 'refused',
      faults: [
        { code: 'schedule::refused', message: expect.stringContaining(`${SCHEDULES_OF_PASS} schedules`) },
      ],
    });
    expect((await world.finish(create(world, api, { ...more, id: 's7' }))).outcome).toBe('created');
  }, 20_000);

  it('MC-SCH-019 so has a cell', async () => {
    const world = await started();
    onTestFinished(() => world.stop());
    const api = await world.api('a');
    const open = { size: SCHEDULES_OPEN, has: () => false };
    const schedules = {
      get: () => undefined,
      onPass: () => [],
      open,
    } as unknown as ScheduleTools['schedules'];
    expect(await world.finish(create(world, { ...api, schedules }))).toMatchObject({
      outcome: 'refused',
      faults: [{ message: expect.stringContaining(`${SCHEDULES_OPEN} open schedules`) }],
    });
  });

  it('MC-RULE-001 a cell has only so many rules', async () => {
    const world = await started();
    onTestFinished(() => world.stop());
    const { updated_at: _, by: __, ...rule } = RULE;
    const rules = (known: boolean): RuleBook =>
      ({ size: SCHEDULE_RULES, get: () => (known ? RULE : undefined) }) as unknown as RuleBook;
    const { bus } = world.observer;
    const asked = (known: boolean) =>
      world.finish(ruleRefusal(rule as RuleRequest, world.mission, { bus, rules: rules(known) }));
    expect(await asked(false)).toMatchObject([{ code: 'schedule::refused' }]);
    expect(await asked(true)).toBeUndefined();
  });
});

it('MC-SCH-015 one that another process wrote a moment ago is found', async () => {
  const world = await started();
  onTestFinished(() => world.stop());
  await world.schedule();
  const { bus } = world.observer;
  const empty = { get: () => undefined } as unknown as ScheduleTools['schedules'];
  expect(await world.finish(storedSchedule({ bus, schedules: empty }, 's1'))).toMatchObject({ id: 's1' });
  expect(await world.finish(storedSchedule({ bus, schedules: empty }, 's9'))).toBeUndefined();
});

it('MC-SCH-020 a start that comes while it is written is refused: it would be missed', async () => {
  const world = await started();
  onTestFinished(() => world.stop());
  await world.runTo(AOS + 30_000);
  const draft = await world.finish(draftOf(REQUEST, world.mission, await world.api('a')));
  expect(draft.ok).toBe(true);
  const done = await world.finish(create(world, await world.api('b')));
  expect(done).toMatchObject({
    outcome: 'refused',
    faults: [{ message: expect.stringContaining('is past') }],
  });
  expect(world.now).toBeLessThan(AOS + MINUTE);
});
