/**
 * What the records of runs hold, looked at before anything is made of it: a record that was damaged, or that another
 * version wrote, is the matter of that run alone. RF Bench Service, section 2.
 *
 * G1. Whatever is shown of a run is looked at: what cannot be shown is no record. Fields that are unknown here are
 *     left as they are.
 */

import { STEP_OUTCOMES } from '../../../contract/bench/campaign.ts';
import { CAMPAIGN_STATUSES, SCENARIO_STATUSES, type ScenarioStatus } from '../../../contract/bench/run.ts';
import { isInstant, readInstant } from '../../../contract/instant.ts';
import { asObject, type Foreign, oneOf } from '../../../contract/reply.ts';
import type { CampaignContext } from '../../../machines/bench/campaign-protocol.ts';
import type { ScenarioRunContext } from '../../../machines/bench/scenario-run-protocol.ts';

/** A snapshot of a chart, with the name of its outermost state. */
export interface Recorded<State, Context> {
  readonly state: State;
  readonly context: Context;
}

const CAMPAIGN_STATES = [...CAMPAIGN_STATUSES, 'rerunning'] as const;
const ENDS = ['completed', 'failed', 'cancelled'] as const;

/** The record of a scenario run; undefined for anything else (G1). */
export function scenarioIn(snapshot: unknown): Recorded<ScenarioStatus, ScenarioRunContext> | undefined {
  const state = stateIn(snapshot, SCENARIO_STATUSES);
  const context = asObject(asObject(snapshot)?.context);
  return state !== undefined && context !== undefined && isScenario(context)
    ? { state, context: context as unknown as ScenarioRunContext }
    : undefined;
}

/** The record of a campaign run; undefined for anything else (G1). */
export function campaignIn(
  snapshot: unknown,
): Recorded<(typeof CAMPAIGN_STATES)[number], CampaignContext> | undefined {
  const state = stateIn(snapshot, CAMPAIGN_STATES);
  const context = asObject(asObject(snapshot)?.context);
  return state !== undefined && context !== undefined && isCampaign(context)
    ? { state, context: context as unknown as CampaignContext }
    : undefined;
}

function stateIn<State extends string>(snapshot: unknown, states: readonly State[]): State | undefined {
  const value = asObject(snapshot)?.value;
  const name = typeof value === 'string' ? value : Object.keys(asObject(value) ?? {})[0];
  return states.find((state) => state === name);
}

function isScenario({ runId, scenario, startedAt, endedAt, cursor, ...context }: Foreign): boolean {
  return (
    isText(runId) &&
    isText(scenario) &&
    isTime(startedAt) &&
    isAbsentOr(isTime, endedAt) &&
    isCount(cursor) &&
    isAbsentOr(isText, context.profileRef) &&
    isAbsentOr(isEnd, context.end) &&
    isAbsentOr(isJudgement, context.judgement)
  );
}

function isEnd(value: unknown): boolean {
  const end = asObject(value);
  return end !== undefined && oneOf(end, 'as', ENDS) !== undefined && isText(end.reason);
}

function isJudgement(value: unknown): boolean {
  const { durationMs, stepsExecuted, assertionsPassed, assertionsFailed } = asObject(value) ?? {};
  return Number.isFinite(durationMs) && [stepsExecuted, assertionsPassed, assertionsFailed].every(isCount);
}

function isCampaign({ id, document, attempts, rerun, ...context }: Foreign): boolean {
  return (
    isText(id) &&
    isDocument(document) &&
    Array.isArray(attempts) &&
    attempts.every(isAttempt) &&
    isAbsentOr((value) => isCount(asObject(value)?.index), rerun) &&
    typeof context.pauseRequested === 'boolean' &&
    [context.cursor, context.tries].every(isCount) &&
    Number.isFinite(context.startedAtUptimeMs) &&
    isAbsentOr(isDate, context.uptimeSince)
  );
}

function isDocument(value: unknown): boolean {
  const { name, steps } = asObject(value) ?? {};
  return isText(name) && Array.isArray(steps) && steps.every(isStep);
}

function isStep(value: unknown): boolean {
  const { id, kind, needs } = asObject(value) ?? {};
  return isText(id) && isText(kind) && isAbsentOr((list) => Array.isArray(list) && list.every(isText), needs);
}

function isAttempt(value: unknown): boolean {
  const attempt = asObject(value);
  return (
    attempt !== undefined &&
    isText(attempt.step) &&
    oneOf(attempt, 'outcome', STEP_OUTCOMES) !== undefined &&
    isText(attempt.detail) &&
    Number.isFinite(attempt.at_uptime_ms) &&
    isAbsentOr(isText, attempt.run_id) &&
    isAbsentOr(isDate, attempt.uptime_since) &&
    isAbsentOr((points) => Array.isArray(points) && points.every(isPoint), attempt.points)
  );
}

function isPoint(value: unknown): boolean {
  const { x, ratio, bits, ber, ber_low, ber_high, ebn0_db, theory } = asObject(value) ?? {};
  return [x, ratio, bits, ber, ber_low, ber_high, ebn0_db ?? 0, theory ?? 0].every(Number.isFinite);
}

function isAbsentOr(is: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || is(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && isInstant(value);
}

function isDate(value: unknown): boolean {
  return typeof value === 'string' && readInstant(value) !== undefined;
}
