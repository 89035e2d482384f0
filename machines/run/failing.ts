/**
 * A step that fails: another attempt follows, or a person decides (MC-STM-004, 027). Mission Control Service, section
 * 3.2.
 *
 * R3. A state-changing telecommand is never sent again without a person's decision: a step in which one left is not
 *     eligible for retry (`retryDepth`).
 */

import { type RunContext, statementOf } from './context.ts';
import type { Draft } from './draft.ts';
import { retryDepth } from './place.ts';
import type { RunChartEvent } from './protocol.ts';
import { isUnanswerable, needsAnswerText } from './question.ts';
import { endText } from './sending.ts';

/** Whether the step that fails is begun again by itself; never after a no, or a takeover behind a change of state. */
export function isEligibleForRetry({ program, progress }: RunContext): boolean {
  return progress.standing.kind !== 'doubt' && retryDepth(program, progress.frames) !== undefined;
}

export function logFailedAttempt(draft: Draft, event?: RunChartEvent): void {
  const { path, progress, context } = draft;
  const attempt = progress.frames.at(-1)?.attempt ?? 1;
  draft.record({ event: 'step_finished', path, attempt, ok: false, reason: failureOf(context, event) });
}

export function requireDecision(draft: Draft, event: RunChartEvent): void {
  draft.record({ event: 'decision_required', path: draft.path, reason: failureOf(draft.context, event) });
}

/** Why the step fails: what the log says already, else what the reply says. */
function failureOf(context: RunContext, event: RunChartEvent | undefined): string {
  const { standing } = context.progress;
  if (standing.kind === 'doubt') return standing.reason;
  if (isUnanswerable(context)) return needsAnswerText(context);
  switch (event?.type) {
    case 'telecommand.ended':
      return endText(context, event);
    case 'judged':
      return event.reason ?? 'the condition does not hold';
    case 'answer.unreadable':
    case 'failed':
      return event.reason;
    case 'woken':
      return `no answer within ${timeoutMs(context) / 1000} s`;
    default:
      return 'the answer has no value';
  }
}

function timeoutMs(context: RunContext): number {
  const statement = statementOf(context);
  return statement?.kind === 'ask' ? (statement.timeoutMs ?? 0) : 0;
}
