/**
 * Reactions of real alarms: raised by telemetry of the simulated spacecraft, launched by the alarm service, carried out by
 * the executor. Mission Control Service, section 4.4.
 */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Alarm, AlarmList } from '../../contract/alarm.ts';
import type { LaunchReply, RunEvent, RunList } from '../../contract/run.ts';
import { call } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { eventsOf, lastOf, logWith } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const ALARMS = `    alarms:
      lit: { when: payload == true, severity: warning, on_raise: run "dim" }
      cold: { when: heater == false, severity: warning, on_raise: run "hopeless" }
`;

const DRILL = `
library: drill
version: 1.0.0
imports: [cubesat-6u@1.0.0]
procedures:
  shine:
    roles: { sat: cubesat-6u }
    steps:
      - step: on
        do:
          - send: sat.power.switch
            args: { channel: payload }
      - step: busy
        do: [{ wait: 10 min }, { log: over }]
  dim:
    roles: { sat: cubesat-6u }
    steps:
      - step: off
        do:
          - send: sat.power.switch
            args: { channel: payload, on: false }
          - expect: sat.power.payload == false
            within: 30 s
  hopeless:
    roles: { sat: cubesat-6u }
    steps:
      - step: try
        do: [{ check: sat.power.panel_current > 60 A }]
`;

let folder: string;
let cell: DemoCell;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-reaction-'));
  await cp(DEMO, folder, { recursive: true });
  const file = join(folder, 'cubesat-6u.yaml');
  const platform = await readFile(file, 'utf8');
  const power = '    description: Power distribution\n';
  if (!platform.includes(power)) throw new Error('the platform has no power distribution');
  await writeFile(file, platform.replace(power, power + ALARMS));
  await writeFile(join(folder, 'drill.yaml'), DRILL);
  cell = await startDemoCell({ folder });
  await until(async () => {
    const { body } = await call<{ values: unknown[] }>('GET', `${cell.api}/v1/targets/sat1/values`);
    return body.values?.length > 5;
  });
}, 60_000);
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true, force: true });
});

const ANA = { 'x-mcs-user': 'ana' };

async function alarm(name: string): Promise<Alarm['record'] | undefined> {
  const { body } = await call<AlarmList>('GET', `${cell.api}/v1/alarms?target=sat1&all=true`);
  return body.alarms?.find((each) => each.alarm === name)?.record;
}

/** The run of the reaction to this alarm, once it is listed. */
async function reactionTo(name: string): Promise<string> {
  let run: string | undefined;
  await until(
    async () => {
      const { body } = await call<RunList>('GET', `${cell.api}/v1/runs?limit=50`);
      run = body.runs.find(({ by }) => by === `alarm sat1.power._.${name}`)?.run;
      return run !== undefined;
    },
    { timeoutMs: 30_000, what: `the reaction to ${name}` },
  );
  return run!;
}

const first = (log: readonly RunEvent[], kind: RunEvent['event']): RunEvent =>
  log.find(({ event }) => event === kind)!;

describe('the reaction of a real alarm', () => {
  it('MC-REACT-001 MC-REACT-002 MC-REACT-016 takes the target of the run in progress, in its environment', async () => {
    const request = { run: 'shine', environment: 'rehearsal', targets: { sat: 'sat1' } };
    const launched = await call<LaunchReply>('POST', `${cell.api}/v1/runs`, request, ANA);
    const { run } = launched.body;
    const reaction = await reactionTo('lit');
    expect(await alarm('lit')).toMatchObject({ severity: 'warning', seq: expect.any(Number) });
    const log = await logWith(cell.bus, reaction, 'finished');
    expect(first(log, 'started')).toMatchObject({ environment: 'rehearsal', procedure: 'dim' });
    expect(lastOf(log, 'finished')).toMatchObject({ ok: true });
    const suspended = lastOf(await eventsOf(cell.bus, run), 'suspended');
    expect(suspended).toMatchObject({ by: 'alarm sat1.power._.lit' });
    expect(suspended.at <= first(log, 'step_started').at).toBe(true);
    await until(async () => (await alarm('lit'))?.state === 'CLEARED_UNACK', { timeoutMs: 30_000 });
    expect(await alarm('lit-reaction')).toBeUndefined();
    const aborted = await call('POST', `${cell.api}/v1/runs/${run}/abort`, undefined, ANA);
    expect(aborted.status).toBe(202);
  }, 90_000);

  it('MC-REACT-021 MC-REACT-022 raises and clears another alarm where it does not pass', async () => {
    const heater = { target: 'sat1', telecommand: 'power.switch', args: { channel: 'heater', on: false } };
    await until(async () => (await call('POST', `${cell.api}/v1/tc`, heater, ANA)).status === 202);
    const reaction = await reactionTo('cold');
    await logWith(cell.bus, reaction, 'decision_required');
    await call('POST', `${cell.api}/v1/runs/${reaction}/abort`, undefined, ANA);
    await until(async () => (await alarm('cold-reaction'))?.state === 'CLEARED_UNACK', { timeoutMs: 30_000 });
    expect(await alarm('cold-reaction')).toMatchObject({
      ...{ previous: 'ACTIVE_UNACK', severity: 'critical', seq: 2 },
      value: expect.stringContaining('aborted by ana'),
    });
  }, 90_000);
});
