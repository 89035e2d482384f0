/**
 * Reactions that take a target from other runs: with the real cells of two executors on a real bus. The driver and the
 * gateway of the target only say that they are alive.
 */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPrepare } from '../../../actors/run/effects/prepare.ts';
import { Leases } from '../../../actors/run/leases.ts';
import { shardNames } from '../../../actors/run/open-runs.ts';
import { preemptAll } from '../../../actors/run/preemption.ts';
import type { RunAtHand, RunServices } from '../../../actors/run/services.ts';
import { reactionBy } from '../../../contract/alarm-name.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import type { TargetHolds } from '../../../contract/target-holds.ts';
import { HandOvers } from '../../../messaging/hand-overs.ts';
import type { Bus } from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { MissionSource } from '../../../ports/mission-source.ts';
import { realClock } from '../../../supervision/clock.ts';
import { KnownPlatforms } from '../../../telemetry/reading/known-platforms.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { demoMission } from '../../support/missions.ts';
import { quiet, startNats, type TestNats } from '../../support/nats.ts';
import { noFiles } from '../../support/no-files.ts';
import { noPasses } from '../../support/passes.ts';
import {
  approve,
  control,
  eventsOf,
  lastOf,
  leaf,
  logWith,
  newRun,
  openRun,
  programOf,
  runOf,
  submitProgram,
} from '../../support/run-program.ts';
import { until } from '../../support/until.ts';
import { RunExecutor } from './run-executor.ts';

const KEY = 'sat1.battery.1.undervoltage';
const BY = reactionBy(KEY);
const OTHER = reactionBy('sat1.obc._.hot');

let nats: TestNats;
let bus: Bus;
const mission = demoMission();
const missions: MissionSource = {
  current: mission,
  at: async () => mission,
  onChange: () => () => undefined,
};
let epoch = 0;
let executors: RunExecutor[] = [];

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  for (const alive of [subject.driverVerb('pus', 'state'), subject.gatewayVerb('sim-1', 'state')])
    bus.serve(alive, async () => Buffer.from('{}'));
});
afterAll(() => nats.stop());

/** The first and the second of a test hold half of the shards each. */
function newExecutor(clock = realClock): RunExecutor {
  epoch += 1;
  const executor = new RunExecutor({ bus, clock, missions, epoch });
  executors.push(executor);
  return executor;
}

/** A clock by which no bus, however busy, takes the second that a reaction waits for a suspension. */
function slowClock(): Clock {
  const began = realClock.now();
  return { ...realClock, now: () => Math.floor(began + (realClock.now() - began) / 20) };
}

const MINE = shardNames().slice(0, 4);
const THEIRS = shardNames().slice(4);
let first: RunExecutor;
let second: RunExecutor;

beforeEach(async () => {
  await bus.bucket(buckets.leases).overwrite('sat1', Buffer.from(JSON.stringify({ holders: [] })));
  first = newExecutor();
  second = newExecutor();
  await first.hold(...MINE);
  await second.hold(...THEIRS);
});
afterEach(async () => {
  for (const executor of executors) await executor.stop();
  executors = [];
  // Nobody goes on with what a test has left open.
  const open = bus.bucket(buckets.openRuns);
  for (const { key, revision } of await open.list('>')) await open.remove(key, revision);
});

const waiting = () => programOf(mission.revision, [leaf('a', [{ kind: 'wait', ms: 3_600_000 }])]);
const brief = (ms = 20) => programOf(mission.revision, [leaf('react', [{ kind: 'wait', ms }])]);

/** Of a shard that this executor holds. */
async function holds(): Promise<TargetHolds> {
  const entry = await bus.bucket(buckets.leases).get('sat1');
  return JSON.parse(Buffer.from(entry!.value).toString()) as TargetHolds;
}

async function begun(run: string): Promise<string> {
  await submitProgram(bus, waiting(), { run, by: 'ana' });
  await logWith(bus, run, 'step_started');
  return run;
}

const react = (ms?: number, by = BY, run = runOf(...THEIRS)): Promise<string> =>
  submitProgram(bus, brief(ms), { run, by });

const at = (log: readonly RunEvent[], kind: RunEvent['event']): string =>
  log.find(({ event }) => event === kind)!.at;

describe('a reaction', () => {
  it('MC-REACT-014 MC-REACT-016 MC-REACT-018 takes the target from a run, which is suspended by it and stays so', async () => {
    await Promise.all([first.stop(), second.stop()]);
    const clock = slowClock();
    [first, second] = [newExecutor(clock), newExecutor(clock)];
    await first.hold(...MINE);
    await second.hold(...THEIRS);
    const run = await begun(runOf(...MINE));
    const reaction = await react();
    const log = await logWith(bus, reaction, 'finished');
    expect(lastOf(log, 'finished')).toMatchObject({ ok: true });
    const suspended = lastOf(await eventsOf(bus, run), 'suspended');
    expect(suspended).toMatchObject({ by: BY, path: 'a' });
    expect(suspended.at <= at(log, 'step_started')).toBe(true);
    expect((await eventsOf(bus, run)).at(-1)).toMatchObject({ event: 'suspended' });
    await until(async () => (await holds()).holders.length === 0);
    expect((await holds()).taken).toEqual([{ run, reaction, by: BY }]);
    await until(async () => (await openRun(bus, run))?.suspendBy === undefined);
  });

  it('MC-REACT-019 MC-STM-016 refuses its resumption while it holds the target, and not behind', async () => {
    const run = await begun(runOf(...MINE));
    const reaction = await react(3_600_000);
    await logWith(bus, run, 'suspended');
    await logWith(bus, reaction, 'step_started');
    const resume = { action: 'resume', by: 'ana', choice: 'replay' } as const;
    expect(await control(bus, run, resume)).toEqual({
      outcome: 'refused',
      reason: `sat1 is held by run ${reaction}, the reaction to alarm ${KEY}`,
    });
    await control(bus, reaction, { action: 'abort', by: 'ana' });
    await until(async () => (await holds()).holders.length === 0);
    expect(await control(bus, run, resume)).toEqual({ outcome: 'accepted' });
    expect(lastOf(await logWith(bus, run, 'continued'), 'continued')).toMatchObject({ choice: 'replay' });
    expect(await holds()).toMatchObject({ holders: [{ run }], taken: [{ run, upTo: expect.any(Number) }] });
  });

  it('MC-REACT-014 takes it from every run that shares it', async () => {
    const shared = { ...waiting(), leases: [{ target: 'sat1', mode: 'shared' }] } as const;
    const runs = [runOf(...MINE), runOf(...THEIRS)];
    for (const run of runs) {
      await submitProgram(bus, shared, { run });
      await logWith(bus, run, 'step_started');
    }
    const reaction = await react();
    for (const run of runs) expect(lastOf(await logWith(bus, run, 'suspended'), 'suspended').by).toBe(BY);
    expect(lastOf(await logWith(bus, reaction, 'finished'), 'finished').ok).toBe(true);
  });

  it('MC-REACT-014 MC-REACT-018 takes it from a run whose executor is dead; who takes it over finds it suspended', async () => {
    const run = await begun(runOf(...MINE));
    await first.stop();
    const reaction = await react();
    expect(lastOf(await logWith(bus, reaction, 'finished'), 'finished').ok).toBe(true);
    await newExecutor().hold(...MINE);
    const log = await logWith(bus, run, 'suspended');
    expect(lastOf(log, 'suspended').by).toBe(BY);
    expect(log.map(({ event }) => event)).toContain('taken_over');
    await until(async () => (await holds()).holders.length === 0);
    await until(async () => (await openRun(bus, run))?.suspendBy === undefined);
  });

  it('MC-REACT-018 suspends it also where only its hold could be taken and nobody was informed', async () => {
    const run = await begun(runOf(...MINE));
    await first.stop();
    const leases = new Leases(bus);
    const { leases: wanted } = brief();
    await leases.seize({ run: 'R', by: BY, alarm: KEY }, wanted);
    await leases.release('R', ['sat1']);
    await newExecutor().hold(...MINE);
    const log = await logWith(bus, run, 'suspended');
    expect(lastOf(log, 'suspended').by).toBe(BY);
    expect(lastOf(log, 'logged')).toMatchObject({
      message: expect.stringContaining(`taken from it by ${BY}`),
    });
  });

  it('MC-REACT-018 suspends a run that waits for a decision and whose executor is dead', async () => {
    const failing = programOf(mission.revision, [
      leaf('a', [
        { kind: 'wait', ms: 10 },
        { kind: 'check', ...CONDITION },
      ]),
    ]);
    const run = await submitProgram(bus, failing, { run: runOf(...MINE) });
    await logWith(bus, run, 'decision_required');
    await first.stop();
    const reaction = await react();
    await logWith(bus, reaction, 'finished');
    await newExecutor().hold(...MINE);
    expect(lastOf(await logWith(bus, run, 'suspended'), 'suspended').by).toBe(BY);
    await approve(bus, run, { path: 'a', value: 'skip', by: 'ana' });
  });

  it('MC-REACT-015 begins behind the reaction of another alarm, and two at once have it one after the other', async () => {
    const runs = [await react(300, BY), await react(300, OTHER, runOf(...MINE))];
    const logs = await Promise.all(runs.map((run) => logWith(bus, run, 'finished')));
    for (const log of logs) expect(lastOf(log, 'finished').ok).toBe(true);
    const [one, two] = logs.toSorted((a, b) => (at(a, 'step_started') < at(b, 'step_started') ? -1 : 1));
    expect(at(two!, 'step_started') >= at(one!, 'finished')).toBe(true);
    for (const log of logs) expect(log.map(({ event }) => event)).not.toContain('suspended');
  });

  it('MC-REACT-014 is begun by its next owner where the first one died behind taking the target', async () => {
    const run = await begun(runOf(...MINE));
    const reaction = runOf(...THEIRS);
    await second.stop();
    await new Leases(bus).seize({ run: reaction, by: BY, alarm: KEY }, brief().leases);
    await react(20, BY, reaction);
    await newExecutor().hold(...THEIRS);
    expect(lastOf(await logWith(bus, reaction, 'finished'), 'finished').ok).toBe(true);
    expect(lastOf(await logWith(bus, run, 'suspended'), 'suspended').by).toBe(BY);
  });

  it('that waits for another one can be aborted', async () => {
    await new Leases(bus).seize({ run: 'R', by: OTHER, alarm: 'sat1.obc._.hot' }, brief().leases);
    const reaction = await react();
    await logWith(bus, reaction, 'started');
    await control(bus, reaction, { action: 'abort', by: 'ana' });
    expect(lastOf(await logWith(bus, reaction, 'finished'), 'finished').reason).toBe('aborted by ana');
  });
});

const CONDITION = {
  condition: 'sat.obc.watchdog > 10000 s',
  targets: { sat: 'sat1' },
  inputs: {},
  answers: {},
  inputTypes: {},
  maxAgeMs: 60_000,
} as const;

describe('taking a target', () => {
  const missions = { current: mission, at: async () => mission, onChange: () => () => undefined };
  const services = (clock: Clock): RunServices => ({
    bus,
    clock,
    handOvers: new HandOvers(clock),
    log: quiet,
    instance: 'here',
    missions,
    passes: noPasses,
    platforms: new KnownPlatforms(missions, clock),
    files: noFiles,
    values: { sample: () => undefined, upToDate: async () => undefined },
  });
  const atHand = (over: Partial<RunAtHand> = {}): RunAtHand => ({
    run: newRun(),
    program: brief(),
    mission,
    by: BY,
    holds: () => true,
    ...over,
  });

  it('MC-REACT-023 MC-REACT-015 is given up 60 s behind the start, naming the reaction that holds it', async () => {
    await new Leases(bus).seize({ run: 'R', by: OTHER, alarm: 'sat1.obc._.hot' }, brief().leases);
    const clock = new ManualClock(1_000_000);
    const prepare = createPrepare(services(clock), () => false);
    const since = clock.now();
    const { signal } = new AbortController();
    let answered: unknown;
    void prepare({ type: 'effect.prepare', ticket: 1, since }, atHand(), signal).then((event) => {
      answered = event;
    });
    // Three hundred looks at the bus.
    await until(
      async () => {
        if (clock.waiting > 0) clock.advance(Math.min(200, since + 59_999 - clock.now()));
        await settled();
        return clock.now() === since + 59_999 && clock.waiting > 0;
      },
      { timeoutMs: 100_000 },
    );
    expect(answered).toBeUndefined();
    clock.advance(1);
    await until(() => answered !== undefined);
    expect(answered).toMatchObject({
      type: 'not-prepared',
      reason: 'sat1 is held by run R, the reaction to alarm sat1.obc._.hot: waited for it at most 60 s',
    });
  }, 120_000);

  it('MC-REACT-015 counts the 60 s from the start of the run, whoever prepares it and when', async () => {
    await new Leases(bus).seize({ run: 'R', by: OTHER, alarm: 'sat1.obc._.hot' }, brief().leases);
    const clock = new ManualClock(1_000_000);
    const prepare = createPrepare(services(clock), () => false);
    const { signal } = new AbortController();
    let answered: unknown;
    const since = clock.now() - 59_000;
    void prepare({ type: 'effect.prepare', ticket: 1, since }, atHand(), signal).then((event) => {
      answered = event;
    });
    await until(async () => {
      if (clock.waiting > 0) clock.advance(Math.min(200, since + 60_000 - clock.now()));
      await settled();
      return answered !== undefined;
    });
    expect(clock.now()).toBe(since + 60_000);
    expect(answered).toMatchObject({ type: 'not-prepared', reason: expect.stringContaining('at most 60 s') });
  });

  it('MC-STM-003 is refused at once to a run that is no reaction, and to a reaction that is resumed', async () => {
    await new Leases(bus).seize({ run: 'R', by: OTHER, alarm: 'sat1.obc._.hot' }, brief().leases);
    const prepare = createPrepare(services(new ManualClock(1_000_000)), () => false);
    const { signal } = new AbortController();
    const ordinary = { type: 'effect.prepare', ticket: 1, since: 1_000_000 } as const;
    expect(await prepare(ordinary, atHand({ by: 'ana' }), signal)).toMatchObject({ type: 'not-prepared' });
    const resumed = { type: 'effect.prepare', ticket: 1 } as const;
    expect(await prepare(resumed, atHand(), signal)).toMatchObject({ type: 'not-prepared' });
  });

  it('a name that is no alarm takes nothing from anybody', async () => {
    await new Leases(bus).take('A', brief().leases);
    const prepare = createPrepare(services(realClock), () => false);
    const { signal } = new AbortController();
    const effect = { type: 'effect.prepare', ticket: 1, since: realClock.now() } as const;
    expect(await prepare(effect, atHand({ by: 'alarm of ana' }), signal)).toMatchObject({
      type: 'not-prepared',
      reason: 'sat1 is held by run A',
    });
  });

  it('an owner that was overtaken suspends nobody', async () => {
    const run = await begun(runOf(...MINE));
    const { signal } = new AbortController();
    await preemptAll([run], { by: BY, services: services(realClock), isOwner: () => false, signal });
    expect((await eventsOf(bus, run)).map(({ event }) => event)).not.toContain('suspended');
    expect((await openRun(bus, run))?.suspendBy).toBeUndefined();
  });
});
