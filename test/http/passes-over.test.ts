/** Passes that are long over, through the routes and on a real bus. */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { AGED_REST_MS } from '../../contract/limits/aged.ts';
import type { Pass, PassView } from '../../contract/pass.ts';
import type { RoutePorts } from '../../http/ports.ts';
import { passRoutes } from '../../http/routes/passes.ts';
import { leaveUse, PassWriter } from '../../messaging/pass-writes.ts';
import { PassesOver, TooManyPasses } from '../../messaging/passes-over.ts';
import { until } from '../support/until.ts';
import { type Answer, call, codesOf, post, realClock } from './fixture.ts';
import { startWorld, type World } from './world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A month ago, at midnight. */
const BEGIN = Math.floor(Date.now() / DAY) * DAY - 30 * DAY;
const at = (hour: number): string => new Date(BEGIN + hour * HOUR).toISOString();
const FDS = { 'x-mcs-user': 'dynamics' };
const NETWORK = { 'x-mcs-user': 'network' };

let world: World;
let url: string;

beforeAll(async () => {
  world = await startWorld();
  url = world.url;
  const { mission } = world;
  const feeders = { dynamics: 'fds', network: 'provider' } as const;
  world.missions.publish({ ...mission, settings: { ...mission.settings, feeders } });
});
afterAll(() => world.stop());
afterEach(async () => {
  for (const bucket of [buckets.passes, buckets.passesOver])
    for (const { key, revision } of await world.bus.bucket(bucket).list('>'))
      await world.bus.bucket(bucket).remove(key, revision);
  await until(async () => (await call(`${url}/v1/passes?all=true`)).body.passes.length === 0);
});

function pass(id: string, hour: number, more: Partial<Pass> & { hours?: number } = {}): Pass {
  const { hours = 0.2, ...rest } = more;
  const window = { aos: at(hour), los: at(hour + hours) };
  const said = { max_elevation: '47.3 deg', source: 'fds', status: 'predicted', station: 'kiruna' } as const;
  return { id, target: 'sat1', ...said, ...window, ...rest };
}

async function write(...passes: Pass[]): Promise<void> {
  for (const each of passes) {
    const { status, body } = await post(`${url}/v1/passes`, each, each.source === 'fds' ? FDS : NETWORK);
    expect([status, body.errors]).toEqual([200, undefined]);
  }
}

const CHECK = { gateway: 'kiruna-1', checked_at: '2026-01-02T02:55:00.000Z' };

/** Moves what is in use, as the leader of the reconciler does within minutes. */
async function moved(): Promise<void> {
  const tools = { bus: world.bus, log: world.log };
  const [over, writer] = [new PassesOver(tools), new PassWriter(tools)];
  for (const target of ['sat1', 'sat2']) {
    const entries = await world.bus.bucket(buckets.passes).list(`${target}.*`);
    const passes = entries.map(({ value }) => ({
      pass: JSON.parse(Buffer.from(value).toString()),
      gateway: CHECK,
    }));
    await over.keep(target, passes, Date.now());
    await leaveUse(writer, target, await over.keep(target, passes, Date.now() + 2 * AGED_REST_MS));
  }
  expect(await world.bus.bucket(buckets.passes).list('>')).toEqual([]);
  // Nothing but what is over has the check: the lists of this process have seen them leave.
  await until(async () => (await viewsOf('?all=true')).every(({ gateway }) => gateway !== undefined));
}

const list = (query: string): Promise<Answer> => call(`${url}/v1/passes${query}`);
const idsOf = ({ body }: Answer): string[] => body.passes.map(({ pass: { id } }: PassView) => id);
const viewsOf = async (query: string): Promise<PassView[]> => (await list(query)).body.passes;

it('MC-PASS-016 MC-PASS-017 are in the list of all by AOS, with those in use and the check of their gateway', async () => {
  await write(pass('b', 24), pass('a', 0), pass('c', 24.1, { target: 'sat2' }));
  await moved();
  await write(pass('used', 12), pass('later', 40 * 24));
  expect(idsOf(await list('?all=true'))).toEqual(['a', 'used', 'b', 'c', 'later']);
  expect(idsOf(await list('?all=true&target=sat1'))).toEqual(['a', 'used', 'b', 'later']);
  expect(idsOf(await list('?all=true&target=sat2'))).toEqual(['c']);
  expect(idsOf(await list(''))).toEqual(['later']);
  expect((await viewsOf('?all=true')).map(({ gateway }) => gateway)).toEqual([
    CHECK,
    undefined,
    CHECK,
    CHECK,
    undefined,
  ]);
  expect(codesOf(await list('?all=true&target=sat9'))).toEqual(['api::unknown-target']);
});

it('are listed by time, also one that began days before and goes on, and continued behind any of them', async () => {
  await write(pass('long', 0, { hours: 100, station: 'fucino' }), pass('a', 1), pass('b', 50), pass('c', 99));
  await moved();
  expect(idsOf(await list(`?all=true&from=${at(98)}`))).toEqual(['long', 'c']);
  expect(idsOf(await list(`?all=true&from=${at(101)}`))).toEqual([]);
  expect(idsOf(await list(`?all=true&from=${at(49)}&to=${at(60)}`))).toEqual(['long', 'b']);
  expect(idsOf(await list(`?all=true&to=${at(1)}`))).toEqual(['long']);
  expect(idsOf(await list(`?all=true&after=${Date.parse(at(1))}.sat1.a`))).toEqual(['b', 'c']);
  expect(idsOf(await list(`?all=true&after=${Date.parse(at(0))}.sat1.long`))).toEqual(['a', 'b', 'c']);
});

it('MC-PASS-019 MC-PASS-020 are read by their identifier, and by that of a contribution', async () => {
  await write(pass('p1', 5), pass('b1', 5, { source: 'provider', status: 'booked' }));
  await moved();
  for (const name of ['p1', 'b1']) {
    const { body } = await call(`${url}/v1/passes/sat1/${name}`);
    expect(body).toMatchObject({ pass: { id: 'p1', status: 'booked' }, gateway: CHECK });
  }
  expect(codesOf(await call(`${url}/v1/passes/sat2/p1`))).toEqual(['pass::unknown']);
});

it('MC-PASS-028 MC-PASS-029 MC-PASS-031 pass-writes.J7 a late contribution belongs to one of them', async () => {
  await write(pass('p1', 23.9), pass('p2', 30));
  await moved();
  const late = pass('b1', 24.05, { source: 'provider', status: 'booked' });
  const { body } = await post(`${url}/v1/passes`, late, NETWORK);
  expect(body.pass).toMatchObject({ id: 'p1', status: 'booked', aos: at(24.05) });
  expect(idsOf(await list('?all=true'))).toEqual(['p1', 'p2']);
  await moved();
  expect(idsOf(await list('?all=true'))).toEqual(['p1', 'p2']);
  expect((await call(`${url}/v1/passes/sat1/b1`)).body.pass.id).toBe('p1');
});

it('MC-PASS-040 MC-PASS-042 a snapshot of their time cancels those it has not', async () => {
  await write(pass('p1', 1), pass('p2', 30), pass('p3', 60), pass('p4', 200));
  await moved();
  const body = { source: 'fds', target: 'sat1', from: at(0), to: at(100), passes: [pass('p2', 30)] };
  const answer = await post(`${url}/v1/passes/replace_window`, body, FDS);
  expect(answer.body).toEqual({ upserted: ['p2'], cancelled: ['p1', 'p3'] });
  const states = async () =>
    (await viewsOf('?all=true')).map(({ pass: { id, status } }) => `${id} ${status}`);
  const after = ['p1 cancelled', 'p2 predicted', 'p3 cancelled', 'p4 predicted'];
  expect(await states()).toEqual(after);
  await moved();
  expect(await states()).toEqual(after);
});

it('pass-writes.J8 a write of too many is refused: 422 pass::invalid, with what helps', async () => {
  const full = new TooManyPasses('target sat1 would have too many', 'Contribute fewer.');
  const ports = {
    missions: world.missions,
    clock: realClock,
    passWriter: { write: () => Promise.reject(full) },
  } as unknown as RoutePorts;
  const route = passRoutes.find(({ operationId }) => operationId === 'writePass')!;
  const caller = { kind: 'declared', name: 'dynamics', roles: [] } as const;
  const request = { params: {}, query: {}, content: undefined, body: pass('p1', 0), caller };
  expect(await route.handle(request, ports)).toMatchObject({
    ok: false,
    faults: [{ code: 'pass::invalid', message: full.message, help: full.help }],
  });
});
