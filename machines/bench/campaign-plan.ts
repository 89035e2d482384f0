/**
 * What follows from the attempts of a campaign: which step is next, and its verdict. RF Bench Service, section 2. Pure.
 *
 * K1. A verdict is earned: true only when every step ran and the last attempt of each that counts passed, false only
 *     when it finished with one that did not; else there is none.
 * K2. A step whose need is not met is not done: it is attempted as `skipped`.
 */

import type { CampaignStep } from '../../contract/bench/campaign.ts';
import type { Attempt } from '../../contract/bench/run.ts';
import { CAMPAIGN_POINTS } from '../../contract/limits/bench.ts';
import type { CampaignContext } from './campaign-protocol.ts';

type Planned = Pick<CampaignContext, 'document' | 'attempts' | 'cursor' | 'tries' | 'stopped'>;

/** The verdict of a campaign that finished. */
export function verdictOf({ document, attempts }: Pick<Planned, 'document' | 'attempts'>): boolean | null {
  const last = lastAttempts(attempts);
  const counted = document.steps.filter(({ optional }) => optional !== true);
  const hasFailed = counted.some(({ id }) => ![undefined, 'passed'].includes(last.get(id)?.outcome));
  if (hasFailed) return false;
  const haveRun = document.steps.every(({ id }) => ![undefined, 'skipped'].includes(last.get(id)?.outcome));
  return haveRun ? true : null;
}

/** The context behind an attempt, its step not yet left. */
export function withAttempt(context: CampaignContext, attempt: Attempt): Partial<CampaignContext> {
  return { attempts: [...lightened(context.attempts, attempt), attempt], tries: context.tries + 1 };
}

/**
 * Points are the bulk of a record: those of the last attempt at a sweep count, of the newest sweeps that a record has
 * room for.
 */
function lightened(attempts: readonly Attempt[], { step, points = [] }: Attempt): Attempt[] {
  let room = CAMPAIGN_POINTS - points.length;
  const newestFirst = attempts.toReversed().map((attempt) => {
    const { points: kept, ...rest } = attempt;
    if (kept === undefined) return attempt;
    room -= kept.length;
    return attempt.step === step || room < 0 ? rest : attempt;
  });
  return newestFirst.reverse();
}

/** Whether the step under the cursor is to be attempted once more behind such an outcome. */
export function mayRetry({ document, cursor, tries }: Planned, { outcome }: Attempt): boolean {
  const { retries = 0, retry_on = ['failed', 'error'] } = document.steps[cursor] ?? {};
  // `tries` does not count the attempt that has just ended.
  return tries < retries && (retry_on as readonly string[]).includes(outcome);
}

/** The context behind the step under the cursor, given how its last attempt ended. */
export function behindStep(context: CampaignContext, { outcome }: Attempt): Partial<CampaignContext> {
  const { document, cursor } = context;
  const counts = document.steps[cursor]?.optional !== true;
  const stopped = outcome !== 'passed' && counts && document.stop_on !== 'never';
  return { cursor: cursor + 1, tries: 0, stopped };
}

/** The context with every step skipped, from the cursor on, whose need is not met (K2). */
export function pastUnmet(context: CampaignContext): Partial<CampaignContext> {
  if (context.stopped) return {};
  const { steps } = context.document;
  const attempts = [...context.attempts];
  let { cursor } = context;
  for (let step = steps[cursor]; step !== undefined; step = steps[cursor]) {
    const unmet = unmetNeeds(step, attempts);
    if (unmet.length === 0) break;
    // At the time of what it follows from, of the same start of the daemon.
    const last = attempts.at(-1);
    const since = last === undefined ? context.uptimeSince : last.uptime_since;
    attempts.push({
      step: step.id,
      outcome: 'skipped',
      detail: `needs ${unmet.join(', ')}, which did not pass`,
      at_uptime_ms: last?.at_uptime_ms ?? context.startedAtUptimeMs,
      ...(since !== undefined && { uptime_since: since }),
    });
    cursor += 1;
  }
  return { attempts, cursor };
}

export function isOver({ document, cursor, stopped }: Planned): boolean {
  return stopped || cursor >= document.steps.length;
}

function unmetNeeds({ needs = [] }: CampaignStep, attempts: readonly Attempt[]): string[] {
  const last = lastAttempts(attempts);
  return needs.filter((need) => last.get(need)?.outcome !== 'passed');
}

function lastAttempts(attempts: readonly Attempt[]): ReadonlyMap<string, Attempt> {
  return new Map(attempts.map((attempt) => [attempt.step, attempt]));
}
