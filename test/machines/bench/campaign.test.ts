import { describe, expect, it } from 'vitest';
import type { Campaign, StepOutcome } from '../../../contract/bench/campaign.ts';
import type { Attempt } from '../../../contract/bench/run.ts';
import { CAMPAIGN_POINTS } from '../../../contract/limits/bench.ts';
import { campaignMachine } from '../../../machines/bench/campaign.ts';
import { verdictOf, withAttempt } from '../../../machines/bench/campaign-plan.ts';
import type { CampaignContext, CampaignEvent } from '../../../machines/bench/campaign-protocol.ts';
import { drive, type Row, walkTable } from '../../harness/harness.ts';

type Step = Campaign['steps'][number];
const step = (id: string, more: Partial<Step> = {}): Step =>
  ({ id, kind: 'profile', profile: 'qpsk-1m', ...more }) as Step;

const campaign = (steps: Step[], more: Partial<Campaign> = {}): Campaign => ({ name: 'c', steps, ...more });

const begun = (document: Campaign) =>
  drive(campaignMachine, { input: { id: 'x', document, session: 'one', startedAtUptimeMs: 5 } });

const attempt = (id: string, outcome: StepOutcome): Attempt => ({
  step: id,
  outcome,
  detail: outcome,
  at_uptime_ms: 7,
});

type Driven = ReturnType<typeof begun>;

/** Ends the attempt that is under way. */
function end(driven: Driven, outcome: StepOutcome, ends?: 'lost' | 'cancelled'): Driven {
  const { context } = driven;
  const under = context.document.steps[context.rerun?.index ?? context.cursor]!;
  return driven.send({
    type: 'attempt.ended',
    number: context.attempts.length,
    attempt: attempt(under.id, outcome),
    ...(ends !== undefined && { ends }),
  });
}

const pause: CampaignEvent = { type: 'operator.pause' };
const resume: CampaignEvent = { type: 'operator.resume', session: 'two' };
const rerun = (index: number): CampaignEvent => ({ type: 'operator.rerun', session: 'two', index });
const restarted: CampaignEvent = { type: 'daemon.restarted', uptimeMs: 3 };
const attempted = (driven: Driven) =>
  driven.effects.flatMap((effect) => (effect.type === 'effect.attempt' ? [effect.index] : []));
const outcomes = ({ context }: Driven) => context.attempts.map((each) => `${each.step} ${each.outcome}`);
const verdict = ({ context }: Driven) => verdictOf(context);

describe('the whole chart: every pair that is not listed stays put', () => {
  const passed: CampaignEvent = { type: 'attempt.ended', number: 0, attempt: attempt('a', 'passed') };
  const again: CampaignEvent = { ...passed, number: 1 };
  type Chart = typeof campaignMachine;
  const RESTS = ['interrupted', 'finished', 'failed', 'aborted'] as const;
  const ROWS: Row<Chart>[] = [
    { from: 'running.attempting', on: passed, to: 'finished' },
    { from: 'running.attempting', on: { ...passed, ends: 'lost' }, to: 'failed' },
    { from: 'running.attempting', on: { ...passed, ends: 'cancelled' }, to: 'aborted' },
    { from: 'running.attempting', on: pause, to: 'running.attempting' },
    { from: 'running.attempting', on: restarted, to: 'interrupted' },
    { from: 'interrupted', on: resume, to: 'running.attempting' },
    ...RESTS.map((from): Row<Chart> => ({ from, on: rerun(0), to: 'rerunning' })),
    // The shortest way to a step done again is from a campaign that finished.
    { from: 'rerunning', on: again, to: 'finished' },
    { from: 'rerunning', on: { ...again, ends: 'lost' }, to: 'finished' },
    { from: 'rerunning', on: restarted, to: 'finished' },
  ];

  it('RB-CAMP-022 running, finished, failed, aborted, interrupted: the table of transitions', () => {
    const walked = walkTable(campaignMachine, {
      input: { id: 'x', document: campaign([step('a')]), session: 'one', startedAtUptimeMs: 5 },
      rows: ROWS,
      alien: [{ ...passed, number: 99 }, rerun(7)],
    });
    expect(walked.states.length).toBe(6);
  });

  it('RB-CAMP-022 paused: resumed and steps done again, nothing else', () => {
    const paused = () =>
      end(begun(campaign([step('a'), step('b')])).send(pause), 'passed').expectState('paused');
    for (const event of [pause, restarted, { ...again, number: 1 }, { ...again, number: 0 }, rerun(7)])
      expect(paused().send(event).expectState('paused').takeEffects()).toHaveLength(2);
    paused().send(resume).expectState('running.attempting');
    end(paused().send(rerun(0)).expectState('rerunning'), 'passed').expectState('paused');
  });

  it('bench/campaign.K5 a step done again leaves the campaign where it rested', () => {
    const two = [step('a'), step('b')];
    const rests = {
      interrupted: begun(campaign(two)).send(restarted),
      failed: end(begun(campaign(two)), 'error', 'lost'),
      aborted: end(begun(campaign(two)), 'aborted', 'cancelled'),
      finished: end(begun(campaign(two)), 'failed'),
    };
    for (const [rest, driven] of Object.entries(rests)) {
      expect([rest, driven.effects.at(-1)]).toEqual([rest, { type: 'effect.rest', session: 'one' }]);
      const before = driven.context.cursor;
      for (const how of ['passed', 'failed'] as const) end(driven.send(rerun(1)), how);
      expect([rest, driven.state, driven.context.cursor]).toEqual([rest, rest, before]);
      expect(driven.context).toMatchObject({ pauseRequested: false, rerun: undefined, tries: 0 });
      driven.send(rerun(0)).send(restarted);
      expect(driven.effects.at(-1)).toEqual({ type: 'effect.rest', session: 'two' });
      expect([rest, driven.state, driven.context.attempts.at(-1)?.outcome]).toEqual([rest, rest, 'aborted']);
    }
  });
});

describe('order of steps', () => {
  it('steps are attempted in order, one at a time', () => {
    const driven = begun(campaign([step('a'), step('b'), step('c')]));
    for (const outcome of ['passed', 'passed', 'passed'] as const) end(driven, outcome);
    expect(attempted(driven.expectState('finished'))).toEqual([0, 1, 2]);
    expect(verdict(driven)).toBe(true);
  });

  it('a step whose need did not pass is skipped, and what needs it too', () => {
    const steps = [
      step('a', { optional: true }),
      step('b', { needs: ['a'] }),
      step('c', { needs: ['b'] }),
      step('d'),
    ];
    const driven = end(end(begun(campaign(steps)), 'failed'), 'passed').expectState('finished');
    expect(outcomes(driven)).toEqual(['a failed', 'b skipped', 'c skipped', 'd passed']);
    expect(driven.context.attempts[1]?.detail).toContain('needs a');
    expect(verdict(driven)).toBe(false);
  });

  it('a step is tried again as often as it says, for what it says', () => {
    const steps = [step('a', { retries: 2, retry_on: ['error'] }), step('b')];
    const driven = begun(campaign(steps));
    end(end(end(driven, 'error'), 'error'), 'passed');
    expect(attempted(driven)).toEqual([0, 0, 0, 1]);
    expect(attempted(end(begun(campaign(steps)), 'failed'))).toEqual([0]);
    expect(attempted(end(end(end(begun(campaign(steps)), 'error'), 'error'), 'error'))).toEqual([0, 0, 0]);
  });

  it('a step is tried again behind failed and error where it does not say for what, and its tries are its own', () => {
    const steps = [step('a', { retries: 1 }), step('b', { retries: 1 })];
    const attemptedAfter = (...all: StepOutcome[]) =>
      attempted(
        all.reduce((driven, outcome) => end(driven, outcome), begun(campaign(steps, { stop_on: 'never' }))),
      );
    expect(attemptedAfter('failed')).toEqual([0, 0]);
    expect(attemptedAfter('error')).toEqual([0, 0]);
    expect(attemptedAfter('inconclusive')).toEqual([0, 1]);
    expect(attemptedAfter('failed', 'failed', 'failed')).toEqual([0, 0, 1, 1]);
    expect(attempted(end(begun(campaign([step('a'), step('b')], { stop_on: 'never' })), 'failed'))).toEqual([
      0, 1,
    ]);
  });

  it('bench/campaign.K4 a step that is done again by a resume has all its retries, and one done again for itself none', () => {
    const driven = end(begun(campaign([step('a', { retries: 1 })])), 'failed').send(restarted, resume);
    end(driven, 'failed').expectState('running.attempting');
    end(driven, 'failed').expectState('finished');
    end(driven.send(rerun(0)).expectState('rerunning'), 'failed').expectState('finished');
    expect(driven.context).toMatchObject({ tries: 0, rerun: undefined });
  });

  it('each attempt is asked for under its number, in the name of the life of the daemon that asks; at rest the board is given back', () => {
    const driven = end(begun(campaign([step('a'), step('b')])), 'passed').send(restarted, resume);
    end(driven, 'passed').send(rerun(1));
    expect(driven.effects).toEqual([
      { type: 'effect.attempt', session: 'one', index: 0, number: 0 },
      { type: 'effect.attempt', session: 'one', index: 1, number: 1 },
      { type: 'effect.rest', session: 'one' },
      { type: 'effect.attempt', session: 'two', index: 1, number: 2 },
      { type: 'effect.rest', session: 'two' },
      { type: 'effect.attempt', session: 'two', index: 1, number: 3 },
    ]);
    driven.send({ type: 'attempt.ended', number: 2, attempt: attempt('b', 'passed') });
    expect(driven.expectState('rerunning').context.attempts).toHaveLength(3);
  });

  it('a pause behind the last step, or behind one that stops it, leaves nothing to pause', () => {
    end(begun(campaign([step('a')])).send(pause), 'passed').expectState('finished');
    const stopped = end(begun(campaign([step('a'), step('b', { needs: ['a'] })])).send(pause), 'failed');
    expect(outcomes(stopped.expectState('finished'))).toEqual(['a failed']);
    expect(stopped.context).toMatchObject({ pauseRequested: false, cursor: 1, stopped: true });
  });

  it('what is skipped or aborted bears the time of what it follows from, of the same start of the daemon', () => {
    const since = '2026-01-02T12:00:00.000Z';
    const input = { id: 'x', session: 'one', startedAtUptimeMs: 5, uptimeSince: since };
    const times = ({ context }: Driven) =>
      context.attempts.map(({ at_uptime_ms, uptime_since }) => [at_uptime_ms, uptime_since]);
    const first = campaign([step('a', { needs: ['z'] }), step('b')]);
    const driven = drive(campaignMachine, { input: { ...input, document: first } });
    driven.send({ ...restarted, uptimeSince: 'later' } as CampaignEvent);
    expect(times(driven)).toEqual([
      [5, since],
      [3, 'later'],
    ]);
    expect(times(begun(first).send(restarted))).toEqual([
      [5, undefined],
      [3, undefined],
    ]);
    const next = campaign([step('a', { optional: true }), step('b', { needs: ['a'] }), step('c')]);
    expect(times(end(drive(campaignMachine, { input: { ...input, document: next } }), 'failed'))).toEqual([
      [7, undefined],
      [7, undefined],
    ]);
  });

  it('a step whose need is met by its last attempt is done', () => {
    const steps = [step('a', { retries: 1 }), step('b', { needs: ['a'] })];
    expect(outcomes(end(end(begun(campaign(steps)), 'failed'), 'passed'))).toEqual(['a failed', 'a passed']);
    const both = [
      step('a', { optional: true }),
      step('b', { optional: true }),
      step('c', { needs: ['a', 'b'] }),
    ];
    const driven = end(end(begun(campaign(both)), 'passed'), 'failed').expectState('finished');
    expect(driven.context.attempts.at(-1)).toMatchObject({
      step: 'c',
      outcome: 'skipped',
      detail: 'needs b, which did not pass',
    });
  });

  it('bench/campaign.K3 a pause waits for the step with its retries', () => {
    const driven = begun(campaign([step('a', { retries: 1 }), step('b')])).send(pause);
    end(driven, 'failed').expectState('running.attempting');
    expect(driven.context.pauseRequested).toBe(true);
    end(driven, 'passed').expectState('paused');
    expect(driven.context).toMatchObject({ pauseRequested: false, cursor: 1 });
  });

  it('stop_on: a step that fails ends the campaign, unless it is optional or nothing stops it', () => {
    const two = [step('a'), step('b')];
    end(begun(campaign(two)), 'failed').expectState('finished');
    end(begun(campaign(two)), 'inconclusive').expectState('finished');
    end(begun(campaign(two, { stop_on: 'never' })), 'failed').expectState('running.attempting');
    end(begun(campaign([step('a', { optional: true }), step('b')])), 'failed').expectState(
      'running.attempting',
    );
  });

  it('bench/campaign.K4 an interrupted step has an attempt aborted, and a resume does it again', () => {
    const driven = end(begun(campaign([step('a'), step('b')])), 'passed').send(restarted);
    expect(outcomes(driven.expectState('interrupted'))).toEqual(['a passed', 'b aborted']);
    driven.send(resume);
    expect(driven.effects.at(-1)).toMatchObject({ type: 'effect.attempt', index: 1, session: 'two' });
    expect(verdict(end(driven, 'passed'))).toBe(true);
  });

  it('of many sweeps the points of the newest are kept, as many as a record has room for', () => {
    const point = { x: 1, ratio: 1, bits: 8, ber: 0, ber_low: 0, ber_high: 0.1 };
    const points = new Array(CAMPAIGN_POINTS / 2).fill(point);
    const swept = (step: string): Attempt => ({ ...attempt(step, 'passed'), points });
    const context = { attempts: [swept('a'), swept('b')], tries: 0 } as unknown as CampaignContext;
    const { attempts = [] } = withAttempt(context, swept('c'));
    expect(attempts.map((each) => [each.step, each.points?.length])).toEqual([
      ['a', undefined],
      ['b', CAMPAIGN_POINTS / 2],
      ['c', CAMPAIGN_POINTS / 2],
    ]);
  });

  it('of a sweep done again only the points of the last attempt are kept', () => {
    const driven = begun(campaign([step('a')]));
    const point = { x: 1, ratio: 1, bits: 8, ber: 0, ber_low: 0, ber_high: 0.3 };
    const swept = (number: number): CampaignEvent => ({
      type: 'attempt.ended',
      number,
      attempt: { ...attempt('a', 'passed'), points: [point] },
    });
    driven.send(swept(0), rerun(0), swept(1));
    expect(driven.context.attempts.map(({ points }) => points?.length)).toEqual([undefined, 1]);
  });
});

describe('verdicts', () => {
  const VERDICTS: [name: string, steps: Step[], attempts: Attempt[], verdict: boolean | null][] = [
    ['every step passed', [step('a'), step('b')], [attempt('a', 'passed'), attempt('b', 'passed')], true],
    ['the last attempt counts', [step('a')], [attempt('a', 'failed'), attempt('a', 'passed')], true],
    ['also when it is the worse', [step('a')], [attempt('a', 'passed'), attempt('a', 'failed')], false],
    ['an optional step may fail', [step('a', { optional: true })], [attempt('a', 'failed')], true],
    ['inconclusive is no pass', [step('a')], [attempt('a', 'inconclusive')], false],
    ['a step not run is no pass', [step('a'), step('b')], [attempt('a', 'passed')], null],
    [
      'nor is an optional one that was skipped',
      [step('a'), step('b', { optional: true })],
      [attempt('a', 'passed'), attempt('b', 'skipped')],
      null,
    ],
    ['a failure is a failure, whatever did not run', [step('a'), step('b')], [attempt('a', 'failed')], false],
  ];

  it.each(VERDICTS)('RB-CAMP-004 %s', (_, steps, attempts, expected) => {
    expect(verdictOf({ document: campaign(steps), attempts })).toBe(expected);
  });
});
