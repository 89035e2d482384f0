/** The procedures of the demo mission, launched as a person does, on the simulated spacecraft. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import type { LaunchReply, RunRequest, RunStatus } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import { call, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { runLogFaults } from '../support/run-log-checker.ts';
import { until } from '../support/until.ts';

let cell: DemoCell;
beforeAll(async () => {
  cell = await startDemoCell({ memberTtlMs: 20_000 });
}, 60_000);
afterAll(() => cell.stop());

const ada = { 'x-mcs-user': 'ada' };
const grace = { 'x-mcs-user': 'grace', 'x-mcs-role': 'supervisor' };

async function launched(request: Omit<RunRequest, 'targets'>): Promise<string> {
  const body = { targets: { sat: 'sat1' }, ...request };
  const answer = await call<LaunchReply>('POST', `${cell.api}/v1/runs`, body, ada);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return answer.body.run;
}

async function asked(run: string): Promise<NonNullable<RunStatus['pending']>> {
  const pending = async () => (await call<RunStatus>('GET', `${cell.api}/v1/runs/${run}`)).body.pending;
  return until(pending, { what: 'a question', timeoutMs: 60_000 });
}

async function logOf(run: string): Promise<RunEvent[]> {
  const log = await readLog<RunEvent>(`${cell.api}/v1/runs/${run}/events`);
  expect(runLogFaults(log, { ended: true })).toEqual([]);
  return log;
}

const passed = { event: 'finished', ok: true };

it('health_check reads, and is through', { timeout: 90_000 }, async () => {
  expect((await logOf(await launched({ run: 'health_check', environment: 'bench' }))).at(-1)).toMatchObject(
    passed,
  );
});

it('shed_load switches the payload off and looks at the cell it is given', { timeout: 90_000 }, async () => {
  const run = await launched({ run: 'shed_load', environment: 'bench', inputs: { cell: '2' } });
  const log = await logOf(run);
  expect(log.at(-1)).toMatchObject(passed);
  const said = log.flatMap((event) => (event.event === 'logged' ? [event] : []));
  expect(said[0]).toMatchObject({ message: expect.stringMatching(/^battery 2 at \S+ V$/) });
  expect(said[0]!.samples).toMatchObject([
    { target: 'sat1', component: 'battery', instance: '2', measure: 'voltage' },
  ]);
});

it('MC-LOG-018 take_image configures the spacecraft, ends in its mode, and goes on by the answer', {
  timeout: 120_000,
}, async () => {
  const run = await launched({ run: 'take_image', environment: 'rehearsal', inputs: { exposure: '0.03 s' } });
  expect(await asked(run)).toMatchObject({ path: 'downlink', kind: 'ask' });
  await call(
    'POST',
    `${cell.api}/v1/runs/${run}/answers`,
    { path: 'downlink', accepted: true, value: '12 dB' },
    ada,
  );
  const log = await logOf(run);
  expect(log.at(-1)).toMatchObject(passed);
  expect(log[0]).toMatchObject({ event: 'started', inputs: { exposure: 30 } });
  const changed = log.flatMap((event) => (event.event === 'mode_changed' ? [event] : []));
  expect(changed).toMatchObject([{ path: 'prepare/#1', target: 'sat1', mode: 'nominal' }]);
  const mode = await cell.bus.bucket(buckets.modes).get('sat1');
  expect(JSON.parse(Buffer.from(mode!.value).toString())).toMatchObject({ mode: 'nominal', run });
  expect(log.flatMap((event) => (event.event === 'logged' ? [event.message] : []))).toContain('level 12 dB');
});

it('MC-ANS-012 reboot_obc leaves after a supervisor has confirmed it', { timeout: 120_000 }, async () => {
  const run = await launched({ run: 'reboot_obc', environment: 'rehearsal' });
  expect(await asked(run)).toMatchObject({ path: 'reboot', kind: 'ask', role: 'supervisor' });
  const yes = { path: 'reboot', accepted: true };
  await call('POST', `${cell.api}/v1/runs/${run}/answers`, yes, ada);
  await call('POST', `${cell.api}/v1/runs/${run}/answers`, yes, grace);
  const log = await logOf(run);
  expect(log.at(-1)).toMatchObject(passed);
  const people = log.filter(({ event }) => event === 'answer_refused' || event === 'answered');
  expect(people).toMatchObject([
    { event: 'answer_refused', by: 'ada' },
    { event: 'answered', by: 'grace', role: 'supervisor' },
  ]);
  const place = (event: string, path: string): number =>
    log.findIndex((each) => each.event === event && 'path' in each && each.path === path);
  expect(place('answered', 'reboot')).toBeLessThan(place('telecommand_sent', 'reboot'));
});
