/**
 * The table of the Mission Control Service, section 3.2: each row is one transition of the chart, with the guard and
 * the actions named here; whoever has the table in hand finds it in the picture. What no row lists stays where it is.
 */

import { describe, expect, it } from 'vitest';
import type { ProgramStatement } from '../../../contract/program.ts';
import { runMachine } from '../../../machines/run/run.ts';
import { compileChart } from '../../../supervision/inspection/chart.ts';
import {
  ask,
  askTyped,
  type Bare,
  Bench,
  change,
  ended,
  ifFailed,
  log,
  program,
  step,
  upload,
  wait,
  well,
} from './bench.ts';

interface Row {
  /** As the table has it. */
  readonly row: string;
  /** The transition: state, event, guard, target, what it does. */
  readonly is: readonly [
    from: string,
    on: string,
    guard: string | undefined,
    to: string,
    does: readonly string[],
  ];
  readonly there: () => Bench;
  readonly when: (bench: Bench) => Bench;
  readonly stands: string;
  /** What is logged from there on. */
  readonly logs: readonly string[];
}

const REACTION = 'alarm sat1.battery.1.undervoltage';

function running(...statements: readonly ProgramStatement[]): Bench {
  const steps = [step('a', statements), ifFailed(step('safe', [log('safe')])), step('b', [wait(5)])];
  return Bench.start(program(steps)).reply({ type: 'prepared' });
}

const sent = (bench: Bench) => bench.of('telecommand_sent').at(-1)!.tc;
const failed = (bench: Bench) => bench.reply(ended(sent(bench), 'VERIFY_FAILED', 'no echo'));
const verified = (bench: Bench) => bench.reply(ended(sent(bench), 'VERIFIED'));
const sending = () => running(change('fire'), wait(5));
const deciding = () => failed(sending());
const suspended = () => running(wait(5)).command('preempt').reply({ type: 'released' });
const resuming = () => suspended().command('resume');
const ATTEMPT = ['answered', 'step_finished', 'step_started', 'telecommand_sent'];

const ROWS: readonly Row[] = [
  {
    row: '(none), launch accepted, executor starts: running; started logged, a lease taken for each target',
    is: ['preparing', 'prepared', 'inTime', 'running', ['keepLeases']],
    there: () => Bench.start(program([step('a', [wait(5)])])),
    when: (bench) => bench.reply({ type: 'prepared' }),
    stands: 'running.waiting',
    logs: ['procedure_started', 'step_started'],
  },
  {
    row: '(none), launch accepted, not ready or held: ends failed at once with the reason',
    is: ['preparing', 'not-prepared', 'inTime', 'ending', ['logNotReady']],
    there: () => Bench.start(program([step('a', [wait(5)])])),
    when: (bench) => bench.reply({ type: 'not-prepared', reason: 'sat1 is held by run X' }),
    stands: 'ending.releasing',
    logs: ['finished'],
  },
  {
    row: 'running, step not eligible for retry fails: waiting decision; decision_required',
    is: ['running.failing', 'always', undefined, 'waitingDecision', ['requireDecision']],
    there: sending,
    when: failed,
    stands: 'waitingDecision',
    logs: ['telecommand_finished', 'decision_required'],
  },
  {
    row: 'running, executor restarted after a state-changing telecommand: waiting decision; decision_required',
    is: ['running.failing', 'always', undefined, 'waitingDecision', ['requireDecision']],
    there: () => {
      const { input, events } = verified(sending());
      return Bench.restored(input, events);
    },
    when: (bench) => bench.tell({ type: 'recovered', by: 'x2' }),
    stands: 'waitingDecision',
    logs: ['taken_over', 'decision_required'],
  },
  {
    row: 'waiting decision, answer replay: running; new attempt, new telecommand ids',
    is: ['waitingDecision', 'answer', 'answersReplay', 'running', ['beginNewAttempt']],
    there: deciding,
    when: (bench) => bench.decide('replay'),
    stands: 'running.sending',
    logs: ATTEMPT,
  },
  {
    row: 'waiting decision, answer skip: running; the step counts as passed',
    is: ['waitingDecision', 'answer', 'answersSkip', 'running', ['countAsPassed']],
    there: deciding,
    when: (bench) => bench.decide('skip'),
    stands: 'running.waiting',
    logs: ['answered', 'step_finished', 'step_started'],
  },
  {
    row: 'waiting decision, answer fail: running; the next if failed block runs, the run ends failed',
    is: ['waitingDecision', 'answer', 'answersFail', 'running', ['failStep']],
    there: deciding,
    when: (bench) => bench.decide('fail'),
    stands: 'ending.releasing',
    logs: [
      'answered',
      'step_finished',
      'step_started',
      'logged',
      'step_finished',
      'procedure_finished',
      'finished',
    ],
  },
  {
    row: 'waiting decision, answer abort: finished failed; if failed blocks not run',
    is: ['waitingDecision', 'answer', 'answersAbort', 'ending', ['logDecision']],
    there: deciding,
    when: (bench) => bench.decide('abort'),
    stands: 'ending.releasing',
    logs: ['answered', 'finished'],
  },
  {
    row: 'waiting decision, answer no: finished failed; if failed blocks not run',
    is: ['waitingDecision', 'answer', 'answersNo', 'ending', ['logDecision']],
    there: deciding,
    when: (bench) => bench.decide(undefined, { accepted: false }),
    stands: 'ending.releasing',
    logs: ['answered', 'finished'],
  },
  {
    row: 'waiting decision, any other value: refused, and the run waits on (reading A-70, MC-ANS-030)',
    is: ['waitingDecision', 'answer', 'answersNoDecision', 'waitingDecision', ['refuseToDecision']],
    there: deciding,
    when: (bench) => bench.decide('maybe'),
    stands: 'waitingDecision',
    logs: ['answer_refused'],
  },
  {
    row: 'running, asked, operator answers: running',
    is: ['running.asking', 'answer', undefined, 'running.choosing', ['passQuestion']],
    there: () => running(ask(), wait(5)),
    when: (bench) => bench.answer('a'),
    stands: 'running.waiting',
    logs: ['answered'],
  },
  {
    row: 'running, asked, answer no: fails the step, no retry',
    is: ['running.asking', 'answer', 'answersNo', 'running.failing', ['logAnswer']],
    there: () => running(ask(), wait(5)),
    when: (bench) => bench.answer('a', { accepted: false }),
    stands: 'waitingDecision',
    logs: ['answered', 'decision_required'],
  },
  {
    row: 'a typed answer that is missing fails the step',
    is: ['running.asking', 'answer', 'answersWithoutValue', 'running.failing', ['logAnswer']],
    there: () => running(askTyped('gain')),
    when: (bench) => bench.answer('a'),
    stands: 'waitingDecision',
    logs: ['answered', 'decision_required'],
  },
  {
    row: 'a typed answer of the wrong type fails the step',
    is: ['running.readingAnswer', 'answer.unreadable', 'inTime', 'running.failing', ['logUnreadable']],
    there: () => running(askTyped('gain')).answer('a', { value: 'much' }),
    when: (bench) => bench.reply({ type: 'answer.unreadable', reason: 'no number' }),
    stands: 'waitingDecision',
    logs: ['answered', 'decision_required'],
  },
  {
    row: 'running, suspend command, at the end of the current instruction: suspended (its leases go back first)',
    is: ['running.choosing', 'always', 'isInstructionOver', 'suspending', []],
    there: () => running(wait(5), wait(5)).command('suspend'),
    when: (bench) => bench.reply({ type: 'woken' }),
    stands: 'suspending',
    logs: [],
  },
  {
    row: 'running, suspend command: leases released, suspended logged',
    is: ['suspending', 'released', 'inTime', 'suspended', ['logSuspended']],
    there: () => running(wait(5), wait(5)).command('suspend').reply({ type: 'woken' }),
    when: (bench) => bench.reply({ type: 'released' }),
    stands: 'suspended',
    logs: ['suspended'],
  },
  {
    row: 'running, alarm reaction takes the target: suspended within one second, by the reaction',
    is: ['running', 'command.preempt', undefined, 'suspending', ['acceptSuspension']],
    there: () => running(wait(5)),
    when: (bench) => bench.command('preempt', { by: REACTION }),
    stands: 'suspending',
    logs: [],
  },
  {
    row: 'suspended, resume with a choice: the leases are retaken',
    is: ['suspended', 'command.resume', undefined, 'resuming', ['keepResumption']],
    there: suspended,
    when: (bench) => bench.command('resume'),
    stands: 'resuming',
    logs: [],
  },
  {
    row: 'suspended, resume with a choice, leases retaken and targets ready: running; continued logged',
    is: ['resuming', 'prepared', 'inTime', 'running', ['keepLeases', 'logContinued']],
    there: resuming,
    when: (bench) => bench.reply({ type: 'prepared' }),
    stands: 'running.waiting',
    logs: ['continued', 'step_finished', 'step_started'],
  },
  {
    row: 'suspended, resume, targets not ready or held: suspended; refused',
    is: ['resuming', 'not-prepared', 'inTime', 'suspended', ['refuseResumed']],
    there: resuming,
    when: (bench) => bench.reply({ type: 'not-prepared', reason: 'sat1 is held by run X' }),
    stands: 'suspended',
    logs: [],
  },
  {
    row: 'running, abort: finished failed; leases released, report generated, if failed blocks not run',
    is: ['running', 'command.abort', undefined, 'ending', ['keepAbort']],
    there: sending,
    when: (bench) => bench.command('abort'),
    stands: 'ending.releasing',
    logs: ['finished'],
  },
  {
    row: 'running, abort of a run that uploads: what became of the files is logged before finished',
    is: ['ending.lookingBack', 'uploads.seen', 'inTime', 'ending.checking', ['logUploads']],
    there: () => running(upload(), wait(5)).reply({ type: 'done' }).command('abort'),
    when: (bench) => bench.reply({ type: 'uploads.seen', uploads: ['half of file 7 is on board'] }),
    stands: 'ending.releasing',
    logs: ['logged', 'finished'],
  },
  {
    row: 'suspended, abort: finished failed',
    is: ['suspended', 'command.abort', undefined, 'ending', ['keepAbort']],
    there: suspended,
    when: (bench) => bench.command('abort'),
    stands: 'ending.releasing',
    logs: ['finished'],
  },
  {
    row: 'suspended, resume with choice abort: finished failed',
    is: ['suspended', 'command.resume', 'choosesAbort', 'ending', ['keepAbort']],
    there: suspended,
    when: (bench) => bench.command('resume', { choice: 'abort' }),
    stands: 'ending.releasing',
    logs: ['finished'],
  },
  {
    row: 'running, last action done: finished',
    is: ['running.choosing', 'always', 'isLastActionDone', 'ending', []],
    there: () => Bench.start(program([step('a', [wait(5)])])).reply({ type: 'prepared' }),
    when: (bench) => bench.reply({ type: 'woken' }),
    stands: 'ending.releasing',
    logs: ['step_finished', 'procedure_finished', 'finished'],
  },
  {
    row: 'finished with ok and reason; leases released',
    is: ['ending.releasing', 'released', 'inTime', 'finished', []],
    there: () => Bench.start(program([])).reply({ type: 'prepared' }),
    when: (bench) => bench.reply({ type: 'released' }),
    stands: 'finished',
    logs: [],
  },
  {
    row: 'taken over while suspended: stays suspended',
    is: ['running.choosing', 'always', 'isStillSuspended', 'suspended', []],
    there: () => {
      const { input, events } = suspended();
      return Bench.restored(input, events);
    },
    when: (bench) => bench.tell({ type: 'recovered', by: 'x2' }),
    stands: 'suspended',
    logs: ['taken_over'],
  },
];

const { edges } = compileChart('run', 1, runMachine).view;
const at = (state: string) => `run.control.${state}`;

describe('the table of section 3.2', () => {
  it.each(ROWS.map((each) => [each.row, each] as const))('is one transition: %s', (_row, each) => {
    const [from, event, guard, to, actions] = each.is;
    const same = edges.filter(
      (edge) =>
        edge.source === at(from) && edge.event === event && edge.guard === guard && edge.target === at(to),
    );
    expect(same).toMatchObject([{ actions }]);
  });

  it.each(ROWS.map((each) => [each.row, each] as const))(
    'is walked: %s',
    (_row, { there, when, stands, logs }) => {
      const bench = there();
      const before = bench.events.length;
      when(bench);
      expect([bench.state, bench.kinds.slice(before)]).toEqual([stands, logs]);
    },
  );

  it('has new telecommand identifiers in a new attempt', () => {
    const [first, second] = deciding().decide('replay').of('telecommand_sent');
    expect(second).toMatchObject({ retry_of: first!.tc });
    expect(second!.tc).not.toBe(first!.tc);
  });
});

describe('what no row lists', () => {
  /**
   * Every state that waits for a person or a reply, and the commands that move it (run/command.M2: the others only note
   * them).
   */
  const MOVES: Readonly<Record<string, readonly [there: () => Bench, moves: readonly string[]]>> = {
    preparing: [() => Bench.start(program([step('a', [wait(5)])])), []],
    'running.waiting': [() => running(wait(5)), ['preempt', 'abort']],
    'running.sending': [sending, ['preempt', 'abort']],
    'running.asking': [() => running(ask()), ['suspend', 'preempt', 'abort']],
    waitingDecision: [deciding, ['suspend', 'preempt', 'abort']],
    suspending: [() => running(wait(5)).command('preempt'), []],
    suspended: [suspended, ['resume', 'abort']],
    resuming: [resuming, []],
    'ending.releasing': [() => Bench.start(program([])).reply({ type: 'prepared' }), []],
  };
  const COMMANDS = ['suspend', 'preempt', 'resume', 'abort'] as const;
  const pairs = Object.entries(MOVES).flatMap(([state, [there, moves]]) =>
    COMMANDS.map((command) => [state, command, there, moves.includes(command)] as const),
  );

  it.each(pairs)('%s on %s stays put unless a row says so', (state, command, there, moves) => {
    const bench = there();
    expect(bench.state).toBe(state);
    bench.command(command, { request: 'one' });
    expect(bench.state !== state).toBe(moves);
    expect(bench.replies.filter(({ request }) => request === 'one').length, 'M1').toBeLessThanOrEqual(1);
  });

  it.each(Object.entries(MOVES))('%s: an answer that nobody asked for moves nothing', (state, [there]) => {
    const bench = there();
    bench.tell({
      type: 'answer',
      path: 'elsewhere',
      accepted: true,
      by: 'eve',
      roles: [],
      verified: true,
      source: 1,
      seen: 99,
    } as Bare);
    expect(bench.state).toBe(state);
    expect(bench.of('answered')).toEqual([]);
  });

  it('a long row of what takes no time is one turn of the chart, not one microstep for each', () => {
    const many = Array.from({ length: 500 }, (_, n) => step(`s${n}`, [log('one'), log('two')]));
    const bench = Bench.start(program(many)).play(well);
    expect(bench.of('logged')).toHaveLength(1_000);
    expect(bench.state).toBe('finished');
  });
});

describe('the faults beside it', () => {
  const faults = [{ target: 'sat1', gateway: 'sim', fault: 'mute', at: { afterMs: 0 }, off: null }];

  it('are a region of their own: armed, on, off, and over with the run', () => {
    const bench = Bench.start(program([step('a', [wait(5)])], { faults }));
    expect(bench.faultState).toBe('noFault');
    bench.reply({ type: 'prepared' });
    expect([bench.state, bench.faultState]).toEqual(['running.waiting', 'faultArmed']);
    bench.tell({ type: 'fault.switched', fault: 0, on: true });
    expect([bench.state, bench.faultState]).toEqual(['running.waiting', 'faultOn']);
    bench.reply({ type: 'woken' });
    expect([bench.state, bench.faultState]).toEqual(['ending.switchingOff', 'faultOn']);
    bench.tell({ type: 'fault.switched', fault: 0, on: false });
    expect([bench.state, bench.faultState]).toEqual(['ending.releasing', 'noFault']);
    bench.reply({ type: 'released' });
    expect([bench.state, bench.faultState]).toEqual(['finished', 'finished']);
  });

  it('are where they were for a new owner', () => {
    const bench = Bench.start(program([step('a', [wait(5)])], { faults })).reply({ type: 'prepared' });
    bench.tell({ type: 'fault.switched', fault: 0, on: true });
    expect(Bench.restored(bench.input, bench.events).faultState).toBe('faultOn');
  });
});
