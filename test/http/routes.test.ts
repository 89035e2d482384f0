/** Every route on a real bus: what it answers, and every code it declares. */

import { readFileSync } from 'node:fs';
import { decodeTime, ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { DecodeCall, DriverAnswer, EncodeCall, EncodeReply } from '../../contract/link.ts';
import type { TcEvent, TcSubmission } from '../../contract/telecommand.ts';
import { follows, routes } from '../../http/front-end.ts';
import type { Endpoint } from '../../http/route.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import { ownTime } from '../support/own-time.ts';
import { until } from '../support/until.ts';
import { COVERED_BY, Coverage } from './coverage.ts';
import { codesOf } from './fixture.ts';
import { PROVIDER, startWorld, testMission, type World } from './world.ts';

const ping = { target: 'sat1', telecommand: 'ping' };
const [ownRoutes, ownFollows] = [routes.filter(isCoveredHere), follows.filter(isCoveredHere)];
const coverage = new Coverage(ownRoutes, ownFollows);
const submitted: StreamMessage[] = [];
let world: World;
let url: string;

beforeAll(async () => {
  world = await startWorld();
  url = world.url;
  await world.bus.follow(streams.telecommands, 'mcs.tc.submit.*', { from: 'start' }, (message) => {
    submitted.push(message);
  });
});
afterAll(() => world.stop());

function isCoveredHere({ tag }: Endpoint): boolean {
  return tag === undefined || COVERED_BY[tag] === 'routes.test.ts';
}

function read<Value>(data: Uint8Array): Value {
  return JSON.parse(Buffer.from(data).toString()) as Value;
}

/** The submissions with an identifier, once the bus has delivered everything before a probe. */
async function submissionsOf(id: string): Promise<StreamMessage[]> {
  const probe = (await coverage.post(`${url}/v1/tc`, { ...ping, target: 'sat2', environment: 'bench' })).body
    .id;
  await until(() => submitted.some(({ data }) => read<TcSubmission>(data).id === probe));
  return submitted.filter(({ data }) => read<TcSubmission>(data).id === id);
}

describe('POST /v1/tc', () => {
  it('MC-TC-020 MC-TC-021 answers 202 with a fresh ULID and duplicate false', async () => {
    const before = Date.now();
    const first = await coverage.post(`${url}/v1/tc`, ping);
    const second = await coverage.post(`${url}/v1/tc`, ping);
    expect(first.status).toBe(202);
    expect(Object.keys(first.body)).toEqual(['id', 'duplicate']);
    expect(first.body.duplicate).toBe(false);
    expect(decodeTime(first.body.id)).toBeGreaterThanOrEqual(before);
    expect(second.body.id > first.body.id).toBe(true);
  });

  it('MC-TC-025 MC-TC-026 MC-TC-027 MC-TC-028 publishes the resolved telecommand with revision and caller', async () => {
    const body = {
      target: 'sat1',
      telecommand: 'obc.set_rate',
      args: { level: '3300 mV' },
      environment: 'bench',
    };
    const { body: reply } = await coverage.post(`${url}/v1/tc`, body, {
      'x-mcs-user': 'ada',
      'x-mcs-role': 'operator',
    });
    const [message] = await submissionsOf(reply.id);
    expect(message?.subject).toBe('mcs.tc.submit.sat1');
    expect(read<TcSubmission>(message!.data)).toEqual({
      id: reply.id,
      target: 'sat1',
      component: 'obc',
      telecommand: 'set_rate',
      args: { period: 60, level: 3.3, mode: 'SAFE' },
      link: 'uhf',
      environment: 'bench',
    });
    expect(message!.headers[header.config]).toBe(world.mission.revision);
    expect(message!.headers[header.user]).toBe('ada');
    const again = await world.bus.append(streams.telecommands, subject.tcSubmit('sat1'), Buffer.from('{}'), {
      id: reply.id,
    });
    expect(again.outcome).toBe('duplicate');
  });

  it('MC-TC-057 takes an anonymous telecommand and leaves the caller out', async () => {
    const { body } = await coverage.post(`${url}/v1/tc`, ping);
    const [message] = await submissionsOf(body.id);
    expect(Object.keys(message!.headers)).not.toContain(header.user);
  });

  it('MC-TC-007 carries the instance of a multi-instance component', async () => {
    const { body } = await coverage.post(`${url}/v1/tc`, { target: 'sat1', telecommand: 'battery[2].heat' });
    const [message] = await submissionsOf(body.id);
    expect(read<TcSubmission>(message!.data)).toMatchObject({
      component: 'battery',
      instance: '2',
      args: { on: true },
    });
  });

  it('MC-TC-022 MC-TC-063 answers duplicate true to a retry, also with another body, and sends nothing new', async () => {
    const id = ulid();
    const bodies = [
      { ...ping, id },
      { ...ping, id },
      { target: 'sat1', telecommand: 'obc.reset', id },
    ];
    const replies = [];
    for (const body of bodies) replies.push((await coverage.post(`${url}/v1/tc`, body)).body);
    expect(replies).toEqual([
      { id, duplicate: false },
      { id, duplicate: true },
      { id, duplicate: true },
    ]);
    expect(await submissionsOf(id)).toHaveLength(1);
  });

  it('MC-GEN-014 recognises a retry through another instance', async () => {
    const other = await world.another();
    const id = ulid();
    expect((await coverage.post(`${url}/v1/tc`, { ...ping, id })).body.duplicate).toBe(false);
    expect((await coverage.post(`${other.url}/v1/tc`, { ...ping, id })).body.duplicate).toBe(true);
    expect(await submissionsOf(id)).toHaveLength(1);
  });

  it('sends one of a hundred equal telecommands that come at once', async () => {
    const id = ulid();
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => coverage.post(`${url}/v1/tc`, { ...ping, id })),
    );
    expect(replies.filter(({ body }) => body.duplicate === false)).toHaveLength(1);
    expect(await submissionsOf(id)).toHaveLength(1);
  });

  it.each([
    ['drawn thirteen hours ago', () => ulid(Date.now() - 13 * 3_600_000)],
    ['drawn by a clock ahead of ours', () => ulid(Date.now() + 3_600_000)],
  ])(
    'telecommands.T1 MC-TC-063 knows an identifier %s by its history, when the stream has forgotten it',
    async (_what, draw) => {
      const id = draw();
      await world.event('sat1', { tc: id, state: 'PENDING', at: new Date().toISOString() });
      expect((await coverage.post(`${url}/v1/tc`, { ...ping, id })).body).toEqual({ id, duplicate: true });
      expect(await submissionsOf(id)).toHaveLength(0);
      const unknown = draw();
      expect((await coverage.post(`${url}/v1/tc`, { ...ping, id: unknown })).body.duplicate).toBe(false);
    },
  );

  it('telecommands.T2 MC-TC-063 answers duplicate to a retry that would be refused by now', async () => {
    const id = ulid();
    await world.event('sat1', { tc: id, state: 'PENDING', at: new Date().toISOString() });
    const answer = await coverage.post(`${url}/v1/tc`, { target: 'sat1', telecommand: 'nothing', id });
    expect(answer.body).toEqual({ id, duplicate: true });
  });

  it('telecommands.T2 MC-TC-063 answers duplicate to a retry of what waits to be taken up', async () => {
    const id = ulid();
    expect((await coverage.post(`${url}/v1/tc`, { ...ping, id })).body.duplicate).toBe(false);
    const retry = (of: string) =>
      coverage.post(`${url}/v1/tc`, { target: 'sat1', telecommand: 'nothing', id: of });
    expect((await retry(id)).body).toEqual({ id, duplicate: true });
    expect(codesOf(await retry(ulid()))).toEqual(['tc::unknown-telecommand']);
  });

  it.each(['x', '01arz3ndektsv4rrffq69g5fav', '81ARZ3NDEKTSV4RRFFQ69G5FAV', '01ARZ3NDEKTSV4RRFFQ69G5FA', ''])(
    'MC-TC-023 MC-ERR-008 refuses id %j with 400 api::invalid-id',
    async (id) => {
      const answer = await coverage.post(`${url}/v1/tc`, { ...ping, id });
      expect(answer.status).toBe(400);
      expect(codesOf(answer)).toEqual(['api::invalid-id']);
    },
  );

  it('MC-TC-001 MC-TC-002 refuses a body without target and telecommand, naming both', async () => {
    const answer = await coverage.post(`${url}/v1/tc`, {});
    expect(answer.status).toBe(400);
    const missing = answer.body.errors.map(({ message }: { message: string }) => message);
    expect(missing).toEqual(['/target is missing', '/telecommand is missing']);
  });

  it('MC-TC-024 MC-ERR-029 answers 404 tc::unknown-target', async () => {
    const answer = await coverage.post(`${url}/v1/tc`, { ...ping, target: 'sat9' });
    expect(answer.status).toBe(404);
    expect(codesOf(answer)).toEqual(['tc::unknown-target']);
  });

  it('MC-TC-033 MC-ERR-004 lists every fault of a request at once with 422', async () => {
    const args = { period: '5 s', mode: 'ON', colour: 'red' };
    const answer = await coverage.post(`${url}/v1/tc`, {
      target: 'sat1',
      telecommand: 'obc.set_rate',
      args,
      link: 'no',
    });
    expect(answer.status).toBe(422);
    expect(codesOf(answer).sort()).toEqual([
      'tc::invalid-argument',
      'tc::missing-argument',
      'tc::out-of-range',
      'tc::unexpected-argument',
      'tc::unknown-link',
    ]);
  });

  it('MC-TC-058 does not refuse a telecommand without a plan', async () => {
    expect((await coverage.post(`${url}/v1/tc`, { target: 'sat1', telecommand: 'obc.reset' })).status).toBe(
      202,
    );
  });
});

describe.each([
  ['POST /v1/tc', '/v1/tc'],
  ['POST /v1/encode', '/v1/encode'],
])('resolution on %s', (_name, path) => {
  it.each([
    ['tc::unknown-target', 404, { target: 'sat9', telecommand: 'ping' }],
    ['tc::missing-catalogue', 422, { target: 'ghost', telecommand: 'ping' }],
    ['tc::unknown-link', 422, { ...ping, link: 'xband' }],
    ['tc::unknown-environment', 422, { ...ping, environment: 'flight' }],
    ['tc::environment-required', 422, { target: 'sat2', telecommand: 'ping' }],
    ['tc::link-component', 422, { ...ping, link: 'sband' }],
    ['tc::unknown-telecommand', 422, { ...ping, telecommand: 'pong' }],
    ['tc::ambiguous-telecommand', 422, { ...ping, telecommand: 'reset' }],
    ['tc::missing-instance', 422, { ...ping, telecommand: 'battery.reset' }],
    ['tc::unexpected-instance', 422, { ...ping, instance: '1' }],
    ['tc::unknown-instance', 422, { ...ping, telecommand: 'battery.reset', instance: '3' }],
    ['tc::unexpected-argument', 422, { ...ping, args: { x: 1 } }],
    ['tc::missing-argument', 422, { ...ping, telecommand: 'set_rate' }],
    ['tc::invalid-argument', 422, { ...ping, telecommand: 'set_rate', args: { level: '1 kg' } }],
    ['tc::out-of-range', 422, { ...ping, telecommand: 'set_rate', args: { level: 1, period: '1 h' } }],
    // One id for each line of the table, in its order.
  ])(
    'MC-ERR-029 MC-ERR-030 MC-ERR-031 MC-ERR-032 MC-ERR-033 MC-ERR-034 MC-ERR-035 MC-ERR-036 MC-ERR-037 MC-ERR-038 MC-ERR-039 MC-ERR-040 MC-ERR-041 MC-ERR-042 MC-ERR-043 refuses with %s, status %i',
    async (code, status, body) => {
      const answer = await coverage.post(url + path, body);
      expect(answer.status).toBe(status);
      expect(codesOf(answer)).toEqual([code]);
      expect(answer.body.errors[0].message).toMatch(/\w+ \w+/);
    },
  );
});

describe('holds of runs', () => {
  const reset = { target: 'sat1', telecommand: 'obc.reset' };
  const [first, second] = [ulid(), ulid()];

  /** The answer once the front end has received the change. */
  async function answered(body: object, status: number) {
    return until(async () => {
      const answer = await coverage.post(`${url}/v1/tc`, body);
      return answer.status === status && answer;
    });
  }

  it('MC-TC-030 MC-ERR-044 refuses 409 tc::target-held and names every holding run', async () => {
    await world.hold('sat1', [
      { run: first, mode: 'exclusive' },
      { run: second, mode: 'shared' },
    ]);
    const answer = await answered(ping, 409);
    expect(codesOf(answer)).toEqual(['tc::target-held']);
    expect(answer.body.errors[0].message).toContain(first);
    expect(answer.body.errors[0].message).toContain(second);
    expect(
      (await coverage.post(`${url}/v1/tc`, { ...ping, target: 'sat2', environment: 'bench' })).status,
    ).toBe(202);
  });

  it('MC-TC-030 target-holds.H1 refuses 409 tc::target-held where the hold cannot be read, and says what to do', async () => {
    await world.bus.bucket(buckets.leases).overwrite('sat1', Buffer.from('{"holders":'));
    const answer = await answered(ping, 409);
    expect(codesOf(answer)).toEqual(['tc::target-held']);
    expect(answer.body.errors[0].message).toContain('cannot be read: `mcs bus check`');
    expect(
      (await coverage.post(`${url}/v1/tc`, { ...ping, target: 'sat2', environment: 'bench' })).status,
    ).toBe(202);
    await world.hold('sat1', []);
    await answered(ping, 202);
  });

  it('MC-TC-031 MC-TC-032 under shared holds takes what changes nothing and refuses what does', async () => {
    await world.hold('sat1', [{ run: first, mode: 'shared' }]);
    const answer = await answered(reset, 409);
    expect(answer.body.errors[0].message).toContain(first);
    expect((await coverage.post(`${url}/v1/tc`, ping)).status).toBe(202);
  });

  it('http/holds.H1 takes a telecommand again as soon as the hold is gone, whatever the cache says', async () => {
    const bucket = world.bus.bucket(buckets.leases);
    await bucket.remove('sat1', (await bucket.get('sat1'))!.revision);
    expect((await coverage.post(`${url}/v1/tc`, reset)).status).toBe(202);
  });

  it('MC-GEN-027 resolves before it looks at holds, and both before anything is published', async () => {
    await world.hold('sat1', [{ run: first, mode: 'exclusive' }]);
    await answered(ping, 409);
    expect(codesOf(await coverage.post(`${url}/v1/tc`, { ...ping, telecommand: 'pong' }))).toEqual([
      'tc::unknown-telecommand',
    ]);
    await world.hold('sat1', []);
    await answered(ping, 202);
  });
});

describe('following telecommands', () => {
  const at = '2026-01-02T03:04:05.000Z';
  const event = (tc: string, state: TcEvent['state'], more: Partial<TcEvent> = {}): TcEvent => ({
    tc,
    state,
    at,
    ...more,
  });
  const states = (messages: readonly TcEvent[]): string[] => messages.map(({ state }) => state);

  it('MC-TC-049 MC-TC-050 replays what is recorded, follows, and closes 1000 after the final state', async () => {
    const id = ulid();
    await world.event('sat1', event(id, 'PENDING', { by: 'ada' }));
    const client = await coverage.open(`${url}/v1/tc/sat1/${id}/events`);
    await until(() => client.messages.length === 1);
    for (const state of ['ENCODED', 'SENT', 'VERIFIED'] as const) await world.event('sat1', event(id, state));
    await until(() => client.closed);
    expect(states(client.messages)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFIED']);
    expect(client.messages[0]).toEqual(event(id, 'PENDING', { by: 'ada' }));
    expect(client.closed?.code).toBe(1000);
  });

  it('MC-TC-051 MC-TC-045 gives the whole history after the end, a late echo included, and closes', async () => {
    const id = ulid();
    for (const state of ['PENDING', 'ENCODED', 'SENT', 'COMPLETE'] as const)
      await world.event('sat1', event(id, state));
    await world.event('sat1', event(id, 'ECHO', { conforming: true }));
    const client = await coverage.open(`${url}/v1/tc/sat1/${id}/events`);
    await until(() => client.closed);
    expect(states(client.messages)).toEqual(['PENDING', 'ENCODED', 'SENT', 'COMPLETE', 'ECHO']);
    expect(client.closed?.code).toBe(1000);
  });

  it('does not take an echo for an end', async () => {
    const id = ulid();
    for (const state of ['PENDING', 'ENCODED', 'SENT'] as const) await world.event('sat1', event(id, state));
    await world.event('sat1', event(id, 'ECHO', { conforming: false }));
    const client = await coverage.open(`${url}/v1/tc/sat1/${id}/events`);
    await until(() => client.messages.length === 4);
    expect(client.closed).toBeUndefined();
    await world.event('sat1', event(id, 'VERIFY_TIMEOUT'));
    await until(() => client.closed);
    expect(client.messages).toHaveLength(5);
  });

  it('MC-TC-053 opens for an identifier never submitted and waits', async () => {
    const id = ulid();
    const client = await coverage.open(`${url}/v1/tc/sat1/${id}/events`);
    expect(client.opened).toBe(true);
    await world.event('sat1', event(id, 'REJECTED', { detail: 'late' }));
    await until(() => client.closed);
    expect(states(client.messages)).toEqual(['REJECTED']);
  });

  it('MC-GEN-014 follows through another instance what was submitted through the first', async () => {
    const other = await world.another();
    const { body } = await coverage.post(`${url}/v1/tc`, ping);
    const client = await coverage.open(`${other.url}/v1/tc/sat1/${body.id}/events`);
    await world.event('sat1', event(body.id, 'REJECTED'));
    await until(() => client.closed);
    expect(client.messages).toHaveLength(1);
  });

  it('MC-TC-052 MC-ERR-008 MC-ERR-009 refuses a path that names no telecommand with 404', async () => {
    const wrongId = await coverage.follow(`${url}/v1/tc/sat1/nope/events`);
    expect([wrongId.refused?.status, codesOf(wrongId.refused!)]).toEqual([404, ['api::invalid-id']]);
    const wrongTarget = await coverage.follow(`${url}/v1/tc/sat.1/${ulid()}/events`);
    expect([wrongTarget.refused?.status, codesOf(wrongTarget.refused!)]).toEqual([
      404,
      ['api::invalid-target'],
    ]);
    const unknown = await coverage.follow(`${url}/v1/tc/sat9/${ulid()}/events`);
    expect([unknown.refused?.status, codesOf(unknown.refused!)]).toEqual([404, ['api::unknown-target']]);
  });

  it('still reports the history of a target that has left the topology', async () => {
    const id = ulid();
    await world.event('old-sat', event(id, 'VERIFIED'));
    const client = await coverage.open(`${url}/v1/tc/old-sat/${id}/events`);
    await until(() => client.closed);
    expect(states(client.messages)).toEqual(['VERIFIED']);
  });

  it('MC-TC-046 MC-TC-054 MC-TC-056 watches every telecommand of a target, with target, from now', async () => {
    const [past, first, second, other] = [ulid(), ulid(), ulid(), ulid()];
    await world.event('sat1', event(past, 'PENDING'));
    const client = await coverage.open(`${url}/v1/tc/watch?target=sat1`);
    await world.event('sat2', event(other, 'PENDING'));
    await world.event('sat1', event(first, 'PENDING', { run: ulid(), step: 'a/b' }));
    await world.event('sat1', event(second, 'VERIFIED'));
    await world.event('sat1', event(first, 'SENT'));
    await until(() => client.messages.length === 3);
    expect(client.messages.map(({ tc, target }) => [tc, target])).toEqual([
      [first, 'sat1'],
      [second, 'sat1'],
      [first, 'sat1'],
    ]);
    expect(client.messages[0].step).toBe('a/b');
    client.close();
  });

  it('MC-TC-055 watches every target without a query', async () => {
    const client = await coverage.open(`${url}/v1/tc/watch`);
    const [first, second] = [ulid(), ulid()];
    await world.event('sat1', event(first, 'PENDING'));
    await world.event('sat2', event(second, 'PENDING'));
    await until(() => client.messages.length === 2);
    expect(client.messages.map(({ target }) => target)).toEqual(['sat1', 'sat2']);
    client.close();
  });

  it('refuses to watch a malformed target', async () => {
    const unknown = await coverage.follow(`${url}/v1/tc/watch?target=sat9`);
    expect([unknown.refused?.status, codesOf(unknown.refused!)]).toEqual([404, ['api::unknown-target']]);
    const invalid = await coverage.follow(`${url}/v1/tc/watch?target=sat.*`);
    expect([invalid.refused?.status, codesOf(invalid.refused!)]).toEqual([400, ['api::invalid-body']]);
  });
});

describe('encode and decode', () => {
  const asked: { verb: string; call: EncodeCall | DecodeCall }[] = [];
  let encodeAnswer: DriverAnswer<EncodeReply> | string;
  let decodeAnswer: object;

  beforeAll(() => {
    for (const driver of ['enc-1', 'spare']) {
      world.bus.serve(subject.driverVerb(driver, 'encode'), async ({ data }) => {
        asked.push({ verb: `${driver} encode`, call: read(data) });
        return Buffer.from(typeof encodeAnswer === 'string' ? encodeAnswer : JSON.stringify(encodeAnswer));
      });
      world.bus.serve(subject.driverVerb(driver, 'decode'), async ({ data }) => {
        asked.push({ verb: `${driver} decode`, call: read(data) });
        return Buffer.from(JSON.stringify(decodeAnswer));
      });
    }
    world.bus.serve(subject.driverVerb('silent', 'encode'), () => new Promise(() => {}));
    world.bus.serve(subject.driverVerb('silent', 'decode'), () => new Promise(() => {}));
  });

  const heat = { target: 'sat1', telecommand: 'heat', instance: '1' };

  it('MC-ENC-003 MC-ENC-004 MC-ENC-005 MC-ENC-006 answers the frame with what it was made from', async () => {
    encodeAnswer = { ok: true, value: { frame: '00ff10' } };
    const answer = await coverage.post(`${url}/v1/encode`, { ...heat, environment: 'bench' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      target: 'sat1',
      link: 'uhf',
      environment: 'bench',
      driver: 'enc-1',
      telecommand: 'battery[1].heat',
      args: { on: true },
      frame: '00ff10',
      size: 3,
    });
    expect(asked.at(-1)).toEqual({
      verb: 'enc-1 encode',
      call: {
        target: 'sat1',
        link: 'uhf',
        environment: 'bench',
        component: 'battery',
        instance: '1',
        telecommand: 'heat',
        args: { on: true },
      },
    });
  });

  it('MC-ENC-007 passes the text of a printable frame on', async () => {
    encodeAnswer = { ok: true, value: { frame: '4869', text: 'Hi' } };
    expect((await coverage.post(`${url}/v1/encode`, heat)).body.text).toBe('Hi');
  });

  it('MC-ENC-002 asks the driver of the request instead of the bound one', async () => {
    encodeAnswer = { ok: true, value: { frame: '' } };
    const answer = await coverage.post(`${url}/v1/encode`, { ...heat, driver: 'spare' });
    expect(answer.body).toMatchObject({ driver: 'spare', size: 0 });
    expect(asked.at(-1)?.verb).toBe('spare encode');
    expect((await coverage.post(`${url}/v1/encode`, { ...heat, driver: 'spare', link: 'bare' })).status).toBe(
      200,
    );
  });

  it('MC-ENC-001 refuses a field encode does not have', async () => {
    const answer = await coverage.post(`${url}/v1/encode`, { ...heat, id: ulid() });
    expect(answer.status).toBe(400);
    expect(codesOf(answer)).toEqual(['api::invalid-body']);
  });

  it('MC-ENC-008 MC-ENC-009 sends nothing, writes no event and encodes under the hold of a run', async () => {
    encodeAnswer = { ok: true, value: { frame: '00' } };
    await world.hold('sat1', [{ run: ulid(), mode: 'exclusive' }]);
    const bucket = world.bus.bucket(buckets.leases);
    const hold = (await bucket.get('sat1'))!.revision;
    const events: string[] = [];
    const follower = await world.bus.follow(
      streams.telecommandEvents,
      'mcs.tc.evt.*.*',
      { from: 'now' },
      (message) => {
        events.push(message.subject);
      },
    );
    const before = submitted.length;
    expect((await coverage.post(`${url}/v1/encode`, heat)).status).toBe(200);
    const probe = ulid();
    await world.event('sat2', { tc: probe, state: 'PENDING', at: new Date().toISOString() });
    await until(() => events.length > 0);
    expect(events).toEqual([`mcs.tc.evt.sat2.${probe}`]);
    expect(submitted.length).toBe(before);
    expect((await bucket.get('sat1'))!.revision).toBe(hold);
    await follower.stop();
    await world.hold('sat1', []);
  });

  const samples = [{ component: 'obc', measure: 'counter', raw: 7, value: 7 }];

  it.each([
    ['MC-ENC-015 frame with spaces', { frame: '00 FF\t1a' }, '00ff1a'],
    ['MC-ENC-016 text', { text: 'Hé' }, '48c3a9'],
  ])('MC-ENC-014 MC-ENC-015 MC-ENC-016 MC-ENC-017 decodes %s', async (_what, input, frame) => {
    decodeAnswer = { ok: true, value: { samples } };
    const answer = await coverage.post(`${url}/v1/decode`, { target: 'sat1', ...input });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ target: 'sat1', link: 'uhf', driver: 'enc-1', samples });
    expect(asked.at(-1)).toEqual({ verb: 'enc-1 decode', call: { target: 'sat1', link: 'uhf', frame } });
  });

  it('decodes for a target without catalogue, in an environment and through another driver', async () => {
    decodeAnswer = { ok: true, value: { samples: [] } };
    const body = { target: 'ghost', link: 'uhf', environment: 'bench', driver: 'spare', frame: '00' };
    const answer = await coverage.post(`${url}/v1/decode`, body);
    expect(answer.body).toEqual({
      target: 'ghost',
      link: 'uhf',
      environment: 'bench',
      driver: 'spare',
      samples: [],
    });
  });

  it.each([
    ['MC-ENC-023 digits that are none', { frame: '0g' }],
    ['MC-ENC-023 an odd number of digits', { frame: '000' }],
    ['MC-ENC-023 nothing in it', { frame: ' ' }],
    ['more bytes than a frame has', { frame: '00'.repeat(65_543) }],
    ['MC-ENC-024 neither frame nor text', {}],
    ['MC-ENC-024 both', { frame: '00', text: 'a' }],
  ])(
    'MC-ERR-013 MC-ENC-023 MC-ENC-024 refuses a frame with %s: 400 api::invalid-frame',
    async (_what, input) => {
      const answer = await coverage.post(`${url}/v1/decode`, { target: 'sat1', ...input });
      expect(answer.status).toBe(400);
      expect(codesOf(answer)).toEqual(['api::invalid-frame']);
    },
  );

  it.each([
    ['api::unknown-target', 404, { target: 'sat9' }],
    ['api::unknown-link', 422, { target: 'sat1', link: 'x' }],
    ['api::unknown-environment', 422, { target: 'sat1', environment: 'flight' }],
    ['api::invalid-body', 400, { target: 'sat1', telecommand: 'x' }],
  ])(
    'MC-ENC-022 MC-ERR-014 MC-ERR-015 MC-ERR-016 decode refuses with %s, status %i',
    async (code, status, input) => {
      const answer = await coverage.post(`${url}/v1/decode`, { frame: '00', ...input });
      expect(answer.status).toBe(status);
      expect(codesOf(answer)).toEqual([code]);
    },
  );

  describe.each([
    ['encode', '/v1/encode', heat, 'driver::encode-failed'],
    ['decode', '/v1/decode', { target: 'sat1', frame: '00' }, 'driver::decode-failed'],
  ])('the driver of %s', (_verb, path, body, failed) => {
    it('MC-ENC-012 MC-ENC-022 MC-ERR-045 unbound: 409 driver::unbound', async () => {
      const answer = await coverage.post(url + path, { ...body, link: 'bare' });
      expect(answer.status).toBe(409);
      expect(codesOf(answer)).toEqual(['driver::unbound']);
    });

    it.each([
      [failed, 422],
      ['driver::no-verb', 501],
    ])(
      'MC-ENC-012 MC-ENC-022 MC-ERR-046 MC-ERR-047 MC-ERR-048 refusing with %s: %i',
      async (code, status) => {
        const refusal = { ok: false as const, faults: [{ code, message: 'the driver says no' }] };
        encodeAnswer = refusal as never;
        decodeAnswer = refusal;
        const answer = await coverage.post(url + path, body);
        expect(answer.status).toBe(status);
        expect(answer.body.errors).toEqual(refusal.faults);
      },
    );

    it('MC-ENC-025 MC-ERR-049 silent for 5 s: 504 driver::no-answer', async () => {
      const began = performance.now();
      const answer = await coverage.post(url + path, { ...body, driver: 'silent' });
      expect(answer.status).toBe(504);
      expect(codesOf(answer)).toEqual(['driver::no-answer']);
      expect(performance.now() - began).toBeGreaterThan(4_900);
    });

    it('MC-ENC-013 MC-ERR-017 named and not there: 404 api::unknown-instance', async () => {
      const answer = await coverage.post(url + path, { ...body, driver: 'nobody' });
      expect(answer.status).toBe(404);
      expect(codesOf(answer)).toEqual(['api::unknown-instance']);
    });

    it.each(['a.b', '', 'a b', '*'])(
      'MC-ENC-013 MC-ERR-012 named %j: 404 api::invalid-instance',
      async (driver) => {
        const answer = await coverage.post(url + path, { ...body, driver });
        expect(answer.status).toBe(404);
        expect(codesOf(answer)).toEqual(['api::invalid-instance']);
      },
    );

    it.each([
      ['no JSON', 'not JSON'],
      ['a list', []],
      ['null', null],
      ['nothing that it may answer', {}],
      ['another type', { ok: 'yes', frame: 5, samples: 'many' }],
    ])('answering %s counts as no answer', async (_, answered) => {
      encodeAnswer = answered as never;
      decodeAnswer = answered as never;
      const answer = await coverage.post(url + path, body);
      expect([answer.status, codesOf(answer)]).toEqual([504, ['driver::no-answer']]);
    });
  });
});

describe('current values', () => {
  const start = Date.parse('2026-03-01T00:00:00Z');

  it('MC-VAL-001 MC-VAL-002 answers the latest sample of each measure in key order', async () => {
    await world.sample('sat1', 'obc.counter', 1, start);
    await world.sample('sat1', 'obc.counter', 2, start + 1000);
    await world.sample('sat1', 'battery[2].voltage', 7.5, start);
    await world.sample('sat1', 'battery[1].voltage', 7.25, start);
    const answer = await until(async () => {
      const values = await coverage.call(`${url}/v1/targets/sat1/values`);
      return values.body.values.length === 3 && values;
    });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(
      answer.body.values.map(({ component, instance, measure, sample }: never) => [
        component,
        instance,
        measure,
        (sample as { value: number }).value,
      ]),
    ).toEqual([
      ['battery', '1', 'voltage', 7.25],
      ['battery', '2', 'voltage', 7.5],
      ['obc', undefined, 'counter', 2],
    ]);
    expect((await coverage.call(`${url}/v1/targets/sat2/values`)).body).toEqual({ values: [] });
    await world.sample('sat1', 'obc.counter', 3, start + 2000);
    await until(async () => {
      const values = await coverage.call(`${url}/v1/targets/sat1/values`);
      return values.body.values[2].sample.value === 3;
    });
  });

  it('MC-VAL-012 MC-VAL-014 watches: current values first, then each update, one per message', async () => {
    const client = await coverage.open(`${url}/v1/targets/sat1/values/watch?measures=`);
    await until(() => client.messages.length === 3);
    for (let n = 3; n < 103; n += 1) await world.sample('sat1', 'obc.counter', n, start + n * 1000);
    await until(() => client.messages.length === 103);
    const updates = client.messages.slice(3).map(({ measure, sample }) => [measure, sample.value]);
    expect(updates).toEqual(Array.from({ length: 100 }, (_, index) => ['counter', index + 3]));
    client.close();
  });

  it.each([
    ['battery[2].voltage', ['battery[2].voltage']],
    ['battery.voltage', ['battery[1].voltage', 'battery[2].voltage']],
    ['voltage', ['battery[1].voltage', 'battery[2].voltage']],
    ['counter,battery[1].voltage', ['battery[1].voltage', 'obc.counter']],
    ['nothing,counter', ['obc.counter']],
  ])('MC-VAL-013 MC-VAL-018 watches only what measures=%s names', async (measures, keys) => {
    const client = await coverage.open(
      `${url}/v1/targets/sat1/values/watch?measures=${encodeURIComponent(measures)}`,
    );
    await until(() => client.messages.length === keys.length);
    const got = client.messages.map(
      ({ component, instance, measure }) =>
        `${component}${instance === undefined ? '' : `[${instance}]`}.${measure}`,
    );
    expect(got).toEqual(keys);
    client.close();
  });

  it('MC-VAL-016 does not send a sample older than the known one', async () => {
    const client = await coverage.open(`${url}/v1/targets/sat1/values/watch?measures=battery[2].voltage`);
    await world.sample('sat1', 'battery[2].voltage', 1, start - 1000);
    await world.sample('sat1', 'battery[2].voltage', 8, start + 1000);
    await until(() => client.messages.length === 2);
    expect(client.messages.map(({ sample }) => sample.value)).toEqual([7.5, 8]);
    client.close();
  });

  it('MC-VAL-015 MC-ERR-011 refuses what is no selector with 400 api::invalid-measure, each one', async () => {
    const { refused } = await coverage.follow(
      `${url}/v1/targets/sat1/values/watch?measures=a..b,counter,[1]`,
    );
    expect(refused?.status).toBe(400);
    expect(codesOf(refused!)).toEqual(['api::invalid-measure', 'api::invalid-measure']);
  });

  it('goes on watching the same measures when a new configuration gives them other ordinals', async () => {
    const client = await coverage.open(`${url}/v1/targets/sat1/values/watch?measures=counter`);
    await until(() => client.messages.length === 1);
    const before = world.missions.current!;
    const grown = testMission(`
platform: box
version: 1.0.0
components:
  aaa: { measures: { first: { type: u8 }, counter: { type: u8 } } }
  obc: { measures: { counter: { type: u16 } }, telecommands: { ping: { changes_state: false } } }
  camera: { telecommands: { shoot: {} } }
`);
    expect(grown.targets.get('sat1')!.platform!.ordinal('obc.counter')).not.toBe(
      before.targets.get('sat1')!.platform!.ordinal('obc.counter'),
    );
    world.missions.publish(grown);
    await world.sample('sat1', 'aaa.first', 1, start + 200_000);
    await world.sample('sat1', 'obc.counter', 200, start + 200_000);
    await until(() => client.messages.some(({ sample }) => sample.value === 200));
    expect(client.messages.every(({ measure }) => measure === 'counter')).toBe(true);
    world.missions.publish(before);
    client.close();
  });
});

describe.each([
  ['values', '/values', false],
  ['the watch of values', '/values/watch', true],
  ['the catalogue', '/catalogue', false],
])('the target of %s', (_name, path, follows) => {
  const answerOf = async (target: string) =>
    follows
      ? (await coverage.follow(`${url}/v1/targets/${target}${path}`)).refused!
      : coverage.call(`${url}/v1/targets/${target}${path}`);

  it.each([
    ['sat.1', 404, 'api::invalid-target'],
    ['sat9', 404, 'api::unknown-target'],
    ['ghost', 503, 'api::no-catalogue'],
  ])('MC-VAL-017 MC-CAT-006 MC-ERR-014 MC-ERR-021 %s answers %i %s', async (target, status, code) => {
    const answer = await answerOf(target);
    expect([answer.status, codesOf(answer)]).toEqual([status, [code]]);
  });
});

describe('the frames of a target', () => {
  it('opens for a target and for one of its links', async () => {
    for (const query of ['', '?link=uhf&raw=true']) {
      (await coverage.open(`${url}/v1/links/sat1/frames${query}`)).close();
    }
  });

  it.each([
    ['sat.1', '', 404, 'api::invalid-target'],
    ['sat9', '', 404, 'api::unknown-target'],
    ['sat1', '?link=xband', 422, 'api::unknown-link'],
    ['sat1', '?raw=maybe', 400, 'api::invalid-body'],
  ])('refuses %s%s with %i %s', async (target, query, status, code) => {
    const { refused } = await coverage.follow(`${url}/v1/links/${target}/frames${query}`);
    expect([refused?.status, codesOf(refused!)]).toEqual([status, [code]]);
  });
});

describe('the service about itself', () => {
  it('MC-CAT-001 MC-CAT-006 answers the catalogue of a target', async () => {
    const answer = await coverage.call(`${url}/v1/targets/sat1/catalogue`);
    expect(answer.status).toBe(200);
    expect(answer.body.platform).toBe('box@1.0.0');
    expect(answer.body.components.map(({ name }: { name: string }) => name)).toEqual([
      'obc',
      'battery',
      'camera',
    ]);
  });

  it('MC-GEN-015 MC-TC-027 resolves the next request against a new configuration', async () => {
    const before = world.missions.current!;
    const changed = testMission(
      'platform: box\nversion: 1.0.0\ncomponents: { camera: { telecommands: { ping: {} } } }\n',
    );
    world.missions.publish(changed);
    const { body } = await coverage.post(`${url}/v1/tc`, ping);
    const [message] = await until(() => {
      const found = submitted.filter(({ data }) => read<TcSubmission>(data).id === body.id);
      return found.length > 0 && found;
    });
    expect(message!.headers[header.config]).toBe(changed.revision);
    expect(read<TcSubmission>(message!.data).component).toBe('camera');
    world.missions.publish(before);
  });

  it('MC-GEN-020 describes itself as OpenAPI 3.1, version 0.1.0, follow routes included', async () => {
    const { body, status } = await coverage.call(`${url}/v1/openapi.json`);
    expect(status).toBe(200);
    expect(body.openapi).toBe('3.1.0');
    expect(body.info.version).toBe('0.1.0');
    const watch = body.paths['/v1/targets/{target}/values/watch'].get;
    expect(watch.responses['101']).toBeDefined();
    expect(watch['x-message']).toEqual({ $ref: '#/components/schemas/CurrentValue' });
    const references = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name!,
    );
    for (const name of references) expect(body.components.schemas).toHaveProperty(name);
  });

  it('describes its follow routes as AsyncAPI 3.0, version 0.1.0', async () => {
    const { body, status } = await coverage.call(`${url}/v1/asyncapi.json`);
    expect(status).toBe(200);
    expect([body.asyncapi, body.info.version]).toEqual(['3.0.0', '0.1.0']);
    expect(Object.keys(body.channels)).toEqual(follows.map(({ operationId }) => operationId));
  });

  it('MC-MET-004 exposes counters as Prometheus text on /metrics', async () => {
    const { body, headers } = await coverage.call(`${url}/metrics`);
    expect(headers.get('content-type')).toContain('text/plain');
    expect(body).toMatch(/mcs_http_requests_total\{operation="submitTelecommand",status="202"\} \d+/);
    expect(body).toMatch(/mcs_http_followers \d+/);
  });

  it('keeps what probes ask open and outside /v1', async () => {
    expect(await coverage.call(`${url}/readyz`)).toMatchObject({
      status: 200,
      body: { ready: true, missing: [] },
    });
    const { body, status } = await coverage.call(`${url}/healthz?probe=1`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'up', bus: 'connected', configuration: world.mission.revision });
    expect(body.roles).toEqual({ api: 'running' });
  });
});

describe('GET /v1/links/{target}', () => {
  const links = (target = 'sat2') => coverage.call(`${url}/v1/links/${target}`);
  const bound = { target: 'sat2', link: 'uhf', mode: null, parameters: {}, overrides: {}, epoch: 1, seq: 1 };
  /** Not of a moment in which this machine stood still, and nobody answered in time. */
  const inTime = (body: object): boolean => !JSON.stringify(body).includes('it did not answer within');

  /** Drivers and gateways that answer so until `stop`. */
  function serving(states: Readonly<Record<string, object>>) {
    const served = Object.entries(states).map(([name, state]) => {
      const about = name.startsWith('gw-')
        ? subject.gatewayVerb(name, 'state')
        : subject.driverVerb(name, 'state');
      return world.bus.serve(about, async () => Buffer.from(JSON.stringify(state)));
    });
    return { stop: () => Promise.all(served.map((each) => each.stop())) };
  }

  it('MC-MODE-016 reports who serves each link, and whether it knows how the link is bound', async () => {
    const { stop } = serving({
      'enc-1': { driver: 'enc-1', protocol: 'space-packet', bindings: [bound] },
      'gw-1': { link: { state: 'silent', since: 1, reason: 'nothing heard' }, bindings: [] },
      'gw-2': { link: { state: 'up', since: 1 }, bindings: [{ ...bound, mode: 'nominal' }] },
    });
    const body = await until(async () => {
      const answer = await links();
      return inTime(answer.body) && answer.body;
    });
    expect(body).toEqual({
      target: 'sat2',
      mode: null,
      links: [
        {
          link: 'uhf',
          default: true,
          driver: { name: 'enc-1', state: 'running', bound: 'current', mode: null },
          gateways: [
            {
              name: 'gw-1',
              environments: ['bench'],
              state: 'silent',
              reason: 'nothing heard',
              bound: 'never',
            },
            {
              name: 'gw-2',
              environments: ['flight'],
              state: 'up',
              bound: 'outdated',
              mode: 'nominal',
            },
          ],
        },
      ],
    });
    await stop();
  });

  it('reports one that nobody runs, of a link without driver, and asks each only once', async () => {
    let asked = 0;
    const served = world.bus.serve(subject.driverVerb('enc-1', 'state'), async () => {
      asked += 1;
      return Buffer.from(JSON.stringify({ bindings: 'none', link: { state: 'odd' } }));
    });
    const body = await until(async () => {
      asked = 0;
      const answer = await links('sat1');
      return inTime(answer.body) && answer.body;
    });
    expect(asked).toBe(1);
    const gone = { name: 'gw-1', environments: ['bench'], state: 'absent', reason: 'no process runs it' };
    expect(body.links).toEqual([
      ...['uhf', 'sband'].map((link) => ({
        link,
        default: link === 'uhf',
        // What it says of bindings is none.
        driver: { name: 'enc-1', state: 'running' },
        gateways: [gone],
      })),
      { link: 'bare', default: false, driver: null, gateways: [gone] },
    ]);
    await served.stop();
  });

  it('refuses a malformed target, or unknown', async () => {
    expect(codesOf(await links('a.b'))).toEqual(['api::invalid-target']);
    expect(codesOf(await links('sat9'))).toEqual(['api::unknown-target']);
  });
});

/** One request per endpoint that reaches its handler. */
const requests: readonly (readonly [string, string, object | undefined])[] = [
  ['POST', '/v1/tc', ping],
  ['POST', '/v1/encode', ping],
  ['POST', '/v1/decode', { target: 'sat1', frame: '00' }],
  ['GET', '/v1/targets/sat1/values', undefined],
  ['GET', '/v1/targets/sat1/catalogue', undefined],
  ['GET', '/v1/openapi.json', undefined],
  ['GET', '/v1/asyncapi.json', undefined],
  ['WS', `/v1/tc/sat1/${ulid()}/events`, undefined],
  ['WS', '/v1/tc/watch', undefined],
  ['WS', '/v1/targets/sat1/values/watch', undefined],
  ['WS', '/v1/links/sat1/frames', undefined],
  ['GET', '/v1/links/sat1', undefined],
];

async function answerOf(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  if (method === 'POST') return coverage.post(url + path, body, headers);
  if (method === 'GET') return coverage.call(url + path, { headers });
  const followed = await coverage.follow(url + path, headers);
  followed.close();
  return followed.refused;
}

describe('on every route', () => {
  it.each(requests)(
    'MC-AUTH-016 %s %s refuses a token: 401 auth::no-provider',
    async (method, path, body) => {
      const answer = await answerOf(method, path, body, { authorization: 'Bearer x' });
      expect([answer?.status, codesOf(answer!)]).toEqual([401, ['auth::no-provider']]);
    },
  );

  it.each(requests)(
    'MC-ERR-023 %s %s refuses a token that is not good: 401 auth::invalid-token',
    async (method, path, body) => {
      const before = world.missions.current!;
      world.missions.publish({ ...before, settings: { ...before.settings, auth: PROVIDER } });
      try {
        const answer = await answerOf(method, path, body, { authorization: 'Bearer x' });
        expect([answer?.status, codesOf(answer!)]).toEqual([401, ['auth::invalid-token']]);
      } finally {
        world.missions.publish(before);
      }
    },
  );

  it.each(requests)(
    'MC-AUTH-017 %s %s lets nobody in before the configuration is read: it may ask for tokens',
    async (method, path, body) => {
      world.missions.known = false;
      try {
        const answer = await answerOf(method, path, body, { 'x-mcs-user': 'ada' });
        expect([answer?.status, codesOf(answer!)]).toEqual([503, ['api::unavailable']]);
        expect((await coverage.call(`${url}/healthz`)).status).toBe(200);
      } finally {
        world.missions.known = true;
      }
    },
  );

  it.each(requests)(
    'MC-AUTH-017 MC-AUTH-018 MC-ERR-025 %s %s needs a token with auth.required',
    async (method, path, body) => {
      const before = world.missions.current!;
      world.missions.publish({ ...before, settings: { ...before.settings, auth: { required: true } } });
      try {
        const answer = await answerOf(method, path, body, { 'x-mcs-user': 'ada' });
        expect([answer?.status, codesOf(answer!)]).toEqual([401, ['auth::token-required']]);
        expect((await coverage.call(`${url}/healthz`)).status).toBe(200);
      } finally {
        world.missions.publish(before);
      }
    },
  );

  it.each(requests)('MC-GEN-026 %s %s refuses an unknown query parameter', async (method, path, body) => {
    const answer = await answerOf(method, `${path}?nonsense=1`, body);
    expect([answer?.status, codesOf(answer!)]).toEqual([400, ['api::invalid-body']]);
  });

  it.each(requests.filter(([method]) => method === 'POST'))(
    'MC-GEN-006 MC-GEN-007 MC-GEN-008 MC-LIM-022 %s %s refuses bodies',
    async (_method, path, body) => {
      for (const wrong of ['{', [], { ...body, nonsense: 1 }, { ...body, target: 1 }]) {
        const answer = await coverage.post(url + path, wrong);
        expect([answer.status, codesOf(answer)[0]]).toEqual([400, 'api::invalid-body']);
      }
      const large = await coverage.post(url + path, { ...body, target: 'x'.repeat(1_100_000) });
      expect([large.status, codesOf(large)]).toEqual([413, ['api::too-large']]);
    },
  );

  const needy = requests.filter(([, path]) => !/api.json|tc\/(watch|sat1)/.test(path));

  it.each(needy)(
    'MC-GEN-016 MC-ERR-020 %s %s answers 503 api::no-configuration before there is one',
    async (method, path, body) => {
      const before = world.missions.current!;
      world.missions.publish(undefined);
      try {
        const answer = await answerOf(method, path, body);
        expect([answer?.status, codesOf(answer!)]).toEqual([503, ['api::no-configuration']]);
        expect((await coverage.call(`${url}/healthz`)).body.configuration).toBeNull();
      } finally {
        world.missions.publish(before);
      }
    },
  );
});

describe('without a bus', () => {
  const reading = requests.filter(([, path]) => !path.includes('api.json'));

  beforeAll(async () => {
    await world.nats.kill();
    await until(() => !world.bus.connected);
  });
  afterAll(async () => {
    await world.nats.start();
    await until(() => world.bus.connected);
  });

  it.each(reading)(
    'MC-GEN-017 MC-ERR-022 %s %s answers 503 api::unavailable fast',
    async (method, path, body) => {
      const spent = ownTime();
      const answer = await answerOf(method, path, body);
      expect([answer?.status, codesOf(answer!)]).toEqual([503, ['api::unavailable']]);
      expect(spent()).toBeLessThan(3_000);
    },
  );

  it('mission-of.G1 does not claim that nothing is published while it cannot know', async () => {
    const before = world.missions.current!;
    world.missions.publish(undefined);
    try {
      expect(codesOf(await coverage.post(`${url}/v1/tc`, ping))).toEqual(['api::unavailable']);
    } finally {
      world.missions.publish(before);
    }
  });

  it('MC-GEN-027 still refuses first what is wrong with the request itself', async () => {
    expect(codesOf(await coverage.post(`${url}/v1/tc`, { ...ping, telecommand: 'pong' }))).toEqual([
      'tc::unknown-telecommand',
    ]);
    const known = await coverage.post(`${url}/v1/tc`, { ...ping, telecommand: 'pong', id: ulid() });
    expect(codesOf(known)).toEqual(['tc::unknown-telecommand']);
  });

  it('says so on /healthz and stays up', async () => {
    const answer = await coverage.call(`${url}/healthz`);
    expect([answer.status, answer.body.bus]).toEqual([200, 'disconnected']);
  });
});

describe('after the bus came back', () => {
  it('takes telecommands and follows them again', async () => {
    const { body } = await until(async () => {
      const answer = await coverage.post(`${url}/v1/tc`, ping);
      return answer.status === 202 && answer;
    });
    // A server that has just come back may still be reading its streams: 503 until it has.
    const client = await until(async () => {
      const followed = await coverage.follow(`${url}/v1/tc/sat1/${body.id}/events`);
      if (!followed.opened) expect(followed.refused?.status).toBe(503);
      return followed.opened && followed;
    });
    await world.event('sat1', { tc: body.id, state: 'REJECTED', at: new Date().toISOString() });
    await until(() => client.closed);
    expect(client.messages).toHaveLength(1);
  });

  it('goes on watching holds', async () => {
    const run = ulid();
    await world.hold('sat2', [{ run, mode: 'exclusive' }]);
    const held = { ...ping, target: 'sat2', environment: 'bench' };
    const answer = await until(async () => {
      const reply = await coverage.post(`${url}/v1/tc`, held);
      return reply.status === 409 && reply;
    });
    expect(answer.body.errors[0].message).toContain(run);
  });
});

describe('going away', () => {
  it('answers 503 on /healthz while draining and still serves', async () => {
    world.frontEnd.drain();
    expect((await coverage.call(`${url}/readyz`)).status).toBe(503);
    const health = await coverage.call(`${url}/healthz`);
    expect([health.status, health.body.state]).toEqual([503, 'draining']);
    expect((await coverage.call(`${url}/v1/targets/sat1/catalogue`)).status).toBe(200);
  });
});

describe('the table', () => {
  it('has no route, status or code that no test above has seen', () => {
    expect(coverage.missing()).toEqual([]);
  });

  it.each([...new Set(Object.values(COVERED_BY))])(
    'leaves nothing to %s that is not looked for there',
    (file) => {
      const source = readFileSync(new URL(file, import.meta.url), 'utf8');
      expect(source).toContain('expect(coverage.missing()).toEqual([])');
    },
  );
});
