/**
 * The routes of alarms on a real bus, with an alarm service of the test: what each answers, every code it declares, and
 * what it asks of the service.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type {
  AlarmCall,
  AlarmEvent,
  AlarmRecord,
  AlarmReply,
  PendingReaction,
  StoredAlarm,
} from '../../contract/alarm.ts';
import { type AlarmName, alarmKey } from '../../contract/alarm-name.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { REACTION_WAIT_MS } from '../../contract/limits/alarm.ts';
import type { RunSummary } from '../../contract/run.ts';
import { storedAlarmBytes } from '../../contract/stored-alarm.ts';
import type { Holder } from '../../contract/target-holds.ts';
import { watchReactions } from '../../http/routes/alarm-reactions.ts';
import { alarmFollows, alarmRoutes } from '../../http/routes/alarms.ts';
import type { Stoppable } from '../../ports/bus.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, codesOf } from './fixture.ts';
import { PROVIDER, startWorld, type World } from './world.ts';

const coverage = new Coverage(alarmRoutes, [...alarmFollows, watchReactions]);
const ADA = { 'x-mcs-user': 'ada' };
const AT = '2026-01-02T03:04:05.678Z';
const VOLTAGE: AlarmName = { target: 'sat1', component: 'battery', instance: '1', alarm: 'voltage' };
const PATH = '/v1/alarms/sat1/battery%5B1%5D.voltage';

let world: World;
let url: string;
const calls: { target: string; call: AlarmCall }[] = [];
const served: Stoppable[] = [];

beforeAll(async () => {
  world = await startWorld();
  url = world.url;
});
afterAll(() => world.stop());
afterEach(async () => {
  for (const each of served.splice(0)) await each.stop();
});

/** An alarm service that answers so; of the test, since the real one has its own. */
function answering(answer: AlarmReply | 'nothing', target = 'sat1'): void {
  const reply = async ({ data }: { data: Uint8Array }): Promise<Uint8Array> => {
    calls.push({ target, call: JSON.parse(Buffer.from(data).toString()) as AlarmCall });
    if (answer === 'nothing') return new Promise(() => {});
    return Buffer.from(JSON.stringify(answer));
  };
  served.push(world.bus.serve(subject.alarmControl(target), reply));
}

async function record(
  name: AlarmName,
  change: Partial<AlarmRecord> = {},
  reactions?: readonly PendingReaction[],
): Promise<void> {
  const stored: StoredAlarm = {
    record: {
      previous: 'NORMAL',
      state: 'ACTIVE_UNACK',
      severity: 'warning',
      seq: 1,
      changed_at: AT,
      ...change,
    },
    epoch: 1,
    evaluated: { position: 1, at: 0 },
    ...(reactions !== undefined && { reactions }),
  };
  await world.bus.bucket(buckets.alarms).overwrite(alarmKey(name), storedAlarmBytes(stored));
}

async function transition(name: AlarmName, seq: number): Promise<AlarmEvent> {
  const event: AlarmEvent = {
    ...name,
    previous: 'NORMAL',
    state: 'ACTIVE_UNACK',
    severity: 'critical',
    value: 5.5,
    seq,
    at: AT,
    cause: 'condition',
  };
  const data = Buffer.from(JSON.stringify(event));
  await world.bus.append(streams.alarms, subject.alarmEvent(name), data, { id: `${alarmKey(name)}-${seq}` });
  return event;
}

const list = (query = '', headers = {}): Promise<Answer> =>
  coverage.call(`${url}/v1/alarms${query}`, { headers });
const command = (
  action: string,
  body: unknown = '',
  headers: Record<string, string> = ADA,
): Promise<Answer> => coverage.post(`${url}${PATH}/${action}`, body, headers);
const said = (answer: Answer): [number, string[]] => [answer.status, codesOf(answer)];
const keysOf = ({ body }: Answer): string[] => body.alarms.map((each: AlarmName) => alarmKey(each));

describe('the list of alarms', () => {
  const soc = { target: 'sat1', component: 'battery', instance: '2', alarm: 'soc' };
  const reboot = { target: 'sat1', component: 'obc', alarm: 'unexpected_reboot' };
  const other = { target: 'sat2', component: 'obc', alarm: 'counter' };
  beforeAll(async () => {
    await record(reboot, { state: 'CLEARED_UNACK', previous: 'ACTIVE_UNACK', seq: 2 });
    await record(VOLTAGE, { value: 5.9, active_since: AT, cause: 'condition' });
    await record(soc, { state: 'NORMAL', previous: 'ACTIVE_ACK', seq: 3, by: 'ada' });
    await record(other, { state: 'NORMAL', previous: 'NORMAL', seq: 4, cause: 'shelved', shelved_until: AT });
  });

  it('MC-ALM-030 MC-ALM-031 lists what is not normal, or shelved, by the order of keys', async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(keysOf(answer)).toEqual([
      'sat1.battery.1.voltage',
      'sat1.obc._.unexpected_reboot',
      'sat2.obc._.counter',
    ]);
    expect(answer.body.alarms[0]).toEqual({
      ...VOLTAGE,
      record: {
        previous: 'NORMAL',
        state: 'ACTIVE_UNACK',
        severity: 'warning',
        seq: 1,
        value: 5.9,
        changed_at: AT,
        active_since: AT,
        cause: 'condition',
      },
    });
    expect(answer.body.alarms[1]).not.toHaveProperty('instance');
  });

  it('MC-ALM-032 lists every recorded alarm with all=true, and the rest with all=false', async () => {
    expect(keysOf(await list('?all=true'))).toEqual([
      'sat1.battery.1.voltage',
      'sat1.battery.2.soc',
      'sat1.obc._.unexpected_reboot',
      'sat2.obc._.counter',
    ]);
    expect(keysOf(await list('?all=false'))).toHaveLength(3);
  });

  it('MC-ALM-030 is limited to a target', async () => {
    expect(keysOf(await list('?target=sat2'))).toEqual(['sat2.obc._.counter']);
    expect(keysOf(await list('?target=sat1&all=true'))).toHaveLength(3);
    expect((await list('?target=ghost')).body).toEqual({ alarms: [] });
  });

  it('refuses a target that is not there: its silence would look like calm', async () => {
    expect(said(await list('?target=sat9'))).toEqual([404, ['api::unknown-target']]);
  });

  it.each(['?target=a.b', '?all=yes', '?al=true'])('refuses the query %s', async (query) => {
    expect(said(await list(query))).toEqual([400, ['api::invalid-body']]);
  });

  it('reports the log of a malformed record, and lists the others', async () => {
    const bucket = world.bus.bucket(buckets.alarms);
    await bucket.overwrite('sat2.obc._.broken', Buffer.from('{'));
    await bucket.overwrite('stray', Buffer.from('{}'));
    expect(keysOf(await list('?all=true'))).toHaveLength(4);
    const reported = world.log.lines.filter(({ message }) => message === 'malformed alarm record skipped');
    for (const alarm of ['sat2.obc._.broken', 'stray'])
      expect(reported.map(({ fields }) => fields)).toContainEqual({ alarm });
    expect(keysOf(await list())).toHaveLength(3);
  });

  it('alarm-book.K2 MC-ALM-031 has what was recorded a moment ago', async () => {
    const name = { ...VOLTAGE, instance: '3' };
    for (let round = 0; round < 100; round += 1) {
      const state = round % 2 === 0 ? 'ACTIVE_UNACK' : 'NORMAL';
      await record(name, { state, seq: round + 1 });
      const listed = keysOf(await list('?target=sat1')).includes(alarmKey(name));
      expect([round, listed]).toEqual([round, state !== 'NORMAL']);
    }
  });
});

describe('a long list of alarms', () => {
  const names = Array.from({ length: 1_200 }, (_, n): AlarmName => {
    const target = ['long', 'long-1', 'long1'][n % 3]!;
    return { target, component: 'obc', alarm: `a${n}` };
  });
  const keys = names.map(alarmKey).sort();
  beforeAll(async () => {
    await Promise.all(names.map((name) => record(name, { state: 'NORMAL', seq: 2 })));
    await record(names[7]!, { seq: 3 }, [{ seq: 3, at: Date.parse(AT), procedure: 'safe' }]);
  });
  afterAll(async () => {
    const bucket = world.bus.bucket(buckets.alarms);
    await Promise.all(keys.map(async (key) => bucket.remove(key, (await bucket.get(key))!.revision)));
  });

  it('MC-ALM-030 MC-ALM-032 is in the order of keys, and has the reactions under way', async () => {
    const answer = await list('?all=true');
    expect(keysOf(answer).filter((key) => key.startsWith('long'))).toEqual(keys);
    const { record: at, reactions } = answer.body.alarms.find((each: AlarmName) => each.alarm === 'a7');
    expect(at.seq).toBe(3);
    expect(reactions).toEqual([{ procedure: 'safe', state: 'starting', holds_target: false }]);
  });

  it('is given whole to each of eight who ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => list('?all=true')));
    for (const answer of answers)
      expect(keysOf(answer).filter((key) => key.startsWith('long'))).toEqual(keys);
  });
});

describe('commands about an alarm', () => {
  it('MC-ALM-033 MC-ALM-040 acknowledges by asking the alarm service, with who asked', async () => {
    answering({ outcome: 'accepted' });
    const answer = await command('acknowledge');
    expect([answer.status, answer.body]).toEqual([202, VOLTAGE]);
    const { target: _, ...alarm } = VOLTAGE;
    expect(calls.at(-1)).toEqual({ target: 'sat1', call: { alarm, by: 'ada', action: 'acknowledge' } });
  });

  it('MC-ALM-034 shelves for a duration', async () => {
    answering({ outcome: 'accepted' });
    expect((await command('shelve', { for: '30 min' })).status).toBe(202);
    expect(calls.at(-1)?.call).toMatchObject({ action: 'shelve', forMs: 1_800_000, by: 'ada' });
  });

  it('MC-ALM-035 unshelves', async () => {
    answering({ outcome: 'accepted' });
    expect((await command('unshelve')).status).toBe(202);
    expect(calls.at(-1)?.call).toMatchObject({ action: 'unshelve', by: 'ada' });
  });

  it('MC-ALM-037 names an alarm of a component without instances by component.alarm', async () => {
    answering({ outcome: 'accepted' });
    const answer = await coverage.post(`${url}/v1/alarms/sat1/obc.unexpected_reboot/acknowledge`, '', ADA);
    expect(answer.body).toEqual({ target: 'sat1', component: 'obc', alarm: 'unexpected_reboot' });
    expect(calls.at(-1)?.call.alarm).toEqual({ component: 'obc', alarm: 'unexpected_reboot' });
  });

  it('MC-ALM-024 MC-ALM-043 MC-ALM-045 MC-ALM-050 MC-ERR-087 passes on what the service refuses: 409 alarm::refused', async () => {
    answering({ outcome: 'refused', reason: 'sat1 battery[1].voltage: it is not shelved' });
    const answer = await command('unshelve');
    expect(said(answer)).toEqual([409, ['alarm::refused']]);
    expect(answer.body.errors[0].message).toBe('sat1 battery[1].voltage: it is not shelved');
  });

  it('MC-ALM-041 MC-ERR-088 answers 503 alarm::no-service when no alarm service runs', async () => {
    expect(said(await command('acknowledge'))).toEqual([503, ['alarm::no-service']]);
  });

  it('MC-ALM-042 MC-ALM-058 MC-ERR-089 answers 504 alarm::timeout when it is silent for as long as the configuration says', async () => {
    answering('nothing');
    const before = world.missions.current!;
    world.missions.publish({ ...before, settings: { ...before.settings, alarmAnswerMs: 300 } });
    const began = performance.now();
    const answer = await command('acknowledge');
    world.missions.publish(before);
    expect(said(answer)).toEqual([504, ['alarm::timeout']]);
    expect(performance.now() - began).toBeGreaterThan(290);
    expect(before.settings.alarmAnswerMs).toBe(5_000);
  });

  it.each(['9 h', '0 s', '-5 min'])(
    'leaves the bounds of %s to the service, which alone decides',
    async (text) => {
      answering({ outcome: 'refused', reason: 'out of bounds' });
      expect(said(await command('shelve', { for: text }))).toEqual([409, ['alarm::refused']]);
      expect(calls.at(-1)?.call).toMatchObject({ action: 'shelve' });
    },
  );

  it.each([
    ['nothing', ''],
    ['no duration', {}],
    ['a number', { for: 30 }],
    ['no unit', { for: '30' }],
    ['no time', { for: '30 V' }],
    ['another field', { for: '30 min', why: 'x' }],
    ['no JSON', '{'],
  ])('MC-ALM-044 refuses to shelve with %s: 400 api::invalid-body', async (_what, body) => {
    expect(said(await command('shelve', body))).toEqual([400, ['api::invalid-body']]);
  });

  it.each(['acknowledge', 'unshelve'])(
    'http/check.C2 %s takes no body, and says so of any',
    async (action) => {
      for (const body of [{ for: '30 min' }, {}, '{']) {
        const answer = await command(action, body);
        expect(said(answer)).toEqual([400, ['api::invalid-body']]);
        expect(answer.body.errors[0].message).toBe(`${action} takes no body`);
      }
    },
  );

  it('refuses a body larger than a command can be', async () => {
    expect(said(await command('shelve', { for: 'x'.repeat(1_100_000) }))).toEqual([413, ['api::too-large']]);
  });

  it.each([
    'voltage',
    'a.b.c',
    'battery[1]',
    'battery[].voltage',
    'obc[_].mode',
    'o%20bc.mode',
    '.mode',
    '%zz',
  ])('MC-ALM-037 MC-ERR-010 answers 404 api::invalid-alarm for %s', async (alarm) => {
    const answer = await coverage.post(`${url}/v1/alarms/sat1/${alarm}/acknowledge`, '', ADA);
    expect(said(answer)).toEqual([404, ['api::invalid-alarm']]);
  });

  it('MC-ALM-038 answers 404 for a target that is no name, and for another command', async () => {
    const target = await coverage.post(`${url}/v1/alarms/sat%2E1/obc.mode/acknowledge`, '', ADA);
    expect(said(target)).toEqual([404, ['api::invalid-target']]);
    expect(said(await command('silence'))).toEqual([404, ['api::unknown-command']]);
  });

  it.each([
    ['acknowledge', ''],
    ['shelve', { for: '1 h' }],
    ['unshelve', ''],
  ])('MC-ALM-039 MC-AUTH-022 refuses to %s for nobody: 400 api::anonymous', async (action, body) => {
    answering({ outcome: 'accepted' });
    const before = calls.length;
    expect(said(await command(action, body, {}))).toEqual([400, ['api::anonymous']]);
    expect(calls).toHaveLength(before);
  });
});

describe('the watch of alarms', () => {
  it('MC-ALM-036 tells every transition from now on, and nothing before', async () => {
    await transition(VOLTAGE, 1);
    const watch = await coverage.open(`${url}/v1/alarms/watch`);
    const other = { ...VOLTAGE, target: 'sat2' };
    const events = [await transition(VOLTAGE, 2), await transition(other, 1), await transition(VOLTAGE, 3)];
    await until(() => watch.messages.length === 3);
    expect(watch.messages).toEqual(events);
    watch.close();
  });

  it('MC-ALM-036 limits it to a target', async () => {
    const watch = await coverage.open(`${url}/v1/alarms/watch?target=sat2`);
    await transition(VOLTAGE, 4);
    const expected = await transition({ ...VOLTAGE, target: 'sat2', component: 'obc' }, 1);
    await until(() => watch.messages.length > 0);
    expect(watch.messages).toEqual([expected]);
    watch.close();
  });

  it('refuses a target that is not there', async () => {
    const { refused } = await coverage.follow(`${url}/v1/alarms/watch?target=sat9`);
    expect(said(refused!)).toEqual([404, ['api::unknown-target']]);
  });

  it('refuses an unknown query parameter', async () => {
    const { refused } = await coverage.follow(`${url}/v1/alarms/watch?all=true`);
    expect(said(refused!)).toEqual([400, ['api::invalid-body']]);
  });
});

describe('the reactions of alarms', () => {
  const HEATER: AlarmName = { target: 'sat2', component: 'heater', alarm: 'stuck' };
  const LOW: AlarmName = { target: 'sat2', component: 'battery', instance: '1', alarm: 'low' };
  const HOLDER = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
  const WAITER = '01J5ZK3M8QW7V9XH2C4T6R8YAD';
  const BEGUN = '2026-01-02T03:05:00.000Z';
  const decision = { path: 'off', kind: 'decision', prompt: 'no echo', question: 7, since: AT } as const;

  async function run(name: AlarmName, id: string, more: Partial<RunSummary>): Promise<void> {
    const summary: RunSummary = {
      run: id,
      procedure: 'shed_load',
      suspended: false,
      environment: 'bench',
      targets: { sat: name.target },
      by: `alarm ${alarmKey(name)}`,
      ...more,
    };
    await world.bus.bucket(buckets.runs).overwrite(id, Buffer.from(JSON.stringify(summary)));
  }

  async function holders(...all: Holder[]): Promise<void> {
    const entry = Buffer.from(JSON.stringify({ holders: all }));
    await world.bus.bucket(buckets.leases).overwrite('sat2', entry);
  }

  const asked = (seq: number, more: object = {}): PendingReaction => ({
    seq,
    at: Date.parse(AT),
    procedure: 'shed_load',
    ...more,
  });
  const reactionsOf = async (name: AlarmName): Promise<unknown> => {
    const { body } = await list('?target=sat2&all=true');
    return body.alarms.find((each: AlarmName) => each.alarm === name.alarm).reactions;
  };
  const waits = {
    procedure: 'shed_load',
    run: HOLDER,
    state: 'waiting_for_decision',
    step: 'off',
    reason: 'no echo',
    question: 7,
    since: AT,
    holds_target: true,
  };
  const behind = {
    procedure: 'shed_load',
    run: WAITER,
    state: 'waiting_for_target',
    since: BEGUN,
    until: new Date(Date.parse(BEGUN) + REACTION_WAIT_MS).toISOString(),
    held_by: [{ run: HOLDER, alarm: 'sat2.heater._.stuck' }],
    holds_target: false,
  };

  it('http/alarm-reactions.Q1 the list says which waits for a decision, which waits for its target, and who holds that', async () => {
    await holders({ run: HOLDER, mode: 'exclusive', alarm: 'sat2.heater._.stuck' });
    await run(HEATER, HOLDER, { started_at: AT, step: 'off', pending: decision });
    await run(LOW, WAITER, { started_at: BEGUN });
    await record(HEATER, {}, [asked(1, { run: HOLDER })]);
    await record(LOW, {}, [asked(1, { run: WAITER }), asked(3), asked(5, { failed: 'no role', report: 1 })]);
    // Runs and holds are watched: each comes by itself.
    const seen = async (): Promise<string> =>
      JSON.stringify([await reactionsOf(HEATER), await reactionsOf(LOW)]);
    await until(async () => /"since":.*"holds_target":true.*"held_by":/.test(await seen()));
    expect(await reactionsOf(HEATER)).toEqual([waits]);
    expect(await reactionsOf(LOW)).toEqual([
      behind,
      { procedure: 'shed_load', state: 'starting', holds_target: false },
      { procedure: 'shed_load', state: 'failed', reason: 'no role', holds_target: false },
    ]);
    const { body } = await list('?target=sat1');
    for (const each of body.alarms) expect(each).not.toHaveProperty('reactions');
  });

  it('the watch begins with each under way, says each change once, and the end', async () => {
    const watch = await coverage.open(`${url}/v1/alarms/reactions/watch?target=sat2`);
    await until(() => watch.messages.length === 2);
    expect(watch.messages).toEqual([
      { ...HEATER, reaction: waits },
      { ...LOW, reaction: behind },
    ]);
    await run(HEATER, HOLDER, { started_at: AT, step: 'off', pending: decision, updated_at: AT });
    await run(HEATER, HOLDER, { started_at: AT, step: 'off', finished: false, reason: 'aborted by ada' });
    await holders({ run: WAITER, mode: 'exclusive', alarm: 'sat2.battery.1.low' });
    await run(LOW, WAITER, { started_at: BEGUN, step: 'off' });
    await until(() => watch.messages.length === 4);
    expect(watch.messages.slice(2).map((each) => (each as { reaction: object }).reaction)).toMatchObject([
      { run: HOLDER, state: 'failed', reason: 'aborted by ada' },
      { run: WAITER, state: 'running', step: 'off' },
    ]);
    watch.close();
    const other = await coverage.open(`${url}/v1/alarms/reactions/watch`);
    await until(() => other.messages.length === 1);
    expect(other.messages).toMatchObject([{ reaction: { run: WAITER } }]);
    other.close();
  });

  it.each([
    ['target=sat9', 404, 'api::unknown-target'],
    ['all=true', 400, 'api::invalid-body'],
  ])('refuses to be watched with %s', async (query, status, code) => {
    const { refused } = await coverage.follow(`${url}/v1/alarms/reactions/watch?${query}`);
    expect(said(refused!)).toEqual([status, [code]]);
  });
});

describe('what stands before every route of alarms', () => {
  async function all(headers: Record<string, string>): Promise<[number, string[]][]> {
    const { refused } = await coverage.follow(`${url}/v1/alarms/watch`, headers);
    const { refused: reactions } = await coverage.follow(`${url}/v1/alarms/reactions/watch`, headers);
    return [
      said(await list('', headers)),
      said(await command('acknowledge', '', headers)),
      said(refused!),
      said(reactions!),
    ];
  }

  it('MC-AUTH-016 MC-AUTH-017 the identity of the caller, as at every route', async () => {
    const before = world.missions.current!;
    const token = { authorization: 'Bearer x' };
    expect(await all(token)).toEqual(Array(4).fill([401, ['auth::no-provider']]));
    world.missions.publish({ ...before, settings: { ...before.settings, auth: PROVIDER } });
    expect(await all(token)).toEqual(Array(4).fill([401, ['auth::invalid-token']]));
    world.missions.publish({ ...before, settings: { ...before.settings, auth: { required: true } } });
    expect(await all(ADA)).toEqual(Array(4).fill([401, ['auth::token-required']]));
    world.missions.publish(before);
  });

  it('MC-GEN-016 commands need a configuration, which says how long a shelving may last', async () => {
    const before = world.missions.current!;
    world.missions.publish(undefined);
    expect(said(await command('acknowledge'))).toEqual([503, ['api::no-configuration']]);
    world.missions.publish(before);
  });

  it('MC-GEN-017 the bus: 503 api::unavailable without it', async () => {
    await world.nats.kill();
    await until(() => !world.bus.connected);
    expect(await all(ADA)).toEqual(Array(4).fill([503, ['api::unavailable']]));
    await world.nats.start();
    await until(() => world.bus.connected);
  });
});

it('has no status or code that no test above has seen', () => {
  expect(coverage.missing()).toEqual([]);
});
