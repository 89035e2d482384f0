/**
 * Runs as they are shown, made of the recorded revision of their charts. RF Bench Service, section 2.
 *
 * V1. A campaign that did not finish has no verdict.
 */

import type { CampaignState, ScenarioRun } from '../../../contract/bench/run.ts';
import { verdictOf } from '../../../machines/bench/campaign-plan.ts';
import type { CampaignContext } from '../../../machines/bench/campaign-protocol.ts';
import type { Envelope } from '../../../ports/entity.ts';
import { campaignIn, scenarioIn } from './recorded.ts';

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

/** Undefined where the record is that of no run (recorded.G1). */
export function scenarioView({ snapshot }: Pick<Envelope, 'snapshot'>): ScenarioView | undefined {
  const recorded = scenarioIn(snapshot);
  if (recorded === undefined) return undefined;
  const { state: status, context } = recorded;
  const { judgement, endedAt, end } = context;
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

/** Undefined where the record is that of no run (recorded.G1). */
export function campaignView({ snapshot }: Pick<Envelope, 'snapshot'>): CampaignView | undefined {
  const recorded = campaignIn(snapshot);
  if (recorded === undefined) return undefined;
  const { state: name, context } = recorded;
  const status = name === 'rerunning' ? 'running' : name;
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
