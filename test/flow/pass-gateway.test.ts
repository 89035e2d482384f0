/** A pass on real processes: telecommands, telemetry and the link view are with the gateway of the station. */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { subject } from '../../contract/bus/subjects.ts';
import type { LinksView } from '../../contract/links-view.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { call, readLog } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

const STATIONS = `gateways:
  svalbard-1: { simulated: true, model: cubesat-6u, tags: [uhf, svalbard] }
  kiruna-1: { simulated: true, model: cubesat-6u, tags: [uhf, kiruna] }
  sim-2: { simulated: true, model: cubesat-3u }
  replay-1: { recording: { file: recordings/noaa20-geolocation.ccsds, rate: 1 }, tags: [replay] }

`;
/** A binding that is lost without a word comes again behind half a minute. */
const PATIENTLY = { timeoutMs: 90_000 };
let folder: string;
let cell: DemoCell;
const sent: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-pass-'));
  await cp(DEMO, folder, { recursive: true });
  const path = join(folder, 'topology.yaml');
  const text = (await readFile(path, 'utf8')).replace(/gateways:\n(?: .*\n)+\n/, STATIONS);
  await writeFile(path, text.replace('gateway: sim-1', 'tags: [uhf]'));
  cell = await startDemoCell({ folder });
  for (const gateway of ['svalbard-1', 'kiruna-1'])
    cell.bus.subscribe(subject.sent(gateway), () => void sent.push(gateway));
});
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Verified by what the spacecraft behind that gateway reports: each gateway simulates one of its own. */
async function setWatchdog(): Promise<string | undefined> {
  const before = sent.length;
  const asked = { target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: '60 s' } };
  const { body } = await call<TcReply>('POST', `${cell.api}/v1/tc`, asked);
  const events = await readLog<TcEvent>(`${cell.api}/v1/tc/sat1/${body.id}/events`);
  expect(events.at(-1)?.state).toBe('VERIFIED');
  // A gateway reports what it sent beside its answer.
  await until(() => sent.length > before, { what: 'the report of the gateway' });
  return sent.at(-1);
}

async function pass(fromMs: number, toMs: number): Promise<void> {
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const where = { id: 'p1', target: 'sat1', station: 'kiruna', max_elevation: '40 deg' };
  const said = { ...where, source: 'fds', status: 'predicted', aos: at(fromMs), los: at(toMs) };
  const { status } = await call('POST', `${cell.api}/v1/passes`, said, { 'x-mcs-user': 'flight-dynamics' });
  expect(status).toBe(200);
}

async function serving(): Promise<LinksView['links'][number]['gateways'][number] | undefined> {
  const { body } = await call<LinksView>('GET', `${cell.api}/v1/links/sat1`);
  return body.links.find((link) => link.default)?.gateways[0];
}

it('MC-PASS-050 is bound to the gateway of the station in a pass, and back again after LOS', async () => {
  expect(await setWatchdog()).toBe('svalbard-1');
  await until(async () => (await serving())?.bound === 'current', PATIENTLY);
  expect(await serving()).toMatchObject({ name: 'svalbard-1' });
  await pass(-60_000, 600_000);
  expect(await setWatchdog()).toBe('kiruna-1');
  await until(async () => (await serving())?.bound === 'current', PATIENTLY);
  expect(await serving()).toMatchObject({ name: 'kiruna-1', pass: 'p1' });
  await pass(-60_000, -10);
  expect(await setWatchdog()).toBe('svalbard-1');
  expect(await serving()).toMatchObject({ name: 'svalbard-1' });
}, 240_000);
