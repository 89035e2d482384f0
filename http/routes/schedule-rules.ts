/**
 * Recurring rules, which make a schedule of each pass they match. Mission Control Service, sections 2.7 and 4.6. The
 * schedules are made by the schedulers.
 *
 * R1. Who may follows from the environment of the runs, as for a launch by hand; who replaces a rule may do so in the
 *     environment of both.
 */

import { Rule, RuleList, RuleRequest } from '../../contract/schedule-rule.ts';
import type { StoredRule } from '../../contract/stored-schedule.ts';
import { removeRule, ruleEnvironment, ruleRefusal, storeRule } from '../../messaging/rule-writes.ts';
import type { Mission } from '../../mission/mission.ts';
import { plannedRun } from '../../mission/schedule/rule.ts';
import type { Caller } from '../caller.ts';
import { busUnavailable, refuse } from '../errors.ts';
import { nameOf } from '../identity.ts';
import { currentMission, strangerRefusal } from '../mission-of.ts';
import { ruleInPath, targetInQuery } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';
import type { Refusal } from '../reply.ts';
import { defineRoute, NO_CONTENT } from '../route.ts';
import { launchRefusal } from '../run-policy.ts';
import { PLANNER_ERRORS, PLANNER_STATUSES, PLANNING_ERRORS } from '../schedule-planner.ts';

export const listRules = defineRoute({
  method: 'GET',
  path: '/v1/schedule-rules',
  operationId: 'listRules',
  summary: 'Recurring rules of every target, or of one, and what each has made of the passes to come',
  description:
    'By identifier. Of the passes that are not over: how many the filter matches, how many of them have a schedule of the ' +
    'rule, how many were refused one, and why, of the earliest.',
  tag: 'Schedules',
  query: { target: targetInQuery },
  replies: { 200: RuleList },
  errors: ['api::unknown-target', 'api::unavailable'],
  async handle({ query: { target } }, ports) {
    if (!isLive(ports)) return busUnavailable();
    const rules = await ports.ruleViews.list(target);
    const stranger = rules.length === 0 ? strangerRefusal(target, ports) : undefined;
    if (stranger !== undefined) return stranger;
    return { ok: true, value: { status: 200, body: { rules } satisfies RuleList } };
  },
});

export const writeRule = defineRoute({
  method: 'POST',
  path: '/v1/schedule-rules',
  operationId: 'writeRule',
  summary:
    'Make a schedule of each pass of a target that the filter matches, or replace the rule of that identifier',
  description:
    'The schedule of a pass is `<rule>-<pass>`, by `rule <id>`; one that was cancelled is not made again. Schedules of a ' +
    'rule that is replaced or removed stay as they are. It is replaced by callers alone who may remove it.',
  tag: 'Schedules',
  body: RuleRequest,
  invalidBody: 'schedule::invalid',
  replies: { 201: Rule },
  errors: PLANNING_ERRORS,
  statuses: PLANNER_STATUSES,
  async handle({ body, caller }, ports) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    if (!isLive(ports)) return busUnavailable();
    const forbidden = refusalFor(caller, body, mission.value);
    if (forbidden !== undefined) return forbidden;
    const { id, target, filter } = body;
    const request = { id, target, ...(filter !== undefined && { filter }), ...plannedRun(body) };
    const faults = await ruleRefusal(request, mission.value, ports);
    if (faults !== undefined) return { ok: false, faults };
    const mayReplace = (standing: StoredRule): boolean =>
      refusalFor(caller, standing, mission.value) === undefined;
    const written = await storeRule(ports, request, { by: nameOf(caller), mayReplace });
    const mayNot =
      written.outcome === 'forbidden' ? refusalFor(caller, written.standing, mission.value) : undefined;
    if (mayNot !== undefined) return mayNot;
    if (written.outcome !== 'stored') return changedMeanwhile(body.id);
    await ports.rules.seen(written.revision);
    const view = await ports.ruleViews.of(written.stored);
    return { ok: true, value: { status: 201, body: view satisfies Rule } };
  },
});

export const deleteRule = defineRoute({
  method: 'DELETE',
  path: '/v1/schedule-rules/:id',
  operationId: 'deleteRule',
  summary: 'Remove a rule; its schedules stay',
  description:
    'No more schedules are made by it. Those it has made start as planned unless they are cancelled.',
  tag: 'Schedules',
  params: { id: ruleInPath },
  replies: { 204: NO_CONTENT },
  errors: [...PLANNER_ERRORS, 'schedule::unknown-rule', 'schedule::changed', 'api::unavailable'],
  statuses: PLANNER_STATUSES,
  async handle({ params: { id }, caller }, ports) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const mayRemove = (standing: StoredRule): boolean =>
      refusalFor(caller, standing, mission.value) === undefined;
    const removed = await removeRule(ports, id, mayRemove);
    switch (removed.outcome) {
      case 'removed':
        return { ok: true, value: { status: 204 } };
      case 'unknown':
        return unknownRule(id);
      case 'forbidden':
        return refusalFor(caller, removed.standing, mission.value) ?? changedMeanwhile(id);
      case 'changed':
        return changedMeanwhile(id);
    }
  },
});

/** Why the caller may not make or change a rule (R1). */
function refusalFor(
  caller: Caller,
  rule: Pick<RuleRequest, 'environment' | 'target'>,
  mission: Mission,
): Refusal | undefined {
  return launchRefusal(caller, mission.environments.get(ruleEnvironment(rule, mission) ?? ''));
}

function isLive({ rules, passes, schedules }: RoutePorts): boolean {
  return rules.live && passes.live && schedules.live;
}

function changedMeanwhile(id: string): Refusal {
  return refuse('schedule::changed', `rule ${id} has changed meanwhile`, { help: 'Repeat the request.' });
}

function unknownRule(id: string): Refusal {
  return refuse('schedule::unknown-rule', `no rule ${id}`, {
    help: 'GET /v1/schedule-rules lists those there are.',
  });
}

export const ruleRoutes = [listRules, writeRule, deleteRule];
