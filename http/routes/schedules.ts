/**
 * Schedules of runs on passes: created, listed, cancelled, validated. Mission Control Service, sections 2.7, 3.4 and
 * 4.6. Whether one fits is decided in `mission/schedule/`; what becomes of it later, by the schedulers.
 *
 * S1. Nothing is written of a schedule that is refused, and every reason is reported at once.
 * S2. Who may create and cancel follows from the environment of the run, as for a launch by hand; who replaces one may
 *     do so in the environment of both.
 * S3. What was written is in the lists of this process when the answer leaves.
 */

import { SCHEDULE_LIST_MOST } from '../../contract/limits/schedule.ts';
import { Schedule, ScheduleList, ScheduleRequest, ScheduleValidation } from '../../contract/schedule.ts';
import { FINAL_STATES, type StoredSchedule } from '../../contract/stored-schedule.ts';
import { storedSchedule } from '../../messaging/schedule-changes.ts';
import { cancelSchedule, validateSchedule } from '../../messaging/schedule-commands.ts';
import { draftOf, type ScheduleDraft } from '../../messaging/schedule-draft.ts';
import { createSchedule } from '../../messaging/schedule-writes.ts';
import type { Environment, Mission } from '../../mission/mission.ts';
import { SUPERVISOR } from '../../mission/schedule/plan.ts';
import { plannedRun } from '../../mission/schedule/rule.ts';
import type { Caller } from '../caller.ts';
import { busUnavailable, refuse } from '../errors.ts';
import { nameOf } from '../identity.ts';
import { currentMission, strangerRefusal } from '../mission-of.ts';
import { flagInQuery, instantInQuery, passInQuery, scheduleInPath, targetInQuery } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Refusal } from '../reply.ts';
import { defineRoute } from '../route.ts';
import { launchRefusal, undeclaredRefusal } from '../run-policy.ts';
import { cursorInQuery, listOfSchedules } from '../schedule-lists.ts';
import { PLANNER_ERRORS, PLANNER_STATUSES, PLANNING_ERRORS } from '../schedule-planner.ts';
import { scheduleView } from '../schedule-view.ts';

/** Codes of a route that changes a schedule there is. */
const CHANGE_ERRORS = [
  'schedule::unknown',
  'schedule::final',
  'schedule::changed',
  'api::unavailable',
] as const;

export const listSchedules = defineRoute({
  method: 'GET',
  path: '/v1/schedules',
  operationId: 'listSchedules',
  summary: 'Schedules of every pass, of one, or of the passes of a target, by start',
  description:
    'Those that are cancelled, fired or missed are left out unless asked for. ' +
    `At most ${SCHEDULE_LIST_MOST} are listed; where more match, \`next\` is what to give as \`after\` to continue.`,
  tag: 'Schedules',
  query: {
    pass: passInQuery,
    target: targetInQuery,
    all: flagInQuery('With schedules that are cancelled, fired or missed.'),
    from: instantInQuery('Only schedules whose run may end behind this time.'),
    to: instantInQuery('Only schedules that start before this time.'),
    after: cursorInQuery,
  },
  replies: { 200: ScheduleList },
  errors: ['api::unknown-target', 'api::unavailable'],
  async handle({ query }, ports) {
    if (!ports.schedules.live || !ports.passes.live) return busUnavailable();
    const body = await listOfSchedules(query, ports);
    const stranger = body.schedules.length === 0 ? strangerRefusal(query.target, ports) : undefined;
    return stranger ?? { ok: true, value: { status: 200, body: body satisfies ScheduleList } };
  },
});

export const readSchedule = defineRoute({
  method: 'GET',
  path: '/v1/schedules/:id',
  operationId: 'readSchedule',
  summary: 'One schedule',
  description: 'With its state and the reasons for it, also one that is cancelled, fired or missed.',
  tag: 'Schedules',
  params: { id: scheduleInPath },
  replies: { 200: Schedule },
  errors: ['schedule::unknown', 'api::unavailable'],
  async handle({ params: { id } }, ports) {
    if (!ports.schedules.live) return busUnavailable();
    const stored = (await storedSchedule(ports, id)) ?? (await ports.schedulesOver.find(id));
    return stored === undefined ? unknownSchedule(id) : answer(stored, ports);
  },
});

export const writeSchedule = defineRoute({
  method: 'POST',
  path: '/v1/schedules',
  operationId: 'writeSchedule',
  summary: 'Schedule a run on a pass, or replace the schedule of that identifier',
  description:
    'The run is resolved and stored now, and starts automatically at its time while it fits the pass. A schedule that has ' +
    'not been fired is replaced, and its validation dropped; by callers alone who may cancel it.',
  tag: 'Schedules',
  body: ScheduleRequest,
  invalidBody: 'schedule::invalid',
  replies: { 200: Schedule },
  errors: [...PLANNING_ERRORS, 'schedule::final'],
  statuses: PLANNER_STATUSES,
  async handle({ body, caller }, ports) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const { environments } = mission.value;
    const forbidden = launchRefusal(caller, environments.get(body.environment ?? ''));
    if (forbidden !== undefined) return forbidden;
    if (!ports.passes.live || !ports.schedules.live) return busUnavailable();
    const asked = { id: body.id, pass: body.pass, ...plannedRun(body) };
    const draft = await draftOf(asked, mission.value, ports);
    if (!draft.ok) return draft;
    // Where the request names none, the pass decides which environment it is.
    const mayNot = launchRefusal(caller, environments.get(draft.value.environment));
    return mayNot ?? create(draft.value, mission.value, caller, ports);
  },
});

export const cancelScheduleRoute = defineRoute({
  method: 'POST',
  path: '/v1/schedules/:id/cancel',
  operationId: 'cancelSchedule',
  summary: 'Cancel a schedule that is not final',
  description:
    'Its run does not start. The callers who may create schedules in its environment may cancel it; a rule does not make it again.',
  tag: 'Schedules',
  params: { id: scheduleInPath },
  replies: { 200: Schedule },
  errors: [...PLANNER_ERRORS, ...CHANGE_ERRORS],
  statuses: PLANNER_STATUSES,
  async handle({ params: { id }, caller }, ports) {
    const known = await knownSchedule(id, ports);
    if (!known.ok) return known;
    const { mission, stored } = known.value;
    const refusalOf = ({ environment }: StoredSchedule): Refusal | undefined =>
      launchRefusal(caller, mission.environments.get(environment));
    const forbidden = refusalOf(stored);
    if (forbidden !== undefined) return forbidden;
    const may = (standing: StoredSchedule): boolean => refusalOf(standing) === undefined;
    const done = await cancelSchedule(ports, id, nameOf(caller), may);
    if (done.outcome === 'forbidden') return refusalOf(done.standing) ?? changedMeanwhile(id);
    if (done.outcome !== 'changed') return notDone(stored, done);
    await ports.schedules.seen(done.revision);
    return answer(done.stored, ports);
  },
});

export const validateScheduleRoute = defineRoute({
  method: 'POST',
  path: '/v1/schedules/:id/validate',
  operationId: 'validateSchedule',
  summary: 'Validate a schedule as a supervisor',
  description:
    'For runs that send a hazardous telecommand where a supervisor confirms those. It holds for this resolved run, this ' +
    'pass, and this AOS and LOS, and falls for good at the first difference.',
  tag: 'Schedules',
  params: { id: scheduleInPath },
  replies: { 200: ScheduleValidation },
  errors: [
    'api::no-configuration',
    'auth::jwt-required',
    'schedule::not-supervisor',
    'schedule::refused',
    ...CHANGE_ERRORS,
  ],
  async handle({ params: { id }, caller }, ports) {
    const known = await knownSchedule(id, ports);
    if (!known.ok) return known;
    const { mission, stored } = known.value;
    const supervisorIn = ({ environment }: StoredSchedule): Handled<string> =>
      supervisorOf(caller, mission.environments.get(environment));
    const supervisor = supervisorIn(stored);
    if (!supervisor.ok) return supervisor;
    const may = (standing: StoredSchedule): boolean => supervisorIn(standing).ok;
    const done = await validateSchedule(ports, mission, id, supervisor.value, may);
    if (done.outcome === 'forbidden') {
      const refusal = supervisorIn(done.standing);
      return refusal.ok ? changedMeanwhile(id) : refusal;
    }
    if (done.outcome === 'without-pass')
      return refuse('schedule::refused', `pass ${done.pass} is not stored any more`, {
        help: 'Make the schedule again on another pass.',
      });
    if (done.outcome !== 'validated') return notDone(stored, done);
    await ports.schedules.seen(done.revision);
    return { ok: true, value: { status: 200, body: done.validation satisfies ScheduleValidation } };
  },
});

async function create(
  draft: ScheduleDraft,
  mission: Mission,
  caller: Caller,
  ports: RoutePorts,
): Promise<Handled<{ status: number; body: Schedule }>> {
  const { id } = draft.request;
  const refusalOf = ({ environment }: StoredSchedule): Refusal | undefined =>
    launchRefusal(caller, mission.environments.get(environment));
  const created = await createSchedule(draft, mission, ports, {
    by: nameOf(caller),
    mayReplace: (standing) => refusalOf(standing) === undefined,
    over: (each) => ports.schedulesOver.find(each),
  });
  switch (created.outcome) {
    case 'created':
      await ports.schedules.seen(created.revision);
      return answer(created.stored, ports);
    case 'refused':
      return { ok: false, faults: created.faults };
    case 'exists':
      return refuse('schedule::final', `schedule ${id} has been fired and is not replaced`, {
        help: 'Choose another identifier.',
      });
    case 'forbidden':
      return refusalOf(created.standing) ?? changedMeanwhile(id);
    case 'unwanted':
    case 'changed':
      return changedMeanwhile(id);
  }
}

interface Known {
  readonly mission: Mission;
  readonly stored: StoredSchedule;
}

async function knownSchedule(id: string, ports: RoutePorts): Promise<Handled<Known>> {
  const mission = currentMission(ports);
  if (!mission.ok) return mission;
  if (!ports.schedules.live || !ports.passes.live) return busUnavailable();
  const stored = (await storedSchedule(ports, id)) ?? (await ports.schedulesOver.find(id));
  if (stored === undefined) return unknownSchedule(id);
  return { ok: true, value: { mission: mission.value, stored } };
}

/** The name of a supervisor that the environment allows (MC-SCH-055). */
function supervisorOf(caller: Caller, environment: Environment | undefined): Handled<string> {
  const undeclared = environment && undeclaredRefusal(caller, environment);
  if (undeclared !== undefined) return undeclared;
  if (caller.kind !== 'anonymous' && caller.roles.includes(SUPERVISOR))
    return { ok: true, value: caller.name };
  const who = caller.kind === 'anonymous' ? 'the caller has no name and so' : caller.name;
  return refuse('schedule::not-supervisor', `${who} has no role ${SUPERVISOR}`, {
    help: 'Ask a supervisor to validate the schedule.',
  });
}

function answer(
  stored: StoredSchedule,
  ports: RoutePorts,
): { ok: true; value: { status: 200; body: Schedule } } {
  return { ok: true, value: { status: 200, body: scheduleView(stored, ports) satisfies Schedule } };
}

function unknownSchedule(id: string): Refusal {
  return refuse('schedule::unknown', `no schedule ${id}`, {
    help: 'GET /v1/schedules lists those there are; with all=true also those that are over.',
  });
}

function notDone(
  { id, state }: StoredSchedule,
  done:
    | { readonly outcome: 'unknown' }
    | { readonly outcome: 'overtaken' }
    | { readonly outcome: 'final'; readonly state: string },
): Refusal {
  switch (done.outcome) {
    case 'unknown':
      // One that has long been final is not among those that are changed.
      return FINAL_STATES.has(state) ? isFinal(id, state) : unknownSchedule(id);
    case 'overtaken':
      return changedMeanwhile(id);
    case 'final':
      return isFinal(id, done.state);
  }
}

function changedMeanwhile(id: string): Refusal {
  return refuse('schedule::changed', `schedule ${id} has changed meanwhile`, {
    help: 'Read it again, and repeat the request if it still applies.',
  });
}

function isFinal(id: string, state: string): Refusal {
  return refuse('schedule::final', `schedule ${id} is ${state} already`);
}

export const scheduleRoutes = [
  listSchedules,
  readSchedule,
  writeSchedule,
  cancelScheduleRoute,
  validateScheduleRoute,
];
