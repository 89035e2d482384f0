/**
 * Commands that meet a run while its log is being written, owners that overlap, and runs that nobody can bring to life:
 * with real cells on a real bus.
 */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { appendRunEvent } from '../../../actors/run/run-log.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { deferred } from '../../../contract/deferred.ts';
import { RUN_ANSWER_BYTES } from '../../../contract/limits/run.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import type { TcSubmission } from '../../../contract/telecommand.ts';
import { type RunSnapshot, underWay } from '../../../machines/run/run.ts';
import { programDocument } from '../../../mission/procedure/program-document.ts';
import type { AppendOptions, Bus } from '../../../ports/bus.ts';
import type { MissionSource } from '../../../ports/mission-source.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { demoMission } from '../../support/missions.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import {
  approve,
  control,
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

interface Appended {
  readonly event?: string;
}

/** Holds an append back until it is let through. */
class Gate {
  readonly #open = deferred<void>();
  readonly #wanted: (to: string, body: Appended) => boolean;
  #reached = false;

  constructor(wanted: (to: string, body: Appended) => boolean) {
    this.#wanted = wanted;
  }

  get reached(): boolean {
    return this.#reached;
  }

  open(): void {
    this.#open.resolve();
  }

  over(inner: Bus): Bus {
    return new Proxy(inner, {
      get: (target, key) => {
        const value = Reflect.get(target, key) as unknown;
        if (key !== 'append') return typeof value === 'function' ? value.bind(target) : value;
        return async (stream: never, to: string, data: Uint8Array, options?: AppendOptions) => {
          if (this.#wanted(to, JSON.parse(Buffer.from(data).toString()) as Appended)) {
            this.#reached = true;
            await this.#open.promise;
          }
          return target.append(stream, to, data, options);
        };
      },
    });
  }
}

const missions: MissionSource = {
  current: mission,
  at: async (revision) => {
    if (revision === 'd'.repeat(64)) throw new Error('the configuration cannot be read');
    return revision === mission.revision ? mission : undefined;
  },
  onChange: () => () => undefined,
};

const newExecutor = (of: number, on: Bus = bus): RunExecutor =>
  new RunExecutor({ bus: on, clock: new HeapClock(1_700_000_000_000), missions, epoch: of });

const free = { leases: [] };
const failing = () => programOf(mission.revision, [leaf('bad', [setWatchdog(5)])], free);
const sending = () => programOf(mission.revision, [leaf('a', [setWatchdog(60)])], free);
const waiting = () => programOf(mission.revision, [leaf('a', [{ kind: 'wait', ms: 3_600_000 }])], free);

let executor: RunExecutor;
let epoch = 0;
beforeEach(() => {
  epoch += 1;
  executor = newExecutor(epoch);
});
afterEach(() => executor.stop());

describe('a telecommand that its run has logged and not yet sent', () => {
  for (const action of ['abort', 'suspend'] as const) {
    it(`stand-down.Z2 does not leave behind ${action === 'abort' ? 'an abort' : 'the preemption by a reaction'}`, async () => {
      const gate = new Gate((_to, { event }) => event === 'telecommand_sent');
      const slow = newExecutor(epoch, gate.over(bus));
      await slow.hold('0');
      const run = await submitProgram(bus, sending(), { run: runOf('0') });
      await until(() => gate.reached);
      const call = action === 'abort' ? { action, by: 'ana' } : { action, by: 'alarm x', reaction: true };
      const reply = control(bus, run, call);
      const snapshot = () => slow.runs.kind.peek(run)?.actor?.getSnapshot() as RunSnapshot;
      await until(() => ['releasing', 'suspending'].includes(underWay(snapshot())));
      gate.open();
      expect(await reply).toEqual({ outcome: 'accepted' });
      const log = await logWith(bus, run, action === 'abort' ? 'finished' : 'suspended');
      const { tc } = lastOf(log, 'telecommand_sent');
      await until(() => slow.runs.kind.peek(run)?.quiet !== false);
      await slow.stop();
      const under = (await submissions(run, 0)).filter(({ id }) => id === tc);
      expect(under.map(({ withdrawn }) => withdrawn)).toEqual([expect.stringContaining('withdrawn')]);
    });
  }
});

describe('a pending suspension', () => {
  it('MC-STM-014 outlives a resumption that was refused', async () => {
    await executor.hold('1');
    const run = await submitProgram(bus, waiting(), { run: runOf('1') });
    await logWith(bus, run, 'step_started');
    expect(await control(bus, run, { action: 'suspend', by: 'ana' })).toEqual({ outcome: 'accepted' });
    expect(await control(bus, run, { action: 'resume', by: 'bob', choice: 'replay' })).toMatchObject({
      outcome: 'refused',
    });
    expect((await openRun(bus, run))?.suspendBy).toBe('ana');
  });

  it('MC-STM-014 is known to a cell that is begun again under the same owner, until it is resumed', async () => {
    await executor.hold('2');
    const run = await submitProgram(bus, waiting(), { run: runOf('2') });
    await logWith(bus, run, 'step_started');
    const { kind } = executor.runs;
    const load = async () => (await kind.binding.store.load(run))?.envelope.snapshot;
    const wish = async () => ((await load()) as { context: { suspendWish: unknown } }).context.suspendWish;
    expect(await wish()).toBeNull();
    await control(bus, run, { action: 'suspend', by: 'ana' });
    expect(await wish()).toBe('ana');
    await control(bus, run, { action: 'suspend', by: 'alarm x', reaction: true } as never);
    await logWith(bus, run, 'suspended');
    await until(async () => (await openRun(bus, run))?.suspendBy === undefined);
    await control(bus, run, { action: 'resume', by: 'bob', choice: 'replay' });
    await logWith(bus, run, 'continued');
    expect(await wish()).toBeNull();
  });
});

describe('owners that overlap', () => {
  it('shard.S2 a run that the owner before took up late is not lost: it is found among the open ones', async () => {
    await executor.hold('3');
    const run = runOf('3');
    const program = failing();
    const { ir } = programDocument(program);
    const entry = Buffer.from(JSON.stringify({ run, ir, submittedAt: 1 }));
    await bus.bucket(buckets.openRuns).put(`3.${run}`, entry, 0);
    await appendRunEvent(bus, { event: { ...startedEvent(run), ir } as RunEvent }, { epoch: 0, expected: 0 });
    await submitProgram(bus, program, { run });
    await logWith(bus, run, 'taken_over');
  });

  it('MC-STM-005 MC-STM-028 what one announced and had not submitted when it was taken over never leaves', async () => {
    const gate = new Gate((to) => to === subject.tcSubmit('sat1'));
    const asleep = newExecutor(epoch, gate.over(bus));
    await asleep.hold('7');
    const run = await submitProgram(bus, sending(), { run: runOf('7') });
    await until(() => gate.reached);
    executor = newExecutor(epoch + 100);
    await executor.hold('7');
    const { tc } = lastOf(await logWith(bus, run, 'decision_required'), 'telecommand_sent');
    await approve(bus, run, { path: 'a', value: 'replay', by: 'ana' });
    const again = lastOf(await logWith(bus, run, 'telecommand_sent', { times: 2 }), 'telecommand_sent');
    expect(again.retry_of).toBe(tc);
    await submissions(run, 2);
    gate.open();
    await asleep.stop();
    const [first, second, ...more] = await submissions(run, 2);
    expect([first?.id, second?.id, more]).toEqual([tc, again.tc, []]);
    expect(first?.withdrawn).toContain(`executor-${epoch + 100}`);
    expect(second?.withdrawn).toBeUndefined();
  });
});

/** What stands in the lane of the target for a run, once it is so many. */
async function submissions(run: string, least: number): Promise<TcSubmission[]> {
  let all: TcSubmission[] = [];
  await until(async () => {
    const read: TcSubmission[] = [];
    const take = ({ data }: { data: Uint8Array }): void => {
      read.push(JSON.parse(Buffer.from(data).toString()) as TcSubmission);
    };
    const to = subject.tcSubmit('sat1');
    const follower = await bus.follow(streams.telecommands, to, { from: 'start' }, take);
    await follower.caughtUp;
    await follower.stop();
    all = read.filter((each) => each.run === run);
    return all.length >= least;
  });
  return all;
}

describe('a run that cannot be brought to life', () => {
  it('MC-STM-022 with garbage in its log does not keep the others of its shard from theirs', async () => {
    const [broken, sound] = [runOf('4'), runOf('4')];
    await executor.hold('4');
    for (const run of [broken, sound]) {
      await submitProgram(bus, waiting(), { run });
      await logWith(bus, run, 'step_started');
    }
    await executor.stop();
    await bus.append(streams.runs, subject.runEvents(broken), Buffer.from('not json'));
    executor = newExecutor(epoch + 100);
    await executor.hold('4');
    await logWith(bus, sound, 'taken_over');
    await until(() => executor.runs.kind.trouble()[broken] !== undefined);
    expect(executor.failures).toEqual([]);
    expect(await openRun(bus, broken)).toBeDefined();
  });

  it('shard.S3 whose configuration cannot be read ends failed, and the next submission is taken up', async () => {
    await executor.hold('5');
    const broken = await submitProgram(bus, programOf('d'.repeat(64), [leaf('a', [])], free), {
      run: runOf('5'),
    });
    const sound = await submitProgram(bus, failing(), { run: runOf('5') });
    const log = await logWith(bus, broken, 'finished');
    expect(lastOf(log, 'finished').reason).toContain('cannot be read');
    await logWith(bus, sound, 'decision_required');
  });
});

describe('an answer of any size', () => {
  it('MC-ANS-006 is skipped when no person wrote it, and the run waits on', async () => {
    await executor.hold('6');
    const run = await submitProgram(bus, failing(), { run: runOf('6') });
    await logWith(bus, run, 'decision_required');
    await approve(bus, run, { path: 'x'.repeat(RUN_ANSWER_BYTES), by: 'eve' });
    await approve(bus, run, { path: 'bad', value: 'skip', by: 'ana' });
    await logWith(bus, run, 'finished');
    expect((await eventsOf(bus, run)).map(({ event }) => event)).not.toContain('answer_refused');
  });
});
