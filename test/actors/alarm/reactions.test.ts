/** Reactions launched on a real bus: once for each activation, in the environment of whoever holds the target. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createReactions, type Reactions, reactionRun } from '../../../actors/alarm/reactions.ts';
import { appendRunEvent } from '../../../actors/run/run-log.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { RunSummary } from '../../../contract/run.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import type { RunSubmission } from '../../../contract/run-wire.ts';
import type { TargetHolds } from '../../../contract/target-holds.ts';
import { isUlid } from '../../../contract/token.ts';
import type { Mission } from '../../../mission/mission.ts';
import type { Bus, StreamMessage } from '../../../ports/bus.ts';
import { realClock } from '../../../supervision/clock.ts';
import { demoMission } from '../../support/missions.ts';
import { quiet, startNats, type TestNats } from '../../support/nats.ts';
import { newRun } from '../../support/run-program.ts';
import { until } from '../../support/until.ts';
import { startedEvent } from '../run/run-executor.ts';

const NAME = { target: 'sat1', component: 'battery', instance: '2', alarm: 'undervoltage' };
const KEY = 'sat1.battery.2.undervoltage';
const { signal } = new AbortController();

let nats: TestNats;
let bus: Bus;
const mission = demoMission();
const logged: object[] = [];
let seq = 0;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});
afterAll(() => nats.stop());
beforeEach(async () => {
  seq += 1;
  logged.length = 0;
  await hold([]);
});

function service(on: Mission | undefined = mission): Reactions {
  const missions = { current: on, at: async () => on, onChange: () => () => undefined };
  const log = { ...quiet, error: (fields: object) => void logged.push(fields) };
  return createReactions({ bus, clock: realClock, log, missions });
}

const wanted = (over: object = {}) => ({
  name: NAME,
  seq,
  at: 1_700_000_000_000,
  procedure: 'shed_load',
  ...over,
});

async function hold(holders: TargetHolds['holders']): Promise<void> {
  await bus.bucket(buckets.leases).overwrite('sat1', Buffer.from(JSON.stringify({ holders })));
}

async function submissions(): Promise<{ message: StreamMessage; body: RunSubmission }[]> {
  const found: { message: StreamMessage; body: RunSubmission }[] = [];
  const follower = await bus.follow(
    streams.runSubmissions,
    subject.runSubmit,
    { from: 'start' },
    (message) => {
      found.push({ message, body: JSON.parse(Buffer.from(message.data).toString()) as RunSubmission });
    },
  );
  await follower.caughtUp;
  await follower.stop();
  return found;
}

async function listed(run: string): Promise<RunSummary> {
  const entry = await bus.bucket(buckets.runs).get(run);
  return JSON.parse(Buffer.from(entry!.value).toString()) as RunSummary;
}

function runIn(launched: Awaited<ReturnType<Reactions['launch']>>): string {
  if (launched === undefined || !('run' in launched)) throw new Error(JSON.stringify(launched));
  return launched.run;
}

describe('launching a reaction', () => {
  it('MC-REACT-013 gives one run for each activation, whoever submits it and however often', async () => {
    const before = (await submissions()).length;
    const both = [service(), service(), service()];
    const runs = await Promise.all(both.map((each) => each.launch(wanted(), signal)));
    const [run] = new Set(runs.map(runIn));
    expect(new Set(runs.map(runIn)).size).toBe(1);
    expect(isUlid(run!)).toBe(true);
    expect(runIn(await service().launch(wanted(), signal))).toBe(run);
    const [one, ...more] = (await submissions()).slice(before);
    expect(more).toEqual([]);
    expect(one?.body).toMatchObject({ run, by: `alarm ${KEY}` });
    seq += 1;
    expect(runIn(await service().launch(wanted(), signal))).not.toBe(run);
  });

  it('MC-REACT-013 is asked by its message id: another identifier changes nothing', async () => {
    const run = runIn(await service().launch(wanted(), signal));
    const later = wanted({ at: 1_700_000_099_000 });
    expect(reactionRun(later)).not.toBe(run);
    expect(runIn(await service().launch(later, signal))).toBe(run);
  });

  it('MC-REACT-013 has an identifier that runs can have, also where the alarm was raised between two milliseconds', () => {
    const run = reactionRun(wanted({ at: 1_700_000_000_000.002 }));
    expect(isUlid(run)).toBe(true);
    expect(run).toBe(reactionRun(wanted()));
  });

  it('MC-REACT-013 stores the program and lists the run as a launch by a person does', async () => {
    const run = runIn(await service().launch(wanted(), signal));
    const submitted = (await submissions()).find(({ body }) => body.run === run);
    expect(await bus.bucket(buckets.programs).get(submitted!.body.ir)).toBeDefined();
    expect(await listed(run)).toEqual({
      run,
      procedure: 'shed_load',
      environment: 'rehearsal',
      targets: { sat: 'sat1' },
      by: `alarm ${KEY}`,
      suspended: false,
    });
  });

  it('MC-REACT-010 runs in the environment of the run that holds the target', async () => {
    const holder = newRun();
    await hold([{ run: holder, mode: 'exclusive' }]);
    const summary = { run: holder, procedure: 'p', suspended: false, environment: 'bench', targets: {} };
    await bus.bucket(buckets.runs).put(holder, Buffer.from(JSON.stringify(summary)), 0);
    expect(await listed(runIn(await service().launch(wanted(), signal)))).toMatchObject({
      environment: 'bench',
    });
  });

  it('MC-REACT-010 finds it in the log of a run that is not in the list', async () => {
    const holder = newRun();
    await hold([{ run: holder, mode: 'exclusive' }]);
    await appendRunEvent(bus, { event: startedEvent(holder) }, { epoch: 1, expected: 0 });
    expect(await listed(runIn(await service().launch(wanted(), signal)))).toMatchObject({
      environment: 'bench',
    });
  });

  it('MC-REACT-011 runs in the last environment of its target where no run holds it', async () => {
    expect(await listed(runIn(await service().launch(wanted(), signal)))).toMatchObject({
      environment: 'rehearsal',
    });
  });

  it('MC-REACT-012 logs a refusal, reports it, and launches nothing', async () => {
    const before = (await submissions()).length;
    const refused = await service().launch(wanted({ procedure: 'nothing' }), signal);
    expect(refused).toEqual({ refused: 'no library has a procedure "nothing"' });
    expect(logged).toMatchObject([{ alarm: KEY, procedure: 'nothing' }]);
    expect((await submissions()).length).toBe(before);
  });

  it('MC-REACT-012 refuses, logs and launches nothing where no configuration is published', async () => {
    const before = (await submissions()).length;
    const missions = { current: undefined, at: async () => undefined, onChange: () => () => undefined };
    const log = { ...quiet, error: (fields: object) => void logged.push(fields) };
    const unconfigured = createReactions({ bus, clock: realClock, log, missions });
    const reason = 'no configuration is published';
    expect(await unconfigured.launch(wanted(), signal)).toEqual({ refused: reason });
    expect(logged).toEqual([{ alarm: KEY, procedure: 'shed_load', reason }]);
    expect((await submissions()).length).toBe(before);
  });

  it('MC-REACT-010 finds it at the first of several holders of which it is known', async () => {
    const [unknown, holder] = [newRun(), newRun()];
    await hold([
      { run: unknown, mode: 'shared' },
      { run: holder, mode: 'shared' },
    ]);
    const summary = { run: holder, procedure: 'p', suspended: false, environment: 'bench', targets: {} };
    await bus.bucket(buckets.runs).put(holder, Buffer.from(JSON.stringify(summary)), 0);
    expect(await listed(runIn(await service().launch(wanted(), signal)))).toMatchObject({
      environment: 'bench',
    });
  });

  it('reactions.X5 is launched whatever unreadable stands where the environment is looked for', async () => {
    const holder = newRun();
    await hold([{ run: holder, mode: 'exclusive' }]);
    await bus.bucket(buckets.runs).put(holder, Buffer.from('no json'), 0);
    await bus.append(streams.runs, subject.runEvents(holder), Buffer.from('no json'));
    expect(await listed(runIn(await service().launch(wanted(), signal)))).toMatchObject({
      environment: 'rehearsal',
    });
    await bus.bucket(buckets.leases).overwrite('sat1', Buffer.from('no json'));
    seq += 1;
    expect(runIn(await service().launch(wanted(), signal))).toBeDefined();
  });

  it('answers with the run that was submitted, also when the mission would refuse it now', async () => {
    const run = runIn(await service().launch(wanted(), signal));
    const without = { ...mission, libraries: new Map() };
    expect(runIn(await service(without).launch(wanted(), signal))).toBe(run);
  });
});

describe('the end of a reaction', () => {
  const event = (run: string, n: number, fact: object): RunEvent =>
    ({ run, seq: n, at: '2026-01-01T00:00:00.000Z', ...fact }) as RunEvent;

  it('MC-REACT-021 is waited for, and reported with its reason', async () => {
    const run = newRun();
    let reported: unknown;
    void service()
      .ended(run, signal)
      .then((end) => {
        reported = end;
      });
    const started = event(run, 1, { event: 'logged', path: 'a', message: 'x', samples: [] });
    const at = await appendRunEvent(bus, { event: started }, { epoch: 1, expected: 0 });
    expect(reported).toBeUndefined();
    const finished = event(run, 2, { event: 'finished', ok: false, reason: 'aborted by ana' });
    await appendRunEvent(bus, { event: finished }, { epoch: 1, expected: at as number });
    await until(() => reported !== undefined);
    expect(reported).toEqual({ ok: false, reason: 'aborted by ana' });
    expect(await service().ended(run, signal)).toEqual(reported);
  });

  it('reactions.X5 is found behind what is no event: that is logged once and skipped', async () => {
    const run = newRun();
    const garbage = ['', 'no json', 'null', '17', '{'];
    for (const each of garbage) await bus.append(streams.runs, subject.runEvents(run), Buffer.from(each));
    const last = (await bus.last(streams.runs, subject.runEvents(run)))!.seq;
    const finished = event(run, 2, { event: 'finished', ok: true });
    await appendRunEvent(bus, { event: finished }, { epoch: 1, expected: last });
    expect(await service().ended(run, signal)).toEqual({ ok: true });
    expect(logged).toHaveLength(garbage.length);
    expect(logged.at(-1)).toEqual({ run, position: last });
  });

  it('is waited for no longer once nobody wants to know', async () => {
    const stop = new AbortController();
    const ended = service().ended(newRun(), stop.signal);
    stop.abort();
    expect(await ended).toBeUndefined();
  });
});
