/**
 * Campaigns: text or value to a campaign that can be run. RF Bench Service, sections 2 and 4.
 *
 * G1. A step needs earlier steps only, so that needs are never circular.
 * G2. What a campaign names (scenarios, profiles) exists; a campaign is checked again when those change.
 */

import { Campaign, type CampaignStep } from '../../contract/bench/campaign.ts';
import type { Profile } from '../../contract/bench/profile.ts';
import { SCENARIO_VERBS } from '../../contract/bench/scenario.ts';
import type { ScenarioVerb } from '../../contract/bench/verb.ts';
import { SWEEP_POINTS } from '../../contract/limits/bench.ts';
import { nearHelp } from '../../contract/near.ts';
import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import { checkShape } from '../../contract/shape.ts';
import { AD9361_BOUNDS, type BoardBounds, outside } from './bounds.ts';
import { parseCron } from './cron.ts';
import { DocumentFaults } from './fault.ts';
import { checkName, checkUnique } from './name.ts';
import { readDocument } from './read.ts';
import { type SweepStep, sweepPoints, sweepSize, variedGain } from './sweep.ts';
import { checkAction, NOTHING_KNOWN, type Setting, underProfile, type VerbContext } from './verb.ts';

export interface CampaignContext {
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Names of the scenarios there are. */
  readonly scenarios: ReadonlySet<string>;
}

type Context = CampaignContext & VerbContext;
type ActionStep = Extract<CampaignStep, { kind: 'action' }>;

/** The campaign that a text is, YAML or JSON. */
export function readCampaign(
  text: string,
  context: CampaignContext,
  bounds: BoardBounds = AD9361_BOUNDS,
): Result<Campaign, string> {
  const document = readDocument(text);
  return document.ok ? checkCampaign(document.value, context, bounds) : document;
}

/** The value as a campaign; refused with everything that is wrong with it. */
export function checkCampaign(
  value: unknown,
  context: CampaignContext,
  bounds: BoardBounds = AD9361_BOUNDS,
): Result<Campaign, string> {
  const faults = new DocumentFaults();
  if (checkShape(Campaign, value, faults)) checkRules(value as Campaign, { ...context, bounds }, faults);
  return faults.found === 0 ? accepted(value as Campaign) : refusedAll(faults.told());
}

function checkRules(campaign: Campaign, context: Context, faults: DocumentFaults): void {
  const { name, cron, board, steps } = campaign;
  checkName(name, faults);
  const schedule = cron === undefined ? undefined : parseCron(cron);
  if (schedule?.ok === false) for (const reason of schedule.faults) faults.in('cron').fault(reason);
  if (board?.provider === 'stub' && board.require?.mock === false)
    faults
      .in('board', 'require', 'mock')
      .fault('is false, but the stub is a model', 'use provider pl or any');
  const at = faults.in('steps');
  checkUnique(steps.map(({ id }, index) => ({ name: id, faults: at.in(index, 'id') })));
  let setting = NOTHING_KNOWN;
  for (const [index, step] of steps.entries()) {
    checkNeeds(step, steps.slice(0, index), steps, at.in(index));
    if (step.retry_on !== undefined && (step.retries ?? 0) === 0)
      at.in(index, 'retry_on').fault('has no effect without retries', 'write retries: 1 or more');
    setting = checkStep(step, setting, context, at.in(index));
  }
}

function checkNeeds(
  { needs = [] }: CampaignStep,
  before: readonly CampaignStep[],
  all: readonly CampaignStep[],
  faults: DocumentFaults,
): void {
  const ids = before.map(({ id }) => id);
  for (const [index, need] of needs.entries()) {
    if (ids.includes(need)) continue;
    const exists = all.some(({ id }) => id === need);
    faults
      .in('needs', index)
      .fault(
        exists ? `step "${need}" is not earlier` : `no step "${need}"`,
        nearHelp(need, ids, 'earlier steps'),
      );
  }
}

/** The setting behind the step; faults what is wrong with it. */
function checkStep(step: CampaignStep, setting: Setting, context: Context, faults: DocumentFaults): Setting {
  switch (step.kind) {
    case 'scenario':
      if (!context.scenarios.has(step.scenario))
        faults
          .in('scenario')
          .fault(`no scenario "${step.scenario}"`, nearHelp(step.scenario, context.scenarios, 'scenarios'));
      return NOTHING_KNOWN;
    case 'profile':
      return underProfile(step.profile, setting, context, faults.in('profile'));
    case 'action':
      return checkActionStep(step, setting, context, faults);
    case 'sweep':
      checkSweep(step, context, faults);
      return underProfile(step.profile, setting, context, faults.in('profile'));
  }
}

function checkActionStep(
  step: ActionStep,
  setting: Setting,
  context: Context,
  faults: DocumentFaults,
): Setting {
  const verbs: readonly string[] = SCENARIO_VERBS.filter((verb) => verb !== 'wait');
  if (verbs.includes(step.do))
    return checkAction(
      { do: step.do as ScenarioVerb, ...(step.with && { with: step.with }) },
      setting,
      context,
      faults,
    );
  const help = step.do === 'wait' ? 'waiting belongs in a scenario' : nearHelp(step.do, verbs, 'verbs');
  faults.in('do').fault(`no verb "${step.do}"`, help);
  return NOTHING_KNOWN;
}

function checkSweep(step: SweepStep, { profiles, bounds }: Context, faults: DocumentFaults): void {
  const [side, range] = variedGain(step);
  const at = faults.in('vary', `${side}_gain_db`);
  const size = sweepSize(range);
  if (size === 0)
    return at.in('step').fault(`is ${range.step}, which leads from ${range.from} away from ${range.to}`);
  if (size > SWEEP_POINTS)
    return at.in('step').fault(`is ${range.step}; that is more than ${SWEEP_POINTS} points`);
  const points = sweepPoints(range);
  const legal = gainRange(side, profiles.get(step.profile), bounds);
  const wrong =
    legal === undefined ? undefined : points.map((point) => outside(point, legal, 'dB')).find(Boolean);
  if (wrong !== undefined) at.fault(`a point ${wrong}`);
  const expected = faults.in('expect', 'min_ratio_at');
  for (const key of Object.keys(step.expect?.min_ratio_at ?? {}))
    if (!points.some((point) => String(point) === key))
      expected
        .in(key)
        .fault('is not a point of the sweep', `the points are ${range.from} to ${range.to} by ${range.step}`);
}

/** Undefined where the profile is not known or not reachable, which is reported elsewhere. */
function gainRange(side: 'rx' | 'tx', profile: Profile | undefined, bounds: BoardBounds) {
  if (side === 'tx') return bounds.transmitterGain;
  if (profile === undefined) return undefined;
  return bounds.receiverGain(profile.center_frequency_hz - (profile.rx.nco_offset_hz ?? 0));
}
