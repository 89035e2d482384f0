/** Runs of which the bus loses events that it had acknowledged, as copies of a stream that differ do. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RUN_VERSION } from '../../../actors/run/log-store.ts';
import { readRunLog } from '../../../actors/run/run-log.ts';
import { readRunStanding } from '../../../actors/run/standing.ts';
import type { NatsBus } from '../../../bus/nats-bus.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { Outage } from '../../../contract/outage.ts';
import { keptBytes } from '../../../messaging/kept-envelopes.ts';
import type { KeptEnvelope } from '../../../ports/entity.ts';
import { realClock } from '../../../supervision/clock.ts';
import { altered } from '../../simulation/planted/plant.ts';
import { loseMessages } from '../../support/lose-messages.ts';
import { demoMission, TestMissions } from '../../support/missions.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import {
  approve,
  lastOf,
  leaf,
  logWith,
  openRun,
  programOf,
  runOf,
  submitProgram,
} from '../../support/run-program.ts';
import { until } from '../../support/until.ts';
import { RunExecutor } from './run-executor.ts';

const mission = demoMission();
const CONFIRM = { kind: 'confirm', prompt: ['Go?'], role: 'operator' } as const;
const LOG = { kind: 'log', message: ['went'] } as const;
const program = () =>
  programOf(mission.revision, [leaf('a', [LOG, CONFIRM, LOG])], { leases: [], targets: {}, sends: false });

let nats: TestNats;
let bus: NatsBus;
let epoch = 0;
let executors: RunExecutor[] = [];

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
}, 60_000);
afterEach(async () => {
  await Promise.all(executors.splice(0).map((each) => each.stop()));
});
afterAll(() => nats.stop());

async function executor(): Promise<RunExecutor> {
  epoch += 1;
  const made = new RunExecutor({ bus, clock: realClock, missions: new TestMissions(mission), epoch });
  executors.push(made);
  await made.hold('3');
  return made;
}

async function stopped(one: RunExecutor): Promise<void> {
  executors = executors.filter((each) => each !== one);
  await one.stop();
}

/** Runs that wait for an answer. */
async function waiting(count: number): Promise<string[]> {
  const runs = Array.from({ length: count }, () => runOf('3'));
  for (const run of runs) await submitProgram(bus, program(), { run });
  for (const run of runs) await logWith(bus, run, 'asked');
  return runs;
}

/** Loses the events of a run from this one to that one, counted from 1. */
async function lose(run: string, first: number, last: number): Promise<void> {
  const log = await readRunLog(bus, run);
  const gone = log.filter(({ event }) => event.seq >= first && event.seq <= last);
  await loseMessages(
    nats,
    streams.runs,
    gone.map(({ position }) => position),
  );
}

describe('a run of which events are lost', () => {
  it('run/run-log.G6 shard.S13 ends with the reason when its next event is refused, behind the numbers people have seen; the others go on', async () => {
    const held = await executor();
    const [cut, whole] = (await waiting(2)) as [string, string];
    const before = await readRunLog(bus, cut);
    await lose(cut, before.length, before.length);
    await approve(bus, cut, { path: 'a', by: 'ana', roles: ['operator'] });
    const log = await logWith(bus, cut, 'finished');
    expect(lastOf(log, 'finished')).toMatchObject({
      ok: false,
      seq: before.length + 1,
      reason: expect.stringMatching(/events of its log.*are lost.*not carried on/),
    });
    expect(log.filter(({ event }) => event === 'logged')).toHaveLength(1);
    await until(async () => (await openRun(bus, cut)) === undefined);
    expect(bus.lostUntil).toBeGreaterThan(Date.parse(before[0]!.event.at));
    await approve(bus, whole, { path: 'a', by: 'ana', roles: ['operator'] });
    expect(lastOf(await logWith(bus, whole, 'finished'), 'finished')).toMatchObject({
      ok: true,
    });
    expect(held.failures).toEqual([]);
    expect(held.runs.kind.trouble()).toEqual({});
  });

  it.each([
    ['in the middle', 2, 3],
    ['at its end, of which the list knows', 4, 9],
    ['with all of its log', 1, 9],
  ] as const)(
    'shard-losses.L2 that are gone %s is not begun or carried on by the next owner',
    async (_, first, last) => {
      const one = await executor();
      const [run] = (await waiting(1)) as [string];
      const seen = await readRunLog(bus, run);
      const end = seen.at(-1)!.event.at;
      await until(async () => Buffer.from((await bus.bucket(buckets.runs).get(run))!.value).includes(end));
      await stopped(one);
      await bus
        .bucket(buckets.actors)
        .remove(`run.${run}`, (await bus.bucket(buckets.actors).get(`run.${run}`))?.revision ?? 0);
      await lose(run, first, last);
      const next = await executor();
      const log = await logWith(bus, run, 'finished');
      expect(lastOf(log, 'finished')).toMatchObject({ ok: false, reason: expect.stringContaining('lost') });
      expect(log.filter(({ event }) => event === 'logged').length).toBeLessThanOrEqual(1);
      await until(async () => (await openRun(bus, run)) === undefined);
      expect(next.failures).toEqual([]);
    },
  );

  it('run/standing.T3 that what is kept beside its log covers is ended', async () => {
    const one = await executor();
    const [run] = (await waiting(1)) as [string];
    await stopped(one);
    const { progress, facts, revision, position, mark } = await readRunStanding(bus, {
      run,
      program: program(),
      by: undefined,
    });
    const covers = { position, mark: mark! };
    const snapshot = { context: { progress } };
    const envelope = { kind: 'run', id: run, version: RUN_VERSION, revision, epoch, timers: [], effects: [] };
    const bytes = keptBytes({ ...envelope, snapshot, facts, covers } as KeptEnvelope);
    await bus.bucket(buckets.actors).overwrite(`run.${run}`, bytes);
    const index = await bus.bucket(buckets.runs).get(run);
    await bus.bucket(buckets.runs).remove(run, index!.revision);
    const log = await readRunLog(bus, run);
    await lose(run, log.length - 1, log.length);
    await executor();
    const end = lastOf(await logWith(bus, run, 'finished'), 'finished');
    expect(end).toMatchObject({
      ok: false,
      reason: expect.stringContaining(`events ${log.length - 1} to ${log.length} of its log are lost`),
    });
  });
});

it.each([
  ['with its end', 4],
  ['with all of it', 1],
] as const)(
  'shard.S11 a run that was over is ended again where its entry came back and its log is gone %s, and no other run is',
  async (_, first) => {
    const held = await executor();
    const [over, open] = (await waiting(2)) as [string, string];
    const entries = bus.bucket(buckets.openRuns);
    const entry = (await entries.get(`3.${over}`))!;
    await approve(bus, over, { path: 'a', by: 'ana', roles: ['operator'] });
    const ended = await logWith(bus, over, 'finished');
    await until(async () => (await openRun(bus, over)) === undefined);
    await lose(over, first, ended.length);
    await entries.overwrite(`3.${over}`, entry.value);
    bus.lost?.(Date.now());
    // One that is taken up in the same moment is not taken for one that was over.
    const [begun] = (await waiting(1)) as [string];
    await until(async () => (await openRun(bus, over)) === undefined);
    const log = await logWith(bus, over, 'finished');
    expect(lastOf(log, 'finished')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('part of its log is lost'),
    });
    // The first event of a log says what it is of.
    expect(log.length).toBe(Math.max(first, 2));
    for (const run of [open, begun]) {
      await approve(bus, run, { path: 'a', by: 'ana', roles: ['operator'] });
      expect(lastOf(await logWith(bus, run, 'finished'), 'finished')).toMatchObject({ ok: true });
    }
    expect(held.failures).toEqual([]);
  },
);

it.each(['slow', 'away'] as const)(
  'shard.S11 a run that is being taken up when a loss is found is not ended as one that was over, with a bus that is %s meanwhile',
  async (meanwhile) => {
    let isLossFound = false;
    let hasShard = false;
    let wasLookedAt = (): void => undefined;
    const lookedAt = new Promise<void>((resolve) => {
      wasLookedAt = resolve;
    });
    let isRead = false;
    const altering = altered(bus, {
      bucket: (definition) => {
        const bucket = bus.bucket(definition);
        if (definition.name === buckets.openRuns.name)
          return {
            ...bucket,
            list: async (filter) => {
              const entries = await bucket.list(filter);
              if (isLossFound && entries.some(({ key }) => key === `3.${run}`)) {
                isRead = true;
                wasLookedAt();
              }
              return entries;
            },
          };
        if (definition.name !== buckets.programs.name) return bucket;
        return {
          ...bucket,
          get: async (key) => {
            if (hasShard && meanwhile === 'slow') await lookedAt;
            if (hasShard && !isRead) throw new Outage('bus.unavailable', 'the bus refuses what it is asked');
            return bucket.get(key);
          },
        };
      },
    });
    epoch += 1;
    const held = new RunExecutor({
      bus: altering,
      clock: realClock,
      missions: new TestMissions(mission),
      epoch,
    });
    executors.push(held);
    const run = runOf('3');
    await held.hold('3');
    hasShard = true;
    await submitProgram(bus, program(), { run });
    await until(async () => (await openRun(bus, run)) !== undefined);
    isLossFound = true;
    bus.lost?.(Date.now());
    await logWith(bus, run, 'asked');
    await approve(bus, run, { path: 'a', by: 'ana', roles: ['operator'] });
    const log = await logWith(bus, run, 'finished');
    expect(lastOf(log, 'finished')).toMatchObject({ ok: true });
    expect(log.filter(({ event }) => event === 'finished')).toHaveLength(1);
    await until(async () => (await openRun(bus, run)) === undefined);
    expect(held.failures).toEqual([]);
  },
);
