/** The on-board directory on a real bus: from a listing as decoded to what clients read, and through every restart. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeBatch, type FileSample } from '../../contract/batch.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { VALUES_CHECKPOINT_MS } from '../../contract/limits/value.ts';
import type { CurrentValue } from '../../contract/value.ts';
import { fileRoutes } from '../../http/routes/files.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Follower } from '../../ports/bus.ts';
import { createTelemetryOwner, type TelemetryOwner } from '../../telemetry/telemetry-owner.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { codesOf, realClock } from './fixture.ts';
import { PROVIDER, startWorld, testMission, type World } from './world.ts';

const BOX = `
platform: box
version: 1.0.0
components:
  obc:
    measures:
      counter: { type: u16 }
  camera: {}
files:
  types: { 1: { name: image }, 2: { name: housekeeping, decode: true } }
`;

const coverage = new Coverage(fileRoutes);
const started = Math.floor(Date.now() / 1_000) * 1_000;
let world: World;
let mission: Mission;
let bare: Mission;
let owner: { readonly owner: TelemetryOwner; readonly follower: Follower };
let epoch = 0;

beforeAll(async () => {
  world = await startWorld();
  bare = world.mission;
  mission = testMission(BOX);
  world.missions.publish(mission);
  await startOwner();
});
afterAll(async () => {
  await stopOwner();
  await world.stop();
});

async function startOwner(): Promise<void> {
  epoch += 1;
  const { bus, missions } = world;
  const created = createTelemetryOwner({
    bus,
    missions,
    target: 'sat1',
    epoch,
    log: keptLog(),
    clock: realClock,
  });
  const from = await created.start();
  const follower = await bus.follow(streams.decoded, subject.decoded('sat1'), from, (message) =>
    created.handle(message),
  );
  owner = { owner: created, follower };
}

async function stopOwner(): Promise<void> {
  await owner.follower.stop();
  await owner.owner.stop();
}

type Listed = Partial<FileSample> & { readonly file: string };

async function listed(files: readonly Listed[], ground = started): Promise<void> {
  const { digest } = mission.targets.get('sat1')!.platform!;
  const samples = files.map((file) => ({ ground, onboard: Number.NaN, ...file }));
  const batch = { platform: digest, link: 'uhf', blocks: [], reports: [], files: samples };
  await world.bus.append(streams.decoded, subject.decoded('sat1'), encodeBatch(batch));
}

const path = '/v1/targets/sat1/files';
const directory = async (url = world.url) => (await coverage.call(url + path)).body;
const time = (ms: number): string => new Date(ms).toISOString();

describe('GET /v1/targets/{target}/files', () => {
  it('MC-FILE-001 MC-FILE-003 answers the component and the files by identifier, as numbers', async () => {
    expect(await directory()).toEqual({ component: 'files', files: [] });
    await listed([
      { file: '10', size: 0 },
      {
        file: '9',
        file_type: 1,
        size: 4_096,
        checksum: '1c291ca3',
        generation: 2 ** 53 - 1,
        transfer: 'PARTIAL',
      },
      { file: '100' },
    ]);
    await until(async () => (await directory()).files.length === 3);
    expect((await directory()).files).toEqual([
      {
        id: '9',
        file_type: 1,
        size: 4_096,
        checksum: '1c291ca3',
        generation: 2 ** 53 - 1,
        transfer: 'PARTIAL',
        listed_at: time(started),
      },
      { id: '10', size: 0, listed_at: time(started) },
      { id: '100', listed_at: time(started) },
    ]);
  });

  it('MC-FILE-009 keeps a file that is not listed any more, dated by its last listing', async () => {
    await listed([{ file: '9', size: 5_000, generation: 1 }], started + 1_000);
    await until(async () => (await directory()).files[0].size === 5_000);
    const { files } = await directory();
    // Nothing of the generation before.
    expect(files[0]).toEqual({ id: '9', size: 5_000, generation: 1, listed_at: time(started + 1_000) });
    expect(files[1]).toMatchObject({ id: '10', listed_at: time(started) });
  });

  it('MC-FILE-004 MC-VAL-012 MC-VAL-013 follows a file as it follows any measure', async () => {
    const client = await coverage.open(
      `${world.url}/v1/targets/sat1/values/watch?measures=files%5B9%5D.size,generation`,
    );
    const said = () =>
      client.messages.map(({ instance, measure, sample }: CurrentValue) => [instance, measure, sample.value]);
    await until(() => client.messages.length === 2);
    expect(said()).toEqual([
      ['9', 'generation', 1],
      ['9', 'size', 5_000],
    ]);
    await listed(
      [
        { file: '9', size: 6_000 },
        { file: '11', size: 1, generation: 4 },
      ],
      started + 2_000,
    );
    await until(() => client.messages.length === 4);
    expect(said().slice(2)).toEqual([
      ['9', 'size', 6_000],
      ['11', 'generation', 4],
    ]);
    client.close();
  });

  it('is the same after the owner and the API have begun again, and after the bus has', async () => {
    await until(async () => (await world.bus.bucket(buckets.directories).get('sat1')) !== undefined, {
      what: `the directory within ${VALUES_CHECKPOINT_MS} ms`,
    });
    const before = await directory();
    await stopOwner();
    await startOwner();
    const second = await world.another();
    expect(await directory(second.url)).toEqual(before);
    await listed([{ file: '9', size: 1 }], started);
    await listed([{ file: '12', size: 12 }], started + 3_000);
    const shows12 = async (url: string) =>
      (await directory(url)).files.some(({ id }: { id: string }) => id === '12');
    await until(async () => (await shows12(world.url)) && (await shows12(second.url)));
    expect(await directory(second.url)).toEqual(await directory());
    expect((await directory()).files[0]).toMatchObject({ id: '9', size: 6_000 });
    await world.nats.kill();
    await until(() => !world.bus.connected);
    const away = await coverage.call(world.url + path);
    expect([away.status, codesOf(away)]).toEqual([503, ['api::unavailable']]);
    await world.nats.start();
    await until(() => world.bus.connected);
    await listed([{ file: '13', size: 13 }], started + 4_000);
    await until(async () => (await directory()).files.length === 6);
    const third = await world.another();
    expect(await directory(third.url)).toEqual(await directory());
  });

  it.each([
    ['sat.1', 404, 'api::invalid-target'],
    ['sat9', 404, 'api::unknown-target'],
    ['ghost', 503, 'api::no-catalogue'],
  ])('MC-VAL-017 of %s answers %i %s', async (target, status, code) => {
    const answer = await coverage.call(`${world.url}/v1/targets/${target}/files`);
    expect([answer.status, codesOf(answer)]).toEqual([status, [code]]);
  });

  it('MC-FILE-005 answers 404 files::no-directory where the platform has none', async () => {
    world.missions.publish(bare);
    const answer = await coverage.call(world.url + path);
    expect([answer.status, codesOf(answer)]).toEqual([404, ['files::no-directory']]);
    world.missions.publish(mission);
    await until(async () => (await directory()).files?.length === 6);
  });

  it('refuses what every route refuses', async () => {
    const refusalTo = async (headers: Record<string, string> = {}, query = '') =>
      codesOf(await coverage.call(`${world.url}${path}${query}`, { headers }));
    const token = { authorization: 'Bearer x' };
    const withAuth = (auth: Mission['settings']['auth']) =>
      world.missions.publish({ ...mission, settings: { ...mission.settings, auth } });
    expect(await refusalTo({}, '?nonsense=1')).toEqual(['api::invalid-body']);
    expect(await refusalTo(token)).toEqual(['auth::no-provider']);
    withAuth(PROVIDER);
    expect(await refusalTo(token)).toEqual(['auth::invalid-token']);
    withAuth({ required: true });
    expect(await refusalTo({ 'x-mcs-user': 'ada' })).toEqual(['auth::token-required']);
    world.missions.publish(undefined);
    expect(await refusalTo()).toEqual(['api::no-configuration']);
    world.missions.publish(mission);
  });

  it('MC-FILE-011 the catalogue says what the directory is', async () => {
    const { body } = await coverage.call(`${world.url}/v1/targets/sat1/catalogue`);
    expect(body.files).toEqual({
      component: 'files',
      types: [
        { number: 1, name: 'image', decode: false },
        { number: 2, name: 'housekeeping', decode: true },
      ],
      transfer: {},
    });
  });

  it('gives every answer that is described', () => {
    expect(coverage.missing()).toEqual([]);
  });
});
