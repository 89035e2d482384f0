/**
 * One attempt at a step of a campaign. RF Bench Service, section 2.
 *
 * Q1. A scenario counts as passed only when its report is verified: one that observed nothing is inconclusive
 *     (RB-REP-008).
 * Q2. The time of a step ends what it does; such an attempt is an error, whatever came before.
 */

import type { CampaignStep } from '../../../contract/bench/campaign.ts';
import type { Profile } from '../../../contract/bench/profile.ts';
import { BENCH_DETAIL_CHARACTERS } from '../../../contract/limits/bench.ts';
import type { CampaignEvent } from '../../../machines/bench/campaign-protocol.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { BoardHolder, BoardUser, ScriptedAction } from '../radio/board-user.ts';
import type { ScenarioView } from '../runs/view.ts';
import type { ScenarioService } from '../scenario/service.ts';
import { refusedStep, type StepResult, sweep } from './sweep.ts';

type Of<Kind extends CampaignStep['kind']> = Extract<CampaignStep, { kind: Kind }>;
type Ended = Omit<Extract<CampaignEvent, { type: 'attempt.ended' }>, 'number'>;

export interface AttemptOptions {
  readonly board: BoardUser;
  readonly scenarios: ScenarioService;
  readonly profiles: () => ReadonlyMap<string, Profile>;
  readonly clock: Clock;
  readonly uptime: () => number;
  /** Start of the daemon that uptimes count from. */
  readonly uptimeSince: string;
  readonly newScenarioId: () => string;
  /** Aborted when the daemon ends. */
  readonly signal: AbortSignal;
}

/** Attempts the step in the name of the campaign; resolves when it is over. */
export async function attempt(
  step: CampaignStep,
  by: BoardHolder,
  { clock, signal, ...options }: AttemptOptions,
): Promise<Ended> {
  const at = Math.floor(options.uptime());
  const own = new AbortController();
  const { timeout_s } = step;
  const timer =
    timeout_s === undefined
      ? undefined
      : clock.setTimeout(() => own.abort('the time of the step is over'), timeout_s * 1000);
  const both = AbortSignal.any([signal, own.signal]);
  const ended = await doStep(step, by, { ...options, clock, signal: both });
  if (timer !== undefined) clock.clearTimeout(timer);
  const late = own.signal.aborted && ended.outcome !== 'passed';
  const { fault, isCancelled, isLost, outcome, detail, ...rest } = ended;
  const ends = isCancelled ? 'cancelled' : isLost || fault?.code === 'unavailable' ? 'lost' : undefined;
  const words = late ? `not over after ${timeout_s} s: ${detail}` : detail;
  return {
    type: 'attempt.ended',
    attempt: {
      step: step.id,
      outcome: late ? 'error' : outcome,
      ...rest,
      detail: words.slice(0, BENCH_DETAIL_CHARACTERS),
      at_uptime_ms: at,
      uptime_since: options.uptimeSince,
    },
    ...(ends !== undefined && { ends }),
  };
}

interface StepEnd extends StepResult {
  readonly isCancelled?: boolean;
  readonly isLost?: boolean;
}

function doStep(step: CampaignStep, by: BoardHolder, options: AttemptOptions): Promise<StepEnd> {
  const { board, profiles, signal } = options;
  switch (step.kind) {
    case 'scenario':
      return runScenario(step, by, options);
    case 'profile':
      return act({ do: 'profile.apply', with: { profile: step.profile } }, by, options);
    case 'action':
      return act({ do: step.do as ScriptedAction['do'], with: step.with ?? {} }, by, options);
    case 'sweep':
      return sweep({ step, board, by, signal, profile: profiles().get(step.profile) });
  }
}

async function act(action: ScriptedAction, by: BoardHolder, options: AttemptOptions): Promise<StepEnd> {
  const performed = await options.board.perform(action, by, options.signal);
  if (!performed.ok) return refusedStep(performed.faults[0]);
  const { detail, measurement } = performed.value;
  const passed = measurement === undefined || measurement.verdict === 'BytePerfect';
  return { outcome: passed ? 'passed' : 'failed', detail };
}

async function runScenario(
  step: Of<'scenario'>,
  by: BoardHolder,
  { scenarios, signal, clock, newScenarioId }: AttemptOptions,
): Promise<StepEnd> {
  const begun = await scenarios.begin(step.scenario, { id: newScenarioId(), by, take: false });
  if (!begun.ok) return { ...withoutFault(refusedStep(begun.faults[0])), outcome: 'error' };
  const { life } = begun.value;
  const giveUp = (): void =>
    scenarios.end(life.runId, {
      type: 'campaign.gaveUp',
      at: clock.now(),
      reason: `the campaign gives it ${step.timeout_s ?? 0} s`,
    });
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  const view = await life.over;
  signal.removeEventListener('abort', giveUp);
  return view === undefined
    ? { outcome: 'error', detail: 'the run of the scenario was lost', run_id: life.runId }
    : endOf(view);
}

/** A run that cannot be recorded says nothing of the board. */
function withoutFault({ fault: _, ...result }: StepResult): StepResult {
  return result;
}

function endOf({ run, verified, aborted, reason = '', lost }: ScenarioView): StepEnd {
  const { run_id, status, assertions_passed = 0, assertions_failed = 0 } = run;
  const counts = `${assertions_passed} assertions passed, ${assertions_failed} failed`;
  if (status === 'cancelled')
    return { outcome: 'aborted', detail: 'its scenario was cancelled', run_id, isCancelled: true };
  if (aborted) return { outcome: 'error', detail: reason, run_id, isLost: lost };
  if (status === 'failed') return { outcome: 'failed', detail: counts, run_id };
  return verified
    ? { outcome: 'passed', detail: counts, run_id }
    : { outcome: 'inconclusive', detail: `nothing was observed of the link: ${counts}`, run_id };
}
