/**
 * Runs as they are shown, made of the recorded revision of their charts. RF Bench Service, section 2.
 *
 * V1. A campaign that did not finish has no verdict.
 */

import type {
  CampaignState,
  CampaignStatus,
  ScenarioRun,
  ScenarioStatus,
} from '../../../contract/bench/run.ts';
import { verdictOf } from '../../../machines/bench/campaign-plan.ts';
import type { CampaignContext } from '../../../machines/bench/campaign-protocol.ts';
import type { ScenarioRunContext } from '../../../machines/bench/scenario-run-protocol.ts';
import type { Envelope } from '../../../ports/entity.ts';

interface Persisted<Context> {
  readonly value: string | object;
  readonly context: Context;
}

/** A scenario run as it is shown, with what only its report has. */
export interface ScenarioView {
  readonly run: ScenarioRun;
  readonly profileRef: string | undefined;
  readonly verified: boolean;
  readonly aborted: boolean;
  readonly hasReport: boolean;
  /** Why it ended. */
  readonly reason: string | undefined;
  /** The board is gone. */
  readonly lost: boolean;
}

export interface CampaignView {
  readonly state: CampaignState;
  readonly document: CampaignContext['document'];
}

export function scenarioView({ snapshot }: Pick<Envelope, 'snapshot'>): ScenarioView {
  const { value, context } = snapshot as Persisted<ScenarioRunContext>;
  const { judgement, endedAt, end } = context;
  const status = stateName(value) as ScenarioStatus;
  return {
    run: {
      run_id: context.runId,
      scenario_name: context.scenario,
      status,
      started_at: new Date(context.startedAt).toISOString(),
      ...(endedAt !== undefined && { ended_at: new Date(endedAt).toISOString() }),
      ...(judgement !== undefined && {
        duration_ms: judgement.durationMs,
        assertions_passed: judgement.assertionsPassed,
        assertions_failed: judgement.assertionsFailed,
      }),
      ...(endedAt !== undefined && { steps_executed: judgement?.stepsExecuted ?? context.cursor }),
    },
    profileRef: context.profileRef,
    verified: judgement?.verified ?? false,
    aborted: end !== undefined && end.as !== 'completed',
    hasReport: judgement?.hasReport ?? false,
    reason: end?.reason,
    lost: end?.lost ?? false,
  };
}

export function isScenarioOver({ run: { status } }: ScenarioView): boolean {
  return status !== 'pending' && status !== 'running';
}

export function campaignView({ snapshot }: Pick<Envelope, 'snapshot'>): CampaignView {
  const { value, context } = snapshot as Persisted<CampaignContext>;
  const name = stateName(value);
  const status = (name === 'rerunning' ? 'running' : name) as CampaignStatus;
  const { document, attempts, rerun, cursor } = context;
  const state: CampaignState = {
    id: context.id,
    campaign: document.name,
    status,
    cursor: rerun?.index ?? cursor,
    total_steps: document.steps.length,
    verdict: status === 'finished' ? verdictOf(context) : null,
    pause_requested: context.pauseRequested,
    attempts: [...attempts],
    started_at_uptime_ms: context.startedAtUptimeMs,
    ...(context.uptimeSince !== undefined && { uptime_since: context.uptimeSince }),
  };
  return { state, document };
}

export function isCampaignOver({ state: { status } }: CampaignView): boolean {
  return status === 'finished' || status === 'failed' || status === 'aborted';
}

/** Name of the outermost state. */
function stateName(value: string | object): string {
  return typeof value === 'string' ? value : (Object.keys(value)[0] ?? '');
}
