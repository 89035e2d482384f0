/** Asking for the on-board directory, on a real bus: what is submitted, and every code the route declares. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { fileRefreshRoutes } from '../../http/routes/file-refresh.ts';
import type { Mission } from '../../mission/mission.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, codesOf } from './fixture.ts';
import { PROVIDER, startWorld, testMission, type World } from './world.ts';

const FILES = `
files:
  component: memory
  transfer: { list: dir }
  telecommands:
    dir: { changes_state: false, args: { depth: { type: u8, default: 3 } } }
`;
const coverage = new Coverage(fileRefreshRoutes);
let world: World;
let mission: Mission;

beforeAll(async () => {
  world = await startWorld();
  mission = testMission(withFiles(FILES));
  world.missions.publish(mission);
});
afterAll(() => world.stop());

function withFiles(files: string): string {
  return `platform: box\nversion: 1.0.0\ncomponents:\n  camera: { telecommands: { shoot: {} } }\n${files}`;
}

const refresh = (target: string, query = '', headers: Record<string, string> = {}): Promise<Answer> =>
  coverage.call(`${world.url}/v1/targets/${target}/files/refresh${query}`, { method: 'POST', headers });
const said = (answer: Answer) => [answer.status, codesOf(answer)];

describe('POST files/refresh', () => {
  it('MC-FILE-006 MC-XFER-020 submits the listing telecommand of the catalogue as a direct telecommand, and answers 202', async () => {
    const answer = await refresh('sat1', '', { 'x-mcs-user': 'ada' });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ id: expect.stringMatching(/^[0-9A-Z]{26}$/), duplicate: false });
    const stored = await world.bus.last(streams.telecommands, subject.tcSubmit('sat1'));
    expect(JSON.parse(Buffer.from(stored!.data).toString())).toEqual({
      id: answer.body.id,
      target: 'sat1',
      component: 'memory',
      telecommand: 'dir',
      args: { depth: 3 },
      link: 'uhf',
    });
    expect(stored!.headers).toMatchObject({ [header.config]: mission.revision, [header.user]: 'ada' });
    expect((await refresh('sat1')).status).toBe(202);
  });

  it('MC-GEN-006 MC-GEN-007 takes no body: 400 api::invalid-body, and no telecommand goes out', async () => {
    const submitted = async (): Promise<number | undefined> =>
      (await world.bus.last(streams.telecommands, subject.tcSubmit('sat1')))?.seq;
    const before = await submitted();
    for (const body of ['zz', { environment: 'flight' }]) {
      const answer = await coverage.post(`${world.url}/v1/targets/sat1/files/refresh`, body);
      expect(said(answer)).toEqual([400, ['api::invalid-body']]);
    }
    expect(await submitted()).toBe(before);
  });

  it('takes the environment where the default link has one in each', async () => {
    expect((await refresh('sat2', '?environment=flight')).status).toBe(202);
    const stored = await world.bus.last(streams.telecommands, subject.tcSubmit('sat2'));
    expect(JSON.parse(Buffer.from(stored!.data).toString())).toMatchObject({ environment: 'flight' });
    expect(said(await refresh('sat2'))).toEqual([422, ['tc::environment-required']]);
    expect(said(await refresh('sat2', '?environment=moon'))).toEqual([422, ['tc::unknown-environment']]);
  });

  it('MC-FILE-007 refuses 404 what the topology, and what the platform does not have', async () => {
    expect(said(await refresh('sat9'))).toEqual([404, ['api::unknown-target']]);
    expect(said(await refresh('sat.1'))).toEqual([404, ['api::invalid-target']]);
    expect(said(await refresh('ghost'))).toEqual([503, ['api::no-catalogue']]);
  });

  it('MC-FILE-007 MC-ERR-044 refuses 409 tc::target-held while a run holds the target', async () => {
    await world.hold('sat1', [{ run: '01JZ0000000000000000000001', mode: 'exclusive' }]);
    await until(async () => (await refresh('sat1')).status === 409, { what: 'the hold' });
    expect(said(await refresh('sat1'))).toEqual([409, ['tc::target-held']]);
    const bucket = world.bus.bucket(buckets.leases);
    await bucket.remove('sat1', (await bucket.get('sat1'))!.revision);
    await until(async () => (await refresh('sat1')).status === 202, { what: 'the end of the hold' });
  });

  it('MC-FILE-007 MC-ERR-103 refuses 422 files::no-listing without a listing telecommand', async () => {
    world.missions.publish(testMission(withFiles('files: { component: memory }\n')));
    const answer = await refresh('sat1');
    expect(said(answer)).toEqual([422, ['files::no-listing']]);
    expect(answer.body.errors[0].help).toMatch(/files.transfer.list/);
  });

  it('MC-ERR-102 A-46 refuses 404 files::no-directory where the platform has none', async () => {
    world.missions.publish(testMission(withFiles('')));
    expect(said(await refresh('sat1'))).toEqual([404, ['files::no-directory']]);
  });

  it('asks for a token where one is required, before anything else', async () => {
    const settings = { ...mission.settings, auth: { ...PROVIDER, required: true } };
    world.missions.publish({ ...mission, revision: 'r2', settings });
    expect(said(await refresh('sat9'))).toEqual([401, ['auth::token-required']]);
    expect(said(await refresh('sat9', '', { authorization: 'Bearer x.y.z' }))).toEqual([
      401,
      ['auth::invalid-token'],
    ]);
    world.missions.publish(mission);
    expect(said(await refresh('sat1', '', { authorization: 'Bearer x.y.z' }))).toEqual([
      401,
      ['auth::no-provider'],
    ]);
    expect(said(await refresh('sat1', '?color=red'))).toEqual([400, ['api::invalid-body']]);
  });

  it('MC-FILE-007 answers 503 without a configuration, and without a bus', async () => {
    world.missions.publish(undefined);
    expect(said(await refresh('sat1'))).toEqual([503, ['api::no-configuration']]);
    world.missions.publish(mission);
    await world.nats.kill();
    await until(() => !world.bus.connected);
    expect(said(await refresh('sat1'))).toEqual([503, ['api::unavailable']]);
    await world.nats.start();
    await until(() => world.bus.connected);
  });
});

it('has no status or code that no test above has seen', () => {
  expect(coverage.missing()).toEqual([]);
});
