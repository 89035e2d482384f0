/**
 * The inspector: what runs where, what state it is in, and how it came there (ours). Everything is asked of the
 * processes over the bus; a process that does not answer is named and keeps nothing back. See `contract/inspection.ts`.
 *
 * N1. Looking changes nothing. What changes something (`releaseQuarantined`) names its caller.
 */

import Type from 'typebox';
import type { FindCall } from '../../contract/inspection.ts';
import {
  ChartLayout,
  EntityHistory,
  InspectedEntity,
  InspectFound,
  InspectionUpdates,
  InspectTree,
  Released,
  ReleaseRequest,
} from '../../contract/inspector.ts';
import { ENTITY_ID_CHARACTERS, INSPECT_FOUND } from '../../contract/limits/inspect.ts';
import { isToken, TOKEN_PATTERN } from '../../contract/token.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import { busUnavailable, refuse } from '../errors.ts';
import { closeCode, defineFollow } from '../follow.ts';
import { nameOf } from '../identity.ts';
import { findEntities, readHistory, viewEntity } from '../inspect/entities.ts';
import { EntityFollower } from '../inspect/entity-follower.ts';
import { finishedUpdate } from '../inspect/finished-update.ts';
import { release } from '../inspect/release.ts';
import { readTree } from '../inspect/tree-feed.ts';
import { targetInQuery } from '../parameters.ts';
import type { Refusal } from '../reply.ts';
import { defineRoute, type PathParameter, type QueryParameter } from '../route.ts';

const kindInPath: PathParameter = {
  accepts: isToken,
  schema: Type.String({
    pattern: TOKEN_PATTERN,
    description: 'Kind of entity.',
    examples: ['telecommand'],
  }),
  code: 'inspect::unknown-entity',
  expected: 'a kind of entity: letters, digits, - and _',
};

const ID_PATTERN = `^[^\\u0000-\\u001f\\u007f]{1,${ENTITY_ID_CHARACTERS}}$`;
const ID = new RegExp(ID_PATTERN);

const idInPath: PathParameter = {
  accepts: (text) => ID.test(text),
  schema: Type.String({ pattern: ID_PATTERN, description: 'A telecommand is named <target>.<id>.' }),
  code: 'inspect::unknown-entity',
  expected: `the id of an entity: 1 to ${ENTITY_ID_CHARACTERS} characters`,
};

const tokenInQuery: QueryParameter<string> = {
  schema: Type.String({ pattern: TOKEN_PATTERN, description: 'Only those of this name.' }),
  expected: 'a name: letters, digits, - and _',
  parse: (text) => (isToken(text) ? text : undefined),
};

const idInQuery: QueryParameter<string> = {
  schema: Type.String({ pattern: ID_PATTERN, description: 'Part of the id, or of the procedure of a run.' }),
  expected: `part of an id: 1 to ${ENTITY_ID_CHARACTERS} characters`,
  parse: (text) => (ID.test(text) ? text : undefined),
};

const versionInQuery: QueryParameter<number> = {
  schema: Type.Integer({ minimum: 0, description: 'Version of the chart.' }),
  expected: 'a version: a whole number',
  parse: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
};

const limitInQuery: QueryParameter<number> = {
  schema: Type.Integer({ minimum: 1, maximum: INSPECT_FOUND, description: 'Most entities in the answer.' }),
  expected: `a whole number from 1 to ${INSPECT_FOUND}`,
  parse: (text) => {
    const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
    return limit >= 1 && limit <= INSPECT_FOUND ? limit : undefined;
  },
};

const entity = { kind: kindInPath, id: idInPath };

const readInspectTree = defineRoute({
  method: 'GET',
  path: '/v1/inspect/tree',
  operationId: 'readInspectTree',
  summary: 'The supervision tree of every process, with health, restarts and quarantine',
  description: 'Each process reports on itself; one that does not answer is listed as silent.',
  tag: 'Inspection',
  replies: { 200: InspectTree },
  errors: ['api::unavailable'],
  async handle(_request, { inspector, clock }) {
    return { ok: true, value: { status: 200, body: await readTree(inspector.processes, clock) } };
  },
});

const followInspectTree = defineFollow({
  path: '/v1/inspect/tree/events',
  operationId: 'followInspectTree',
  summary: 'The supervision tree, sent again when it changes, at most twice a second',
  description: 'The whole tree each time; a client that is behind gets the newest.',
  tag: 'Inspection',
  policy: 'latest',
  message: InspectTree,
  errors: ['api::unavailable'],
  open(_request, { inspector, bus }, writer) {
    if (!busAnswers(bus)) return busUnavailable();
    const stop = inspector.tree.watch((json) => writer.push(json));
    return { ok: true, value: { stop: async () => stop() } };
  },
});

const findInspected = defineRoute({
  method: 'GET',
  path: '/v1/inspect/entities',
  operationId: 'findInspected',
  summary: 'Entities of every process; with a target or an id also what has finished',
  description:
    'Without a target or an id only live entities, with a kind or a state also runs that have finished, and ' +
    'schedules; `more` says how many further ones match.',
  tag: 'Inspection',
  query: {
    kind: tokenInQuery,
    id: idInQuery,
    target: targetInQuery,
    state: tokenInQuery,
    limit: limitInQuery,
  },
  replies: { 200: InspectFound },
  errors: ['api::unavailable'],
  async handle({ query: { kind, id, target, state, limit = INSPECT_FOUND } }, ports) {
    const call: FindCall = {
      ...(kind !== undefined && { kind }),
      ...(id !== undefined && { id }),
      ...(target !== undefined && { target }),
      ...(state !== undefined && { state }),
      limit,
    };
    return { ok: true, value: { status: 200, body: await findEntities(ports, call) } };
  },
});

const readInspected = defineRoute({
  method: 'GET',
  path: '/v1/inspect/entities/:kind/:id',
  operationId: 'readInspected',
  summary: 'One entity: active states, context, pending effects, timers, and the events it accepts now',
  description: 'From the process that has it; an entity that has finished is read from its log.',
  tag: 'Inspection',
  params: entity,
  replies: { 200: InspectedEntity },
  errors: ['inspect::unknown-entity', 'api::unavailable'],
  async handle({ params }, ports) {
    const view = await viewEntity(ports, params);
    if (!view.ok) return view;
    const body: InspectedEntity = { entity: view.value, at: ports.clock.now() };
    return { ok: true, value: { status: 200, body } };
  },
});

const readInspectedHistory = defineRoute({
  method: 'GET',
  path: '/v1/inspect/entities/:kind/:id/history',
  operationId: 'readInspectedHistory',
  summary: 'The log of one entity, replayed through its chart step by step',
  description: 'Each step with the states it left the entity in, its context and the transition taken.',
  tag: 'Inspection',
  params: entity,
  replies: { 200: EntityHistory },
  errors: ['inspect::unknown-entity', 'inspect::no-history', 'api::unavailable'],
  async handle({ params }, { inspector }) {
    const history = await readHistory(inspector.processes, params);
    return history.ok ? { ok: true, value: { status: 200, body: history.value } } : history;
  },
});

/** Keys of the frames: under load each kind of frame has its newest (http/follow.F2). */
const FRAME_KEYS = { '@xstate.actor': 0, '@xstate.snapshot': 1, '@xstate.event': 2 } as const;

const followInspected = defineFollow({
  path: '/v1/inspect/entities/:kind/:id/events',
  operationId: 'followInspected',
  summary: 'The life of one entity as updates of @statelyai/inspect; closes after its end',
  description: 'The current state first. Watching costs the watched process, so it ends with the socket.',
  tag: 'Inspection',
  params: entity,
  policy: 'latest',
  message: InspectionUpdates,
  errors: ['inspect::unknown-entity', 'api::unavailable'],
  async open({ params }, ports, writer) {
    if (!busAnswers(ports.bus)) return busUnavailable();
    const { processes } = ports.inspector;
    const finish = (): void => writer.finish(closeCode.finished, 'finished');
    const follower = new EntityFollower({ ...ports, processes }, params, ports.newId(), {
      frame: (data, type) => writer.push(data, FRAME_KEYS[type]),
      finished: finish,
    });
    const stopped = async (refusal: Refusal): Promise<Refusal> => {
      await follower.stop();
      return refusal;
    };
    try {
      const began = await follower.start();
      if (began === 'here') return { ok: true, value: follower };
      if (began === 'full') return stopped(tooManyWatched());
      const view = await viewEntity(ports, params);
      if (!view.ok) return stopped(view);
      writer.push(JSON.stringify(finishedUpdate(view.value)), FRAME_KEYS['@xstate.actor']);
      // One that is not at its end is between two owners: it is looked for (entity-follower.W2).
      if (view.value.status === 'finished') finish();
      return { ok: true, value: follower };
    } catch (error) {
      await follower.stop();
      throw error;
    }
  },
});

/** Its state can still be asked for: silence on an open socket would look like calm. */
function tooManyWatched(): Refusal {
  return refuse('api::unavailable', 'the process of this entity has as many watchers as it allows', {
    help: 'GET the entity instead, or try again when another watch is over.',
  });
}

const readInspectedChart = defineRoute({
  method: 'GET',
  path: '/v1/inspect/charts/:kind',
  operationId: 'readInspectedChart',
  summary: 'The chart of a kind, laid out: positions of states and transitions',
  description: 'Made once for each version of a chart; without `version` the running one.',
  tag: 'Inspection',
  params: { kind: { ...kindInPath, code: 'inspect::unknown-chart' } },
  query: { version: versionInQuery },
  replies: { 200: ChartLayout },
  errors: ['inspect::unknown-chart', 'api::unavailable'],
  async handle({ params, query }, { inspector }) {
    const chart = await inspector.charts.of(params.kind, query.version);
    return chart.ok ? { ok: true, value: { status: 200, body: chart.value } } : chart;
  },
});

const releaseQuarantined = defineRoute({
  method: 'POST',
  path: '/v1/inspect/release',
  operationId: 'releaseQuarantined',
  summary: 'Resume something quarantined from its record, or reset it',
  description: 'The supervisor that quarantined it is asked; its log names the caller.',
  tag: 'Inspection',
  body: ReleaseRequest,
  replies: { 200: Released },
  errors: [
    'api::anonymous',
    'api::unknown-instance',
    'inspect::not-quarantined',
    'inspect::unknown-entity',
    'inspect::invalid',
    'inspect::timeout',
    'api::unavailable',
  ],
  async handle({ body, caller }, { inspector, log }) {
    const by = nameOf(caller);
    if (by === undefined) {
      return refuse('api::anonymous', 'ending a quarantine requires a named caller', {
        help: 'Send your name in the header X-Mcs-User.',
      });
    }
    const released = await release(inspector.processes, body, by);
    log.info({ ...body, by, done: released.ok }, 'the end of a quarantine was requested');
    return released.ok ? { ok: true, value: { status: 200, body: released.value } } : released;
  },
});

export const inspectRoutes = [
  readInspectTree,
  findInspected,
  readInspected,
  readInspectedHistory,
  readInspectedChart,
  releaseQuarantined,
];
export const inspectFollows = [followInspectTree, followInspected];
