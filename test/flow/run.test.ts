/** Runs end to end on the demo mission: programs made by hand, submitted as the API does, on a real bus. */

import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shardOf } from '../../actors/run/open-runs.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Program } from '../../contract/program.ts';
import type { RunSummary } from '../../contract/run.ts';
import { RunEvent, runEventId } from '../../contract/run-event.ts';
import type { RunReport } from '../../contract/run-report.ts';
import type { TargetHolds } from '../../contract/target-holds.ts';
import type { TcEvent } from '../../contract/telecommand.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import { call, codes } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
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
  submitRun,
} from '../support/run-program.ts';
import { until } from '../support/until.ts';

let cell: DemoCell;
let config: string;

beforeAll(async () => {
  cell = await startDemoCell({ memberTtlMs: 20_000 });
  config = await currentRevision(cell.bus);
  await until(async () => {
    const { body } = await call<{ values: unknown[] }>('GET', `${cell.api}/v1/targets/sat1/values`);
    return body.values?.length > 5;
  });
});
afterAll(() => cell.stop());

const program = (steps: Program['steps'], overrides: Partial<Program> = {}): Program =>
  programOf(config, steps, overrides);

async function ended(run: string): Promise<RunEvent[]> {
  const log = await logWith(cell.bus, run, 'finished');
  for (const event of log) expect([...Value.Errors(RunEvent, event)], JSON.stringify(event)).toEqual([]);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
  return log;
}

async function entry<Body>(bucket: keyof typeof buckets, key: string): Promise<Body | undefined> {
  const found = await cell.bus.bucket(buckets[bucket]).get(key);
  return found && (JSON.parse(Buffer.from(found.value).toString()) as Body);
}

async function holders(target = 'sat1'): Promise<string[]> {
  const holds = await entry<TargetHolds>('leases', target);
  return (holds?.holders ?? []).map(({ run }) => run);
}

/** Everything of its end is done. */
async function forgotten(run: string): Promise<void> {
  await until(async () => (await entry('openRuns', `${shardOf(run)}.${run}`)) === undefined, {
    what: `${run} being forgotten`,
  });
}

const kinds = (log: readonly RunEvent[]): string[] => log.map(({ event }) => event);
const log = (message: string) => leaf('note', [{ kind: 'log', message: [message] }]);
const wait = (ms: number) => ({ kind: 'wait', ms }) as const;
/** Many waits: something is done between two of them, however late it is asked for. */
const waits = (ms: number, times: number) => Array.from({ length: times }, () => wait(ms));
const confirm = (path: string) => leaf(path, [{ kind: 'ask', prompt: ['Go on?'], timeoutMs: null }]);

describe('a run', () => {
  it('MC-LOG-026 MC-BUS-001 is logged event by event on its subject, each under its own message id', async () => {
    const run = await submitProgram(cell.bus, program([leaf('first', [ping(), wait(20)]), log('done')]), {
      by: 'ana',
    });
    const events = await ended(run);
    expect(kinds(events)).toEqual([
      'started',
      'procedure_started',
      'step_started',
      'telecommand_sent',
      'telecommand_finished',
      'step_finished',
      'step_started',
      'logged',
      'step_finished',
      'procedure_finished',
      'finished',
    ]);
    expect(lastOf(events, 'started')).toMatchObject({ by: 'ana', targets: { sat: 'sat1' } });
    expect(lastOf(events, 'finished').ok).toBe(true);
    const again = await cell.bus.append(streams.runs, subject.runEvents(run), Buffer.from('{}'), {
      id: runEventId(run, 3),
    });
    expect(again.outcome).toBe('duplicate');
    await forgotten(run);
  });

  it('MC-LOG-009 MC-LOG-011 announces a telecommand before it is submitted, with the run and step in its history', async () => {
    const run = await submitProgram(cell.bus, program([leaf('only', [setWatchdog(90)])]), { by: 'ana' });
    const events = await ended(run);
    const { tc } = lastOf(events, 'telecommand_sent');
    const finished = lastOf(events, 'telecommand_finished');
    expect(finished).toMatchObject({ tc, state: 'VERIFIED', path: 'only' });
    expect(finished.acks.map(({ state }) => state)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFIED']);
    const announced = await messageOf(run, lastOf(events, 'telecommand_sent').seq);
    const submitted = await firstOf(streams.telecommands, subject.tcSubmit('sat1'), tc);
    expect(announced.at).toBeLessThanOrEqual(submitted.at);
    expect(submitted.headers[header.config]).toBe(config);
    const history = await firstOf(streams.telecommandEvents, subject.tcEvent('sat1', tc), tc);
    const first = JSON.parse(Buffer.from(history.data).toString()) as TcEvent;
    expect(first).toMatchObject({ run, step: 'only', by: 'ana' });
    await forgotten(run);
  });

  it('MC-STM-021 MC-STM-031 gives the target back, archives a report and shows its end in the list', async () => {
    const run = await submitProgram(cell.bus, program([log('x')]));
    await ended(run);
    await forgotten(run);
    expect(await holders()).not.toContain(run);
    const report = await entry<RunReport>('runReports', run);
    expect(report).toMatchObject({ run, events: 7, ended: { ok: true } });
    expect(await entry<RunSummary>('runs', run)).toMatchObject({
      run,
      finished: true,
      procedure: 'test_run',
      environment: 'bench',
    });
  });

  it('MC-BUS-008 MC-BUS-009 is begun once, however often it is submitted', async () => {
    const run = newRun();
    await submitProgram(cell.bus, program([log('once')]), { run });
    const before = await ended(run);
    await forgotten(run);
    // Past the memory of the stream the executor knows it by its log.
    const { ir } = lastOf(before, 'started');
    await cell.bus.append(
      streams.runSubmissions,
      subject.runSubmit,
      Buffer.from(JSON.stringify({ run, ir })),
      {
        id: `${run}-again`,
      },
    );
    const other = await submitProgram(cell.bus, program([log('after')]), { run: sameShard(run) });
    await ended(other);
    expect(await eventsOf(cell.bus, run)).toEqual(before);
  });

  it('ends failed with the reason when its program is missing, or is not what its name says', async () => {
    const missing = newRun();
    await submitRun(cell.bus, { run: missing, ir: 'a'.repeat(64), by: 'ana' });
    expect(lastOf(await ended(missing), 'finished').reason).toMatch(/a{64} is not stored/);
    await cell.bus.bucket(buckets.programs).put('b'.repeat(64), Buffer.from('{"format":1}'), 0);
    const broken = newRun();
    await submitRun(cell.bus, { run: broken, ir: 'b'.repeat(64) });
    const events = await ended(broken);
    expect(kinds(events)).toEqual(['started', 'finished']);
    expect(lastOf(events, 'finished').reason).toMatch(/has the hash/);
    await forgotten(broken);
    expect(await entry<RunSummary>('runs', broken)).toMatchObject({ finished: false });
  });

  it('ends failed with the reason when its configuration is gone', async () => {
    const run = await submitProgram(cell.bus, program([log('x')], { config: 'c'.repeat(64) }));
    const { ok, reason } = lastOf(await ended(run), 'finished');
    expect({ ok, reason }).toEqual({
      ok: false,
      reason: expect.stringMatching(/configuration c{64} .* not stored/),
    });
  });

  it('refuses a value that does not fit before anything is submitted', async () => {
    const run = await submitProgram(cell.bus, program([leaf('bad', [setWatchdog(5)])]));
    await logWith(cell.bus, run, 'decision_required');
    const finished = lastOf(await eventsOf(cell.bus, run), 'telecommand_finished');
    expect(finished).toMatchObject({ state: 'REJECTED', acks: [] });
    expect(finished.detail).toMatch(/period/);
    expect(
      await cell.bus.last(streams.telecommandEvents, subject.tcEvent('sat1', finished.tc)),
    ).toBeUndefined();
    await approve(cell.bus, run, { path: 'bad', value: 'abort', by: 'ana' });
    expect(lastOf(await ended(run), 'finished').ok).toBe(false);
    await forgotten(run);
  });
});

async function messageOf(run: string, seq: number): Promise<StreamMessage> {
  return (await allOf(streams.runs, subject.runEvents(run)))[seq - 1]!;
}

async function firstOf(
  stream: Parameters<typeof allOf>[0],
  on: string,
  text: string,
): Promise<StreamMessage> {
  const found = (await allOf(stream, on)).find(({ data }) => Buffer.from(data).includes(text));
  if (found === undefined) throw new Error(`nothing with ${text} on ${on}`);
  return found;
}

async function allOf(stream: (typeof streams)[keyof typeof streams], on: string): Promise<StreamMessage[]> {
  const messages: StreamMessage[] = [];
  const follower = await cell.bus.follow(
    stream,
    on,
    { from: 'start' },
    (message) => void messages.push(message),
  );
  await follower.caughtUp;
  await follower.stop();
  return messages;
}

/** Another run of the same shard. */
function sameShard(run: string): string {
  for (;;) {
    const other = newRun();
    if (shardOf(other) === shardOf(run)) return other;
  }
}

const stopNow = async (run: string): Promise<void> => {
  await control(cell.bus, run, { action: 'abort', by: 'test' });
  await forgotten(run);
};

describe('targets of a run', () => {
  it('MC-STM-003 a run whose target is held ends failed at once, naming the holder', async () => {
    const first = await submitProgram(cell.bus, program([confirm('hold')]));
    await logWith(cell.bus, first, 'asked');
    const second = await submitProgram(cell.bus, program([log('never')]));
    const events = await ended(second);
    expect(kinds(events)).toEqual(['started', 'finished']);
    expect(lastOf(events, 'finished')).toMatchObject({ ok: false, reason: `sat1 is held by run ${first}` });
    await stopNow(first);
  });

  it('MC-STM-002 a run whose target is not ready ends failed at once with the reason', async () => {
    const run = await submitProgram(
      cell.bus,
      program([log('never')], { leases: [{ target: 'nowhere', mode: 'shared' }] }),
    );
    expect(lastOf(await ended(run), 'finished')).toMatchObject({
      ok: false,
      reason: 'nowhere is not in the topology',
    });
  });

  it('MC-TC-030 MC-TC-031 MC-TC-032 F-02 holds against direct telecommands by its lease, and not while suspended', async () => {
    const tc = async (telecommand: string): Promise<string> => {
      const answer = await call('POST', `${cell.api}/v1/tc`, { target: 'sat1', telecommand });
      return answer.status === 202 ? 'taken' : `${answer.status} ${codes(answer)}`;
    };
    const matrix = async (): Promise<string[]> => [await tc('obc.set_watchdog'), await tc('obc.ping')];
    const exclusive = await submitProgram(cell.bus, program([confirm('hold')]));
    await logWith(cell.bus, exclusive, 'asked');
    expect(await matrix()).toEqual(['409 tc::target-held', '409 tc::target-held']);
    expect(await control(cell.bus, exclusive, { action: 'suspend', by: 'ana' })).toEqual({
      outcome: 'accepted',
    });
    await logWith(cell.bus, exclusive, 'suspended');
    expect(await matrix()).toEqual(['taken', 'taken']);
    const shared = { leases: [{ target: 'sat1', mode: 'shared' }] } as const;
    const readers = await Promise.all(
      [1, 2].map(() => submitProgram(cell.bus, program([confirm('hold')], shared))),
    );
    for (const reader of readers) await logWith(cell.bus, reader, 'asked');
    expect((await holders()).sort()).toEqual([...readers].sort());
    expect(await matrix()).toEqual(['409 tc::target-held', 'taken']);
    const writer = await submitProgram(cell.bus, program([log('never')]));
    const { reason } = lastOf(await ended(writer), 'finished');
    for (const reader of readers) expect(reason).toContain(reader);
    const refused = await control(cell.bus, exclusive, { action: 'resume', by: 'ana', choice: 'replay' });
    expect(refused).toMatchObject({ outcome: 'refused', reason: expect.stringContaining(readers[0]!) });
    for (const reader of readers) await stopNow(reader);
    expect(await control(cell.bus, exclusive, { action: 'resume', by: 'ana', choice: 'replay' })).toEqual({
      outcome: 'accepted',
    });
    await logWith(cell.bus, exclusive, 'asked', { times: 2 });
    expect(await holders()).toEqual([exclusive]);
    await stopNow(exclusive);
    expect(await holders()).toEqual([]);
  });
});

describe('faults of a run', () => {
  it('MC-RUN-018 MC-RUN-021 MC-RUN-023 MC-RUN-024 MC-LOG-027 MC-BUS-014 MC-BUS-015 are switched when due, and off at the end at the latest', async () => {
    const switched: unknown[] = [];
    const hearing = cell.bus.subscribe(subject.simEvent('sat1'), ({ data }) => {
      switched.push(JSON.parse(Buffer.from(data).toString()));
    });
    const fault = (name: string) => ({ target: 'sat1', gateway: 'sim-1', fault: name });
    const faults: Program['faults'] = [
      { ...fault('slow_completion'), at: { afterMs: 0 }, off: { step: 'second', afterMs: 0 } },
      { ...fault('cell_drain'), at: { step: 'second', afterMs: 20 }, off: null },
    ];
    const steps = [leaf('first', waits(100, 10)), leaf('second', waits(100, 20))];
    const run = await submitProgram(cell.bus, program(steps, { faults }));
    const events = await ended(run);
    const messages = events.flatMap((event) =>
      event.event === 'logged' ? [`${event.path}: ${event.message}`] : [],
    );
    expect(messages.slice(0, 3)).toEqual([
      expect.stringMatching(/: fault slow_completion of sat1 switched on$/),
      'second: fault slow_completion of sat1 switched off',
      'second: fault cell_drain of sat1 switched on',
    ]);
    expect(messages[3]).toMatch(/fault cell_drain of sat1 switched off$/);
    await until(() => switched.length === 4);
    expect(switched).toMatchObject([
      { run, target: 'sat1', fault: 'slow_completion', on: true },
      { run, target: 'sat1', fault: 'slow_completion', on: false },
      { run, target: 'sat1', fault: 'cell_drain', on: true },
      { run, target: 'sat1', fault: 'cell_drain', on: false },
    ]);
    await hearing.stop();
    await forgotten(run);
  });
});

describe('people and a run', () => {
  it('MC-ANS-022 MC-BUS-010 MC-STM-014 MC-STM-016 is suspended at the end of its instruction and resumed', async () => {
    const run = await submitProgram(cell.bus, program([leaf('a', waits(250, 60)), log('end')]), {});
    await logWith(cell.bus, run, 'step_started');
    expect(await control(cell.bus, run, { action: 'suspend', by: 'ana' })).toEqual({ outcome: 'accepted' });
    const suspended = lastOf(await logWith(cell.bus, run, 'suspended'), 'suspended');
    expect(suspended).toMatchObject({ by: 'ana', path: 'a' });
    expect(await holders()).toEqual([]);
    await until(async () => (await entry<RunSummary>('runs', run))?.suspended);
    expect(await control(cell.bus, run, { action: 'resume', by: 'bob', choice: 'skip' })).toEqual({
      outcome: 'accepted',
    });
    const events = await ended(run);
    expect(lastOf(events, 'continued')).toMatchObject({ by: 'bob', choice: 'skip', path: 'a' });
    expect(lastOf(events, 'finished').ok).toBe(true);
    await forgotten(run);
  });

  it('MC-STM-018 MC-STM-020 is aborted: its end is stored when the command is answered', async () => {
    const run = await submitProgram(cell.bus, program([leaf('a', [wait(60_000)])]));
    await logWith(cell.bus, run, 'step_started');
    expect(await control(cell.bus, run, { action: 'abort', by: 'ana' })).toEqual({ outcome: 'accepted' });
    const events = await eventsOf(cell.bus, run);
    expect(events.at(-1)).toMatchObject({ event: 'finished', ok: false, reason: 'aborted by ana' });
    await forgotten(run);
    expect(await holders()).toEqual([]);
    expect(await entry<RunReport>('runReports', run)).toMatchObject({ ended: { ok: false } });
  });

  it('MC-ANS-024 nobody answers a command to a run that is over, or that never was', async () => {
    const run = await submitProgram(cell.bus, program([log('x')]));
    await ended(run);
    await forgotten(run);
    const abort = (gone: string) => control(cell.bus, gone, { action: 'abort', by: 'ana' });
    // Its executor answers for it until a moment behind that.
    await until(
      () =>
        abort(run).then(
          (reply) => expect(reply).not.toEqual({ outcome: 'accepted' }),
          () => true,
        ),
      { what: 'nobody to answer for it' },
    );
    for (const gone of [run, newRun()])
      await expect(abort(gone)).rejects.toMatchObject({ code: 'bus.no-responder' });
  });

  it('MC-ANS-025 refuses a resumption where nothing is suspended, and a command it does not know', async () => {
    const run = await submitProgram(cell.bus, program([confirm('hold')]));
    await logWith(cell.bus, run, 'asked');
    const resume = { action: 'resume', by: 'ana', choice: 'replay' } as const;
    expect(await control(cell.bus, run, resume)).toMatchObject({ outcome: 'refused' });
    expect(await control(cell.bus, run, { action: 'explode', by: 'ana' } as never)).toMatchObject({
      outcome: 'refused',
    });
    await stopNow(run);
  });

  it('MC-STM-012 MC-ANS-006 MC-ANS-030 waits for its answer, and refuses one for a place that waits for nothing', async () => {
    const run = await submitProgram(cell.bus, program([confirm('ask'), log('end')]));
    await logWith(cell.bus, run, 'asked');
    await approve(cell.bus, run, { path: 'elsewhere', by: 'eve' });
    expect(lastOf(await logWith(cell.bus, run, 'answer_refused'), 'answer_refused')).toMatchObject({
      path: 'elsewhere',
      by: 'eve',
    });
    await approve(cell.bus, run, { path: 'ask', by: 'ana' });
    const events = await ended(run);
    expect(lastOf(events, 'answered')).toMatchObject({ path: 'ask', accepted: true, by: 'ana' });
    await forgotten(run);
  });

  it('MC-STM-004 MC-STM-006 asks a decision where a step fails, and begins it again on replay', async () => {
    const run = await submitProgram(
      cell.bus,
      program([leaf('check', [checkThat('sat.obc.watchdog > 10000 s')]), log('end')]),
    );
    const asked = lastOf(await logWith(cell.bus, run, 'decision_required'), 'decision_required');
    expect(asked.path).toBe('check');
    await until(async () => (await entry<RunSummary>('runs', run))?.pending?.kind === 'decision');
    await approve(cell.bus, run, { path: 'check', value: 'replay', by: 'ana' });
    const again = await logWith(cell.bus, run, 'decision_required', { times: 2 });
    expect(lastOf(again, 'step_started').attempt).toBe(2);
    await approve(cell.bus, run, { path: 'check', value: 'skip', by: 'ana' });
    expect(lastOf(await ended(run), 'finished').ok).toBe(true);
    await forgotten(run);
  });

  it('MC-ANS-010 MC-ANS-011 MC-ANS-012 F-14 refuses forged answers, and the good one ends the wait', async () => {
    const policy = {
      identity: 'declared',
      humanOrchestration: true,
      hazardousConfirmation: ['pilot', 'supervisor'],
    } as const;
    const hazardous = { ...setWatchdog(120), hazardous: true };
    const run = await submitProgram(
      cell.bus,
      program([leaf('danger', [hazardous])], { policy, hazardous: true }),
    );
    const refusals = async (times: number) =>
      lastOf(await logWith(cell.bus, run, 'answer_refused', { times }), 'answer_refused');
    expect(lastOf(await logWith(cell.bus, run, 'asked'), 'asked').role).toBe('pilot');
    await approve(cell.bus, run, { path: 'danger', by: 'eve', roles: ['cook'] });
    expect(await refusals(1)).toMatchObject({ by: 'eve' });
    await approve(cell.bus, run, { path: 'danger', by: 'ana', roles: ['pilot', 'supervisor'] });
    await logWith(cell.bus, run, 'asked', { times: 2 });
    await approve(cell.bus, run, { path: 'danger', by: 'ana', roles: ['pilot', 'supervisor'] });
    expect(await refusals(2)).toMatchObject({ by: 'ana' });
    expect(kinds(await eventsOf(cell.bus, run))).not.toContain('telecommand_sent');
    await approve(cell.bus, run, { path: 'danger', by: 'bob', roles: ['supervisor'] });
    expect(lastOf(await ended(run), 'finished').ok).toBe(true);
    await forgotten(run);
  });

  it('MC-ANS-007 MC-ANS-008 refuses an answer without a token, or with one that does not hold, where tokens are asked for', async () => {
    const policy = { identity: 'jwt', humanOrchestration: true, hazardousConfirmation: [] } as const;
    const run = await submitProgram(cell.bus, program([confirm('ask')], { policy }));
    await logWith(cell.bus, run, 'asked');
    await approve(cell.bus, run, { path: 'ask', by: 'ana', roles: [] });
    await approve(cell.bus, run, { path: 'ask', by: 'ana', roles: [], token: 'e30.e30.' });
    await logWith(cell.bus, run, 'answer_refused', { times: 2 });
    expect(kinds(await eventsOf(cell.bus, run))).not.toContain('answered');
    await stopNow(run);
  });
});

function checkThat(condition: string) {
  return {
    kind: 'check',
    condition,
    targets: { sat: 'sat1' },
    inputs: {},
    answers: {},
    inputTypes: {},
    maxAgeMs: 60_000,
  } as const;
}
