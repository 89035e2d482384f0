/**
 * kill -9 of the executor while people have said something to a run, with another executor alive: what was accepted is
 * carried out by the next one. Mission Control Service, section 3.2. The kills at every event are in
 * `run-kill-*.test.ts`.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shardOf } from '../../actors/run/open-runs.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import type { RunSummary } from '../../contract/run.ts';
import type { TargetHolds } from '../../contract/target-holds.ts';
import { highestRanked } from '../../supervision/ownership/ranking.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, STEADY, startMcs } from '../support/mcs.ts';
import { owned, visit } from '../support/members.ts';
import {
  approve,
  control,
  currentRevision,
  lastOf,
  leaf,
  logWith,
  newRun,
  programOf,
  submitProgram,
} from '../support/run-program.ts';
import { until } from '../support/until.ts';

const HEIR = 'heir';
/** For a suspension at the end of one of them, however late a person is who asks for it. */
const WAITS = Array.from({ length: 40 }, () => ({ kind: 'wait', ms: 250 }) as const);
let cell: DemoCell;
let config: string;

beforeAll(async () => {
  // Everything but the executor lives here and survives.
  cell = await startDemoCell({ roles: ['api', 'drivers', 'gateways', 'telemetry'] });
  config = await currentRevision(cell.bus);
  await executor(HEIR);
  await until(async () => {
    const { body } = await call<{ values: unknown[] }>('GET', `${cell.api}/v1/targets/sat1/values`);
    return body.values?.length > 5;
  });
}, 120_000);
afterAll(async () => {
  await endAllMcs();
  await cell.stop();
});

function executor(instance: string, failpoint?: string): Promise<Mcs> {
  const at = ['--nats', cell.nats.url, '--credentials', cell.nats.credentialsFile];
  return startMcs({
    args: ['serve', '--roles', 'executor', ...at],
    env: { ...STEADY, MCS_INSTANCE: instance, ...(failpoint !== undefined && { MCS_FAILPOINT: failpoint }) },
  });
}

async function entry<Body>(bucket: keyof typeof buckets, key: string): Promise<Body | undefined> {
  const found = await cell.bus.bucket(buckets[bucket]).get(key);
  return found && (JSON.parse(Buffer.from(found.value).toString()) as Body);
}

let mortals = 0;

/** An executor that dies at the failpoint, and a run that it will own. */
async function mortalOwner(failpoint: string): Promise<{ mortal: Mcs; run: string }> {
  mortals += 1;
  const name = `mortal-${mortals}`;
  const mortal = await executor(name, failpoint);
  const owns = (run: string): boolean => highestRanked(shardOf(run), [name, HEIR]) === name;
  let run = newRun();
  while (!owns(run)) run = newRun();
  await owned(cell.bus, `runs.${shardOf(run)}`, name);
  return { mortal, run };
}

/** kill -9; the others look for the dead at once. */
async function killed(mortal: Mcs): Promise<void> {
  await mortal.kill();
  await visit(cell.bus);
}

const CONDITION = {
  kind: 'check',
  targets: { sat: 'sat1' },
  inputs: {},
  answers: {},
  inputTypes: {},
  maxAgeMs: 60_000,
} as const;

async function expectForgotten(run: string): Promise<void> {
  const key = `${shardOf(run)}.${run}`;
  await until(async () => (await entry('openRuns', key)) === undefined, { what: 'the run being forgotten' });
  expect((await entry<TargetHolds>('leases', 'sat1'))?.holders ?? []).toEqual([]);
  expect(await entry('runReports', run)).toMatchObject({ run, ended: { ok: true } });
  expect(await entry<RunSummary>('runs', run)).toMatchObject({ finished: true });
}

describe('kill -9 of the executor that holds a run, with another one alive', () => {
  it('MC-STM-022 a suspended run stays suspended with another executor, and goes on from there', async () => {
    const { mortal, run } = await mortalOwner('run:asked nothing');
    await submitProgram(cell.bus, programOf(config, [leaf('a', WAITS)]), { run });
    await logWith(cell.bus, run, 'step_started');
    await control(cell.bus, run, { action: 'suspend', by: 'ana' });
    await logWith(cell.bus, run, 'suspended');
    await killed(mortal);
    const log = await logWith(cell.bus, run, 'taken_over');
    expect(log.at(-1)).toMatchObject({ event: 'taken_over', by: HEIR });
    const resume = { action: 'resume', by: 'ana', choice: 'replay' } as const;
    expect(await control(cell.bus, run, resume)).toEqual({ outcome: 'accepted' });
    expect(lastOf(await logWith(cell.bus, run, 'finished'), 'finished').ok).toBe(true);
    await expectForgotten(run);
  }, 180_000);

  it('MC-STM-014 a suspension asked for before the executor died is carried out by the next', async () => {
    const { mortal, run } = await mortalOwner('run:asked nothing');
    const steps = [
      leaf('a', [
        { kind: 'wait', ms: 2_000 },
        { kind: 'wait', ms: 60_000 },
      ]),
    ];
    await submitProgram(cell.bus, programOf(config, steps), { run });
    await logWith(cell.bus, run, 'step_started');
    expect(await control(cell.bus, run, { action: 'suspend', by: 'ana' })).toEqual({ outcome: 'accepted' });
    await killed(mortal);
    expect(lastOf(await logWith(cell.bus, run, 'suspended'), 'suspended').by).toBe('ana');
    await control(cell.bus, run, { action: 'abort', by: 'ana' });
  }, 180_000);

  it('MC-ANS-006 a decision given while no executor held the run is taken by the next', async () => {
    const { mortal, run } = await mortalOwner('run:asked nothing');
    const failing = { ...CONDITION, condition: 'sat.obc.watchdog > 10000 s' } as const;
    await submitProgram(cell.bus, programOf(config, [leaf('check', [failing])]), { run });
    await logWith(cell.bus, run, 'decision_required');
    await killed(mortal);
    await approve(cell.bus, run, { path: 'check', value: 'skip', by: 'ana' });
    const log = await logWith(cell.bus, run, 'finished');
    expect(log.map(({ event }) => event)).toEqual([
      'started',
      'procedure_started',
      'step_started',
      'checked',
      'decision_required',
      'taken_over',
      'answered',
      'step_finished',
      'procedure_finished',
      'finished',
    ]);
    await expectForgotten(run);
  }, 180_000);
});
