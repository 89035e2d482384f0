/** The mission in one answer, on a real bus with the mission of the demo. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MissionView } from '../../contract/mission-view.ts';
import { missionRoutes } from '../../http/routes/mission.ts';
import { missionBytes } from '../../mission/mission-view.ts';
import { demoMission } from '../support/missions.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { codesOf } from './fixture.ts';
import { PROVIDER, startWorld, type World } from './world.ts';

const coverage = new Coverage(missionRoutes);
const mission = demoMission();
let world: World;

beforeAll(async () => {
  world = await startWorld();
  world.missions.publish(mission);
});
afterAll(() => world.stop());

const read = (init: object = {}) => coverage.call(`${world.url}/v1/mission`, init);

describe('GET /v1/mission', () => {
  it('says what a console needs at its start, and no setting of a link', async () => {
    const { status, body } = await read();
    const { revision, targets, environments, gateways, stations, procedures } = body as MissionView;
    expect([status, revision]).toEqual([200, mission.revision]);
    expect(targets.map(({ target }) => target)).toEqual([...mission.targets.keys()]);
    expect(targets[0]).toEqual({
      target: 'sat1',
      platform: 'cubesat-6u@1.0.0',
      environments: [...mission.targets.get('sat1')!.environments],
      modes: [...mission.targets.get('sat1')!.modes],
      default_link: mission.targets.get('sat1')!.defaultLink,
      links: [...mission.targets.get('sat1')!.links.keys()],
    });
    expect(environments.map(({ environment }) => environment)).toEqual([...mission.environments.keys()]);
    expect(Object.keys(gateways[0]!)).toEqual(['gateway', 'kind', 'tags', 'faults']);
    expect(stations.map(({ station }) => station)).toEqual([...mission.stations.keys()]);
    expect(stations.slice(0, 2)).toEqual([
      {
        station: 'kiruna',
        latitude_deg: 67.8571,
        longitude_deg: 20.9643,
        altitude_m: 402,
        min_elevation_deg: 5,
      },
      {
        station: 'santiago',
        latitude_deg: -33.1511,
        longitude_deg: -70.6668,
        altitude_m: 723,
        min_elevation_deg: 10,
      },
    ]);
    const image = procedures.find(({ procedure }) => procedure === 'take_image')!;
    expect(image).toMatchObject({ library: 'ops@1.0.0', sends: true });
    expect(image.max_duration_ms).toBe(
      [...mission.libraries.values()].find(({ id }) => id === 'ops@1.0.0')?.procedures.get('take_image')
        ?.maxDurationMs,
    );
  });

  it('is answered 304 by its revision, and written once', async () => {
    const first = await fetch(`${world.url}/v1/mission`);
    const etag = first.headers.get('etag')!;
    expect(etag).toBe(`"${mission.revision}"`);
    const again = await fetch(`${world.url}/v1/mission`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    coverage.saw(`${world.url}/v1/mission`, 'GET', { status: again.status, body: undefined as never });
    expect(missionBytes(mission)).toBe(missionBytes(mission));
  });

  it('refuses what every route refuses, and says so while the bus is away', async () => {
    expect(codesOf(await coverage.call(`${world.url}/v1/mission?x=1`))).toEqual(['api::invalid-body']);
    const token = { headers: { authorization: 'Bearer x' } };
    expect(codesOf(await read(token))).toEqual(['auth::no-provider']);
    const auth = { ...PROVIDER, required: true };
    world.missions.publish({ ...mission, settings: { ...mission.settings, auth } });
    expect(codesOf(await read(token))).toEqual(['auth::invalid-token']);
    expect(codesOf(await read())).toEqual(['auth::token-required']);
    world.missions.publish(undefined);
    expect(codesOf(await read())).toEqual(['api::no-configuration']);
    world.missions.publish(mission);
    await world.nats.kill();
    await until(() => !world.bus.connected);
    expect(codesOf(await read())).toEqual(['api::unavailable']);
    await world.nats.start();
    await until(() => world.bus.connected);
  });
});

it('has no status or code that no test above has seen', () => {
  expect(coverage.missing()).toEqual([]);
});
