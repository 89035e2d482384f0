/** Simulation control on a real bus, with gateways of the test: what each route answers, and every code it declares. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subject } from '../../contract/bus/subjects.ts';
import type { FaultCall, FaultReply, FileReply } from '../../contract/link.ts';
import { simulationRoutes } from '../../http/routes/simulation.ts';
import { ownTime } from '../support/own-time.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, codesOf } from './fixture.ts';
import { PROVIDER, startWorld, type World } from './world.ts';

const coverage = new Coverage(simulationRoutes);
const asked: { verb: string; call: FaultCall }[] = [];
let world: World;
let url: string;
let reply: FaultReply | FileReply | string;

const faults = [
  { fault: 'cell_drain', on: true },
  { fault: 'tm_silence', on: false },
];

beforeAll(async () => {
  world = await startWorld();
  url = world.url;
  for (const verb of ['faults', 'fault', 'files']) {
    world.bus.serve(subject.gatewayVerb('gw-1', verb), async ({ data }) => {
      asked.push({ verb, call: JSON.parse(Buffer.from(data).toString()) as FaultCall });
      return Buffer.from(typeof reply === 'string' ? reply : JSON.stringify(reply));
    });
  }
});
afterAll(() => world.stop());

const read = (gateway: string): Promise<Answer> => coverage.call(`${url}/v1/sim/${gateway}/faults`);
const change = (gateway: string, fault = 'cell_drain', body: unknown = { on: true }): Promise<Answer> =>
  coverage.post(`${url}/v1/sim/${gateway}/faults/${fault}`, body);

const files = (gateway: string): Promise<Answer> => coverage.call(`${url}/v1/sim/${gateway}/files`);

/** Every route for a gateway. */
async function all(gateway: string): Promise<Answer[]> {
  return [await read(gateway), await change(gateway), await files(gateway)];
}

const said = (answers: readonly Answer[]) => answers.map((answer) => [answer.status, codesOf(answer)]);

describe('faults of a simulated gateway', () => {
  it('MC-SIM-006 answers those it knows and which are on, as the gateway says', async () => {
    reply = { ok: true, value: { faults } };
    const answer = await read('gw-1');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ gateway: 'gw-1', faults });
    expect(asked.at(-1)).toEqual({ verb: 'faults', call: {} });
  });

  it('MC-SIM-006 switches one by asking the gateway, and answers the state after it', async () => {
    reply = { ok: true, value: { faults } };
    const answer = await change('gw-1', 'tm_silence', { on: false });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ gateway: 'gw-1', faults });
    expect(asked.at(-1)).toEqual({ verb: 'fault', call: { fault: 'tm_silence', on: false } });
  });

  it('names the caller to the gateway', async () => {
    reply = { ok: true, value: { faults } };
    await coverage.post(`${url}/v1/sim/gw-1/faults/x`, { on: true }, { 'x-mcs-user': 'Ada Lovelace' });
    expect(asked.at(-1)?.call).toEqual({ fault: 'x', on: true, by: 'Ada Lovelace' });
  });

  it('leaves every fault name to the gateway, also one that is no token', async () => {
    reply = { ok: true, value: { faults } };
    await change('gw-1', 'a%20b.%2F%3E');
    expect(asked.at(-1)?.call.fault).toBe('a b./>');
  });

  it('MC-SIM-003 MC-ERR-113 refuses what the simulator refuses: 422 sim::refused, with its reason', async () => {
    reply = { ok: false, faults: [{ code: 'sim::refused', message: 'there are cell_drain, tm_silence' }] };
    const answer = await change('gw-1', 'meteor');
    expect(said([answer])).toEqual([[422, ['sim::refused']]]);
    expect(answer.body.errors[0].message).toBe('there are cell_drain, tm_silence');
  });

  it('passes on that the gateway cannot be used', async () => {
    reply = { ok: false, faults: [{ code: 'sim::refused', message: 'gateway gw-1 is not usable' }] };
    expect(said(await all('gw-1'))).toEqual(Array(3).fill([422, ['sim::refused']]));
  });

  it('passes on that the gateway itself says it is not simulated', async () => {
    reply = { ok: false, faults: [{ code: 'sim::not-simulated', message: 'gateway gw-1 is not simulated' }] };
    expect(said(await all('gw-1'))).toEqual(Array(3).fill([422, ['sim::not-simulated']]));
  });
});

describe('files on board a simulated spacecraft', () => {
  it('answers what the gateway says there is, with hashes', async () => {
    const listed = [
      { id: '5', file_type: 3, generation: 1, size: 0, crc32: '00000000', sha256: 'e3b0'.padEnd(64, '0') },
    ];
    reply = { ok: true, value: { files: listed } };
    const answer = await files('gw-1');
    expect([answer.status, answer.body]).toEqual([200, { gateway: 'gw-1', files: listed }]);
    expect(asked.at(-1)).toEqual({ verb: 'files', call: {} });
  });

  it.each([
    { id: '5' },
    { id: 5, file_type: 3, generation: 1, size: 0, crc32: '', sha256: '' },
    { id: '5', file_type: 3, generation: 1, size: 'x', crc32: '', sha256: '' },
  ])('takes %j for no answer', async (odd) => {
    reply = { ok: true, value: { files: [odd] } } as never;
    expect(said([await files('gw-1')])).toEqual([[504, ['sim::timeout']]]);
  });
});

describe('what stands in the way of simulation control', () => {
  it.each(['gw-9', 'gw.1', '%zz', 'sat1'])(
    'MC-SIM-001 MC-ERR-111 answers 404 sim::unknown-gateway for %s',
    async (gateway) => {
      expect(said(await all(gateway))).toEqual(Array(3).fill([404, ['sim::unknown-gateway']]));
    },
  );

  it('MC-SIM-002 MC-ERR-112 answers 422 sim::not-simulated for a gateway that flies, and names those that do not', async () => {
    const answers = await all('gw-out');
    expect(said(answers)).toEqual(Array(3).fill([422, ['sim::not-simulated']]));
    for (const { body } of answers) expect(body.errors[0].help).toBe('Simulated gateways: gw-1, gw-2.');
  });

  it('MC-SIM-004 MC-ERR-114 answers 504 sim::timeout at once when no process runs the gateway', async () => {
    const spent = ownTime();
    const answers = await all('gw-2');
    expect(said(answers)).toEqual(Array(3).fill([504, ['sim::timeout']]));
    expect(answers[0]!.body.errors[0].message).toBe('gateway gw-2 is not running');
    expect(spent()).toBeLessThan(2_000);
  });

  it('MC-SIM-004 MC-ERR-114 answers 504 sim::timeout when the gateway is there and silent for 5 s', async () => {
    const silent = ['faults', 'fault', 'files'].map((verb) =>
      world.bus.serve(subject.gatewayVerb('gw-2', verb), () => new Promise(() => {})),
    );
    const began = performance.now();
    const answers = await Promise.all([read('gw-2'), change('gw-2'), files('gw-2')]);
    expect(said(answers)).toEqual(Array(3).fill([504, ['sim::timeout']]));
    expect(performance.now() - began).toBeGreaterThan(4_900);
    await Promise.all(silent.map((each) => each.stop()));
  });

  it.each(['not JSON', '[]', 'null', '{}'])('takes %s for no answer', async (nonsense) => {
    reply = nonsense;
    expect(said(await all('gw-1'))).toEqual(Array(3).fill([504, ['sim::timeout']]));
  });

  it.each([
    ['{', 'no JSON'],
    [{}, 'no `on`'],
    [{ on: 'yes' }, 'a word'],
    [{ on: true, run: 'x' }, 'a field it does not have'],
  ])('MC-GEN-006 MC-GEN-007 MC-GEN-008 refuses the body %j: %s', async (body, _what) => {
    expect(said([await change('gw-1', 'cell_drain', body)])).toEqual([[400, ['api::invalid-body']]]);
  });

  it('refuses a body larger than a switch can be', async () => {
    const answer = await change('gw-1', 'cell_drain', { on: true, x: 'x'.repeat(1_100_000) });
    expect(said([answer])).toEqual([[413, ['api::too-large']]]);
  });

  it('answers 404 api::unknown-route for a fault that is not percent-encoded', async () => {
    expect(said([await change('gw-1', '%zz')])).toEqual([[404, ['api::unknown-route']]]);
  });

  it('refuses an unknown query parameter', async () => {
    for (const list of ['faults', 'files']) {
      const answer = await coverage.call(`${url}/v1/sim/gw-1/${list}?on=true`);
      expect(said([answer])).toEqual([[400, ['api::invalid-body']]]);
    }
  });

  it('MC-AUTH-016 MC-AUTH-017 asks for the identity of its caller as every route does', async () => {
    const before = world.missions.current!;
    const token = { authorization: 'Bearer x' };
    const refusedToken = [
      await coverage.call(`${url}/v1/sim/gw-1/faults`, { headers: token }),
      await coverage.post(`${url}/v1/sim/gw-1/faults/x`, { on: true }, token),
      await coverage.call(`${url}/v1/sim/gw-1/files`, { headers: token }),
    ];
    expect(said(refusedToken)).toEqual(Array(3).fill([401, ['auth::no-provider']]));
    world.missions.publish({ ...before, settings: { ...before.settings, auth: PROVIDER } });
    const badToken = [
      await coverage.call(`${url}/v1/sim/gw-1/faults`, { headers: token }),
      await coverage.post(`${url}/v1/sim/gw-1/faults/x`, { on: true }, token),
      await coverage.call(`${url}/v1/sim/gw-1/files`, { headers: token }),
    ];
    expect(said(badToken)).toEqual(Array(3).fill([401, ['auth::invalid-token']]));
    world.missions.publish({ ...before, settings: { ...before.settings, auth: { required: true } } });
    try {
      expect(said(await all('gw-1'))).toEqual(Array(3).fill([401, ['auth::token-required']]));
    } finally {
      world.missions.publish(before);
    }
  });

  it('MC-GEN-016 answers 503 api::no-configuration before there is one', async () => {
    const before = world.missions.current!;
    world.missions.publish(undefined);
    try {
      expect(said(await all('gw-1'))).toEqual(Array(3).fill([503, ['api::no-configuration']]));
    } finally {
      world.missions.publish(before);
    }
  });

  it('MC-GEN-017 answers 503 api::unavailable without a bus, fast', async () => {
    await world.nats.kill();
    await until(() => !world.bus.connected);
    const spent = ownTime();
    expect(said(await all('gw-1'))).toEqual(Array(3).fill([503, ['api::unavailable']]));
    expect(spent()).toBeLessThan(6_000);
    await world.nats.start();
    await until(() => world.bus.connected);
  });
});

it('has no status or code that no test above has seen', () => {
  expect(coverage.missing()).toEqual([]);
});
