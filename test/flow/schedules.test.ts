/**
 * Schedules on real processes: validated by a supervisor, fired although the process that would have fired them is
 * dead, and exactly once whatever the moment of its death. And a rule over passes that come and go. Flows F-03, F-16
 * and F-17.
 */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { turnOf } from '../../actors/schedule/turns.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { PassView } from '../../contract/pass.ts';
import type { RunStatus } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { RunSubmission } from '../../contract/run-wire.ts';
import type { Schedule, ScheduleList } from '../../contract/schedule.ts';
import type { Rule, RuleList } from '../../contract/schedule-rule.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import { call, readLog } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { freeze } from '../support/freeze.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { until } from '../support/until.ts';

/** Longer than those sleep that are to do nothing. */
const MEMBER_TTL_MS = 60_000;
/** Until something is due that is to be planned before: a start that is past is refused. */
const SOON_MS = 8_000;
const PATIENTLY = { timeoutMs: 60_000 };
const HEIR = 'heir';
const POINTS = ['committed fired', 'asked effect.submit', 'answered effect.submit'] as const;

const LIBRARY = `
library: drill
version: 1.0.0
imports: [cubesat-6u@1.0.0]
procedures:
  look:
    roles: { sat: cubesat-6u }
    steps:
      - send: sat.camera.ping
  quick:
    roles: { sat: cubesat-6u }
    steps:
      - log: here
  hazard:
    roles: { sat: cubesat-6u }
    steps:
      - send: sat.obc.reboot
      - send: sat.camera.ping
`;

const ADA = { 'x-mcs-user': 'ada' };
const EVE = { 'x-mcs-user': 'eve', 'x-mcs-role': 'supervisor' };
const DYNAMICS = { 'x-mcs-user': 'flight-dynamics' };
const NETWORK = { 'x-mcs-user': 'station-network' };

let folder: string;
let cell: DemoCell;
let heir: Mcs;
const submitted: RunSubmission[] = [];
const records: StoredSchedule[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-schedules-'));
  await cp(DEMO, folder, { recursive: true });
  await writeFile(join(folder, 'drill.yaml'), LIBRARY);
  const topology = join(folder, 'topology.yaml');
  const text = await readFile(topology, 'utf8');
  const second =
    '  sim-9: { simulated: true, model: cubesat-6u, echo: false, tags: [uhf, svalbard] }\n  replay-1:';
  const changed = text
    .replace('environments: [bench, rehearsal]', 'environments: [bench, in_orbit]')
    .replace('        gateway: sim-1', '        tags: [uhf]')
    .replace('    tags: [uhf]', '    tags: [uhf, kiruna]')
    .replace('  replay-1:', second);
  await writeFile(topology, changed);
  cell = await startDemoCell({
    folder,
    roles: ['api', 'drivers', 'gateways', 'telemetry', 'executor', 'reconciler'],
    memberTtlMs: MEMBER_TTL_MS,
  });
  await cell.bus.follow(streams.runSubmissions, subject.runSubmit, { from: 'start' }, ({ data }) => {
    submitted.push(JSON.parse(Buffer.from(data).toString()) as RunSubmission);
  });
  await cell.bus.bucket(buckets.schedules).watch('>', (_key, entry) => {
    if (entry !== undefined) records.push(JSON.parse(Buffer.from(entry.value).toString()) as StoredSchedule);
  });
}, 120_000);
afterAll(async () => {
  await endAllMcs();
  await cell.stop();
  await rm(folder, { recursive: true, force: true });
});

function scheduler(instance: string, failpoint?: string): Promise<Mcs> {
  const at = ['--nats', cell.nats.url, '--credentials', cell.nats.credentialsFile];
  return startMcs({
    args: ['serve', '--roles', 'scheduler', ...at],
    env: {
      MCS_INSTANCE: instance,
      MCS_MEMBER_TTL_MS: String(MEMBER_TTL_MS),
      ...(failpoint !== undefined && { MCS_FAILPOINT: `schedule:${failpoint}` }),
    },
  });
}

/** A name that ranks first for the schedule, beside the heir. */
function firstFor(name: string): string {
  for (let salt = 0; ; salt += 1) {
    const instance = `first-${salt}`;
    if (turnOf(name, { instance, schedulers: () => [instance, HEIR] }) === 0) return instance;
  }
}

const at = (ms: number): string => new Date(ms).toISOString();

/** A pass whose schedules `aos + 30 s` are due then. */
function passAround(due: number, id: string, station = 'svalbard'): object {
  const aos = due - 30_000;
  return {
    id,
    target: 'sat1',
    station,
    aos: at(aos),
    los: at(aos + 600_000),
    max_elevation: '40 deg',
  };
}

async function post<Body>(path: string, body: unknown, headers: Record<string, string>): Promise<Body> {
  const answer = await call<Body>('POST', `${cell.api}/v1/${path}`, body, headers);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}
const feed = (due: number, id: string): Promise<PassView> =>
  post('passes', { ...passAround(due, id), source: 'fds', status: 'predicted' }, DYNAMICS);
const book = (due: number, id: string, station?: string): Promise<PassView> =>
  post('passes', { ...passAround(due, id, station), source: 'provider', status: 'booked' }, NETWORK);

const schedule = async (id: string): Promise<Schedule> =>
  (await call<Schedule>('GET', `${cell.api}/v1/schedules/${id}`)).body;
const inState = (id: string, state: string): Promise<Schedule> =>
  until(
    async () => {
      const found = await schedule(id);
      return found.state === state && found;
    },
    { ...PATIENTLY, what: `schedule ${id} being ${state}` },
  );
const runOf = async (run: string): Promise<RunStatus> =>
  (await call<RunStatus>('GET', `${cell.api}/v1/runs/${run}`)).body;

async function logOf(run: string): Promise<RunEvent[]> {
  await until(async () => (await call('GET', `${cell.api}/v1/runs/${run}`)).status === 200, PATIENTLY);
  return readLog<RunEvent>(`${cell.api}/v1/runs/${run}/events`);
}

/** Telecommands that arrived on board through a gateway. */
async function receivedBy(gateway: string): Promise<number> {
  const on = subject.gatewayVerb(gateway, 'stats');
  const reply = await cell.bus.request(on, Buffer.from('{}'), { timeoutMs: 30_000 });
  const { received } = JSON.parse(Buffer.from(reply).toString()) as { received: Record<string, number> };
  return Object.values(received).reduce((sum, count) => sum + count, 0);
}

const submissionsOf = (id: string): RunSubmission[] => submitted.filter(({ by }) => by === `schedule ${id}`);

it('MC-SCH-050 MC-SCH-051 F-17 the process that fires is killed on the way: one run each, as the record named it first', async () => {
  const [first, ...mortals] = await Promise.all([
    scheduler(HEIR),
    ...POINTS.map((point, n) => scheduler(`mortal-${n}`, point)),
  ]);
  heir = first;
  // Only who is to die may act, and then only the heir: the others sleep.
  for (const each of [heir, ...mortals]) await freeze(each.child.pid!);
  for (const [n, mortal] of mortals.entries()) {
    const id = `killed-${n}`;
    mortal.child.kill('SIGCONT');
    await book(Date.now() + SOON_MS, 'booked-2', 'kiruna');
    const request = { id, pass: 'booked-2', start: 'aos + 30 s', run: 'quick', targets: { sat: 'sat1' } };
    await post('schedules', request, ADA);
    expect((await mortal.exited).signal).toBe('SIGKILL');
    heir.child.kill('SIGCONT');
    const isSubmitted = () => records.findLast((each) => each.id === id && each.submitted === true);
    const stored = await until(isSubmitted, { ...PATIENTLY, what: `${id} being submitted` });
    if (n < mortals.length - 1) await freeze(heir.child.pid!);
    const fired = records.filter((each) => each.id === id && each.state === 'fired');
    expect(new Set(fired.map((each) => each.run_id))).toEqual(new Set([stored.run_id]));
    const log = await logOf(stored.run_id!);
    expect(log.at(-1), JSON.stringify(log)).toMatchObject({ event: 'finished', ok: true });
    expect(submissionsOf(id)).toMatchObject([{ run: stored.run_id }]);
  }
  expect(heir.child.exitCode).toBeNull();
  await post(
    'passes',
    { ...passAround(Date.now(), 'booked-2', 'kiruna'), source: 'provider', status: 'cancelled' },
    NETWORK,
  );
}, 240_000);

it('F-03 MC-SCH-030 MC-SCH-049 MC-SCH-051 MC-SCH-055 MC-SCH-057 MC-PASS-058 a hazardous run is validated, falls, is validated again, and fires with its process killed a second before', async () => {
  const mortal = await scheduler(firstFor('hazard'));
  const due = Date.now() + 20_000;
  await feed(due + 400, 'predicted-1');
  const { pass } = await book(due, 'booked-1');
  expect([pass.id, pass.status, pass.aos]).toEqual(['predicted-1', 'booked', at(due - 30_000)]);
  const request = {
    id: 'hazard',
    pass: 'booked-1',
    start: 'aos + 30 s',
    run: 'hazard',
    targets: { sat: 'sat1' },
  };
  expect(await post<Schedule>('schedules', request, ADA)).toMatchObject({
    state: 'at_risk',
    needs_validation: true,
    pass: 'predicted-1',
    environment: 'in_orbit',
    fire_at: at(due),
  });
  await post('schedules/hazard/validate', undefined, EVE);
  expect((await schedule('hazard')).state).toBe('scheduled');
  await book(due + 10_000, 'booked-1');
  const fallen = await inState('hazard', 'at_risk');
  expect([fallen.validation, fallen.fire_at]).toEqual([undefined, at(due + 10_000)]);
  await book(due, 'booked-1');
  const isFormer = async (): Promise<boolean> => (await schedule('hazard')).fire_at === at(due);
  await until(isFormer, { ...PATIENTLY, what: 'the former start' });
  expect((await schedule('hazard')).state).toBe('at_risk');
  await post('schedules/hazard/validate', undefined, EVE);
  expect((await schedule('hazard')).state).toBe('scheduled');
  await until(() => Date.now() > due - 1_000, { ...PATIENTLY, what: 'a second before the start' });
  await mortal.kill('SIGKILL');
  const fired = await inState('hazard', 'fired');
  expect(Date.parse(fired.updated_at)).toBeGreaterThanOrEqual(due);
  const run = fired.run_id!;
  const pending = await until(async () => (await runOf(run)).pending, { ...PATIENTLY, what: 'the question' });
  await call('POST', `${cell.api}/v1/runs/${run}/answers`, { path: pending.path, accepted: true }, EVE);
  const log = await logOf(run);
  expect(log.at(-1)).toMatchObject({ event: 'finished', ok: true });
  expect(Date.parse(log.at(-1)!.at)).toBeLessThan(Date.parse(pass.los));
  expect(submissionsOf('hazard')).toMatchObject([{ run, ir: fired.ir }]);
  expect((await schedule('hazard')).run_id).toBe(run);
  // On the gateway of the station.
  expect([await receivedBy('sim-1'), (await receivedBy('sim-9')) > 0]).toEqual([0, true]);
}, 240_000);

/** A prediction by the rule's station, so many hours from now. */
function predicted(id: string, hours: number, more: object = {}): object {
  const pass = passAround(Date.now() + hours * 3_600_000, id, 'vardo');
  return { ...pass, source: 'fds', status: 'predicted', ...more };
}
const predict = (...content: Parameters<typeof predicted>): Promise<PassView> =>
  post('passes', predicted(...content), DYNAMICS);
const ofRule = async (): Promise<string[]> => {
  const { body } = await call<ScheduleList>('GET', `${cell.api}/v1/schedules?all=true`);
  return (body.schedules ?? [])
    .filter(({ by }) => by === 'rule week')
    .map(({ id, state }) => `${id} ${state}`);
};
const areOfRule = (...wanted: string[]): Promise<unknown> =>
  until(async () => JSON.stringify(await ofRule()) === JSON.stringify(wanted), {
    ...PATIENTLY,
    what: wanted.join(', '),
  });
const refusals = (): number => heir.errors().split('a rule made no schedule of a pass').length - 1;

it('F-16 MC-RULE-002 MC-RULE-003 MC-RULE-004 MC-RULE-009 MC-RULE-011 MC-RULE-012 MC-RULE-013 a rule follows the passes of a week, takes nothing back up that was cancelled, and what it made outlives it', async () => {
  const rule = {
    id: 'week',
    target: 'sat1',
    filter: { min_elevation: '20 deg', station: 'vardo' },
    start: 'aos + 30 s',
    run: 'quick',
    targets: { sat: 'sat1' },
    environment: 'bench',
  };
  await predict('low', 1, { max_elevation: '12 deg' });
  await predict('off', 2, { status: 'cancelled' });
  await predict('elsewhere', 3, { station: 'santiago' });
  const added = await call<Rule>('POST', `${cell.api}/v1/schedule-rules`, rule, ADA);
  expect([added.status, added.body.passes]).toEqual([
    201,
    { matched: 0, created: 0, refused: [], refused_count: 0 },
  ]);
  const high = predicted('high', 4);
  await post('passes', high, DYNAMICS);
  await areOfRule('week-high scheduled');
  // One rises above the mask as it is refined.
  await predict('low', 1, { max_elevation: '21 deg' });
  await areOfRule('week-low scheduled', 'week-high scheduled');
  await post('schedules/week-high/cancel', undefined, ADA);
  await post('passes', { ...high, max_elevation: '60 deg' }, DYNAMICS);
  // Too short for its run: refused once, however often it is looked at.
  const short = predicted('short', 5) as { aos: string };
  const los = at(Date.parse(short.aos) + 40_000);
  for (const max_elevation of ['40 deg', '41 deg', '42 deg'])
    await post('passes', { ...short, los, max_elevation }, DYNAMICS);
  const view = async (): Promise<Rule['passes'] | undefined> =>
    (await call<RuleList>('GET', `${cell.api}/v1/schedule-rules`)).body.rules?.[0]?.passes;
  const isRefused = async (): Promise<boolean> => (await view())?.refused.length === 1;
  await until(isRefused, { ...PATIENTLY, what: 'the refusal in the view' });
  expect(await view()).toMatchObject({
    matched: 3,
    created: 2,
    refused: [{ pass: 'short', reasons: [expect.stringContaining('may take')] }],
  });
  // The prediction is dropped.
  const window = { source: 'fds', target: 'sat1', from: at(Date.now()), to: at(Date.now() + 2 * 3_600_000) };
  await post('passes/replace_window', { ...window, passes: [] }, DYNAMICS);
  await areOfRule('week-low cancelled', 'week-high cancelled');
  const due = Date.now() + SOON_MS;
  await post('passes', { ...predicted('soon', 0), ...passAround(due, 'soon', 'vardo') }, DYNAMICS);
  await areOfRule('week-soon scheduled', 'week-low cancelled', 'week-high cancelled');
  expect((await call('DELETE', `${cell.api}/v1/schedule-rules/week`, undefined, ADA)).status).toBe(204);
  await predict('late', 6);
  const fired = await inState('week-soon', 'fired');
  expect(fired).toMatchObject({ by: 'rule week', fire_at: at(due) });
  expect((await logOf(fired.run_id!)).at(-1)).toMatchObject({ event: 'finished', ok: true });
  expect(submissionsOf('week-soon')).toMatchObject([{ run: fired.run_id }]);
  expect(await ofRule()).toEqual(['week-soon fired', 'week-low cancelled', 'week-high cancelled']);
  expect(refusals()).toBe(1);
}, 240_000);
