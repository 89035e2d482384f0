/**
 * The routes of schedules and rules on a real bus: what each answers, every code it declares, who may, and what becomes
 * of requests that meet each other. No scheduler is there: what it would do is in `test/actors/schedule/`.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import type { Fault } from '../../contract/errors.ts';
import { NAME_CHARACTERS } from '../../contract/limits/request.ts';
import { passKey, type StoredPass } from '../../contract/pass.ts';
import type { Schedule } from '../../contract/schedule.ts';
import type { Rule } from '../../contract/schedule-rule.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import { ruleRoutes } from '../../http/routes/schedule-rules.ts';
import { scheduleRoutes } from '../../http/routes/schedules.ts';
import { SchedulesOver } from '../../messaging/schedules-over.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Entry } from '../../ports/bus.ts';
import { mannedMission } from '../mission/procedure/run-mission.ts';
import { storedPass } from '../mission/schedule/records.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, codesOf } from './fixture.ts';
import { PROVIDER, startWorld, type World } from './world.ts';

const coverage = new Coverage([...scheduleRoutes, ...ruleRoutes]);
const ADA = { 'x-mcs-user': 'ada' };
const EVE = { 'x-mcs-user': 'eve', 'x-mcs-role': 'operator, supervisor' };
const HOUR = 3_600_000;
const START = Math.floor(Date.now() / HOUR) * HOUR + 24 * HOUR;
/** Minutes behind the start of the tests' day. */
const at = (minute: number): string => new Date(START + minute * 60_000).toISOString();

const mission = mannedMission({ hazardousConfirmation: ['supervisor'] });

let world: World;
let url: string;
beforeAll(async () => {
  world = await startWorld();
  url = world.url;
  world.missions.publish(mission);
  await world.books.schedules.ready;
  await world.books.rules.ready;
  await pass('p1', 0);
  await pass('p2', 60);
});
afterAll(() => world.stop());

/** A pass of ten minutes. */
async function pass(id: string, from: number, more: Partial<StoredPass> = {}): Promise<void> {
  const window = { aos: at(from), los: at(from + 10) };
  const stored = storedPass({ id, ...window, updated_at: at(0), ...more });
  const bytes = Buffer.from(JSON.stringify(stored));
  await world.bus.bucket(buckets.passes).overwrite(passKey(stored.target, id), bytes);
  const isSeen = () => JSON.stringify(world.passes.find(stored.target, id)) === JSON.stringify(stored);
  await until(isSeen, { what: `pass ${id}` });
}

async function emptied(): Promise<void> {
  const { schedules, rules } = world.books;
  const { schedules: atHand, schedulesOver, scheduleRules, ruleRefusals } = buckets;
  for (const definition of [atHand, schedulesOver, scheduleRules, ruleRefusals]) {
    const bucket = world.bus.bucket(definition);
    for (const { key, revision } of await bucket.list('>')) await bucket.remove(key, revision);
  }
  await until(() => schedules.schedules().length === 0 && rules.size === 0);
}

const REQUEST = {
  id: 's1',
  pass: 'p1',
  start: 'aos + 30 s',
  run: 'nothing',
  targets: { sat: 'sat1' },
  environment: 'lab',
};
const RULE = {
  id: 'each',
  target: 'sat1',
  start: 'aos + 30 s',
  run: 'nothing',
  targets: { sat: 'sat1' },
  environment: 'lab',
};

const said = (answer: Answer): [number, string[]] => [answer.status, codesOf(answer)];
const faults = ({ body }: Answer): Fault[] => body.errors;
const write = (more: object = {}, headers: Record<string, string> = ADA): Promise<Answer> =>
  coverage.post(`${url}/v1/schedules`, { ...REQUEST, ...more }, headers);
const read = (id = 's1'): Promise<Answer> => coverage.call(`${url}/v1/schedules/${id}`);
const list = (query = ''): Promise<Answer> => coverage.call(`${url}/v1/schedules${query}`);
const idsOf = ({ body }: Answer): string[] => body.schedules.map(({ id }: Schedule) => id);
const cancel = (id = 's1', headers: Record<string, string> = ADA): Promise<Answer> =>
  coverage.post(`${url}/v1/schedules/${id}/cancel`, '', headers);
const validate = (id = 's1', headers: Record<string, string> = EVE): Promise<Answer> =>
  coverage.post(`${url}/v1/schedules/${id}/validate`, '', headers);
const addRule = (more: object = {}, headers: Record<string, string> = ADA): Promise<Answer> =>
  coverage.post(`${url}/v1/schedule-rules`, { ...RULE, ...more }, headers);
const rules = (query = ''): Promise<Answer> => coverage.call(`${url}/v1/schedule-rules${query}`);
const removeRule = (id = 'each', headers: Record<string, string> = ADA): Promise<Answer> =>
  coverage.call(`${url}/v1/schedule-rules/${id}`, { method: 'DELETE', headers });

async function written(more: object = {}): Promise<Schedule> {
  const answer = await write(more);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

async function recordOf(id = 's1'): Promise<StoredSchedule> {
  const entry = await world.bus.bucket(buckets.schedules).get(id);
  return JSON.parse(Buffer.from(entry!.value).toString()) as StoredSchedule;
}

/** The record as a scheduler would write it. */
async function record(id: string, more: Partial<StoredSchedule>): Promise<void> {
  const stored = { ...(await recordOf(id)), ...more };
  const bucket = world.bus.bucket(buckets.schedules);
  await bucket.overwrite(id, Buffer.from(JSON.stringify(stored)));
  await until(() => world.books.schedules.get(id)?.state === stored.state && hasSeen(stored));
}
const hasSeen = (stored: StoredSchedule): boolean =>
  JSON.stringify(world.books.schedules.get(stored.id)) === JSON.stringify(stored);

/** Moves a schedule to those that have long been final, as it became. */
async function moved({ id = 's1', ...more }: Partial<StoredSchedule>): Promise<void> {
  await record(id, more);
  const over = new SchedulesOver({ bus: world.bus, log: keptLog() });
  const now = Date.now();
  const stored = await recordOf(id);
  await over.keep([stored], now);
  await over.leave(stored);
  await until(() => world.books.schedules.get(id) === undefined);
}

/** Somebody else writes each entry of the bucket just behind each time it is read: as it was, or another one. */
function overtaking(
  definition: { readonly name: string },
  other: (key: string) => Uint8Array,
  replacement?: Uint8Array,
): void {
  const real = world.bus.bucket.bind(world.bus);
  const overtaken = vi.spyOn(world.bus, 'bucket').mockImplementation((wanted) => {
    const bucket = real(wanted);
    if (wanted.name !== definition.name) return bucket;
    const get = async (key: string): Promise<Entry | undefined> => {
      const entry = await bucket.get(key);
      await bucket.overwrite(key, replacement ?? entry?.value ?? other(key));
      return entry;
    };
    return new Proxy(bucket, { get: (on, name) => (name === 'get' ? get : Reflect.get(on, name, on)) });
  });
  restore = () => overtaken.mockRestore();
}
let restore = (): void => undefined;
afterEach(() => {
  restore();
  restore = () => undefined;
});

describe('creating a schedule (MC-SCH-001 MC-SCH-005 MC-SCH-006 MC-SCH-021 MC-SCH-022 MC-SCH-023 MC-SCH-028 MC-SCH-044 MC-SCH-045 MC-ERR-095 MC-ERR-096)', () => {
  afterEach(emptied);

  it('MC-SCH-009 MC-SCH-018 MC-SCH-029 MC-SCH-058 answers it as stored, with what the service fills in', async () => {
    const answer = await write({ run: 'look', library: 'ops', targets: { sat: 'sat1', eye: 'sat1' } });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...REQUEST,
      run: 'look',
      library: 'ops',
      targets: { sat: 'sat1', eye: 'sat1' },
      state: 'scheduled',
      reasons: [],
      target: 'sat1',
      ir: expect.stringMatching(/^[0-9a-f]{64}$/),
      max_duration: expect.stringMatching(/^[\d.]+ (s|min)$/),
      sends: true,
      needs_validation: false,
      fire_at: at(0.5),
      by: 'ada',
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await read()).body).toEqual(answer.body);
  });

  it('MC-SCH-017 stores the resolved run, which has the stored identifier of the pass as its plan', async () => {
    const { ir } = await written();
    const program = await world.bus.bucket(buckets.programs).get(ir);
    expect(JSON.parse(Buffer.from(program!.value).toString())).toMatchObject({
      plan: 'p1',
      procedure: 'nothing',
      environment: 'lab',
    });
    expect((await recordOf()).config).toBe(mission.revision);
  });

  it('MC-RUN-017 MC-SCH-002 MC-SCH-016 finds the pass by the identifier of a contribution', async () => {
    const booking = { id: 'b1', status: 'booked' as const, feeder: 'network', updated_at: at(0) };
    const contribution = { ...storedPass({ id: 'b1' }), ...booking };
    await pass('p3', 120, { contributions: { provider: contribution } as StoredPass['contributions'] });
    const { pass: named, ir } = await written({ pass: 'b1' });
    expect(named).toBe('p3');
    const program = await world.bus.bucket(buckets.programs).get(ir);
    expect(JSON.parse(Buffer.from(program!.value).toString()).plan).toBe('p3');
    expect(idsOf(await list('?pass=b1'))).toEqual(['s1']);
    expect(idsOf(await list('?pass=p3'))).toEqual(['s1']);
  });

  it('MC-SCH-003 takes a start without spaces, and aos alone', async () => {
    expect((await written({ start: 'aos+30s' })).fire_at).toBe(at(0.5));
    expect((await written({ start: 'aos' })).fire_at).toBe(at(0));
  });

  it.each<[string, object | string]>([
    ['MC-SCH-001 no identifier', { id: undefined }],
    ['MC-SCH-001 an identifier that is no token', { id: 'a.b' }],
    ['MC-SCH-002 no pass', { pass: undefined }],
    ['MC-SCH-003 no start', { start: undefined }],
    ['MC-SCH-004 MC-SCH-005 a start before LOS', { start: 'los - 1 min' }],
    ['MC-SCH-004 MC-SCH-005 a start before AOS', { start: 'aos - 5 s' }],
    ['MC-SCH-004 MC-SCH-005 a date', { start: '2026-01-02T03:04:05Z' }],
    ['MC-SCH-006 no run', { run: undefined }],
    ['MC-SCH-006 no targets', { targets: undefined }],
    ['MC-SCH-006 targets that are none', { targets: ['sat1'] }],
    ['MC-SCH-023 a field that there is not', { when: 'now' }],
    ['MC-SCH-023 MC-GEN-006 no JSON', '{'],
    ['MC-SCH-023 no object', '[]'],
  ])('MC-ERR-095 refuses %s: 422 schedule::invalid', async (_what, more) => {
    const body = typeof more === 'string' ? more : { ...REQUEST, ...more };
    const answer = await coverage.post(`${url}/v1/schedules`, body, ADA);
    expect([answer.status, new Set(codesOf(answer))]).toEqual([422, new Set(['schedule::invalid'])]);
    expect(await world.bus.bucket(buckets.schedules).list('>')).toEqual([]);
  });

  it.each<[string, object, RegExp]>([
    ['MC-SCH-007 whose roles are of other targets', { targets: { sat: 'far' } }, /role/],
    ['MC-SCH-021 on an unknown pass', { pass: 'p9' }, /no pass p9/],
    ['MC-SCH-020 whose start is past', { pass: 'old' }, /past/],
    ['MC-SCH-019 MC-SCH-042 that is too long', { start: 'aos + 9.5 min' }, /may take/],
    ['MC-SCH-019 MC-SCH-044 unbooked in orbit', { pass: 'predicted', environment: 'orbit' }, /booking/],
    [
      'MC-SCH-019 MC-SCH-045 on a receive-only pass',
      { pass: 'deaf', run: 'typed', environment: 'bench' },
      /receive-only/,
    ],
    ['MC-SCH-028 on a cancelled pass', { pass: 'off' }, /cancelled/],
    ['MC-SCH-022 of a procedure that is not there', { run: 'nothin' }, /nothin/],
    ['MC-SCH-022 with an input too many', { inputs: { level: 3 } }, /level/],
    ['MC-SCH-022 in an environment that is not there', { environment: 'moon' }, /moon/],
    ['MC-SCH-022 without an input', { run: 'heat', targets: { craft: 'sat1' } }, /./],
  ])(
    'MC-ERR-096 refuses one %s: 422 schedule::refused, with the reason, writing nothing',
    async (_what, more, why) => {
      const over = { aos: '2026-01-02T03:04:05Z', los: '2026-01-02T03:14:05Z' };
      await pass('old', 0, over);
      await pass('predicted', 120, { status: 'predicted' });
      await pass('deaf', 180, { uplink: false });
      await pass('off', 240, { status: 'cancelled' });
      world.missions.publish(withOrbit());
      const answer = await write(more);
      world.missions.publish(mission);
      expect([answer.status, new Set(codesOf(answer))]).toEqual([422, new Set(['schedule::refused'])]);
      const found = faults(answer).find(({ message }) => why.test(message));
      expect(found, JSON.stringify(answer.body)).toBeDefined();
      expect(await world.bus.bucket(buckets.schedules).list('>')).toEqual([]);
    },
  );

  it('MC-SCH-019 MC-SCH-043 MC-SCH-061 refuses one that starts while one before it may still run, and takes one before it', async () => {
    await written();
    const overlapping = await write({ id: 's2', start: 'aos + 31 s' });
    expect(said(overlapping)).toEqual([422, ['schedule::refused']]);
    expect(faults(overlapping)[0]!.message).toContain('schedule s1');
    expect((await written({ id: 's0', start: 'aos + 29 s' })).state).toBe('scheduled');
  });

  it('MC-SCH-019 gives every reason at once', async () => {
    await pass('deaf', 180, { uplink: false, aos: at(-2_000), los: at(-1_990) });
    const answer = await write({
      pass: 'deaf',
      run: 'typed',
      environment: 'bench',
      start: 'aos + 9.9 min',
    });
    expect(codesOf(answer)).toEqual(Array(3).fill('schedule::refused'));
    expect(faults(answer).map(({ message }) => /may take|receive-only|past/.exec(message)?.[0])).toEqual([
      'may take',
      'receive-only',
      'past',
    ]);
  });

  it.each([
    [
      'start and pass say nothing',
      { start: 'los', pass: 'nowhere', inputs: { no: 1 } },
      [/start "los"/, /no pass nowhere/, /no input "no"/],
    ],
    [
      'the environment is not known',
      { pass: 'nowhere', environment: undefined, run: 'none' },
      [/no pass nowhere/, /procedure "?none/],
    ],
    ['the run does not resolve', { pass: 'over', run: 'none' }, [/procedure "?none/, /is past/]],
  ])('MC-SCH-019 gives every reason at once also where %s', async (_what, body, expected) => {
    await pass('over', 180, { aos: at(-2_000), los: at(-1_990) });
    const answer = await write(body);
    expect([answer.status, faults(answer).map(({ message }) => message)]).toEqual([
      422,
      expected.map((each) => expect.stringMatching(each)),
    ]);
  });

  it('MC-SCH-008 is in the last environment of the target of the pass, unless it says another one', async () => {
    await pass('t1', 0, { target: 'twin' });
    const body = { pass: 't1', targets: { sat: 'twin' }, environment: undefined };
    expect((await written(body)).environment).toBe('bench');
    const flight = await write({ environment: undefined });
    expect([said(flight), faults(flight)[0]!.message]).toEqual([
      [401, ['auth::jwt-required']],
      expect.stringContaining('environment flight'),
    ]);
  });

  it('MC-SCH-024 is for whoever may launch there: 401 for nobody, and for a declared name where tokens count', async () => {
    expect(said(await write({}, {}))).toEqual([401, ['api::anonymous']]);
    expect(said(await write({ environment: 'flight' }))).toEqual([401, ['auth::jwt-required']]);
    const anybody = await write({ environment: 'bench' }, {});
    expect([anybody.status, anybody.body.by]).toEqual([200, undefined]);
  });

  it('MC-GEN-010 MC-RULE-009 has an identifier as long as a rule may make it, and no longer', async () => {
    const id = `${'r'.repeat(NAME_CHARACTERS)}-${'p'.repeat(NAME_CHARACTERS)}`;
    await written({ id });
    const { body } = await read(id);
    expect(body).toMatchObject({ id, state: 'scheduled' });
    expect(idsOf(await list())).toEqual([id]);
    expect((await coverage.post(`${url}/v1/schedules`, body, ADA)).status).toBe(200);
    expect((await validate(id)).status).toBe(200);
    expect((await cancel(id)).body).toMatchObject({ id, state: 'cancelled' });
    expect(said(await write({ id: `${id}s` }))).toEqual([422, ['schedule::invalid']]);
    expect(said(await read(`${id}s`))).toEqual([404, ['schedule::unknown']]);
  });

  it('MC-SCH-024 MC-GEN-027 says who may not before it says what is wrong', async () => {
    expect(said(await write({ pass: 'p9', run: 'nothin' }, {}))).toEqual([401, ['api::anonymous']]);
  });

  it('MC-SCH-030 MC-SCH-053 is at risk while it needs a validation', async () => {
    const { state, needs_validation, reasons } = await written({ run: 'reboot' });
    expect([state, needs_validation]).toEqual(['at_risk', true]);
    expect(reasons).toEqual([expect.stringContaining('validation of a supervisor')]);
    expect(
      (await written({ id: 's2', run: 'reboot', environment: 'bench', pass: 'p2' })).needs_validation,
    ).toBe(false);
  });

  it('MC-SCH-009 takes one back that was read, and ignores what the service fills in', async () => {
    const first = await written({ inputs: {} });
    const again = await write({ ...first, state: 'fired', run_id: 'x', by: 'eve', needs_validation: true });
    expect(again.body).toEqual({ ...first, updated_at: again.body.updated_at });
  });

  it('MC-SCH-025 replaces one that has not been fired, and drops its validation', async () => {
    await written({ run: 'reboot' });
    expect((await validate()).status).toBe(200);
    expect((await read()).body).toMatchObject({ state: 'scheduled', validation: { by: 'eve' } });
    const again = await written({ run: 'reboot' });
    expect([again.state, again.validation]).toEqual(['at_risk', undefined]);
    expect((await written({ run: 'nothing', start: 'aos' })).state).toBe('scheduled');
    expect(idsOf(await list())).toEqual(['s1']);
  });

  it('MC-SCH-060 schedules.S2 schedule-writes.W5 is replaced by those alone who may cancel it, and stays as it was otherwise', async () => {
    await written({ run: 'reboot' });
    expect((await validate()).status).toBe(200);
    const standing = await recordOf();
    expect(said(await write({ environment: 'bench' }, {}))).toEqual([401, ['api::anonymous']]);
    expect(await recordOf()).toEqual(standing);
    await record('s1', { environment: 'flight' });
    expect(said(await write({ environment: 'bench' }))).toEqual([401, ['auth::jwt-required']]);
    expect(await recordOf()).toMatchObject({ environment: 'flight', validation: { by: 'eve' } });
    await record('s1', { environment: 'lab' });
    expect((await write({ environment: 'bench' })).body.environment).toBe('bench');
    expect((await write({ environment: 'bench' }, {})).status).toBe(200);
  });

  it('MC-SCH-060 schedule-writes.W5 asks again of the one that another process writes meanwhile', async () => {
    await written({ environment: 'bench' });
    const flight = { ...(await recordOf()), environment: 'flight' };
    const real = world.bus.bucket.bind(world.bus);
    let isFirst = true;
    const overtaken = vi.spyOn(world.bus, 'bucket').mockImplementation((wanted) => {
      const bucket = real(wanted);
      if (wanted.name !== buckets.schedules.name) return bucket;
      const get = async (key: string): Promise<Entry | undefined> => {
        const entry = await bucket.get(key);
        if (isFirst) await bucket.overwrite(key, Buffer.from(JSON.stringify(flight)));
        isFirst = false;
        return entry;
      };
      return new Proxy(bucket, { get: (on, name) => (name === 'get' ? get : Reflect.get(on, name, on)) });
    });
    restore = () => overtaken.mockRestore();
    expect(said(await write({ environment: 'bench' }))).toEqual([401, ['auth::jwt-required']]);
    expect((await recordOf()).environment).toBe('flight');
  });

  it.each(['cancelled', 'missed'] as const)('MC-SCH-027 A-04 replaces a %s one', async (state) => {
    await written();
    await record('s1', { state });
    expect((await written()).state).toBe('scheduled');
  });

  it('MC-SCH-026 MC-SCH-027 MC-ERR-099 does not replace a fired one: 409 schedule::final', async () => {
    await written();
    const fired = { state: 'fired', run_id: '01KE0000000000000000000000' } as const;
    await record('s1', fired);
    expect(said(await write())).toEqual([409, ['schedule::final']]);
    expect(await recordOf()).toMatchObject(fired);
  });

  it('MC-SCH-026 MC-ERR-099 schedule-writes.W6 does not replace a fired one that has left those at hand: 409 schedule::final', async () => {
    await written();
    await moved({ state: 'fired', run_id: '01KE0000000000000000000000', submitted: true });
    expect(said(await write())).toEqual([409, ['schedule::final']]);
    expect(await world.bus.bucket(buckets.schedules).get('s1')).toBeUndefined();
    expect((await read()).body.state).toBe('fired');
  });

  it('MC-SCH-027 MC-SCH-060 schedule-writes.W5 schedule-writes.W6 replaces a cancelled one that has left them, by who may cancel it', async () => {
    await written({ id: 's3' });
    await moved({ id: 's3', state: 'cancelled' });
    expect(said(await write({ id: 's3', environment: 'bench' }, {}))).toEqual([401, ['api::anonymous']]);
    expect((await written({ id: 's3' })).state).toBe('scheduled');
  });

  it('MC-SCH-041 MC-ERR-100 gives up where it is overtaken again and again: 409 schedule::changed', async () => {
    await written();
    overtaking(buckets.schedules, () => Buffer.from('{}'));
    expect(said(await write())).toEqual([409, ['schedule::changed']]);
  });
});

/** With an environment in orbit in which nobody orchestrates. */
function withOrbit(): Mission {
  const orbit = { ...mission.environments.get('bench')!, name: 'orbit', kind: 'in_orbit' } as const;
  const sat1 = mission.targets.get('sat1')!;
  const engaged = { ...sat1, environments: [...sat1.environments, 'orbit'] };
  return {
    ...mission,
    environments: new Map(mission.environments).set('orbit', orbit),
    targets: new Map(mission.targets).set('sat1', engaged),
  };
}

describe('reading schedules', () => {
  afterEach(emptied);

  it('MC-SCH-043 warns of a run on another pass that may have the target at the same time, and refuses nothing for it', async () => {
    await pass('m2', 61, { station: 'vardo' });
    await pass('m1', 60);
    const sends = { run: 'look', library: 'ops', targets: { sat: 'sat1', eye: 'sat1' } };
    const first = await written({ ...sends, id: 'one', pass: 'm1', start: 'aos + 1 min' });
    expect(first.warnings).toBeUndefined();
    const second = await written({ ...sends, id: 'two', pass: 'm2', start: 'aos' });
    const met = (id: string, on: string) => [
      expect.stringMatching(`^the run of schedule ${id}, on pass ${on} of sat1, may have sat1 until `),
    ];
    expect(second).toMatchObject({ state: 'scheduled', reasons: [], warnings: met('one', 'm1') });
    expect((await list('?pass=m1')).body.schedules).toMatchObject([{ warnings: met('two', 'm2') }]);
    // What was read back can be posted.
    expect((await write({ ...(await read('two')).body })).status).toBe(200);
    await cancel('two');
    expect((await read('one')).body.warnings).toBeUndefined();
    expect(await recordOf('one')).not.toHaveProperty('warnings');
  });

  it('MC-SCH-013 MC-SCH-014 MC-SCH-058 lists them by start, of a pass alone, those that are final when asked', async () => {
    await written({ id: 'late', pass: 'p2' });
    await written({ id: 'second', start: 'aos + 1 min' });
    await written({ id: 'first', start: 'aos' });
    await written({ id: 'off', start: 'aos + 2 min' });
    await cancel('off');
    expect(idsOf(await list())).toEqual(['first', 'second', 'late']);
    expect(idsOf(await list('?all=false'))).toEqual(['first', 'second', 'late']);
    expect(idsOf(await list('?all=true'))).toEqual(['first', 'second', 'off', 'late']);
    expect(idsOf(await list('?pass=p1'))).toEqual(['first', 'second']);
    expect(idsOf(await list('?pass=p1&all=true'))).toEqual(['first', 'second', 'off']);
    expect(idsOf(await list('?pass=p9'))).toEqual([]);
    expect((await list()).body.schedules[0]).toEqual((await read('first')).body);
  });

  it('lists schedules and rules of one target alone', async () => {
    await written();
    expect((await addRule()).status).toBe(201);
    const [other] = [...mission.targets.keys()].filter((target) => target !== 'sat1');
    expect(idsOf(await list('?target=sat1&all=true'))).toEqual(['s1']);
    expect(idsOf(await list(`?target=${other}&all=true`))).toEqual([]);
    expect((await rules('?target=sat1')).body.rules.map(({ id }: Rule) => id)).toEqual(['each']);
    expect((await rules(`?target=${other}`)).body.rules).toEqual([]);
    for (const answer of [await list('?target=mars'), await rules('?target=mars')])
      expect(said(answer)).toEqual([404, ['api::unknown-target']]);
  });

  it('MC-SCH-013 goes on behind a schedule', async () => {
    for (let n = 0; n < 4; n += 1) await written({ id: `s${n}`, start: `aos + ${n} min` });
    const { created_at } = await recordOf('s1');
    const behind = `${Date.parse(at(1))}.${Date.parse(created_at)}.s1`;
    expect(idsOf(await list(`?after=${behind}`))).toEqual(['s2', 's3']);
  });

  it.each(['?all=yes', '?after=s1', '?pass=a.b', '?limit=3'])('refuses the query %s', async (query) => {
    expect(said(await list(query))).toEqual([400, ['api::invalid-body']]);
  });

  it.each(['s9', 'a.b', '%zz'])('MC-SCH-015 MC-ERR-097 %s is 404 schedule::unknown', async (id) => {
    expect(said(await read(id))).toEqual([404, ['schedule::unknown']]);
  });

  it('leaves out one that cannot be read, and reports it in the log', async () => {
    await written();
    await world.bus.bucket(buckets.schedules).overwrite('broken', Buffer.from('{}'));
    await until(() => world.log.lines.some(({ message }) => message === 'malformed schedule: left out'));
    expect(idsOf(await list())).toEqual(['s1']);
    expect(said(await read('broken'))).toEqual([404, ['schedule::unknown']]);
  });
});

describe('cancelling a schedule', () => {
  afterEach(emptied);

  it('MC-SCH-039 MC-SCH-058 answers it as cancelled, by whom', async () => {
    await written();
    const answer = await cancel();
    expect([answer.status, answer.body.state, answer.body.reasons]).toEqual([
      200,
      'cancelled',
      ['cancelled by ada'],
    ]);
    expect((await read()).body).toEqual(answer.body);
    await written({ id: 's2', run: 'reboot' });
    expect((await cancel('s2')).body.state).toBe('cancelled');
  });

  it.each(['cancelled', 'fired', 'missed'] as const)(
    'MC-SCH-040 MC-ERR-099 refuses a %s one: 409 schedule::final',
    async (state) => {
      await written();
      const run = { run_id: '01KE0000000000000000000000' };
      await record('s1', { state, ...(state === 'fired' && run) });
      expect(said(await cancel())).toEqual([409, ['schedule::final']]);
      expect((await recordOf()).state).toBe(state);
    },
  );

  it('MC-SCH-041 MC-ERR-097 MC-ERR-100 answers 404 when it is unknown, 409 schedule::changed when it changed meanwhile', async () => {
    expect(said(await cancel('s9'))).toEqual([404, ['schedule::unknown']]);
    expect(said(await cancel('a.b'))).toEqual([404, ['schedule::unknown']]);
    await written();
    overtaking(buckets.schedules, () => Buffer.from('{}'));
    expect(said(await cancel())).toEqual([409, ['schedule::changed']]);
    expect((await recordOf()).state).toBe('scheduled');
  });

  it('MC-SCH-060 is for whoever may create in its environment', async () => {
    await written();
    expect(said(await cancel('s1', {}))).toEqual([401, ['api::anonymous']]);
    await record('s1', { environment: 'flight' });
    expect(said(await cancel())).toEqual([401, ['auth::jwt-required']]);
    await record('s1', { environment: 'bench' });
    expect((await cancel('s1', {})).status).toBe(200);
  });
});

describe('validating a schedule (MC-ERR-101)', () => {
  afterEach(emptied);

  it('MC-SCH-012 MC-SCH-034 MC-SCH-055 MC-SCH-058 answers the record of the validation, and the schedule is scheduled', async () => {
    const { ir } = await written({ run: 'reboot' });
    const answer = await validate();
    expect([answer.status, answer.body]).toEqual([
      200,
      { by: 'eve', at: expect.stringMatching(/Z$/), pass: 'p1', aos: at(0), los: at(10), ir },
    ]);
    expect((await read()).body).toMatchObject({ state: 'scheduled', reasons: [], validation: answer.body });
  });

  it.each<[string, Record<string, string>]>([
    ['an operator', ADA],
    ['nobody', {}],
    ['a role without a name', { 'x-mcs-role': 'supervisor' }],
    ['a role that sounds like it', { 'x-mcs-user': 'eve', 'x-mcs-role': 'supervisors' }],
  ])('MC-SCH-055 MC-ERR-101 refuses %s: 403 schedule::not-supervisor', async (_who, headers) => {
    await written({ run: 'reboot' });
    expect(said(await validate('s1', headers))).toEqual([403, ['schedule::not-supervisor']]);
    expect((await recordOf()).validation).toBeUndefined();
  });

  it('MC-GEN-006 MC-GEN-007 a command takes no body: 400 api::invalid-body, and the schedule stays as it is', async () => {
    await write();
    const before = (await read()).body;
    for (const [command, headers] of [
      ['validate', EVE],
      ['cancel', ADA],
    ] as const)
      for (const body of ['zz', '{"reason":"typo"', { reason: 'typo' }]) {
        const answer = await coverage.post(`${url}/v1/schedules/s1/${command}`, body, headers);
        expect(said(answer)).toEqual([400, ['api::invalid-body']]);
      }
    expect((await read()).body).toEqual(before);
  });

  it('MC-SCH-055 A-23 a declared supervisor does not count where tokens do: 401 auth::jwt-required', async () => {
    await written({ run: 'reboot' });
    await record('s1', { environment: 'flight' });
    expect(said(await validate())).toEqual([401, ['auth::jwt-required']]);
  });

  it('MC-SCH-059 records the validation of one that needs none, without effect on its state', async () => {
    await written();
    expect((await validate()).status).toBe(200);
    expect((await read()).body).toMatchObject({ state: 'scheduled', validation: { by: 'eve' } });
  });

  it('MC-SCH-054 does not make one fit that fails for another reason', async () => {
    await written({ run: 'reboot' });
    await pass('p1', 0, { los: at(0.6) });
    const answer = await validate();
    await pass('p1', 0);
    expect(answer.body.los).toBe(at(0.6));
    const { state, reasons } = (await read()).body;
    expect([state, reasons]).toEqual(['at_risk', [expect.stringContaining('may take')]]);
  });

  it.each(['cancelled', 'fired', 'missed'] as const)(
    'MC-SCH-059 MC-ERR-099 refuses a %s one: 409 schedule::final',
    async (state) => {
      await written({ run: 'reboot' });
      const run = { run_id: '01KE0000000000000000000000' };
      await record('s1', { state, ...(state === 'fired' && run) });
      expect(said(await validate())).toEqual([409, ['schedule::final']]);
    },
  );

  it('MC-SCH-041 MC-SCH-059 an unknown one is 404, one that changed meanwhile or is due 409, one without its pass 422', async () => {
    expect(said(await validate('s9'))).toEqual([404, ['schedule::unknown']]);
    await written({ run: 'reboot' });
    overtaking(buckets.schedules, () => Buffer.from('{}'));
    expect(said(await validate())).toEqual([409, ['schedule::changed']]);
    restore();
    await record('s1', { fire_at: new Date(Date.now() - 1).toISOString() });
    expect(said(await validate())).toEqual([409, ['schedule::changed']]);
    await record('s1', { fire_at: at(0.5), pass: 'p9' });
    expect(said(await validate())).toEqual([422, ['schedule::refused']]);
    expect((await recordOf()).validation).toBeUndefined();
  });
});

describe('recurring rules (MC-RULE-006 MC-RULE-008)', () => {
  afterEach(emptied);

  it('MC-RULE-001 MC-RULE-005 MC-RULE-014 MC-RULE-016 are created and listed, and stored in mcs_schedule_rules', async () => {
    const filter = { status: 'booked', min_elevation: '20 deg', station: 'kiruna', uplink: true };
    const answer = await addRule({ filter, inputs: {}, library: 'ops' });
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        ...RULE,
        filter,
        inputs: {},
        library: 'ops',
        by: 'ada',
        updated_at: expect.stringMatching(/Z$/),
        passes: { matched: expect.any(Number), created: 0, refused: [], refused_count: 0 },
      },
    ]);
    expect((await rules()).body).toEqual({ rules: [answer.body] });
    const entry = await world.bus.bucket(buckets.scheduleRules).get('each');
    expect([buckets.scheduleRules.name, JSON.parse(Buffer.from(entry!.value).toString()).run]).toEqual([
      'mcs_schedule_rules',
      'nothing',
    ]);
  });

  it('MC-RULE-014 shows what each has made of the passes to come, and why not of the others', async () => {
    const filter = { station: 'svalbard' };
    await pass('n1', 300, filter);
    await pass('n2', 360, filter);
    await pass('n3', 420, { ...filter, status: 'cancelled' });
    const none = { created: 0, refused: [], refused_count: 0 };
    expect((await addRule({ filter })).body.passes).toEqual({ matched: 2, ...none });
    await written({ id: 'each-n1', pass: 'n1' });
    const refusal = { rule: 'each', target: 'sat1', pass: 'n2', reasons: ['too long'], at: at(0) };
    await world.bus.bucket(buckets.ruleRefusals).overwrite('each.n2', Buffer.from(JSON.stringify(refusal)));
    const shown = await until(async () => {
      const [rule] = (await rules()).body.rules as Rule[];
      return rule!.passes.refused.length > 0 && rule;
    });
    expect(shown.passes).toEqual({
      matched: 2,
      created: 1,
      refused: [{ pass: 'n2', reasons: ['too long'], at: at(0) }],
      refused_count: 1,
    });
  });

  it.each<[string, object | string]>([
    ['MC-RULE-001 no identifier', { id: undefined }],
    ['MC-RULE-001 no target', { target: undefined }],
    ['MC-RULE-001 no start', { start: undefined }],
    ['MC-RULE-001 no run', { run: undefined }],
    ['MC-RULE-001 no targets', { targets: undefined }],
    ['MC-RULE-001 an identifier that is no token', { id: 'a b' }],
    ['MC-RULE-002 a filter that there is not', { filter: { elevation: '20 deg' } }],
    ['MC-RULE-002 a status that there is not', { filter: { status: 'planned' } }],
    ['MC-RULE-002 an elevation that is none', { filter: { min_elevation: 'high' } }],
    ['MC-RULE-002 an elevation in metres', { filter: { min_elevation: '20 m' } }],
    ['MC-RULE-008 a start of another form', { start: 'los' }],
    ['MC-RULE-008 no JSON', '{'],
  ])('MC-RULE-008 MC-ERR-095 refuses %s: 422 schedule::invalid', async (_what, more) => {
    const body = typeof more === 'string' ? more : { ...RULE, ...more };
    const answer = await coverage.post(`${url}/v1/schedule-rules`, body, ADA);
    expect([answer.status, new Set(codesOf(answer))]).toEqual([422, new Set(['schedule::invalid'])]);
    expect((await rules()).body.rules).toEqual([]);
  });

  it.each<[string, object, RegExp]>([
    ['MC-RULE-006 of a procedure that is not there', { run: 'nothin' }, /nothin/],
    ['MC-RULE-006 in an environment that is not there', { environment: 'moon' }, /moon/],
    ['MC-RULE-006 with an input too many', { inputs: { level: 3 } }, /level/],
    ['MC-RULE-007 that sends a hazardous telecommand', { run: 'reboot' }, /hazardous/],
    ['MC-RULE-007 that does so in one it calls', { run: 'reboot_both', environment: 'bench' }, /hazardous/],
    ['of a target that is not there', { target: 'sat9' }, /sat9/],
    ['none of whose roles is of its target', { target: 'twin' }, /twin is the target of no role/],
  ])('MC-ERR-096 refuses one %s: 422 schedule::refused', async (_what, more, why) => {
    const answer = await addRule(more);
    expect([answer.status, new Set(codesOf(answer))]).toEqual([422, new Set(['schedule::refused'])]);
    expect(
      faults(answer).some(({ message }) => why.test(message)),
      JSON.stringify(answer.body),
    ).toBe(true);
    expect((await rules()).body.rules).toEqual([]);
  });

  it('MC-RULE-017 replaces the one of an identifier, keeping its schedules', async () => {
    await addRule();
    await written({ id: 'each-p1' });
    expect((await addRule({ start: 'aos + 1 min' })).body.start).toBe('aos + 1 min');
    expect((await rules()).body.rules).toHaveLength(1);
    expect((await read('each-p1')).body.start).toBe('aos + 30 s');
  });

  it('MC-RULE-013 MC-RULE-015 MC-RULE-016 MC-ERR-098 are removed, keeping their schedules; unknown is 404', async () => {
    await addRule();
    await written({ id: 'each-p1' });
    const removed = await removeRule();
    expect([removed.status, removed.body]).toEqual([204, '']);
    await until(async () => (await rules()).body.rules.length === 0);
    expect((await read('each-p1')).body.state).toBe('scheduled');
    expect(said(await removeRule())).toEqual([404, ['schedule::unknown-rule']]);
    expect(said(await removeRule('a.b'))).toEqual([404, ['schedule::unknown-rule']]);
  });

  it('MC-SCH-060 are for whoever may launch in their environment', async () => {
    expect(said(await addRule({}, {}))).toEqual([401, ['api::anonymous']]);
    expect(said(await addRule({ environment: 'flight' }))).toEqual([401, ['auth::jwt-required']]);
    expect(said(await addRule({ environment: undefined }))).toEqual([401, ['auth::jwt-required']]);
    await addRule();
    expect(said(await removeRule('each', {}))).toEqual([401, ['api::anonymous']]);
    const stored = { ...RULE, environment: 'flight', updated_at: at(0) };
    await world.bus.bucket(buckets.scheduleRules).overwrite('each', Buffer.from(JSON.stringify(stored)));
    await until(() => world.books.rules.get('each')?.environment === 'flight');
    expect(said(await removeRule())).toEqual([401, ['auth::jwt-required']]);
    expect((await addRule({ id: 'open', environment: 'bench' }, {})).status).toBe(201);
  });

  it('MC-SCH-060 schedule-rules.R1 rule-writes.U1 are replaced by those alone who may remove them, and stay as they were otherwise', async () => {
    await addRule();
    expect(said(await addRule({ environment: 'bench' }, {}))).toEqual([401, ['api::anonymous']]);
    const stored = { ...RULE, environment: 'flight', updated_at: at(0) };
    await world.bus.bucket(buckets.scheduleRules).overwrite('each', Buffer.from(JSON.stringify(stored)));
    await until(() => world.books.rules.get('each')?.environment === 'flight');
    expect(said(await addRule({ environment: 'bench' }))).toEqual([401, ['auth::jwt-required']]);
    expect(world.books.rules.get('each')).toEqual(stored);
  });

  it('MC-ERR-100 gives up where it is overtaken again and again: 409 schedule::changed', async () => {
    expect((await addRule()).status).toBe(201);
    overtaking(buckets.scheduleRules, () => Buffer.from('{}'));
    expect(said(await addRule())).toEqual([409, ['schedule::changed']]);
    expect(said(await removeRule())).toEqual([409, ['schedule::changed']]);
  });

  it('MC-SCH-060 rule-writes.U1 are not removed where another one stands by now that the caller may not remove', async () => {
    await addRule();
    const stored = { ...RULE, environment: 'flight', updated_at: at(0) };
    overtaking(buckets.scheduleRules, () => Buffer.from('{}'), Buffer.from(JSON.stringify(stored)));
    expect(said(await removeRule())).toEqual([401, ['auth::jwt-required']]);
    restore();
    expect((await rules()).body.rules.map(({ id }: Rule) => id)).toEqual(['each']);
  });
});

describe('who is asked for', () => {
  it('MC-SCH-024 a good token, where there is one', async () => {
    const all = async (headers: Record<string, string>): Promise<unknown[]> => [
      said(await coverage.call(`${url}/v1/schedules`, { headers })),
      said(await coverage.call(`${url}/v1/schedules/s1`, { headers })),
      said(await write({}, headers)),
      said(await cancel('s1', headers)),
      said(await validate('s1', headers)),
      said(await coverage.call(`${url}/v1/schedule-rules`, { headers })),
      said(await addRule({}, headers)),
      said(await removeRule('each', headers)),
    ];
    const token = { authorization: 'Bearer x' };
    expect(await all(token)).toEqual(Array(8).fill([401, ['auth::no-provider']]));
    publishAuth(PROVIDER);
    expect(await all(token)).toEqual(Array(8).fill([401, ['auth::invalid-token']]));
    publishAuth({ required: true });
    expect(await all(ADA)).toEqual(Array(8).fill([401, ['auth::token-required']]));
    world.missions.publish(mission);
  });

  it('a body larger than a schedule is refused', async () => {
    expect(said(await write({ id: 'x'.repeat(1_100_000) }))).toEqual([413, ['api::too-large']]);
    expect(said(await addRule({ id: 'x'.repeat(1_100_000) }))).toEqual([413, ['api::too-large']]);
  });
});

function publishAuth(auth: Mission['settings']['auth']): void {
  world.missions.publish({ ...mission, settings: { ...mission.settings, auth } });
}

describe('without a configuration or a bus', () => {
  it('writing needs a configuration; everything needs the bus', async () => {
    world.missions.publish(undefined);
    for (const answer of [write(), cancel(), validate(), addRule(), removeRule()])
      expect(codesOf(await answer)).toEqual(['api::no-configuration']);
    world.missions.publish(mission);
    await world.nats.kill();
    await until(() => !world.bus.connected);
    const answers = [list(), read(), write(), cancel(), validate(), rules(), addRule(), removeRule()];
    for (const answer of answers) expect(said(await answer)).toEqual([503, ['api::unavailable']]);
    await world.nats.start();
    await until(() => world.bus.connected);
  });

  it.each([
    ['GET', '/v1/schedules/s1'],
    ['POST', '/v1/schedules'],
    ['POST', '/v1/schedules/s1/cancel'],
    ['POST', '/v1/schedules/s1/validate'],
    ['GET', '/v1/schedule-rules'],
    ['POST', '/v1/schedule-rules'],
    ['DELETE', '/v1/schedule-rules/each'],
  ])('%s %s takes no query parameter', async (method, path) => {
    const posted = path.endsWith('rules') ? RULE : REQUEST;
    const body = method === 'POST' ? JSON.stringify(posted) : null;
    const answer = await coverage.call(`${url}${path}?all=true`, { method, body, headers: ADA });
    expect(codesOf(answer)).toContain('api::invalid-body');
  });

  it('every reply and code of the routes was seen', () => {
    expect(coverage.missing()).toEqual([]);
  });
});
