/** The procedures that a target can be given to, on a real bus with the mission of the demo. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProcedureList } from '../../contract/procedure.ts';
import { procedureRoutes } from '../../http/routes/procedures.ts';
import { proceduresFor } from '../../mission/procedure/view.ts';
import { demoMission } from '../support/missions.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { codesOf } from './fixture.ts';
import { PROVIDER, startWorld, type World } from './world.ts';

const coverage = new Coverage(procedureRoutes);
const mission = demoMission();
let world: World;

beforeAll(async () => {
  world = await startWorld();
  world.missions.publish(mission);
});
afterAll(() => world.stop());

const read = (target: string, init: object = {}) =>
  coverage.call(`${world.url}/v1/targets/${target}/procedures`, init);

describe('GET /v1/targets/{target}/procedures', () => {
  it('MC-UPL-005 says what each needs, and which of its inputs name what it uploads', async () => {
    const { status, body } = await read('sat1');
    expect(status).toBe(200);
    const { environments, procedures } = body as ProcedureList;
    expect(environments).toEqual(['bench', 'rehearsal']);
    expect(procedures.find(({ procedure }) => procedure === 'put_file')).toMatchObject({
      library: 'ops@1.0.0',
      draft: false,
      roles: { sat: 'cubesat-6u@1.0.0' },
      inputs: [
        { name: 'file', type: 'file_id', of: 'image', required: true },
        { name: 'content', type: 'file', required: true },
      ],
      uploads: [{ role: 'sat', file: 'file', content: 'content' }],
    });
    expect(procedures.find(({ procedure }) => procedure === 'reboot_obc')).toMatchObject({
      draft: true,
      allowed_in: ['bench', 'rehearsal', 'in_orbit'],
    });
    const exposure = procedures
      .find(({ procedure }) => procedure === 'take_image')!
      .inputs.find(({ name }) => name === 'exposure');
    expect(exposure).toMatchObject({ unit: 'ms', required: false });
  });

  it('has none of another platform', async () => {
    expect((await read('noaa20')).body).toEqual({ environments: ['bench'], procedures: [] });
  });

  it('refuses unknown targets, and what every route refuses', async () => {
    expect(codesOf(await read('sat9'))).toEqual(['api::unknown-target']);
    expect(codesOf(await read('sat.1'))).toEqual(['api::invalid-target']);
    const query = await coverage.call(`${world.url}/v1/targets/sat1/procedures?x=1`);
    expect(codesOf(query)).toEqual(['api::invalid-body']);
    const token = { headers: { authorization: 'Bearer x' } };
    expect(codesOf(await read('sat1', token))).toEqual(['auth::no-provider']);
    const auth = { ...PROVIDER, required: true };
    world.missions.publish({ ...mission, settings: { ...mission.settings, auth } });
    expect(codesOf(await read('sat1', token))).toEqual(['auth::invalid-token']);
    expect(codesOf(await read('sat1'))).toEqual(['auth::token-required']);
    world.missions.publish(undefined);
    expect(codesOf(await read('sat1'))).toEqual(['api::no-configuration']);
    world.missions.publish(mission);
    await world.nats.kill();
    await until(() => !world.bus.connected);
    expect(codesOf(await read('sat1'))).toEqual(['api::unavailable']);
    await world.nats.start();
    await until(() => world.bus.connected);
  });

  it('gives every answer that is described', () => {
    expect(coverage.missing()).toEqual([]);
  });
});

describe('the files that a procedure uploads', () => {
  it('are those of what it calls as well, in its own words', () => {
    const library = mission.libraries.get('ops@1.0.0') ?? [...mission.libraries.values()][0]!;
    const put = library.procedures.get('put_file')!;
    const call = {
      kind: 'call',
      path: 'put_file',
      procedure: put,
      roles: new Map([['sat', 'craft']]),
      inputs: new Map([
        ['file', { name: 'slot' }],
        ['content', { name: 'patch' }],
      ]),
      longestMs: null,
    } as const;
    const [file, content] = [put.inputs.get('file')!, put.inputs.get('content')!];
    const patch = {
      ...put,
      name: 'patch_twice',
      roles: new Map([['craft', put.roles.get('sat')!]]),
      inputs: new Map([
        ['slot', { ...file, name: 'slot' }],
        ['patch', { ...content, name: 'patch' }],
      ]),
      steps: [call, { kind: 'if_failed', steps: [call], longestMs: null } as const],
    };
    const fixed = {
      ...patch,
      name: 'fixed',
      steps: [{ ...call, inputs: new Map(call.inputs).set('content', { value: 'ab' } as never) }],
    };
    const procedures = new Map([
      ['patch_twice', patch],
      ['fixed', fixed],
    ]);
    const libraries = new Map([['own', { ...library, procedures }]]);
    const list = proceduresFor({ libraries } as never, mission.targets.get('sat1')!);
    expect(list.procedures.map(({ procedure, uploads }) => [procedure, uploads])).toEqual([
      ['patch_twice', [{ role: 'craft', file: 'slot', content: 'patch' }]],
      ['fixed', []],
    ]);
  });
});
