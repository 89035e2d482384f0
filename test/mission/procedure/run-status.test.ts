/** The state of a run from its log: every event that shows, and what clears what. */

import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../contract/run.ts';
import type { RunEvent, RunFact } from '../../../contract/run-event.ts';
import {
  afterEvent,
  statusOf,
  submittedRun,
  summaryOf,
  unsubmittedRun,
} from '../../../mission/procedure/run-status.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const program = { procedure: 'take_image', environment: 'bench', targets: { sat: 'sat1' } };
const submitted = submittedRun(RUN, program, 'ada');
const at = (seq: number): string => new Date(seq * 1_000).toISOString();

function logOf(...facts: RunFact[]): RunEvent[] {
  return facts.map((fact, index) => ({ ...fact, run: RUN, seq: index + 1, at: at(index + 1) }) as RunEvent);
}

const started: RunFact = {
  event: 'started',
  procedure: 'take_image',
  library: 'ops@2.1.0',
  environment: 'bench',
  targets: { sat: 'sat1' },
  ir: 'ab',
  by: 'ada',
  inputs: {},
};
const step = (path: string, attempt = 1): RunFact => ({ event: 'step_started', path, attempt, inputs: {} });
const asked: RunFact = { event: 'asked', path: 'shoot', prompt: 'Level?', role: 'supervisor' };
const decision: RunFact = { event: 'decision_required', path: 'shoot', reason: 'no echo' };

function seen(...facts: RunFact[]): RunSummary {
  return summaryOf(submitted, logOf(...facts));
}

describe('the state of a run', () => {
  it('MC-RUN-045 is known before its log begins, without times', () => {
    expect(submitted).toEqual({ run: RUN, ...program, suspended: false, by: 'ada' });
    expect(submittedRun(RUN, program)).not.toHaveProperty('by');
  });

  it('MC-RUN-045 shows who began it, when, and when something last happened', () => {
    expect(seen(started, step('#1'))).toEqual({
      ...submitted,
      step: '#1',
      started_at: at(1),
      updated_at: at(2),
    });
  });

  it('MC-RUN-046 run-status.U2 shows the step running, then the last one run', () => {
    const done: RunFact = { event: 'step_finished', path: 'shoot', attempt: 1, ok: true };
    expect(seen(started, step('prepare'), step('shoot')).step).toBe('shoot');
    expect(seen(started, step('shoot'), done, { event: 'finished', ok: true }).step).toBe('shoot');
  });

  it('MC-RUN-047 shows a question with its prompt and role, and a decision with its reason', () => {
    expect(seen(started, step('shoot'), asked).pending).toEqual({
      path: 'shoot',
      kind: 'ask',
      prompt: 'Level?',
      role: 'supervisor',
      question: 3,
      since: at(3),
    });
    expect(seen(started, step('shoot'), decision).pending).toEqual({
      path: 'shoot',
      kind: 'decision',
      prompt: 'no echo',
      question: 3,
      since: at(3),
    });
  });

  it.each<[string, RunFact]>([
    ['its answer', { event: 'answered', path: 'shoot', accepted: true, by: 'ada' }],
    ['the end of its step', { event: 'step_finished', path: 'shoot', attempt: 1, ok: false }],
    ['the next step', step('fetch')],
    ['a suspension', { event: 'suspended', path: 'shoot', by: 'ada' }],
    ['a resume', { event: 'continued', path: 'shoot', by: 'ada', choice: 'replay' }],
    ['the end of a procedure', { event: 'procedure_finished', path: 'fetch', ok: false }],
    ['the end', { event: 'finished', ok: false, reason: 'aborted by ada' }],
  ])('run-status.U1 a question is over with %s', (_, fact) => {
    expect(seen(started, step('shoot'), asked, fact)).not.toHaveProperty('pending');
    expect(seen(started, step('shoot'), decision, fact)).not.toHaveProperty('pending');
  });

  it.each<[string, RunFact]>([
    ['a refused answer', { event: 'answer_refused', path: 'shoot', reason: 'no role' }],
    ['a new executor', { event: 'taken_over', by: 'x' }],
    ['an answer elsewhere', { event: 'answered', path: 'other', accepted: true }],
    ['a line of the log', { event: 'logged', path: 'shoot', message: 'm', samples: [] }],
  ])('run-status.U1 a question outlives %s', (_, fact) => {
    expect(seen(started, step('shoot'), asked, fact).pending?.path).toBe('shoot');
  });

  it('is suspended between its suspension and its continuation', () => {
    const suspended: RunFact = { event: 'suspended', path: 'shoot', by: 'ada' };
    const continued: RunFact = { event: 'continued', path: 'shoot', by: 'ada', choice: 'replay' };
    expect(seen(started, suspended).suspended).toBe(true);
    expect(seen(started, suspended, { event: 'taken_over', by: 'x' }).suspended).toBe(true);
    expect(seen(started, suspended, continued).suspended).toBe(false);
    expect(seen(started, suspended, { event: 'finished', ok: false, reason: 'r' }).suspended).toBe(false);
  });

  it('MC-RUN-053 has no verdict in progress, then the one of the log, with its reason', () => {
    expect(seen(started, step('#1'))).not.toHaveProperty('finished');
    expect(seen(started, { event: 'finished', ok: true })).toMatchObject({ finished: true });
    expect(seen(started, { event: 'finished', ok: true })).not.toHaveProperty('reason');
    expect(seen(started, { event: 'finished', ok: false, reason: 'sat1 is held' })).toMatchObject({
      finished: false,
      reason: 'sat1 is held',
    });
  });

  it('MC-RUN-048 is the same event by event and read as a whole, also without what was submitted', () => {
    const log = logOf(started, step('shoot'), asked, { event: 'finished', ok: false, reason: 'r' });
    const whole = summaryOf(submitted, log);
    expect(log.reduce(afterEvent, submitted)).toEqual(whole);
    expect(summaryOf(unsubmittedRun(log[0]!), log)).toEqual(whole);
  });

  it('MC-RUN-046 leaves out of the status of one run what the list has beside it', () => {
    const status = statusOf(seen(started, step('shoot'), asked));
    expect(Object.keys(status)).toEqual(['run', 'procedure', 'suspended', 'step', 'pending']);
    expect(statusOf(seen(started, { event: 'finished', ok: false, reason: 'r' }))).toEqual({
      run: RUN,
      procedure: 'take_image',
      suspended: false,
      finished: false,
      reason: 'r',
    });
  });
});
