/**
 * The routes of transfers on a real bus: what each answers and every code it declares. No transfer manager is there:
 * what it would do is in `test/actors/transfer/`, and its records and contents are written here.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import type { Transfer } from '../../contract/transfer.ts';
import { transferFollows, transferRoutes } from '../../http/routes/transfers.ts';
import { TransfersOver } from '../../messaging/transfers-over.ts';
import { quiet } from '../support/nats.ts';
import { storedTransfer } from '../support/transfers.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, codesOf } from './fixture.ts';
import { startTransferWorld, type TransferWorld } from './transfer-world.ts';
import { PROVIDER } from './world.ts';

const coverage = new Coverage(transferRoutes, transferFollows);
const LISTED = { file: '7', size: 1_000, generation: 2, file_type: 1, checksum: '1c291ca3' };

let world: TransferWorld;
let url: string;
beforeAll(async () => {
  world = await startTransferWorld();
  url = world.url;
});
afterAll(() => world.stop());
afterEach(async () => {
  for (const definition of [buckets.transfers, buckets.openTransfers]) {
    const bucket = world.bus.bucket(definition);
    for (const { key, revision } of await bucket.list('>')) await bucket.remove(key, revision);
  }
  await until(() => world.books.transfers.transfers().length === 0);
});

const said = (answer: Answer): [number, string[]] => [answer.status, codesOf(answer)];
const ask = (body: unknown, headers = {}): Promise<Answer> =>
  coverage.post(`${url}/v1/transfers`, body, headers);
const read = (path: string): Promise<Answer> => coverage.call(`${url}/v1/transfers/${path}`);
const list = async (query = ''): Promise<Transfer[]> =>
  (await coverage.call(`${url}/v1/transfers${query}`)).body.transfers;

describe('POST /v1/transfers', () => {
  it('MC-XFER-008 MC-XFER-013 MC-XFER-001 creates a download of the generation that was listed last', async () => {
    await world.list('sat1', LISTED);
    const answer = await ask({ target: 'sat1', file_id: '7', priority: 3 }, { 'x-mcs-user': 'ada' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      target: 'sat1',
      file_id: '7',
      generation: 2,
      direction: 'download',
      state: 'REQUESTED',
      size: 1_000,
      priority: 3,
      file_type: 1,
      checksum: '1c291ca3',
      by: 'ada',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await list()).toEqual([answer.body]);
    expect((await read('sat1/7/2')).body).toEqual(answer.body);
  });

  it('MC-XFER-020 MC-XFER-003 is open to anonymous callers, with priority 0', async () => {
    await world.list('sat1', LISTED);
    const { status, body } = await ask({ target: 'sat1', file_id: '7' });
    expect([status, body.priority, 'by' in body]).toEqual([201, 0, false]);
  });

  it('MC-XFER-015 MC-XFER-016 MC-XFER-017 gives the transfer that is there, as it stands', async () => {
    await world.list('sat1', LISTED);
    const standing = await world.record(
      storedTransfer({ state: 'CORRUPTED', reason: 'crc32 is 1, listed is 2', actor: {} }),
    );
    const { status, body } = await ask({ target: 'sat1', file_id: '7', priority: 9 });
    expect([status, body.state, body.priority]).toEqual([201, 'CORRUPTED', 0]);
    expect(body.created_at).toBe(standing.created_at);
    expect(await list()).toHaveLength(1);
  });

  it('MC-XFER-015 gives one that is long over at once, and creates nothing', async () => {
    await world.list('sat1', LISTED);
    const before = storedTransfer({ state: 'VERIFIED', updated_at: '2026-01-03T00:00:00.000Z' });
    await new TransfersOver({ bus: world.bus, log: quiet }).keep([before], Date.now());
    const { body } = await ask({ target: 'sat1', file_id: '7' });
    expect([body.state, body.updated_at]).toEqual(['VERIFIED', before.updated_at]);
    expect(await list()).toEqual([]);
    expect((await list('?all=true')).map((each) => each.updated_at)).toEqual([before.updated_at]);
    expect((await read('sat1/7/2')).body.updated_at).toBe(before.updated_at);
    const over = world.bus.bucket(buckets.transfersOver);
    for (const { key, revision } of await over.list('>')) await over.remove(key, revision);
  });

  it('MC-XFER-014 MC-ERR-105 refuses a file that was never listed', async () => {
    expect(said(await ask({ target: 'sat1', file_id: '99' }))).toEqual([422, ['transfer::not-listed']]);
  });

  it('MC-XFER-019 MC-ERR-104 refuses a file of unknown size', async () => {
    await world.list('sat1', { file: '8', file_type: 1 });
    expect(said(await ask({ target: 'sat1', file_id: '8' }))).toEqual([422, ['transfer::invalid']]);
  });

  it.each([
    ['text', 'no JSON'],
    ['an unknown field', { target: 'sat1', file_id: '7', colour: 'red' }],
    ['no file', { target: 'sat1' }],
    ['a number for a file', { target: 'sat1', file_id: 7 }],
    ['a priority that is no int32', { target: 'sat1', file_id: '7', priority: 2 ** 31 }],
    ['what is no identifier of a file', { target: 'sat1', file_id: '07' }],
  ])('MC-GEN-006 A-05 MC-ERR-104 refuses %s with its own code', async (_, body) => {
    expect(said(await ask(body))).toEqual([422, ['transfer::invalid']]);
  });

  it('MC-XFER-009 MC-ERR-102 A-46 refuses an unknown target, one without catalogue, one without directory', async () => {
    expect(said(await ask({ target: 'sat9', file_id: '7' }))).toEqual([404, ['api::unknown-target']]);
    expect(said(await ask({ target: 'ghost', file_id: '7' }))).toEqual([503, ['api::no-catalogue']]);
    expect(said(await ask({ target: 'sat2', file_id: '7' }))).toEqual([422, ['transfer::invalid']]);
    const { testMission } = await import('./world.ts');
    world.missions.publish(testMission());
    expect(said(await ask({ target: 'sat1', file_id: '7' }))).toEqual([422, ['files::no-directory']]);
    world.missions.publish(undefined);
    expect(said(await ask({ target: 'sat1', file_id: '7' }))).toEqual([503, ['api::no-configuration']]);
    world.missions.publish(world.mission);
    await until(() => world.values.current('sat1')?.files !== undefined);
  });
});

describe('GET /v1/transfers', () => {
  it('MC-XFER-010 lists by priority then age, of one target where asked', async () => {
    const at = (second: number) => `2026-01-02T03:04:0${second}.000Z`;
    await world.record(storedTransfer({ file_id: '1', created_at: at(1) }));
    await world.record(storedTransfer({ file_id: '2', created_at: at(2), priority: 5 }));
    await world.record(storedTransfer({ file_id: '3', created_at: at(0), target: 'sat2' }));
    await world.record(
      storedTransfer({ file_id: '1', created_at: at(3), state: 'SUPERSEDED', generation: 1 }),
    );
    expect((await list()).map(({ file_id }) => file_id)).toEqual(['2', '3', '1', '1']);
    expect((await list('?target=sat1')).map(({ file_id }) => file_id)).toEqual(['2', '1', '1']);
    expect(await list('?target=ghost')).toEqual([]);
  });

  it('refuses what is no target, no flag, no place in the list', async () => {
    const of = (query: string) => coverage.call(`${url}/v1/transfers${query}`);
    expect(said(await of('?target=sat9'))).toEqual([404, ['api::unknown-target']]);
    expect(said(await of('?after=here'))).toEqual([400, ['api::invalid-body']]);
    expect(said(await of('?all=maybe'))).toEqual([400, ['api::invalid-body']]);
  });
});

describe('GET /v1/transfers/{target}/{file_id}/{generation}', () => {
  it('MC-XFER-011 answers the download, or the upload of the same generation', async () => {
    const source = 'ab'.repeat(32);
    const down = await world.record(
      storedTransfer({ state: 'PARTIAL', received: [[0, 10]], actor: { run: 'r' } }),
    );
    await world.record(storedTransfer({ direction: 'upload', source }));
    const { actor: _, ...shown } = down;
    expect((await read('sat1/7/2')).body).toEqual(shown);
    expect((await read('sat1/7/2?direction=upload')).body).toMatchObject({ direction: 'upload', source });
    expect((await read('sat1/7/2?direction=download')).body.direction).toBe('download');
    expect(said(await read('sat1/7/2?direction=left'))).toEqual([400, ['api::invalid-body']]);
  });

  it.each([
    'sat1/7/3',
    'sat1/8/2',
    'sat9/7/2',
    'sat1/7/two',
    'sat1/7/02',
    'sat1/x/2',
    'sat1/7/9007199254740993',
  ])('MC-XFER-018 MC-ERR-106 knows no transfer %s', async (path) => {
    await world.record(storedTransfer());
    expect(said(await read(path))).toEqual([404, ['transfer::unknown']]);
  });

  it('MC-XFER-018 says how large a generation can be', async () => {
    const [fault] = (await read('sat1/7/18446744073709551615')).body.errors;
    expect(fault.message).toBe(
      '"18446744073709551615" is not a generation of a file: a whole number up to 9007199254740991',
    );
  });

  it('refuses what cannot be a target', async () => {
    expect(said(await read('a.b/7/2'))).toEqual([404, ['api::invalid-target']]);
  });
});

describe('GET (WS) /v1/transfers/watch', () => {
  it('MC-XFER-012 MC-GEN-013 sends every transfer, then each that changes', async () => {
    const first = await world.record(storedTransfer());
    const all = await coverage.open(`${url}/v1/transfers/watch`);
    const none = await coverage.open(`${url}/v1/transfers/watch?target=sat2`);
    await until(() => all.messages.length === 1);
    await world.record({ ...first, state: 'PARTIAL', received: [[0, 100]] });
    await until(() => all.messages.length === 2);
    expect(all.messages.map(({ state }) => state)).toEqual(['REQUESTED', 'PARTIAL']);
    expect(all.messages[1].received).toEqual([[0, 100]]);
    await world.record(storedTransfer({ target: 'sat2' }));
    await until(() => none.messages.length === 1);
    expect(none.messages[0].target).toBe('sat2');
    for (const each of [all, none]) each.close();
  });

  it('refuses an unknown target', async () => {
    const { refused } = await coverage.follow(`${url}/v1/transfers/watch?target=sat9`);
    expect(said(refused!)).toEqual([404, ['api::unknown-target']]);
  });
});

describe('every route', () => {
  const paths: [string, string, unknown?][] = [
    ['GET', '/v1/transfers'],
    ['GET', '/v1/transfers/sat1/7/2'],
    ['POST', '/v1/transfers', { target: 'sat1', file_id: '7' }],
  ];
  const each = async (headers: Record<string, string>): Promise<[number, string[]][]> => {
    const answers: [number, string[]][] = [];
    for (const [method, path, body] of paths) {
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      answers.push(said(await coverage.call(url + path, init)));
    }
    const { refused } = await coverage.follow(`${url}/v1/transfers/watch`, headers);
    return [...answers, said(refused!)];
  };
  const alike = (status: number, code: string) => Array.from({ length: 4 }, () => [status, [code]]);

  it('MC-AUTH-001 asks for a token where one is required, and refuses a wrong one', async () => {
    const { mission, missions } = world;
    const bearer = { authorization: 'Bearer wrong' };
    expect(await each(bearer)).toEqual(alike(401, 'auth::no-provider'));
    const settings = { ...mission.settings, auth: { ...PROVIDER, required: true } };
    missions.publish({ ...mission, settings });
    expect(await each({})).toEqual(alike(401, 'auth::token-required'));
    expect(await each(bearer)).toEqual(alike(401, 'auth::invalid-token'));
    missions.publish(mission);
  });

  it('MC-GEN-007 refuses a query that no route has', async () => {
    const { refused } = await coverage.follow(`${url}/v1/transfers/watch?target=a.b`);
    expect(said(refused!)).toEqual([400, ['api::invalid-body']]);
    expect(said(await read('sat1/7/2?direction=x'))).toEqual([400, ['api::invalid-body']]);
    const large = { target: 'sat1', file_id: 'x'.repeat(2 * 1024 * 1024) };
    expect(said(await ask(large))).toEqual([413, ['api::too-large']]);
    const unknown = await coverage.post(`${url}/v1/transfers?x=1`, { target: 'sat1', file_id: '7' });
    expect(said(unknown)).toEqual([400, ['api::invalid-body']]);
  });

  it('MC-GEN-017 answers 503 while the bus is away', async () => {
    await world.nats.kill();
    await until(() => !world.bus.connected);
    expect(await each({})).toEqual(alike(503, 'api::unavailable'));
    await world.nats.start();
    await until(() => world.bus.connected);
  });

  it('has no route, status or code that no test above has seen', () => {
    expect(coverage.missing()).toEqual([]);
  });
});
