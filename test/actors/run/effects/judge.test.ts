import { beforeEach, describe, expect, it } from 'vitest';
import { createJudge } from '../../../../actors/run/effects/judge.ts';
import type { AnswerType, ConditionStatement } from '../../../../contract/program.ts';
import type { RunValue } from '../../../../contract/run-event.ts';
import type { ReadbackJudgement } from '../../../../machines/run/protocol.ts';
import { batchIn, type EffectWorld, effectWorld, LATER_MISSION, MISSION, START } from './effect-world.ts';

const VOLTAGE = 'battery[1].voltage';
const COUNTER = 'obc.counter';
const NOMINAL = 2;
let world: EffectWorld;

beforeEach(async () => {
  world = await effectWorld();
});

interface Named {
  readonly answers?: Readonly<Record<string, AnswerType>>;
  readonly given?: Readonly<Record<string, RunValue>>;
  readonly inputs?: Readonly<Record<string, RunValue>>;
  readonly inputTypes?: Readonly<Record<string, AnswerType>>;
}

async function judged(
  statement: Partial<ConditionStatement> & Pick<ConditionStatement, 'kind' | 'condition'>,
  { given = {}, ...named }: Named = {},
  since = world.clock.now(),
) {
  const full = { targets: { sat: 'sat1', other: 'sat2' }, inputs: {}, answers: {}, inputTypes: {} };
  const begun = world.begin(createJudge(world.services), {
    type: 'effect.judge',
    ticket: 7,
    path: 'shoot',
    since,
    answers: given,
    statement: { ...full, ...named, ...statement },
  });
  await world.settle();
  return begun.seen;
}

const check = (condition: string, more: Partial<ConditionStatement> = {}, named?: Named) =>
  judged({ kind: 'check', condition, ...more }, named);
const expecting = (condition: string, withinMs = 30_000, since?: number) =>
  judged({ kind: 'expect', condition, withinMs }, {}, since);
const waiting = (condition: string, withinMs = 30_000) => judged({ kind: 'wait_until', condition, withinMs });

describe('a check', () => {
  it('MC-LOG-012 MC-LOG-025 holds on current values, and reports the samples it rests on', async () => {
    await world.samples('sat1', [VOLTAGE, 'obc.mode'], [START, 7.42, NOMINAL]);
    await world.passes(2_000);
    const seen = await check('sat.battery[1].voltage > 7 V and sat.obc.mode == NOMINAL');
    const sampled = {
      target: 'sat1',
      time: '2026-03-01T12:00:00.000Z',
      ground_time: '2026-03-01T12:00:00.000Z',
    };
    const event = seen.event as Extract<typeof seen.event, { type: 'judged' }>;
    expect(event).toMatchObject({ type: 'judged', at: START + 2_000, ticket: 7, ok: true });
    expect(event.samples).toHaveLength(2);
    expect(event.samples).toContainEqual({
      ...sampled,
      component: 'battery',
      instance: '1',
      measure: 'voltage',
      value: 7.42,
    });
    expect(event.samples).toContainEqual({ ...sampled, component: 'obc', measure: 'mode', value: 'NOMINAL' });
  });

  it('says what is so when it does not hold', async () => {
    await world.samples('sat1', [VOLTAGE, 'power.heater'], [START, 5.9, 1]);
    const seen = await check('sat.battery[1].voltage > 6 V or sat.power.heater == false');
    expect(seen.event).toMatchObject({
      ok: false,
      reason: 'sat1 battery[1].voltage is 5.9 V, sat1 power.heater is true',
    });
  });

  it('is no where nothing is known', async () => {
    const seen = await check('sat.battery[1].voltage > 6 V');
    expect(seen.event).toMatchObject({
      ok: false,
      reason: 'no sample of sat1 battery[1].voltage',
      samples: [],
    });
  });

  it('MC-XFER-059 MC-VAL-007 is no on a deferred sample that was measured longer ago than max_age, when it came down', async () => {
    const platform = MISSION.targets.get('sat1')!.platform!;
    const dumped = batchIn(platform, [VOLTAGE], [[START, 7]], true);
    const blocks = dumped.blocks.map((each) => ({ ...each, onboard: Float64Array.of(START - 3_600_000) }));
    await world.append('sat1', { ...dumped, blocks });
    const seen = await check('sat.battery[1].voltage > 6 V');
    expect(seen.event).toMatchObject({
      ok: false,
      reason: 'sat1 battery[1].voltage is 1 h old, at most 1 min',
    });
    expect((await check('sat.battery[1].voltage > 6 V', { maxAgeMs: 3_700_000 })).event).toMatchObject({
      ok: true,
    });
  });

  it('is no on a sample older than max_age, by ground time', async () => {
    await world.samples('sat1', [VOLTAGE], [START, 7]);
    await world.passes(60_000);
    expect((await check('sat.battery[1].voltage > 6 V')).event).toMatchObject({ ok: true });
    await world.passes(23_000);
    const seen = await check('sat.battery[1].voltage > 6 V');
    expect(seen.event).toMatchObject({
      ok: false,
      reason: 'sat1 battery[1].voltage is 83 s old, at most 1 min',
    });
    expect((await check('sat.battery[1].voltage > 6 V', { maxAgeMs: 90_000 })).event).toMatchObject({
      ok: true,
    });
  });

  it('knows everything stored before it began, also what this process has not received yet', async () => {
    await world.samples('sat1', [VOLTAGE], [START, 7]);
    const last = world.bus.last.bind(world.bus);
    // The value is stored by another process while the position is asked for.
    world.bus.last = async (...asked) => {
      world.bus.last = last;
      await world.samples('sat1', [VOLTAGE], [START + 1, 5]);
      return last(...asked);
    };
    const seen = await check('sat.battery[1].voltage < 6 V');
    await world.settle();
    expect(seen.event).toMatchObject({ ok: true });
  });

  it('tells two targets apart, also where two roles are one', async () => {
    await world.samples('sat1', [COUNTER], [START, 1]);
    await world.samples('sat2', [COUNTER], [START, 2]);
    const condition = 'sat.obc.counter == 1 and other.obc.counter == 2';
    expect((await check(condition)).event).toMatchObject({ ok: true });
    const both = { targets: { sat: 'sat1', other: 'sat1' } };
    const seen = await check(condition, both);
    expect(seen.event).toMatchObject({ ok: false, reason: 'sat1 obc.counter is 1, sat1 obc.counter is 1' });
  });

  it('names inputs and answers, converted, and instances', async () => {
    await world.samples('sat1', [VOLTAGE, 'obc.mode'], [START, 7, NOMINAL]);
    const inputTypes = { floor: { type: 'f64', unit: 'mV' }, cell: { type: 'instance', of: 'battery' } };
    const mode: AnswerType = {
      type: 'ObcMode',
      values: [
        ['BOOT', 0],
        ['SAFE', 1],
        ['NOMINAL', 2],
      ],
    };
    const named = {
      inputTypes,
      inputs: { floor: 6_500, cell: '1' },
      answers: { mode },
      given: { mode: 'NOMINAL' },
    };
    const condition = 'sat.battery[$cell].voltage > $floor and sat.obc.mode == $mode';
    expect((await check(condition, {}, named)).event).toMatchObject({ ok: true });
    const higher = { ...named, inputs: { floor: 7_500, cell: '1' } };
    expect((await check(condition, {}, higher)).event).toMatchObject({ ok: false });
  });

  it('is no at once when it names what has no value', async () => {
    const inputTypes = { floor: { type: 'f64', unit: 'V' } };
    const answers = { cell: { type: 'instance', of: 'battery' } };
    const named = { inputTypes, inputs: { floor: null }, answers };
    const seen = await check('sat.battery[$cell].voltage > $floor', {}, named);
    expect(seen.event).toMatchObject({ ok: false, reason: '$floor has no value, $cell has no value' });
  });
});

describe('an expect', () => {
  it('counts no sample that the bus had before it began, and each one behind, whatever its millisecond', async () => {
    await world.samples('sat1', [COUNTER], [START - 10, 5]);
    await world.samples('sat1', [COUNTER], [START - 5, 5], [START, 5]);
    const seen = await expecting('sat.obc.counter == 5');
    expect(seen.over).toBe(false);
    await world.samples('sat1', [COUNTER], [START, 5]);
    expect(seen.event).toMatchObject({ ok: true });
  });

  it('counts a sample received after it began although the bus had it before anybody looked', async () => {
    await world.samples('sat1', [COUNTER], [START - 10, 5]);
    const seen = await expecting('sat.obc.counter == 5');
    expect(seen.over).toBe(false);
    await world.passes(100);
    await world.samples('sat1', [COUNTER], [START + 90, 5]);
    expect(seen.event).toMatchObject({
      ok: true,
      samples: [{ value: 5, ground_time: '2026-03-01T12:00:00.090Z' }],
    });
  });

  it('misses no value between two batches, nor one stored before somebody looked', async () => {
    await world.passes(5_000);
    await world.samples('sat1', [COUNTER], [START + 1, 4], [START + 2, 5], [START + 3, 6]);
    const seen = await expecting('sat.obc.counter == 5', 30_000, START);
    expect(seen.event).toMatchObject({ ok: true, samples: [{ value: 5 }] });
  });

  it('does not hold on what came after its window, looked at late', async () => {
    await world.passes(60_000);
    await world.samples('sat1', [COUNTER], [START + 29_000, 4], [START + 30_001, 5]);
    const seen = await expecting('sat.obc.counter == 5', 30_000, START);
    await world.passes(1_000);
    expect(seen.event).toMatchObject({ ok: false, reason: expect.stringContaining('not within 30 s') });
  });

  it('says what was last known when its window ends', async () => {
    const seen = await expecting('sat.obc.mode == NOMINAL and sat.obc.counter > 1');
    await world.passes(1_000);
    await world.samples('sat1', ['obc.mode', COUNTER], [START + 900, 1, 2]);
    await world.passes(28_999);
    expect(seen.over).toBe(false);
    await world.passes(1);
    expect(seen.event).toMatchObject({
      ok: false,
      reason: 'not within 30 s: sat1 obc.counter is 2, sat1 obc.mode is SAFE',
    });
    expect(world.clock.waiting).toBe(0);
  });

  it('says when nothing came, and shows what was known before', async () => {
    await world.samples('sat1', [COUNTER], [START - 10_000, 4]);
    const seen = await expecting('sat.obc.counter == 5', 10_000);
    await world.passes(10_000);
    expect(seen.event).toMatchObject({
      ok: false,
      reason: 'not within 10 s: no sample of sat1 obc.counter since it began',
      samples: [{ value: 4 }],
    });
  });

  it('compares a change with the last sample of before', async () => {
    await world.samples('sat1', [COUNTER], [START, 4]);
    await world.passes(10_000);
    const seen = await expecting('sat.obc.counter changes');
    await world.passes(500);
    await world.samples('sat1', [COUNTER], [START + 10_400, 4]);
    expect(seen.over).toBe(false);
    const other = await expecting('sat.obc.counter changes');
    await world.passes(100);
    await world.samples('sat1', [COUNTER], [START + 10_600, 5]);
    expect([seen.event, other.event]).toMatchObject([{ ok: true }, { ok: true }]);
  });

  it('becomes true without another sample when it is stable long enough', async () => {
    const seen = await expecting('sat.obc.counter == 5 stable for 10 s');
    await world.passes(100);
    await world.samples('sat1', [COUNTER], [START + 100, 5]);
    await world.passes(9_999, 333);
    expect(seen.over).toBe(false);
    await world.passes(2);
    expect(seen.event).toMatchObject({ ok: true });
  });

  it('sees, looked at late, what was stable long enough between two samples', async () => {
    await world.passes(25_000);
    await world.samples('sat1', [COUNTER], [START + 1_000, 5], [START + 20_000, 6]);
    const long = await expecting('sat.obc.counter == 5 stable for 10 s', 30_000, START);
    const short = await expecting('sat.obc.counter == 5 stable for 19500 ms', 30_000, START);
    expect(long.event).toMatchObject({ ok: true });
    expect(short.over).toBe(false);
  });

  it('MC-XFER-059 passes over deferred samples', async () => {
    const seen = await expecting('sat.obc.counter == 5');
    const platform = MISSION.targets.get('sat1')!.platform!;
    await world.passes(10);
    await world.append('sat1', batchIn(platform, [COUNTER], [[START + 5, 5]], true));
    expect(seen.over).toBe(false);
  });

  it('judges what was stored of two targets in the order of its ground times', async () => {
    await world.passes(40_000);
    await world.samples('sat2', [COUNTER], [START + 1_000, 1], [START + 20_000, 0]);
    await world.samples('sat1', [COUNTER], [START + 2_000, 1], [START + 9_000, 0]);
    const seen = await expecting('sat.obc.counter == 1 and other.obc.counter == 1', 30_000, START);
    await world.settle();
    expect(seen.event).toMatchObject({ ok: true, samples: [{ value: 1 }, { value: 1 }] });
  });

  it('reads the columns of a later catalogue, and only what means the same', async () => {
    const later = LATER_MISSION.targets.get('sat1')!.platform!;
    const counted = await expecting('sat.obc.counter == 5');
    const current = await expecting('sat.battery[1].current > 1 A');
    await world.passes(10);
    const moved = batchIn(later, ['aaa.first', COUNTER, 'battery[1].current'], [[START + 5, 9, 5, 900]]);
    await world.append('sat1', moved, LATER_MISSION.revision);
    expect(counted.event).toMatchObject({ ok: true });
    expect(current.over).toBe(false);
  });

  it('waits for a bus that is away, and judges what was stored in its window although that is long over', async () => {
    await world.passes(10);
    await world.samples('sat1', [COUNTER], [START + 5, 5]);
    world.server.turn(false);
    const seen = await expecting('sat.obc.counter == 5', 5_000, START);
    await world.passes(20_000);
    expect(seen.over).toBe(false);
    world.server.turn(true);
    await world.passes(5_000);
    expect(seen.event).toMatchObject({ ok: true });
  });

  it('says no only once everything stored in its window has been read', async () => {
    const seen = await expecting('sat.obc.counter == 5', 10_000);
    await world.passes(9_000);
    const last = world.bus.last.bind(world.bus);
    const stored: Promise<void>[] = [];
    // Stored in time, and on its way while the window ends.
    world.bus.last = async (...asked) => {
      world.bus.last = last;
      stored.push(world.samples('sat1', [COUNTER], [START + 9_500, 5]));
      await world.settle();
      return last(...asked);
    };
    await world.passes(1_000);
    await world.passes(100);
    expect(stored).toHaveLength(1);
    expect(seen.event).toMatchObject({ ok: true });
  });

  it('is let go by its signal, and leaves nothing behind', async () => {
    const full = { targets: { sat: 'sat1' }, inputs: {}, answers: {}, inputTypes: {} };
    const statement = { ...full, kind: 'expect', condition: 'sat.obc.counter == 5 stable for 5 s' } as const;
    const { seen, abort } = world.begin(createJudge(world.services), {
      type: 'effect.judge',
      ticket: 1,
      path: 'a',
      since: START,
      answers: {},
      statement: { ...statement, withinMs: 9_000 },
    });
    await world.passes(10);
    await world.samples('sat1', [COUNTER], [START + 10, 5]);
    abort.abort();
    await world.settle();
    expect(seen).toEqual({ event: undefined, over: true });
    expect(world.clock.waiting).toBe(0);
  });
});

describe('a wait_until', () => {
  it('is over at once when it holds now', async () => {
    await world.samples('sat1', [COUNTER], [START - 5_000, 5]);
    const seen = await waiting('sat.obc.counter == 5');
    expect(seen.event).toMatchObject({ ok: true, samples: [{ value: 5 }] });
  });

  it('takes no value as of now that a check would find too old', async () => {
    await world.samples('sat1', [COUNTER], [START - 61_000, 5]);
    const seen = await waiting('sat.obc.counter == 5');
    expect(seen.over).toBe(false);
    await world.passes(50);
    await world.samples('sat1', [COUNTER], [START + 50, 5]);
    expect(seen.event).toMatchObject({ ok: true });
  });

  it('holds later, joined with what is known now', async () => {
    await world.samples('sat1', [COUNTER], [START - 5_000, 5]);
    const seen = await waiting('sat.obc.counter == 5 and sat.battery[1].voltage > 7 V');
    expect(seen.over).toBe(false);
    await world.passes(1_000);
    await world.samples('sat1', [VOLTAGE], [START + 990, 7.1]);
    expect(seen.event).toMatchObject({ ok: true });
  });

  it('counts the time for which something has been so already, as far back as it says', async () => {
    for (const seconds of [0, 30, 60, 90]) {
      await world.samples('sat1', [COUNTER], [START + seconds * 1_000, 5]);
      await world.passes(30_000);
    }
    const seen = await waiting('sat.obc.counter == 5 stable for 130 s');
    await world.passes(9_900);
    expect(seen.over).toBe(false);
    await world.passes(200);
    expect(seen.event).toMatchObject({ ok: true });
  });

  it('ends with what was last known', async () => {
    await world.samples('sat1', [COUNTER], [START - 5_000, 4]);
    const seen = await waiting('sat.obc.counter == 5', 10_000);
    await world.passes(10_000);
    expect(seen.event).toMatchObject({ ok: false, reason: 'not within 10 s: sat1 obc.counter is 4' });
  });
});

describe('the readbacks of a configure', () => {
  const readback = (of: string, value: number | string | boolean) => {
    const [, component, instance, measure] = /^(\w+)(?:\[(\w+)\])?\.(\w+)$/.exec(of)!;
    return { parameter: of, component: component!, measure: measure!, value, ...(instance && { instance }) };
  };

  async function reading(target: string, readbacks: ReadbackJudgement['readbacks'], withinMs = 10_000) {
    const { seen } = world.begin(createJudge(world.services), {
      type: 'effect.judge',
      ticket: 3,
      path: 'prepare',
      since: world.clock.now(),
      answers: {},
      statement: { kind: 'readbacks', target, readbacks, withinMs },
    });
    await world.settle();
    return seen;
  }

  it('hold when each was read back as set since the configure, numbers as an f32 has them', async () => {
    await world.samples(
      'sat1',
      ['obc.watchdog', 'battery[1].heater_on'],
      [START - 1_000, 60, Math.fround(0.1)],
    );
    const seen = await reading('sat1', [readback('obc.watchdog', 60), readback('battery[1].heater_on', 0.1)]);
    expect(seen.over).toBe(false);
    await world.passes(100);
    await world.samples('sat1', ['obc.watchdog'], [START + 50, 60]);
    expect(seen.over).toBe(false);
    await world.samples('sat1', ['battery[1].heater_on'], [START + 60, Math.fround(0.1)]);
    expect(seen.event).toMatchObject({ ok: true, samples: [{ value: 60 }, { instance: '1' }] });
  });

  it('do not hold when one reads otherwise by the end', async () => {
    const seen = await reading('sat1', [readback('obc.mode', 'NOMINAL'), readback('obc.watchdog', 60)]);
    await world.passes(100);
    await world.samples('sat1', ['obc.mode', 'obc.watchdog'], [START + 50, 1, 60]);
    await world.passes(9_900);
    expect(seen.event).toMatchObject({
      ok: false,
      reason: 'not within 10 s: sat1 obc.mode is SAFE, sat1 obc.watchdog is 60 s',
    });
  });

  it('compare text, bytes, booleans and integers of 64 bits', async () => {
    const seen = await reading('probe', [
      readback('unit.label', 'left'),
      readback('unit.key', '00ff'),
      readback('unit.big', '18446744073709551615'),
    ]);
    await world.passes(10);
    await world.samples(
      'probe',
      ['unit.label', 'unit.key', 'unit.big'],
      [START + 5, 'left', '00FF', '18446744073709551614'],
    );
    expect(seen.over).toBe(false);
    await world.samples('probe', ['unit.big'], [START + 6, '18446744073709551615']);
    expect(seen.event).toMatchObject({ ok: true });
  });

  it('are refused where the catalogue has no such measure', async () => {
    const seen = await reading('sat1', [readback('obc.tilt', 1)]);
    expect(seen.event).toMatchObject({ ok: false, reason: 'the catalogue of sat1 has no obc.tilt' });
  });
});
