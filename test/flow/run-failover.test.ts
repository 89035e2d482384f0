/**
 * kill -9 of the executor at every event of a run's log, before and behind its append, with another executor alive: real
 * processes, real SIGKILL (`supervision/failpoint.ts`). The log has no gap, no state-changing telecommand leaves twice, the
 * run ends or asks as section 3.2 of the Mission Control Service says.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shardOf } from '../../actors/run/open-runs.ts';
import { readRunLog } from '../../actors/run/run-log.ts';
import type { RunEvent, RunSummary } from '../../contract/run.ts';
import { buckets } from '../../contract/subject.ts';
import type { TargetHolds } from '../../contract/telecommand.ts';
import { highestRanked } from '../../supervision/partition.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import {
  approve,
  control,
  currentRevision,
  eventsOf,
  lastOf,
  leaf,
  logWith,
  newRun,
  ping,
  programOf,
  setWatchdog,
  submitProgram,
} from '../support/run-program.ts';
import { until } from '../support/until.ts';

const HEIR = 'heir';
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
}, 60_000);
afterAll(async () => {
  await endAllMcs();
  await cell.stop();
});

function executor(instance: string, failpoint?: string): Promise<Mcs> {
  const at = ['--nats', cell.nats.url, '--credentials', cell.nats.credentialsFile];
  return startMcs({
    args: ['serve', '--roles', 'executor', ...at],
    env: { MCS_INSTANCE: instance, ...(failpoint !== undefined && { MCS_FAILPOINT: failpoint }) },
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
  const key = `partition.runs.${shardOf(run)}`;
  const owner = async () => (await entry<{ owner: string | null }>('members', key))?.owner;
  await until(async () => (await owner()) === name, { what: `${name} owning its shard` });
  return { mortal, run };
}

/** Event numbers: 3 to 8 are of step `change`, 6 and 7 of its state-changing telecommand. */
const STEPS = [
  leaf('change', [ping(), setWatchdog(77)]),
  leaf('look', [ping(), { kind: 'log', message: ['looked'] }]),
];
const EVENTS = 15;
const CONDITION = {
  kind: 'check',
  targets: { sat: 'sat1' },
  ...{ inputs: {}, answers: {}, inputTypes: {} },
  maxAgeMs: 60_000,
} as const;

async function settled(run: string): Promise<RunEvent[]> {
  const end = () => eventsOf(cell.bus, run).then((log) => log.at(-1)!);
  const last = await until(
    async () => {
      const event = await end();
      return ['decision_required', 'finished'].includes(event?.event) && event;
    },
    { timeoutMs: 30_000, what: 'the end of the run, or its question' },
  );
  if (last.event === 'decision_required') {
    await approve(cell.bus, run, { path: last.path, value: 'skip', by: 'ana' });
  }
  return logWith(cell.bus, run, 'finished');
}

async function expectForgotten(run: string): Promise<void> {
  const key = `${shardOf(run)}.${run}`;
  await until(async () => (await entry('openRuns', key)) === undefined, { what: 'the run being forgotten' });
  expect((await entry<TargetHolds>('leases', 'sat1'))?.holders ?? []).toEqual([]);
  expect(await entry('runReports', run)).toMatchObject({ run, ended: { ok: true } });
  expect(await entry<RunSummary>('runs', run)).toMatchObject({ finished: true });
}

/** Behind the append of every event; and before those whose effects, or whose lack of them, make a difference. */
const POINTS = [
  ...Array.from({ length: EVENTS }, (_, n) => `committed ${n + 1}`),
  ...[1, 3, 7, 11, 15].map((seq) => `committing ${seq}`),
];

describe('kill -9 of the executor that holds a run, with another one alive', () => {
  it.each(POINTS)(
    'MC-LOG-002 MC-LOG-022 MC-STM-005 MC-STM-028 killed at %s: whole, asks or goes on, nothing twice',
    async (point) => {
      const before = await cell.receivedByRequest();
      const { mortal, run } = await mortalOwner(`run:${point}`);
      await submitProgram(cell.bus, programOf(config, STEPS), { run });
      expect((await mortal.exited).signal).toBe('SIGKILL');
      const stood = (await eventsOf(cell.bus, run)).length;
      const log = await settled(run);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
      expect(log.at(-1)).toMatchObject({ event: 'finished', ok: true });
      const isChanging = (event: RunEvent): boolean =>
        event.event === 'telecommand_sent' && event.changes_state;
      expect(log.filter(isChanging)).toHaveLength(1);
      const changedBefore = log.slice(0, stood).some(isChanging) && stood < 8;
      expect(log.some(({ event }) => event === 'decision_required')).toBe(changedBefore);
      if (stood > 0 && stood < EVENTS) expect(lastOf(log, 'taken_over').by).toBe(HEIR);
      const after = await cell.receivedByRequest();
      const arrived = Object.entries(after).map(([request, count]) => count - (before[request] ?? 0));
      const announced = log.filter(({ event }) => event === 'telecommand_sent').length;
      expect(arrived.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(announced);
      const epochs = (await readRunLog(cell.bus, run)).map(({ epoch }) => epoch);
      expect(epochs).toEqual([...epochs].sort((a, b) => a - b));
      await expectForgotten(run);
    },
  );

  it('MC-STM-022 a suspended run stays suspended with another executor, and goes on from there', async () => {
    const { mortal, run } = await mortalOwner('run:asked nothing');
    const steps = [
      leaf('a', [
        { kind: 'wait', ms: 300 },
        { kind: 'wait', ms: 10 },
      ]),
    ];
    await submitProgram(cell.bus, programOf(config, steps), { run });
    await logWith(cell.bus, run, 'step_started');
    await control(cell.bus, run, { action: 'suspend', by: 'ana' });
    await logWith(cell.bus, run, 'suspended');
    await mortal.kill();
    const log = await logWith(cell.bus, run, 'taken_over');
    expect(log.at(-1)).toMatchObject({ event: 'taken_over', by: HEIR });
    const resume = { action: 'resume', by: 'ana', choice: 'replay' } as const;
    expect(await control(cell.bus, run, resume)).toEqual({ outcome: 'accepted' });
    expect(lastOf(await logWith(cell.bus, run, 'finished'), 'finished').ok).toBe(true);
    await expectForgotten(run);
  });

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
    await mortal.kill();
    expect(lastOf(await logWith(cell.bus, run, 'suspended'), 'suspended').by).toBe('ana');
    await control(cell.bus, run, { action: 'abort', by: 'ana' });
  });

  it('MC-ANS-006 a decision given while no executor held the run is taken by the next', async () => {
    const { mortal, run } = await mortalOwner('run:asked nothing');
    const failing = { ...CONDITION, condition: 'sat.obc.watchdog > 10000 s' } as const;
    await submitProgram(cell.bus, programOf(config, [leaf('check', [failing])]), { run });
    await logWith(cell.bus, run, 'decision_required');
    await mortal.kill();
    await approve(cell.bus, run, { path: 'check', value: 'skip', by: 'ana' });
    const log = await logWith(cell.bus, run, 'finished');
    expect(log.map(({ event }) => event)).toEqual([
      ...['started', 'procedure_started', 'step_started', 'checked', 'decision_required'],
      ...['taken_over', 'answered', 'step_finished', 'procedure_finished', 'finished'],
    ]);
    await expectForgotten(run);
  });
});
