/**
 * What the page of a run computes without a browser: the picture of its log at any moment, the rows of its steps, and
 * its events in words. Logs are made by the chart of runs itself.
 */

import { describe, expect, it } from 'vitest';
import { pictureOf } from '../../console/inspect/run-picture.ts';
import { RunRecord } from '../../console/inspect/run-record.ts';
import { elapsedMs, progressOf, stepRows } from '../../console/inspect/run-steps.ts';
import { answerCommands, resumeCommands, sampleText, wordsFor } from '../../console/inspect/run-words.ts';
import { RUN_EVENT_KINDS, type RunEvent } from '../../contract/run-event.ts';
import { afterEvent, unsubmittedRun } from '../../mission/procedure/run-status.ts';
import { stepsOf } from '../../mission/procedure/run-steps.ts';
import {
  ask,
  Bench,
  call,
  change,
  ended,
  expecting,
  group,
  ifFailed,
  log,
  program,
  type Reply,
  RUN,
  send,
  setMode,
  step,
  well,
} from '../machines/run/bench.ts';

const PROGRAM = program([
  step('look', [send('ping'), log('hello')], { attempts: 2 }),
  group('shoot', [step('shoot/aim', [change('aim')]), step('shoot/fire', [change('fire'), setMode('safe')])]),
  step('level', [ask()]),
  call('tidy', [step('tidy/off', [expecting('check')])]),
  ifFailed(step('mend', [log('mending')])),
]);
const STEPS = stepsOf(PROGRAM);
const fails =
  (telecommand: string): Reply =>
  (effect) =>
    effect.type === 'effect.send' && effect.statement.telecommand === telecommand
      ? ended(effect.tc, 'SEND_FAILED', 'no link')
      : well(effect);

/** A run that asks, is suspended, resumed and decided about. */
function eventful(choice: string): Bench {
  const bench = Bench.start(PROGRAM).play(fails('fire'), ({ state }) => state === 'waitingDecision');
  bench.answer('elsewhere').command('suspend').play();
  bench.command('resume').play(fails('fire'), ({ state }) => state === 'waitingDecision');
  bench.decide(choice).play();
  if (bench.of('finished').length === 0) bench.answer('level').play();
  return bench;
}

const stateAt = (events: readonly RunEvent[], path: string) => pictureOf(events).step(path).state;
/** The log up to and with the first event of that kind. */
const upTo = (events: readonly RunEvent[], kind: RunEvent['event'], after = 0): RunEvent[] =>
  events.slice(0, events.findIndex(({ event, seq }) => event === kind && seq > after) + 1);

describe('the picture of a run', () => {
  it.each(['skip', 'replay', 'fail', 'abort'])(
    'agrees with the status of the service at every moment (%s)',
    (choice) => {
      const { events } = choice === 'replay' ? eventful('skip') : eventful(choice);
      let summary = unsubmittedRun(events[0]!);
      for (const [index, event] of events.entries()) {
        summary = afterEvent(summary, event);
        const { pending, suspended, finished } = pictureOf(events.slice(0, index + 1));
        const { at, ...asked } = pending ?? { at: 0 };
        const since = new Date(at).toISOString();
        expect(pending === undefined ? undefined : { ...asked, since }).toEqual(summary.pending);
        expect([suspended !== undefined, finished?.ok, finished?.reason]).toEqual([
          summary.suspended,
          summary.finished,
          summary.reason,
        ]);
      }
    },
  );

  it('shows a step begun, passed, asking with what it asks, suspended, and skipped by decision', () => {
    const { events } = eventful('skip');
    expect(stateAt([], 'look')).toBe('not begun');
    expect(stateAt(upTo(events, 'step_started'), 'look')).toBe('running');
    const decision = upTo(events, 'decision_required');
    expect(pictureOf(decision).step('shoot/fire')).toMatchObject({
      state: 'asking',
      reason: expect.stringContaining('SEND_FAILED'),
    });
    expect(stateAt(decision, 'shoot/aim')).toBe('passed');
    expect(stateAt(decision, 'shoot')).toBe('running');
    expect(stateAt(upTo(events, 'suspended'), 'shoot/fire')).toBe('suspended');
    expect(stateAt(events, 'shoot/fire')).toBe('skipped');
    expect(stateAt(events, 'shoot')).toBe('passed');
    expect(stateAt(events, 'tidy')).toBe('passed');
    expect(stateAt(events, 'mend')).toBe('not begun');
  });

  it('shows what failed by decision with its reason, the block behind it, and what never began', () => {
    const { events } = eventful('fail');
    expect(pictureOf(events).step('shoot/fire')).toMatchObject({
      state: 'failed',
      reason: expect.any(String),
    });
    expect([stateAt(events, 'shoot'), stateAt(events, 'mend'), stateAt(events, 'level')]).toEqual([
      'failed',
      'passed',
      'not begun',
    ]);
  });

  it('shows a step in which the run was ended as interrupted, and counts no time behind the end', () => {
    const { events } = eventful('abort');
    const { state, ...rest } = pictureOf(events).step('shoot/fire');
    expect(state).toBe('interrupted');
    expect(elapsedMs({ state, ...rest }, Date.parse(events.at(-1)!.at) + 60_000)).toBeLessThan(60_000);
  });

  it('counts attempts and begins everything in a step again with it', () => {
    const of = program([group('g', [step('g/a', [send('ping')]), step('g/b', [send('fail')])], 2)]);
    const { events } = Bench.start(of).play(fails('fail'), ({ state }) => state === 'waitingDecision');
    const again = events.findIndex(
      (event) => event.event === 'step_started' && event.path === 'g' && event.attempt === 2,
    );
    const picture = pictureOf(events.slice(0, again + 1));
    expect([picture.step('g').attempt, picture.step('g').state, picture.step('g/a').state]).toEqual([
      2,
      'running',
      'not begun',
    ]);
  });
});

describe('the rows of the steps', () => {
  it('stand in the order of the program with their depth, the block of failures marked once', () => {
    const rows = stepRows(STEPS, pictureOf(eventful('skip').events));
    expect(rows.map(({ name, level, kind, beginsIfFailed }) => [name, level, kind, beginsIfFailed])).toEqual([
      ['look', 1, 'step', false],
      ['shoot', 1, 'group', false],
      ['aim', 2, 'step', false],
      ['fire', 2, 'step', false],
      ['level', 1, 'step', false],
      ['tidy', 1, 'call', false],
      ['off', 2, 'step', false],
      ['mend', 1, 'step', true],
    ]);
    expect(progressOf(rows, STEPS)).toEqual({ done: 5, of: 5 });
  });

  it('are those of the log when the program is not there', () => {
    const { events } = eventful('skip');
    const paths = stepRows([], pictureOf(events)).map(({ path }) => path);
    expect(paths).toEqual(['look', 'shoot', 'shoot/aim', 'shoot/fire', 'level', 'tidy', 'tidy/off']);
  });
});

describe('the record of a run', () => {
  it('takes each event once, however often the log is reported again', () => {
    const { events } = eventful('skip');
    const record = new RunRecord();
    for (const event of [...events, ...events]) record.take(event);
    expect(record.events).toEqual(events);
  });

  it('gives the picture of any moment, in any order of asking', () => {
    const { events } = eventful('skip');
    const record = new RunRecord();
    for (const event of events) record.take(event);
    for (const seq of [3, 12, 5, events.length, 1, 20, 2]) {
      const [shown, expected] = [record.at(seq), pictureOf(events.slice(0, seq))];
      expect(shown.seq).toBe(seq);
      expect(stepRows(STEPS, shown)).toEqual(stepRows(STEPS, expected));
    }
  });

  it('keeps a bounded number of events, and forgets nothing of what they led to', () => {
    const record = new RunRecord();
    const paths = ['a', 'b'];
    const event = (seq: number): RunEvent => ({
      run: RUN,
      seq,
      at: new Date(seq).toISOString(),
      event: 'step_started',
      path: paths[seq % 2]!,
      attempt: seq,
      inputs: {},
    });
    for (let seq = 1; seq <= 50_000; seq += 1) record.take(event(seq));
    expect(record.events.length).toBeLessThanOrEqual(20_000);
    expect(record.live.step('a').attempt).toBe(50_000);
    const first = record.events[0]!.seq;
    expect(record.at(first).step('a').attempt + record.at(first).step('b').attempt).toBe(2 * first - 1);
    expect(record.at(45_000).step('a').attempt).toBe(45_000);
  });
});

const at = '2026-03-01T12:00:00.000Z';
const SAMPLE = {
  target: 'sat1',
  component: 'battery',
  instance: '1',
  measure: 'voltage',
  value: 7.4,
  time: at,
  ground_time: at,
};
/** One event of each kind, with everything it may have. */
const FIELDS: Record<string, object> = {
  started: {
    procedure: 'proc',
    library: 'lib@1',
    environment: 'bench',
    targets: { sat: 'sat1' },
    ir: 'f',
    by: 'ada',
    inputs: { n: 7, m: null },
  },
  procedure_started: { path: 'p' },
  procedure_finished: { path: 'p', ok: false },
  step_started: { path: 'p/a', attempt: 2, inputs: {} },
  telecommand_sent: {
    path: 'p/a',
    tc: RUN,
    target: 'sat1',
    telecommand: 'obc.ping',
    changes_state: true,
    retry_of: RUN,
  },
  telecommand_finished: {
    path: 'p/a',
    tc: RUN,
    state: 'SEND_FAILED',
    detail: 'no link',
    acks: [
      { state: 'PENDING', at },
      { state: 'ENCODED', at: '2026-03-01T12:00:00.500Z' },
    ],
  },
  checked: {
    path: 'p/a',
    statement: 'wait_until',
    condition: 'a > 1',
    ok: false,
    reason: 'a = 0',
    samples: [SAMPLE],
  },
  logged: { path: 'p/a', message: 'hello', samples: [SAMPLE] },
  asked: { path: 'p/a', prompt: 'sure?', role: 'supervisor' },
  answered: { path: 'p/a', accepted: true, by: 'ada', value: 12, role: 'supervisor' },
  answer_refused: { path: 'p/a', by: 'eve', reason: 'it waits for nothing there' },
  mode_changed: { path: 'p/a', target: 'sat1', mode: 'safe' },
  decision_required: { path: 'p/a', reason: 'a = 0' },
  suspended: { path: 'p/a', by: 'ada' },
  continued: { path: 'p/a', by: 'ada', choice: 'skip' },
  taken_over: { by: 'exec-2' },
  step_finished: { path: 'p/a', attempt: 2, ok: false, reason: 'a = 0' },
  finished: { ok: false, reason: 'a = 0' },
};

describe('the log in words', () => {
  const reported = (kind: string) =>
    wordsFor({ run: RUN, seq: 1, at, event: kind, ...FIELDS[kind] } as RunEvent);

  it.each(RUN_EVENT_KINDS)('says all that %s reports', (kind) => {
    const { what, text, path, samples = [] } = reported(kind);
    const said = [what, text, path ?? '', ...samples.map(sampleText)].join(' ').replaceAll('_', ' ');
    for (const each of Object.values(FIELDS[kind]!)) {
      if (typeof each !== 'string' || each === RUN || each === 'f') continue;
      expect(said).toContain(each.replaceAll('_', ' '));
    }
    expect(said).not.toMatch(/undefined|object|null|NaN/);
  });

  it('leads from a sending to its telecommand', () => {
    expect(reported('telecommand_sent').link).toEqual({ kind: 'telecommand', id: `sat1.${RUN}` });
    expect(reported('telecommand_sent').text).toContain(`retry of ${RUN}`);
    expect(reported('telecommand_finished').text).toContain('ENCODED after 0.5 s');
  });

  it('names the instance, the value and no value of a sample', () => {
    expect(sampleText(SAMPLE)).toBe('sat1 battery[1].voltage = 7.4');
    expect(sampleText({ ...SAMPLE, value: null })).toContain('no value');
    expect(sampleText({ ...SAMPLE, value: 6.983_000_000_000_000_5 })).toBe('sat1 battery[1].voltage = 6.983');
  });
});

describe('the commands shown', () => {
  const pending = (kind: 'ask' | 'decision') => ({ kind, path: 'a', prompt: 'x', question: 7, at: 0 });
  const words = (commands: { text: string }[]) => commands.map(({ text }) => text);

  it('answer a question, decide about a step, resume a run', () => {
    const origin = 'http://127.0.0.1:8400';
    expect(words(answerCommands(RUN, pending('ask'), origin))).toEqual([
      `mcs run answer ${RUN} yes --question 7`,
      `mcs run answer ${RUN} no --question 7`,
    ]);
    expect(words(answerCommands(RUN, pending('decision'), origin))).toEqual(
      ['replay', 'skip', 'fail', 'abort'].map((choice) => `mcs run answer ${RUN} ${choice} --question 7`),
    );
    expect(words(resumeCommands(RUN, origin))[1]).toBe(`mcs run resume ${RUN} --choice skip`);
  });

  it('name the service where it is not the usual one', () => {
    const [first] = words(answerCommands(RUN, pending('ask'), 'http://10.0.0.7:9000'));
    expect(first).toBe(`mcs run answer ${RUN} yes --question 7 --api http://10.0.0.7:9000`);
  });
});
