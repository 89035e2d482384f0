/** Modes and parameters on a real bus: what each route answers, and every code it declares. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { modeRoutes } from '../../http/routes/modes.ts';
import { parameterRoutes } from '../../http/routes/parameters.ts';
import { compile } from '../../mission/compile.ts';
import { load } from '../../mission/load.ts';
import type { Mission } from '../../mission/mission.ts';
import { ownTime } from '../support/own-time.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, call, codesOf } from './fixture.ts';
import { PROVIDER, startWorld, type World } from './world.ts';

const PLATFORM = `
platform: box
version: 1.0.0
enums:
  Gain: { LOW: 1, HIGH: 2 }
components:
  obc:
    measures:
      watchdog: { type: u16, unit: s }
      gain: { type: Gain, raw: u8 }
    parameters:
      watchdog: { type: u16, unit: min, set: obc.set_watchdog.period, readback: obc.watchdog }
      gain: { type: Gain, readback: obc.gain }
      label: { type: string, set: obc.set_label.text }
    telecommands:
      set_watchdog: { args: { period: { type: u16, unit: s } } }
      set_label: { args: { text: { type: string } } }
  battery:
    instances: ["1", "2"]
    measures:
      voltage: { type: f64, unit: V, raw: u16, calibration: { polynomial: [0, 0.001] } }
      heater_on: { type: f64, unit: degC, raw: f32 }
    parameters:
      heater_on: { type: f64, unit: degC, readback: battery.heater_on }
      cutoff: { type: f64, unit: mV, readback: battery.voltage }
`;

const TOPOLOGY = (modes: string) => `
topology: test
environments:
  bench: { identity: declared, human_orchestration: false }
  flight: { kind: in_orbit, identity: jwt, human_orchestration: true }
gateways:
  gw-1: { simulated: true }
drivers:
  enc-1: { protocol: space-packet }
targets:
  sat1:
    platform: box@1.0.0
    environments: [bench]
    modes: [${modes}]
    links: { uhf: { default: true, driver: enc-1, gateway: gw-1 } }
    parameters:
      obc.watchdog: { ${modes.split(', ').map((mode) => `${mode}: 1 min`)}, environments: { bench: { safe: 2 min } } }
      obc.gain: { safe: HIGH }
      battery.heater_on: { safe: 0.1 degC, environments: { bench: { safe: 4 degC } } }
      battery[2].heater_on: { safe: -2 degC }
      battery.cutoff: { safe: 6400.5 mV }
  sat2:
    platform: box@1.0.0
    environments: [bench, flight]
    links: { uhf: { default: true, driver: enc-1, gateway: gw-1 } }
  sat3:
    platform: box@1.0.0
    environments: [bench, flight]
    modes: [safe, nominal]
    links: { uhf: { default: true, driver: enc-1, gateway: gw-1 } }
    parameters:
      battery.heater_on: { safe: 0.1 degC, nominal: 5 degC, environments: { flight: { safe: 4 degC } } }
  ghost:
    platform: nowhere@1.0.0
    environments: [bench]
    modes: [safe]
    links: { uhf: { default: true, driver: enc-1, gateway: gw-1 } }
`;

function missionWith(modes: string): Mission {
  const compiled = compile([
    { file: 'platform.yaml', text: PLATFORM },
    { file: 'topology.yaml', text: TOPOLOGY(modes) },
  ]);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults, null, 2));
  return load(compiled.value.configuration, compiled.value.revision);
}

const mission = missionWith('safe, nominal');
const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const ada = { 'x-mcs-user': 'ada' };
const coverage = new Coverage([...modeRoutes, ...parameterRoutes]);
let world: World;
let url: string;

beforeAll(async () => {
  world = await startWorld();
  url = world.url;
});
afterAll(() => world.stop());
beforeEach(() => world.missions.publish(mission));
afterEach(() => world.hold('sat1', []));

const read = (target = 'sat1'): Promise<Answer> => coverage.call(`${url}/v1/targets/${target}/mode`);
const set = (mode: unknown, target = 'sat1', headers: Record<string, string> = ada): Promise<Answer> =>
  coverage.call(`${url}/v1/targets/${target}/mode`, {
    method: 'PUT',
    body: typeof mode === 'string' ? JSON.stringify({ mode }) : JSON.stringify(mode),
    headers,
  });
const parameters = (target = 'sat1', query = ''): Promise<Answer> =>
  coverage.call(`${url}/v1/targets/${target}/parameters${query}`);
const fetchLinks = (): Promise<Answer> => call(`${url}/v1/links/sat1`);
const said = (answer: Answer) => [answer.status, codesOf(answer)];

async function stored(target = 'sat1') {
  const entry = await world.bus.bucket(buckets.modes).get(target);
  return entry && JSON.parse(Buffer.from(entry.value).toString());
}

const store = (target: string, entry: unknown) =>
  world.bus.bucket(buckets.modes).overwrite(target, Buffer.from(JSON.stringify(entry)));

describe('the mode of a target', () => {
  it('MC-MODE-001 MC-MODE-003 MC-MODE-006 is the default, never set, with the modes in the order of the topology', async () => {
    const { status, body } = await read('sat3');
    expect(status).toBe(200);
    expect(body).toEqual({
      target: 'sat3',
      mode: 'safe',
      default: 'safe',
      modes: ['safe', 'nominal'],
      since: null,
    });
  });

  it('MC-MODE-002 is null where the topology declares none', async () => {
    expect((await read('sat2')).body).toEqual({ target: 'sat2', mode: null, modes: [], since: null });
  });

  it('MC-MODE-005 MC-MODE-009 MC-BUS-020 is set by a person, kept with when and by whom, and answered', async () => {
    const before = Date.now();
    const { status, body } = await set('nominal');
    expect(status).toBe(200);
    expect(body).toMatchObject({ target: 'sat1', mode: 'nominal', default: 'safe', by: 'ada' });
    expect(Date.parse(body.since)).toBeGreaterThanOrEqual(before);
    expect(await stored()).toEqual({ mode: 'nominal', since: body.since, by: 'ada' });
    expect((await read()).body).toEqual(body);
  });

  it('MC-MODE-004 names the run that set it, until a person sets another', async () => {
    await store('sat1', { mode: 'nominal', since: '2026-01-02T03:04:05.678Z', by: 'bea', run: RUN });
    expect((await read()).body).toMatchObject({ mode: 'nominal', by: 'bea', run: RUN });
    expect((await set('safe')).body).not.toHaveProperty('run');
  });

  it.each([
    '{',
    'null',
    '[]',
    '"safe"',
    '{"mode":"safe"}',
    '{"mode":"safe","since":"then"}',
    '{"mode":"safe","since":7}',
    '{"mode":"safe","since":"2026-01-02T03:04:05Z","by":{}}',
    '{"mode":"safe","since":"2026-01-02T03:04:05Z","run":7}',
    '\ufffd',
  ])(
    'mission/mode.M2 is not known where its entry cannot be read, until it is set again: %s',
    async (entry) => {
      await world.bus.bucket(buckets.modes).overwrite('sat1', Buffer.from(entry));
      for (const answer of [await read(), await parameters(), await fetchLinks()]) {
        expect(said(answer)).toEqual([503, ['api::unavailable']]);
        const [{ message, help }] = answer.body.errors;
        expect(message).toBe('the mode of sat1 is not known: its entry in bucket mcs_modes cannot be read');
        expect(help).toBe('Set it again: mcs mode set sat1 MODE.');
      }
      await world.hold('sat1', [{ run: RUN, mode: 'exclusive' }]);
      expect(said(await set('nominal'))).toEqual([409, ['mode::target-held']]);
      await world.hold('sat1', []);
      expect((await set('nominal')).body).toMatchObject({ mode: 'nominal', by: 'ada' });
      expect((await read()).body).toMatchObject({ mode: 'nominal', by: 'ada' });
    },
  );

  it('MC-MODE-007 is the default again where the stored one is no longer declared', async () => {
    await set('nominal');
    world.missions.publish(missionWith('safe, science'));
    const { body } = await read();
    expect(body).toEqual({
      target: 'sat1',
      mode: 'safe',
      default: 'safe',
      modes: ['safe', 'science'],
      since: null,
    });
    // The entry is not repaired: the topology may be.
    world.missions.publish(mission);
    expect((await read()).body.mode).toBe('nominal');
  });

  it('MC-MODE-013 is set without anything being sent', async () => {
    const followed: string[] = [];
    const follower = await world.bus.follow(
      streams.telecommands,
      'mcs.tc.submit.*',
      { from: 'start' },
      (m) => void followed.push(m.subject),
    );
    await set('nominal');
    await follower.caughtUp;
    expect(followed).toEqual([]);
    await follower.stop();
  });
});

describe('what stands in the way of setting a mode', () => {
  it.each([
    ['turbo', 'sat1'],
    ['safe', 'sat2'],
  ])('MC-MODE-010 MC-ERR-085 the mode %s is unknown to %s: 422 mode::unknown', async (mode, target) => {
    const answer = await set(mode, target);
    expect(said(answer)).toEqual([422, ['mode::unknown']]);
  });

  it('MC-MODE-011 MC-ERR-086 a run that holds the target: 409 mode::target-held, with its name, and nothing is written', async () => {
    await set('safe');
    const before = await stored();
    await world.hold('sat1', [{ run: RUN, mode: 'exclusive' }]);
    const answer = await set('nominal');
    expect(said(answer)).toEqual([409, ['mode::target-held']]);
    expect(answer.body.errors[0].message).toContain(RUN);
    expect(await stored()).toEqual(before);
    await world.hold('sat1', []);
    expect((await set('nominal')).status).toBe(200);
  });

  it('target-holds.H1 a hold that cannot be read: 409 mode::target-held', async () => {
    await world.bus.bucket(buckets.leases).overwrite('sat1', Buffer.from('?'));
    const answer = await set('nominal');
    expect(said(answer)).toEqual([409, ['mode::target-held']]);
    expect(answer.body.errors[0].message).toContain('cannot be read');
    await world.hold('sat1', []);
  });

  it('MC-MODE-018 a shared hold as well', async () => {
    await world.hold('sat1', [{ run: RUN, mode: 'shared' }]);
    expect(said(await set('nominal'))).toEqual([409, ['mode::target-held']]);
  });

  it('modes.O1 a run that has set it in between is seen: the hold is asked for again', async () => {
    const bucket = world.bus.bucket(buckets.modes);
    const original = world.bus.bucket.bind(world.bus);
    let runs = 0;
    const raced = {
      ...bucket,
      get: bucket.get.bind(bucket),
      put: async (...args: Parameters<typeof bucket.put>) => {
        runs += 1;
        if (runs === 1) {
          await world.hold('sat1', [{ run: RUN, mode: 'exclusive' }]);
          await store('sat1', { mode: 'nominal', since: '2026-01-02T03:04:05.678Z', run: RUN });
        }
        return bucket.put(...args);
      },
    } as typeof bucket;
    world.bus.bucket = (definition) => (definition.name === 'mcs_modes' ? raced : original(definition));
    try {
      expect(said(await set('safe'))).toEqual([409, ['mode::target-held']]);
      expect(await stored()).toMatchObject({ mode: 'nominal', run: RUN });
    } finally {
      world.bus.bucket = original;
    }
  });

  describe('modes.O2 a run that takes the target between the look at the holds and the write', () => {
    const bucketNow = () => world.bus.bucket(buckets.modes);
    /** Sets a mode while `meanwhile` happens right before the first write of the entry, and `behind` right after it. */
    async function setWhile(
      mode: string,
      meanwhile: () => Promise<unknown>,
      behind: () => Promise<unknown> = async () => undefined,
    ): Promise<Answer> {
      const bucket = bucketNow();
      const original = world.bus.bucket.bind(world.bus);
      let writes = 0;
      const raced = {
        ...bucket,
        get: bucket.get.bind(bucket),
        remove: bucket.remove.bind(bucket),
        put: async (...args: Parameters<typeof bucket.put>) => {
          writes += 1;
          const isFirst = writes === 1;
          if (isFirst) await meanwhile();
          const written = await bucket.put(...args);
          if (isFirst) await behind();
          return written;
        },
      } as typeof bucket;
      world.bus.bucket = (definition) => (definition.name === 'mcs_modes' ? raced : original(definition));
      try {
        return await set(mode);
      } finally {
        world.bus.bucket = original;
      }
    }
    const taken = () => world.hold('sat1', [{ run: RUN, mode: 'exclusive' }]);

    it('MC-MODE-011 has the mode that stood before, and the person is refused', async () => {
      await set('safe');
      const before = await stored();
      const answer = await setWhile('nominal', taken);
      expect(said(answer)).toEqual([409, ['mode::target-held']]);
      expect(answer.body.errors[0].message).toContain(RUN);
      expect(await stored()).toEqual(before);
    });

    it('MC-MODE-006 has the default where none was set before', async () => {
      const entry = await bucketNow().get('sat1');
      if (entry !== undefined) await bucketNow().remove('sat1', entry.revision);
      expect(said(await setWhile('nominal', taken))).toEqual([409, ['mode::target-held']]);
      expect((await read()).body).toMatchObject({ mode: 'safe', since: null });
      await world.hold('sat1', []);
      expect((await set('nominal')).body).toMatchObject({ mode: 'nominal', by: 'ada' });
    });

    it.each([
      ['was set before', 'safe'],
      ['is the default', undefined],
    ])(
      'MC-MODE-011 has the mode that %s where the process of the person dies in between',
      async (_, before) => {
        const entry = await bucketNow().get('sat1');
        if (entry !== undefined) await bucketNow().remove('sat1', entry.revision);
        if (before !== undefined) await set(before);
        const bucket = bucketNow();
        const original = world.bus.bucket.bind(world.bus);
        let hasWritten = false;
        const dying = {
          ...bucket,
          get: bucket.get.bind(bucket),
          put: async (...args: Parameters<typeof bucket.put>) => {
            if (hasWritten) throw new Error('the process is dead');
            hasWritten = true;
            await taken();
            return bucket.put(...args);
          },
        } as typeof bucket;
        world.bus.bucket = (definition) => (definition.name === 'mcs_modes' ? dying : original(definition));
        await set('nominal').catch(() => undefined);
        world.bus.bucket = original;
        expect((await read()).body).toMatchObject({
          mode: 'safe',
          ...(before === undefined && { since: null }),
        });
        await world.hold('sat1', []);
        expect((await set('nominal')).body).toMatchObject({ mode: 'nominal', by: 'ada' });
        expect(await stored()).not.toHaveProperty('announced');
      },
    );

    it('keeps what it has set itself since: only the own writing is taken back', async () => {
      await set('safe');
      const ofRun = { mode: 'nominal', since: '2026-01-02T03:04:05.678Z', run: RUN };
      const answer = await setWhile('safe', taken, () => store('sat1', ofRun));
      expect(said(answer)).toEqual([409, ['mode::target-held']]);
      expect(await stored()).toEqual(ofRun);
    });
  });

  it('MC-MODE-012 MC-AUTH-022 nobody being named: 400 api::anonymous', async () => {
    expect(said(await set('nominal', 'sat1', {}))).toEqual([400, ['api::anonymous']]);
  });

  it.each([{}, { mode: 7 }, { mode: 'safe', run: RUN }, []])('the body %j', async (body) => {
    expect(said(await set(body))).toEqual([400, ['api::invalid-body']]);
  });

  it('a body larger than a mode can be', async () => {
    expect(said(await set({ mode: 'x'.repeat(1_100_000) }))).toEqual([413, ['api::too-large']]);
  });
});

describe('the parameters of a target', () => {
  const named = async (name: string, target = 'sat1', query = '') => {
    const { body } = await parameters(target, query);
    return body.parameters.find((each: { name: string }) => each.name === name);
  };

  beforeEach(async () => {
    await set('safe');
  });

  it('MC-PAR-001 MC-PAR-002 MC-PAR-004 are listed in the order of the document, instances in theirs', async () => {
    const { status, body } = await parameters();
    expect(status).toBe(200);
    expect(body).toMatchObject({ target: 'sat1', mode: 'safe' });
    expect(body.parameters.map(({ name }: { name: string }) => name)).toEqual([
      'obc.watchdog',
      'obc.gain',
      'obc.label',
      'battery[1].heater_on',
      'battery[2].heater_on',
      'battery[1].cutoff',
      'battery[2].cutoff',
    ]);
    expect(await named('obc.watchdog')).toMatchObject({
      component: 'obc',
      parameter: 'watchdog',
      unit: 'min',
      value: 2,
      set: 'obc.set_watchdog',
      values: { safe: 2, nominal: 1 },
    });
    expect(await named('obc.label')).toEqual({
      name: 'obc.label',
      component: 'obc',
      parameter: 'label',
      values: {},
      set: 'obc.set_label',
    });
    expect(await named('battery[2].heater_on')).toMatchObject({ instance: '2' });
  });

  it('MC-PAR-003 have the value of the current mode, and follow it', async () => {
    expect(await named('obc.gain')).toMatchObject({ value: 'HIGH', values: { safe: 'HIGH' } });
    await set('nominal');
    expect((await parameters()).body.mode).toBe('nominal');
    const gain = await named('obc.gain');
    expect(gain).toMatchObject({ values: { safe: 'HIGH' } });
    expect(gain).not.toHaveProperty('value');
    expect(await named('obc.watchdog')).toMatchObject({ value: 1 });
  });

  it('MC-PAR-012 MC-PAR-013 MC-PAR-014 take the override of the only environment, but not over the own value of an instance', async () => {
    expect(await named('battery[1].heater_on')).toMatchObject({ value: 4 });
    expect(await named('battery[2].heater_on')).toMatchObject({ value: -2 });
  });

  it('MC-PAR-008 MC-PAR-007 apply the overrides of the only environment, of several none, or those of the one given', async () => {
    expect((await parameters()).body.environment).toBe('bench');
    const none = await parameters('sat3');
    expect([none.body.environment, none.body.parameters[3].value]).toEqual([null, 0.1]);
    const flight = await parameters('sat3', '?environment=flight');
    expect([flight.body.environment, flight.body.parameters[3].values]).toEqual([
      'flight',
      { safe: 4, nominal: 5 },
    ]);
  });

  it('MC-PAR-003 have the value of each mode and environment, whatever the names of these are', async () => {
    const names = ['__proto__', 'constructor', 'toString'];
    world.missions.publish(missionWith(['safe', ...names].join(', ')));
    for (const name of names) {
      await store('sat1', { mode: name, since: '2026-01-02T03:04:05.678Z' });
      const { body } = await parameters();
      const [watchdog, gain] = body.parameters;
      expect(watchdog.value).toBe(1);
      expect(Object.entries(watchdog.values)).toEqual([['safe', 2], ...names.map((each) => [each, 1])]);
      expect(gain).not.toHaveProperty('value');
      expect(gain.readback.matches).toBeNull();
      const asked = await parameters('sat1', `?environment=${name}`);
      expect(said(asked)).toEqual([422, ['api::unknown-environment']]);
    }
  });

  it('have no value for a target without modes', async () => {
    const { body } = await parameters('sat2');
    expect(body.mode).toBeNull();
    for (const { values, value, readback } of body.parameters) {
      expect([values, value, readback?.matches ?? null]).toEqual([{}, undefined, null]);
    }
  });
});

describe('the readback of a parameter', () => {
  const readback = async (name: string) => {
    const { body } = await parameters();
    return body.parameters.find((each: { name: string }) => each.name === name).readback;
  };
  let ground = Date.now();
  const sample = async (key: string, value: number) => {
    ground += 1;
    const at = ground;
    await world.sample('sat1', key, value, at);
    await until(() => {
      const current = world.values.current('sat1')!;
      return current.sample(current.platform.ordinal(key)!)?.groundMs === at;
    });
  };

  beforeEach(async () => {
    await set('safe');
  });

  it('MC-PAR-006 is null without a sample, and without a value', async () => {
    expect(await readback('battery[2].cutoff')).toEqual({ measure: 'battery[2].voltage', matches: null });
    await sample('obc.gain', 1);
    await set('nominal');
    expect(await readback('obc.gain')).toMatchObject({ sample: { value: 'LOW' }, matches: null });
  });

  it('MC-PAR-005 MC-PAR-016 is compared in one unit: 120 s are 2 min', async () => {
    await sample('obc.watchdog', 120);
    expect(await readback('obc.watchdog')).toMatchObject({
      measure: 'obc.watchdog',
      matches: true,
      sample: { value: 120, delivery: 'realtime', link: 'uhf' },
    });
    await sample('obc.watchdog', 121);
    expect(await readback('obc.watchdog')).toMatchObject({ matches: false });
  });

  it('MC-PAR-016 is exact for what is no number', async () => {
    await sample('obc.gain', 1);
    expect(await readback('obc.gain')).toMatchObject({ sample: { value: 'LOW' }, matches: false });
    await sample('obc.gain', 2);
    expect(await readback('obc.gain')).toMatchObject({ sample: { value: 'HIGH' }, matches: true });
    // A number that names no value says nothing.
    await sample('obc.gain', 9);
    expect(await readback('obc.gain')).toMatchObject({ sample: { value: null }, matches: null });
  });

  it.each<[string, string, number, boolean]>([
    ['battery[2].heater_on', 'battery[2].heater_on', -2, true],
    ['battery[2].heater_on', 'battery[2].heater_on', -2.001, false],
    ['battery[1].cutoff', 'battery[1].voltage', 6.4, true],
    ['battery[1].cutoff', 'battery[1].voltage', 6.401, true],
    ['battery[1].cutoff', 'battery[1].voltage', 6.402, false],
  ])('MC-PAR-016 of %s, %s at %d matches: %s', async (name, key, value, matches) => {
    await sample(key, value);
    expect(await readback(name)).toMatchObject({ matches });
  });
});

describe('what stands in the way of both', () => {
  const all = async (target: string) => [
    await read(target),
    await set('safe', target),
    await parameters(target),
  ];
  const codes = (answers: readonly Answer[]) => answers.map((answer) => said(answer));

  it('MC-MODE-008 MC-PAR-011 an unknown target', async () => {
    expect(codes(await all('sat9'))).toEqual(Array(3).fill([404, ['api::unknown-target']]));
  });

  it('a target that is no name', async () => {
    expect(codes(await all('a.b'))).toEqual(Array(3).fill([404, ['api::invalid-target']]));
  });

  it('MC-PAR-010 a catalogue that is not there, for parameters only', async () => {
    expect(said(await parameters('ghost'))).toEqual([503, ['api::no-catalogue']]);
    expect((await read('ghost')).body.mode).toBe('safe');
  });

  it.each(['flight', 'nowhere'])(
    'MC-PAR-009 environment %s, in which the target is not',
    async (environment) => {
      expect(said(await parameters('sat1', `?environment=${environment}`))).toEqual([
        422,
        ['api::unknown-environment'],
      ]);
    },
  );

  it('a query that is not known', async () => {
    const answers = [
      await coverage.call(`${url}/v1/targets/sat1/mode?environment=bench`),
      await parameters('sat1', '?mode=safe'),
    ];
    expect(codes(answers)).toEqual(Array(2).fill([400, ['api::invalid-body']]));
  });

  it('asks for the identity of its caller as every route does', async () => {
    const token = { authorization: 'Bearer x' };
    const withToken = async () => [
      await coverage.call(`${url}/v1/targets/sat1/mode`, { headers: token }),
      await set('safe', 'sat1', token),
      await coverage.call(`${url}/v1/targets/sat1/parameters`, { headers: token }),
    ];
    expect(codes(await withToken())).toEqual(Array(3).fill([401, ['auth::no-provider']]));
    world.missions.publish({ ...mission, settings: { ...mission.settings, auth: PROVIDER } });
    expect(codes(await withToken())).toEqual(Array(3).fill([401, ['auth::invalid-token']]));
    world.missions.publish({ ...mission, settings: { ...mission.settings, auth: { required: true } } });
    expect(codes(await all('sat1'))).toEqual(Array(3).fill([401, ['auth::token-required']]));
  });

  it('no configuration', async () => {
    world.missions.publish(undefined);
    expect(codes(await all('sat1'))).toEqual(Array(3).fill([503, ['api::no-configuration']]));
  });

  it('a bus that is away, answered fast', async () => {
    await world.nats.kill();
    await until(() => !world.bus.connected);
    const spent = ownTime();
    expect(codes(await all('sat1'))).toEqual(Array(3).fill([503, ['api::unavailable']]));
    expect(spent()).toBeLessThan(9_000);
    await world.nats.start();
    await until(() => world.bus.connected);
  });
});

it('has no status or code that no test above has seen', () => {
  expect(coverage.missing()).toEqual([]);
});
