/** A shard of runs on a real bus, with cells that a test stands in for, or real ones on a clock moved by hand. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RUN_VERSION } from '../../../actors/run/log-store.ts';
import { OpenRuns } from '../../../actors/run/open-runs.ts';
import { appendRunEvent } from '../../../actors/run/run-log.ts';
import type { RunServices } from '../../../actors/run/services.ts';
import { RunShard } from '../../../actors/run/shard.ts';
import { reactionBy } from '../../../contract/alarm-name.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { RunSummary } from '../../../contract/run.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import { HandOvers } from '../../../messaging/hand-overs.ts';
import { KeptEnvelopes, keptBytes } from '../../../messaging/kept-envelopes.ts';
import { LowWaterMark } from '../../../messaging/low-water-mark.ts';
import type { Bus } from '../../../ports/bus.ts';
import type { EntityEvent, KeptEnvelope } from '../../../ports/entity.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { KnownPlatforms } from '../../../telemetry/reading/known-platforms.ts';
import { demoMission, TestMissions } from '../../support/missions.ts';
import { quiet, startNats, type TestNats } from '../../support/nats.ts';
import { noFiles } from '../../support/no-files.ts';
import { NO_TOKENS } from '../../support/no-tokens.ts';
import { noPasses } from '../../support/passes.ts';
import {
  approve,
  eventsOf,
  lastOf,
  leaf,
  logWith,
  openRun,
  programOf,
  runOf,
  setWatchdog,
  submitProgram,
} from '../../support/run-program.ts';
import { until } from '../../support/until.ts';
import { RunExecutor, startedEvent } from './run-executor.ts';

let nats: TestNats;
let bus: Bus;
const mission = demoMission();

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});
afterAll(() => nats.stop());

function services(clock = new HeapClock(1_700_000_000_000)): RunServices {
  const values = { sample: () => undefined, upToDate: async () => undefined };
  const missions = new TestMissions(mission);
  const platforms = new KnownPlatforms(missions, clock);
  const world = { bus, clock, log: quiet, missions, passes: noPasses, handOvers: new HandOvers(clock, 0) };
  return { ...world, platforms, values, files: noFiles, instance: 'here' };
}

const steps = [leaf('bad', [setWatchdog(5)])];
const program = () => programOf(mission.revision, steps, { leases: [] });

async function markOf(shard: string): Promise<{ submission: number; answer: number }> {
  const entry = await bus.bucket(buckets.members).get(`checkpoint.runs.${shard}`);
  return JSON.parse(Buffer.from(entry!.value).toString());
}

/** A shard whose cells only note what they are given. */
class Bench {
  readonly started: string[] = [];
  readonly restored: string[] = [];
  readonly told: [string, EntityEvent][] = [];
  readonly failures: unknown[] = [];
  readonly shard: RunShard;
  readonly over = new AbortController();
  holds = true;

  constructor(shard: string, epoch: number) {
    this.shard = new RunShard({
      shard,
      epoch,
      services: services(),
      tokens: NO_TOKENS,
      cells: {
        start: (run) => void this.started.push(run),
        restore: (run) => void this.restored.push(run),
        tell: (run, event) => {
          this.told.push([run, event]);
          return 'accepted';
        },
        wake: () => undefined,
        drop: () => undefined,
        status: () => 'live',
        context: () => undefined,
        trouble: () => undefined,
        ids: () => this.started,
      },
      kept: new KeptEnvelopes(bus, { kind: 'run', version: RUN_VERSION }),
      holds: () => this.holds,
      over: this.over.signal,
      failed: (error) => void this.failures.push(error),
    });
  }
}

const entryOf = (run: string): Buffer => Buffer.from(JSON.stringify({ run, ir: 'e'.repeat(64) }));

describe('a shard of runs', () => {
  it('MC-RUN-056 takes up what was submitted before it began, enters it, and only its own', async () => {
    const [mine, other] = [runOf('0'), runOf('1')];
    await submitProgram(bus, program(), { run: mine, by: 'ana' });
    await submitProgram(bus, program(), { run: other });
    const bench = new Bench('0', 1);
    await bench.shard.start();
    await until(() => bench.started.length > 0);
    expect(bench.started).toEqual([mine]);
    expect(await openRun(bus, mine)).toMatchObject({ run: mine, by: 'ana' });
    expect(await openRun(bus, other)).toBeUndefined();
    await bench.shard.stop();
    const next = new Bench('0', 2);
    await next.shard.start();
    expect(next.started, 'its log has not begun: it is begun by the next owner').toEqual([mine]);
    await next.shard.stop();
  });

  it('restores a run whose log has begun, and sends it no answer twice', async () => {
    const run = runOf('2');
    const bench = new Bench('2', 1);
    await bench.shard.start();
    await submitProgram(bus, program(), { run });
    await until(() => bench.started.includes(run));
    await appendRunEvent(bus, { event: startedEvent(run) }, { epoch: 1, expected: 0 });
    await approve(bus, run, { path: 'a', by: 'ana' });
    await approve(bus, run, { path: 'b', by: 'ana' });
    await until(() => bench.told.length === 2);
    const [source] = bench.told.map(([, event]) => (event as EntityEvent & { source: number }).source);
    const refusal = {
      ...startedEvent(run),
      seq: 2,
      event: 'answer_refused',
      path: 'a',
      reason: 'r',
    } as RunEvent;
    const position = await lastPosition(run);
    const how = { epoch: 1, expected: position };
    const stored = await appendRunEvent(bus, { event: refusal, source: source! }, how);
    bench.shard.appended(run, { type: 'record', event: refusal, source: source! }, stored as number);
    // Its low-water mark is not written yet, as behind a crash: both answers are read again.
    const next = new Bench('2', 2);
    await next.shard.start();
    expect(next.restored).toEqual([run]);
    await until(() => next.told.some(([, event]) => (event as EntityEvent & { path: string }).path === 'b'));
    expect(next.told).toHaveLength(1);
    await next.shard.stop();
    const { answer } = await markOf('2');
    expect(answer, 'the answer that is not logged is read again').toBe(source! + 1);
    await bench.shard.stop();
  });

  it('shard.S2 does not begin a run again whose log has begun', async () => {
    const run = runOf('3');
    await appendRunEvent(bus, { event: startedEvent(run) }, { epoch: 1, expected: 0 });
    await submitProgram(bus, program(), { run });
    const marker = runOf('3');
    await submitProgram(bus, program(), { run: marker });
    const bench = new Bench('3', 1);
    await bench.shard.start();
    await until(() => bench.started.includes(marker));
    expect(bench.started).toEqual([marker]);
    await bench.shard.stop();
  });

  it('ends a run that an operator gives up, with who and why, and forgets it', async () => {
    const run = runOf('4');
    const bench = new Bench('4', 1);
    await bench.shard.start();
    await submitProgram(bus, program(), { run });
    await until(() => bench.started.includes(run));
    await bench.shard.gone(run, 'quarantined');
    expect(await openRun(bus, run), 'it stays open').toBeDefined();
    await bench.shard.gone(run, 'reset', 'it crashed; given up by ana');
    expect(lastOf(await eventsOf(bus, run), 'finished')).toMatchObject({
      ok: false,
      reason: 'it crashed; given up by ana',
    });
    expect(await openRun(bus, run)).toBeUndefined();
    const entry = await bus.bucket(buckets.runs).get(run);
    expect(JSON.parse(Buffer.from(entry!.value).toString()) as RunSummary).toMatchObject({ finished: false });
    await bench.shard.stop();
  });

  it('low-water-mark.F3 an older owner cannot take the low-water mark, and one that is overtaken says so', async () => {
    const old = new Bench('5', 1);
    await old.shard.start();
    const young = new Bench('5', 2);
    await young.shard.start();
    await submitProgram(bus, program(), { run: runOf('5') });
    await until(() => old.started.length > 0 && young.started.length > 0);
    await old.shard.stop();
    expect(String(old.failures[0])).toMatch(/another owner wrote the low-water mark/);
    await expect(new Bench('5', 1).shard.start()).rejects.toThrow(/another owner/);
    await young.shard.stop();
  });

  it('shard.S8 an owner that slept brings nothing to life from the log of a later one', async () => {
    const run = runOf('4');
    const entry = Buffer.from(JSON.stringify({ run, ir: 'e'.repeat(64), submittedAt: 1 }));
    const event = { run, seq: 1, at: '2026-01-01T00:00:00.000Z', event: 'started' } as RunEvent;
    const old = new Bench('4', 1);
    await old.shard.start();
    // It sleeps; a later one takes the low-water mark, as every owner does first, and writes.
    const mark = {
      bus,
      clock: new HeapClock(0),
      log: quiet,
      name: 'runs.4',
      epoch: 2,
      lost: () => undefined,
    };
    await new LowWaterMark({
      ...mark,
      first: { submission: 1, answer: 1 },
      stands: () => ({ submission: 1, answer: 1 }),
    }).take();
    await appendRunEvent(bus, { event }, { epoch: 2, expected: 0 });
    await bus.bucket(buckets.openRuns).put(`4.${run}`, entry, 0);
    await bus.append(streams.runSubmissions, subject.runSubmit, entryOf(run), {});
    await until(() => old.failures.length > 0);
    await old.shard.stop();
    expect(old.restored).toEqual([]);
    expect(String(old.failures[0])).toBe('Error: another owner has shard 4 of the runs');
    expect(await eventsOf(bus, run)).toHaveLength(1);
    await bus
      .bucket(buckets.openRuns)
      .remove(`4.${run}`, (await bus.bucket(buckets.openRuns).get(`4.${run}`))!.revision);
  });

  it('owned-worker.W5 one that loses the shard while it ends a run at its start comes to an end', async () => {
    const run = runOf('1');
    // Its program is in no store: it is ended when it is taken up.
    const entry = Buffer.from(JSON.stringify({ run, ir: 'e'.repeat(64), submittedAt: 1 }));
    await bus.bucket(buckets.openRuns).put(`1.${run}`, entry, 0);
    const old = new Bench('1', 1);
    // It is its owner when it looks, and not any more when it has ended the run.
    let asked = 0;
    const get = (): boolean => {
      asked += 1;
      return asked === 1;
    };
    Object.defineProperty(old, 'holds', { get });
    const started = old.shard.start();
    await until(async () => (await eventsOf(bus, run)).some(({ event }) => event === 'finished'));
    old.over.abort();
    await started;
    await old.shard.stop();
    const next = new Bench('1', 2);
    await next.shard.start();
    expect(await openRun(bus, run)).toBeUndefined();
    await next.shard.stop();
  });

  it('shard.S8 one that no longer holds its shard takes nothing up, and leaves it to be read', async () => {
    const asleep = new Bench('3', 1);
    await asleep.shard.start();
    asleep.holds = false;
    const run = await submitProgram(bus, program(), { run: runOf('3') });
    await until(() => asleep.failures.length > 0);
    await asleep.shard.stop();
    expect(asleep.started).not.toContain(run);
    expect(await openRun(bus, run)).toBeUndefined();
    const heir = new Bench('3', 2);
    await heir.shard.start();
    await until(() => heir.started.includes(run));
    await heir.shard.stop();
  });

  it('MC-STM-014 keeps a pending suspension until the log shows it', async () => {
    const run = runOf('6');
    const bench = new Bench('6', 1);
    await bench.shard.start();
    await submitProgram(bus, program(), { run });
    await until(() => bench.started.includes(run));
    const body = Buffer.from(JSON.stringify({ action: 'suspend', by: 'ana' }));
    void bus.request(subject.runControl(run), body, { timeoutMs: 60_000 }).catch(() => undefined);
    await until(() => bench.told.length > 0);
    expect(bench.told[0]![1]).toMatchObject({ type: 'command.suspend', by: 'ana' });
    expect((await openRun(bus, run))?.suspendBy).toBe('ana');
    const event = { ...startedEvent(run), event: 'suspended', path: 'a', by: 'ana' } as RunEvent;
    bench.shard.appended(run, { type: 'record', event }, 1);
    await until(async () => (await openRun(bus, run))?.suspendBy === undefined);
    await bench.shard.stop();
  });
});

async function lastPosition(run: string): Promise<number> {
  return (await bus.last(streams.runs, subject.runEvents(run)))?.seq ?? 0;
}

describe('what is kept of a run beside its log', () => {
  const ended = (run: string): RunEvent => ({
    run,
    seq: 2,
    at: '2026-01-01T00:00:01.000Z',
    event: 'finished',
    ok: true,
  });
  /** A run as far as its log goes, with an envelope. */
  async function kept(shard: string, ...events: ((run: string) => RunEvent)[]): Promise<string> {
    const run = runOf(shard);
    let expected = 0;
    for (const event of events)
      expected = (await appendRunEvent(bus, { event: event(run) }, { epoch: 1, expected })) as number;
    const envelope: KeptEnvelope = {
      kind: 'run',
      id: run,
      version: RUN_VERSION,
      revision: events.length,
      epoch: 1,
      snapshot: {},
      timers: [],
      effects: [],
      covers: { position: expected, mark: 'm' },
    };
    await bus.bucket(buckets.actors).put(`run.${run}`, keptBytes(envelope), 0);
    return run;
  }
  const isKept = async (run: string): Promise<boolean> =>
    (await bus.bucket(buckets.actors).get(`run.${run}`)) !== undefined;

  it('shard.S10 is removed when its shard is taken, where an owner that slept wrote it behind the end, and of nothing else', async () => {
    const over = await kept('5', startedEvent, ended);
    const lost = await kept('5');
    const open = await kept('5', startedEvent);
    const elsewhere = await kept('6', startedEvent, ended);
    const bench = new Bench('5', 100);
    await bench.shard.start();
    await until(async () => !(await isKept(over)) && !(await isKept(lost)));
    expect([await isKept(open), await isKept(elsewhere)]).toEqual([true, true]);
    expect(bench.failures).toEqual([]);
    await bench.shard.stop();
  });

  it('shard.S10 is removed before its entry where the run ends without a cell', async () => {
    const run = await kept('6', startedEvent, ended);
    await bus.bucket(buckets.openRuns).put(`6.${run}`, entryOf(run), 0);
    const bench = new Bench('6', 100);
    await bench.shard.start();
    await until(async () => (await openRun(bus, run)) === undefined);
    expect([await isKept(run), bench.restored]).toEqual([false, []]);
    await bench.shard.stop();
  });
});

describe('a run that waits for people', () => {
  it('sleeps after a minute, and wakes for its answer as if nothing had been', async () => {
    const clock = new HeapClock(1_700_000_000_000);
    const executor = new RunExecutor({ bus, clock, missions: new TestMissions(mission) });
    const { kind } = executor.runs;
    await executor.hold('7');
    const run = await submitProgram(bus, program(), { run: runOf('7') });
    const asked = await logWith(bus, run, 'decision_required');
    await until(() => kind.peek(run)?.quiet);
    clock.advance(61_000);
    clock.advance(61_000);
    expect(kind.live).toBe(0);
    await approve(bus, run, { path: 'bad', value: 'skip', by: 'ana' });
    const log = await logWith(bus, run, 'finished');
    expect(log.slice(asked.length).map(({ event }) => event)).toEqual([
      'answered',
      'step_finished',
      'procedure_finished',
      'finished',
    ]);
    await until(async () => (await openRun(bus, run)) === undefined);
    expect(executor.failures).toEqual([]);
    await executor.stop();
  });
});

describe('a suspension that a reaction left in the entry of a run alone', () => {
  const BY = reactionBy('sat1.battery.1.undervoltage');
  const OTHER = reactionBy('sat1.obc._.hot');
  const SHARD = '7';
  let epoch = 100;

  it.each([
    ['is spent', BY, undefined],
    ['stays where it is of another reaction', OTHER, OTHER],
    ['stays where it is of a person', 'ana', 'ana'],
  ])('preemption.Y2 %s, once the run is suspended by that reaction', async (_what, wished, left) => {
    const run = runOf(SHARD);
    epoch += 1;
    const bench = new Bench(SHARD, epoch);
    await bench.shard.start();
    await submitProgram(bus, program(), { run });
    await until(() => bench.started.includes(run));
    const stored = async (event: RunEvent, expected: number): Promise<number> => {
      const position = (await appendRunEvent(bus, { event }, { epoch, expected })) as number;
      bench.shard.appended(run, { type: 'record', event }, position);
      return position;
    };
    const position = await stored(startedEvent(run), 0);
    // Its executor lives and did not answer in time: the reaction writes past it.
    const entries = new OpenRuns(bus, SHARD);
    await entries.wish(run, wished);
    await stored(
      { ...startedEvent(run), seq: 2, event: 'suspended', path: 'bad', by: BY } as RunEvent,
      position,
    );
    // What the shard asked of the bus by now is done by the third answer behind it.
    for (let read = 0; read < 3; read += 1) await entries.find(run);
    expect((await entries.find(run))?.suspendBy).toBe(left);
    expect(bench.failures).toEqual([]);
    await bench.shard.stop();
    await entries.remove(run);
  });
});
