/**
 * The life of one run of a campaign. RF Bench Service, section 3 (its statuses are not enumerated there:
 * `contract/bench/run.ts` has them). What a step does is decided elsewhere.
 *
 * K3. A pause takes effect between two steps only: the step under way ends first, with its retries.
 * K4. A life of the daemon does nothing that an earlier one asked for: the step that was under way gets an attempt
 *     `aborted`, and a resume does it again.
 * K5. A step done again changes its attempts and the verdict, never where the campaign rests.
 */

import { assign, emit, setup } from 'xstate';
import type { Attempt } from '../../contract/bench/run.ts';
import { CHART_MICROSTEPS } from '../../contract/limits/cell.ts';
import { behindStep, isOver, mayRetry, pastUnmet, withAttempt } from './campaign-plan.ts';
import type {
  CampaignContext,
  CampaignEffect,
  CampaignEvent,
  CampaignInput,
  CampaignRest,
} from './campaign-protocol.ts';

export const campaignMachine = setup({
  types: {} as {
    context: CampaignContext;
    events: CampaignEvent;
    emitted: CampaignEffect;
    input: CampaignInput;
  },
  guards: {
    isOver: ({ context }) => isOver(context),
    pauseIsRequested: ({ context }) => context.pauseRequested,
    isStale: ({ context, event }) =>
      event.type === 'attempt.ended' && event.number !== context.attempts.length,
    hasLostBoard: ({ event }) => event.type === 'attempt.ended' && event.ends === 'lost',
    isCancelled: ({ event }) => event.type === 'attempt.ended' && event.ends === 'cancelled',
    mayRetry: ({ context, event }) => event.type === 'attempt.ended' && mayRetry(context, event.attempt),
    isStep: ({ context, event }) =>
      event.type === 'operator.rerun' && context.document.steps[event.index] !== undefined,
    restedIn: ({ context }, params: { rest: CampaignRest }) => context.rerun?.back === params.rest,
  },
  actions: {
    attempt: emit(
      ({ context }): CampaignEffect => ({
        type: 'effect.attempt',
        session: context.session,
        index: context.rerun?.index ?? context.cursor,
        number: context.attempts.length,
      }),
    ),
    rest: emit(({ context }): CampaignEffect => ({ type: 'effect.rest', session: context.session })),
    keepAttempt: assign(({ context, event }) => {
      const attempt = attemptOf(context, event);
      return attempt === undefined ? {} : withAttempt(context, attempt);
    }),
    leaveStep: assign(({ context, event }) =>
      event.type === 'attempt.ended' ? behindStep(context, event.attempt) : {},
    ),
    skip: assign(({ context }) => pastUnmet(context)),
    requestPause: assign({ pauseRequested: true }),
    settle: assign({ pauseRequested: false, rerun: undefined, tries: 0 }),
    takeSession: assign(({ context, event }) => ({
      session: 'session' in event ? event.session : context.session,
    })),
    beginRerun: assign(({ event }, params: { back: CampaignRest }) =>
      event.type === 'operator.rerun'
        ? { session: event.session, rerun: { index: event.index, back: params.back } }
        : {},
    ),
  },
}).createMachine({
  id: 'campaign',
  options: { maxIterations: CHART_MICROSTEPS },
  context: ({ input: { id, document, session, startedAtUptimeMs, uptimeSince } }) => ({
    id,
    document,
    session,
    startedAtUptimeMs,
    ...(uptimeSince !== undefined && { uptimeSince }),
    cursor: 0,
    tries: 0,
    attempts: [],
    pauseRequested: false,
    stopped: false,
    rerun: undefined,
  }),
  initial: 'running',
  states: {
    running: {
      initial: 'deciding',
      states: {
        deciding: {
          entry: 'skip',
          always: [
            { guard: 'isOver', target: '#campaign.finished' },
            { guard: 'pauseIsRequested', target: '#campaign.paused' },
            { target: 'attempting' },
          ],
        },
        attempting: {
          entry: 'attempt',
          on: {
            'attempt.ended': [
              { guard: 'isStale' },
              { guard: 'hasLostBoard', target: '#campaign.failed', actions: 'keepAttempt' },
              { guard: 'isCancelled', target: '#campaign.aborted', actions: 'keepAttempt' },
              { guard: 'mayRetry', target: 'attempting', reenter: true, actions: 'keepAttempt' },
              { target: 'deciding', actions: ['keepAttempt', 'leaveStep'] },
            ],
            'operator.pause': { actions: 'requestPause' },
            'daemon.restarted': { target: '#campaign.interrupted', actions: 'keepAttempt' },
          },
        },
      },
    },
    rerunning: {
      entry: 'attempt',
      on: {
        'attempt.ended': [{ guard: 'isStale' }, ...backToRest()],
        'daemon.restarted': backToRest(),
      },
    },
    paused: {
      entry: ['settle', 'rest'],
      on: {
        'operator.resume': { target: 'running', actions: 'takeSession' },
        'operator.rerun': rerunFrom('paused'),
      },
    },
    interrupted: {
      entry: ['settle', 'rest'],
      on: {
        'operator.resume': { target: 'running', actions: 'takeSession' },
        'operator.rerun': rerunFrom('interrupted'),
      },
    },
    finished: { entry: ['settle', 'rest'], on: { 'operator.rerun': rerunFrom('finished') } },
    failed: { entry: ['settle', 'rest'], on: { 'operator.rerun': rerunFrom('failed') } },
    aborted: { entry: ['settle', 'rest'], on: { 'operator.rerun': rerunFrom('aborted') } },
  },
});

function rerunFrom(back: CampaignRest) {
  return {
    guard: 'isStep' as const,
    target: '#campaign.rerunning' as const,
    actions: { type: 'beginRerun' as const, params: { back } },
  };
}

function backToRest() {
  const rests: readonly CampaignRest[] = ['paused', 'finished', 'failed', 'aborted', 'interrupted'];
  return rests.map((rest) => ({
    guard: { type: 'restedIn' as const, params: { rest } },
    target: `#campaign.${rest}` as const,
    actions: 'keepAttempt' as const,
  }));
}

/** The attempt that an event ends; of a daemon that ended meanwhile, that it was aborted. */
function attemptOf(context: CampaignContext, event: CampaignEvent): Attempt | undefined {
  if (event.type === 'attempt.ended') return event.attempt;
  const step = context.document.steps[context.rerun?.index ?? context.cursor];
  if (event.type !== 'daemon.restarted' || step === undefined) return undefined;
  const detail = 'the daemon ended while it was under way; what the board did then is unknown';
  const { uptimeMs, uptimeSince: since } = event;
  return {
    step: step.id,
    outcome: 'aborted',
    detail,
    at_uptime_ms: uptimeMs,
    ...(since !== undefined && { uptime_since: since }),
  };
}
