/** F-22: a configure, the mode it leaves behind, and who is informed of it, on the demo mission end to end. */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileFolder } from '../../cli/mission-folder.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { DriverState, GatewayState } from '../../contract/link.ts';
import type { LinkBinding, ModeView, ParametersView } from '../../contract/mode.ts';
import type { LaunchReply, RunStatus } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { TcReply } from '../../contract/telecommand.ts';
import type { CurrentValues } from '../../contract/value.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { call, codes, readLog } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

const ada = { 'x-mcs-user': 'ada' };
/** A binding that is lost without a word comes again behind half a minute. */
const PATIENTLY = { timeoutMs: 90_000 };
let folder: string;
let cell: DemoCell;

/** The demo with heaters that are set in NOMINAL only, and a procedure that does nothing but configure. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-mission-'));
  await cp(DEMO, folder, { recursive: true });
  await edit('cubesat-6u.yaml', (text) =>
    text.replace(
      '        description: Set the temperature below which the heater is on\n',
      (line) => `${line}        requires: [{ that: obc.mode == NOMINAL }]\n`,
    ),
  );
  await edit('ops.yaml', (text) => `${text}${PROCEDURE}`);
  cell = await startDemoCell({ folder, memberTtlMs: 20_000 });
});
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true, force: true });
});

const PROCEDURE = `
  go_nominal:
    roles: { sat: cubesat-6u }
    steps:
      - configure: sat
        mode: nominal
`;

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const before = await readFile(join(folder, file), 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${file} is as it was`);
  await writeFile(join(folder, file), after);
}

async function runToEnd(): Promise<{ run: string; log: RunEvent[] }> {
  const body = { run: 'go_nominal', environment: 'bench', targets: { sat: 'sat1' } };
  const answer = await call<LaunchReply>('POST', `${cell.api}/v1/runs`, body, ada);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  const { run } = answer.body;
  const { pending, finished: over } = await until(
    async () => {
      const { body: status } = await call<RunStatus>('GET', `${cell.api}/v1/runs/${run}`);
      return (status.pending !== undefined || status.finished !== undefined) && status;
    },
    { ...PATIENTLY, what: 'a decision or the end' },
  );
  // A telecommand that changes the spacecraft has left in it: whether it is tried again is for a person.
  if (over === undefined && pending !== undefined) {
    const decision = { path: pending.path, accepted: true, value: 'fail' };
    await call('POST', `${cell.api}/v1/runs/${run}/answers`, decision, ada);
  }
  return { run, log: await readLog<RunEvent>(`${cell.api}/v1/runs/${run}/events`) };
}

const finished = (log: readonly RunEvent[]) => {
  const last = log.at(-1);
  return last?.event === 'finished' && last.ok;
};
const kinds = (log: readonly RunEvent[]) => log.map(({ event }) => event);
const mode = async () => (await call<ModeView>('GET', `${cell.api}/v1/targets/sat1/mode`)).body;

/** What a telecommand is verified by reaches those who show values by a way of its own. */
async function modeOnBoard(): Promise<unknown> {
  const { body } = await call<CurrentValues>('GET', `${cell.api}/v1/targets/sat1/values`);
  return body.values?.find(({ component, measure }) => `${component}.${measure}` === 'obc.mode')?.sample
    .value;
}

async function parameter(name: string, query = '') {
  const url = `${cell.api}/v1/targets/sat1/parameters${query}`;
  const { body } = await call<ParametersView>('GET', url);
  return body.parameters?.find((each) => each.name === name);
}

async function bindings(about: string): Promise<readonly LinkBinding[]> {
  const reply = await cell.bus.request(about, new Uint8Array(), { timeoutMs: 30_000 });
  return (JSON.parse(Buffer.from(reply).toString()) as GatewayState | DriverState).bindings ?? [];
}

/** Driver and gateway of the link. */
const bound = () =>
  Promise.all([
    bindings(subject.driverVerb('pus', 'state')),
    bindings(subject.gatewayVerb('sim-1', 'state')),
  ]);
const boundIn = (wanted: string) =>
  until(
    async () => {
      const both = await bound().catch(() => [[]]);
      return both.every(([binding]) => binding?.mode === wanted);
    },
    { ...PATIENTLY, what: `links bound in ${wanted}` },
  );

it('MC-MODE-016 reports driver and gateway the default mode at the start', { timeout: 240_000 }, async () => {
  await boundIn('safe');
  const [[driver], [gateway]] = await bound();
  expect(driver).toMatchObject({
    target: 'sat1',
    link: 'uhf',
    overrides: {},
    parameters: { 'obc.watchdog': 60, 'battery[1].heater_on': 5, 'battery[2].heater_on': 5 },
  });
  expect(gateway).toMatchObject({ mode: driver!.mode, parameters: driver!.parameters });
  const ofReplay = () => bindings(subject.gatewayVerb('replay-1', 'state')).catch(() => []);
  await until(async () => (await ofReplay()).length > 0, { ...PATIENTLY, what: 'the binding of the replay' });
  expect(await ofReplay()).toMatchObject([{ mode: null }]);
});

it('MC-MODE-015 a configure whose second telecommand is rejected leaves the mode as it was', {
  timeout: 240_000,
}, async () => {
  await until(async () => (await parameter('obc.watchdog'))?.readback?.matches === true, PATIENTLY);
  const { log } = await runToEnd();
  expect(finished(log)).toBe(false);
  const states = log.flatMap((event) => (event.event === 'telecommand_finished' ? [event.state] : []));
  expect(states).toEqual(['VERIFIED', 'REJECTED']);
  expect(kinds(log)).not.toContain('mode_changed');
  expect(await mode()).toMatchObject({ mode: 'safe', since: null });
  expect(await cell.bus.bucket(buckets.modes).get('sat1')).toBeUndefined();
  expect((await bound()).map(([binding]) => binding?.mode)).toEqual(['safe', 'safe']);
  // The first setter was sent, and reads back what the mode does not say.
  const watchdog = await until(async () => {
    const shown = await parameter('obc.watchdog');
    return shown?.readback?.matches === false && shown;
  }, PATIENTLY);
  expect(watchdog).toMatchObject({
    value: 60,
    readback: { measure: 'obc.watchdog', sample: { value: 600 }, matches: false },
  });
});

it('MC-MODE-004 MC-MODE-014 MC-MODE-016 MC-MODE-017 one that passes sets the mode, names its run, and has the links bound again', {
  timeout: 240_000,
}, async () => {
  const { body } = await call<TcReply>(
    'POST',
    `${cell.api}/v1/tc`,
    { target: 'sat1', telecommand: 'obc.set_mode', args: { mode: 'NOMINAL' } },
    ada,
  );
  await readLog(`${cell.api}/v1/tc/sat1/${body.id}/events`);
  await until(async () => (await modeOnBoard()) === 'NOMINAL', { ...PATIENTLY, what: 'the mode on board' });
  const { run, log } = await runToEnd();
  expect(finished(log), JSON.stringify(log)).toBe(true);
  expect(log.find(({ event }) => event === 'mode_changed')).toMatchObject({
    target: 'sat1',
    mode: 'nominal',
  });
  expect(await mode()).toMatchObject({ mode: 'nominal', by: 'ada', run, since: expect.any(String) });
  await boundIn('nominal');
  for (const [binding] of await bound()) {
    expect(binding?.parameters).toEqual({
      'obc.watchdog': 120,
      'battery[1].heater_on': 0,
      'battery[2].heater_on': -2,
    });
    expect(binding?.overrides).toEqual({ bench: { 'obc.watchdog': 600 } });
  }
});

it('MC-PAR-003 MC-PAR-012 MC-PAR-014 shows the parameters of that mode, which read back in the environment it was set in', {
  timeout: 240_000,
}, async () => {
  const url = `${cell.api}/v1/targets/sat1/parameters?environment=bench`;
  const all = await until(async () => {
    const answer = await call<ParametersView>('GET', url);
    const { parameters = [] } = answer.body;
    const isEach = parameters.length > 0 && parameters.every(({ readback }) => readback?.matches === true);
    return isEach && answer;
  }, PATIENTLY);
  expect(all.body).toMatchObject({ mode: 'nominal', environment: 'bench' });
  expect(all.body.parameters.map(({ value }) => value)).toEqual([600, 0, -2]);
  // Engaged in two environments, nobody says in which: no override counts.
  expect(await parameter('obc.watchdog')).toMatchObject({ value: 120, readback: { matches: false } });
});

it('MC-MODE-011 MC-MODE-013 a person declares a mode, which changes nothing on board; not while a run holds the target', {
  timeout: 240_000,
}, async () => {
  const before = await cell.received();
  const put = () => call<ModeView>('PUT', `${cell.api}/v1/targets/sat1/mode`, { mode: 'safe' }, ada);
  const answer = await until(async () => {
    const tried = await put();
    return tried.status === 200 && tried;
  });
  expect(answer.body).not.toHaveProperty('run');
  await boundIn('safe');
  expect(await cell.received()).toBe(before);
  const body = { run: 'long_check', environment: 'bench', targets: { sat: 'sat1' } };
  const { body: launched } = await call<LaunchReply>('POST', `${cell.api}/v1/runs`, body, ada);
  const refused = await until(async () => {
    const tried = await put();
    return tried.status === 409 && tried;
  });
  expect(codes(refused)).toEqual(['mode::target-held']);
  await call('POST', `${cell.api}/v1/runs/${launched.run}/abort`, undefined, ada);
  await until(async () => (await put()).status === 200);
});

it('MC-MODE-007 a mode that the topology no longer declares is the default again, for everybody', {
  timeout: 240_000,
}, async () => {
  await call('PUT', `${cell.api}/v1/targets/sat1/mode`, { mode: 'nominal' }, ada);
  await boundIn('nominal');
  for (const file of ['topology.yaml', 'ops.yaml'])
    await edit(file, (text) => text.replaceAll('nominal', 'calm'));
  const compiled = await compileFolder(folder);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  await publishConfiguration(cell.bus, compiled.value);
  await until(async () => (await mode()).modes?.includes('calm'), PATIENTLY);
  expect(await mode()).toMatchObject({ mode: 'safe', default: 'safe', since: null });
  await boundIn('safe');
});
