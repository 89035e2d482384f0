/** The service about itself: its interface description, its health, its metrics. Mission Control Service, section 9. */

import Type, { type Static, type TSchema } from 'typebox';
import type { ChildState } from '../../contract/inspection.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import { blockedBy, reasonOf } from '../../messaging/fill-reasons.ts';
import { asyncApiDocument } from '../asyncapi.ts';
import type { FollowRoute } from '../follow.ts';
import { INTERFACE_VERSION } from '../mission-control.ts';
import { type ForwardedOperation, openApiDocument } from '../openapi.ts';
import type { RoutePorts } from '../ports.ts';
import { defineRoute, type Route } from '../route.ts';

/** All that health and metrics reach: a process without API has no more. */
export type ProbePorts = Pick<
  RoutePorts,
  'bus' | 'missions' | 'clock' | 'log' | 'registry' | 'tokens' | 'roles' | 'newId' | 'draining'
> &
  Pick<RoutePorts, 'replication' | 'fills' | 'silent' | 'settled' | 'archiveHealth'>;

/** SHA-256 of a configuration. */
const EXAMPLE_REVISION = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae';

const ROLE_STATES: ChildState[] = ['starting', 'running', 'restarting', 'quarantined', 'stopping'];

const Replicas = Type.Object(
  {
    wanted: Type.Integer({ description: 'Copies that each stream and bucket is to have.' }),
    short: Type.Array(
      Type.Object(
        {
          stream: Type.String(),
          in_place: Type.Integer({ description: 'Copies that are there and up to date.' }),
        },
        { additionalProperties: false },
      ),
      { description: 'Those with fewer, by name; empty when nothing is missing.' },
    ),
  },
  {
    additionalProperties: false,
    description: 'Of the bus, as last looked at; absent where one copy is wanted.',
  },
);

const Filling = Type.Array(
  Type.Object(
    {
      stream: Type.String({
        description:
          'Its name; `account` for all that the account of the bus stores, `disk` for the disk of an embedded bus, ' +
          '`message` for the largest message, `descriptors` for files and sockets of this process.',
      }),
      fill: Type.Number({ description: 'Share of its size that is taken.' }),
      reason: Type.String(),
    },
    { additionalProperties: false },
  ),
  {
    description:
      'What is nearly full, as last looked at: streams of the bus by name, and what else the service works with ' +
      '(`nats.warn_at` of the config document, 0.8); absent where nothing is.',
  },
);

const Lost = Type.Object(
  {
    until: Type.String({ format: 'date-time', description: 'What was stored until then may be lost.' }),
    reason: Type.String(),
  },
  {
    additionalProperties: false,
    description:
      'Only where a process of the cell found that the store of the bus went back, or that a stream was deleted; ' +
      'until every process has been restarted.',
  },
);

const Health = Type.Object(
  {
    state: Type.Enum(['up', 'impaired', 'draining'], {
      description: '`impaired`: it answers, and cannot do all of its work; `impaired` says why.',
    }),
    impaired: Type.Optional(
      Type.Array(Type.String(), { description: 'Why, in words; absent while it can do all of its work.' }),
    ),
    bus: Type.Enum(['connected', 'disconnected']),
    configuration: Type.Union([Type.String(), Type.Null()], {
      description: 'Revision of the current configuration; null until one is published.',
    }),
    roles: Type.Record(Type.String(), Type.Enum(ROLE_STATES), {
      description: 'What this process does for the cell, and the state of each part.',
    }),
    replicas: Type.Optional(Replicas),
    filling: Type.Optional(Filling),
    lost: Type.Optional(Lost),
    archive: Type.Optional(
      Type.Object(
        {
          trouble: Type.Optional(Type.String({ description: 'What the disk said: nothing is written now.' })),
          set_aside: Type.Optional(
            Type.Integer({
              minimum: 1,
              description: 'Messages that cannot be written: dead letters, and gaps in the past.',
            }),
          ),
        },
        {
          additionalProperties: false,
          description:
            'Only where the archive of this process writes nothing now, and the stream keeps what comes, or left something out.',
        },
      ),
    ),
    version: Type.String({ description: 'Version of the interface description.' }),
  },
  {
    additionalProperties: false,
    title: 'Health',
    examples: [
      {
        state: 'up',
        bus: 'connected',
        configuration: EXAMPLE_REVISION,
        roles: { api: 'running', executor: 'running' },
        version: INTERFACE_VERSION,
      },
    ],
  },
);
type Health = Static<typeof Health>;

const Readiness = Type.Object(
  {
    ready: Type.Boolean(),
    missing: Type.Array(Type.String(), {
      description: 'What the process waits for, in words; empty when ready.',
    }),
  },
  {
    additionalProperties: false,
    title: 'Readiness',
    examples: [{ ready: false, missing: ['the bus is disconnected'] }],
  },
);

const Metrics = Type.String({
  contentMediaType: 'text/plain',
  examples: ['mcs_http_requests_total{operation="submitTelecommand",status="202"} 17\n'],
});

const Info = Type.Object({ title: Type.String(), version: Type.String() }, { additionalProperties: true });
const Free = Type.Record(Type.String(), Type.Unknown());
const EXAMPLE_INFO = { title: 'Mission Control Service', version: INTERFACE_VERSION };

/** As far as a client may rely on it; the whole shape is the specification's of that name. */
const OpenApi = Type.Object(
  { openapi: Type.String(), info: Info, paths: Free },
  {
    additionalProperties: true,
    title: 'OpenApi',
    examples: [{ openapi: '3.1.0', info: EXAMPLE_INFO, paths: { '/healthz': {} } }],
  },
);

const AsyncApi = Type.Object(
  { asyncapi: Type.String(), info: Info, channels: Free },
  {
    additionalProperties: true,
    title: 'AsyncApi',
    examples: [{ asyncapi: '3.0.0', info: EXAMPLE_INFO, channels: { watchTelecommands: {} } }],
  },
);

export const readHealth = defineRoute({
  method: 'GET',
  path: '/healthz',
  operationId: 'readHealth',
  summary: '200 while the process serves, 503 while it drains',
  description:
    'For supervisors: whether it is to be restarted. A process whose bus is away or full is impaired, and says why: it ' +
    'answers 503 where it would need the bus, and restarting it helps nobody. ' +
    'Processes without the role api answer it on the port of `--metrics-port`.',
  tag: 'Service',
  identity: 'open',
  replies: { 200: Health, 503: Health },
  errors: [],
  handle(_request, ports: ProbePorts) {
    return { ok: true, value: { status: ports.draining() ? 503 : 200, body: healthOf(ports) } };
  },
});

export const readReadiness = defineRoute({
  method: 'GET',
  path: '/readyz',
  operationId: 'readReadiness',
  summary: '200 while the process can do all of its work, 503 with what is missing',
  description:
    'For load balancers: whether requests are sent here. Not ready is a process that drains, whose bus is away, that has ' +
    'a role that does not run, or whose share of the work nobody has yet. That is no reason to restart it: `/healthz` ' +
    'says whether it lives.',
  tag: 'Service',
  identity: 'open',
  replies: { 200: Readiness, 503: Readiness },
  errors: [],
  handle(_request, ports: ProbePorts) {
    const missing = missingOf(ports);
    return {
      ok: true,
      value: { status: missing.length === 0 ? 200 : 503, body: { ready: missing.length === 0, missing } },
    };
  },
});

export const readMetrics = defineRoute({
  method: 'GET',
  path: '/metrics',
  operationId: 'readMetrics',
  summary: 'Counters in the Prometheus text format',
  description:
    'Of this process alone: scrape each process of the cell. Those without the role api answer it on the port of ' +
    '`--metrics-port`.',
  tag: 'Service',
  identity: 'open',
  replies: { 200: Metrics },
  errors: [],
  async handle(_request, { registry }: ProbePorts) {
    const bytes = await registry.metrics();
    return { ok: true, value: { status: 200, bytes, contentType: registry.contentType } };
  },
});

/** The routes that describe every route, themselves included. */
export function selfDescriptions(
  described: readonly (Route | ForwardedOperation)[],
  follows: readonly FollowRoute[],
): readonly [Route, Route] {
  const openApi = descriptionRoute(
    {
      path: '/v1/openapi.json',
      operationId: 'describeInterface',
      summary: 'This document (OpenAPI 3.1)',
      description: 'What every route takes and answers. `/docs` shows it to people.',
      schema: OpenApi,
    },
    () => openApiDocument([...described, openApi, asyncApi], follows),
  );
  const asyncApi = descriptionRoute(
    {
      path: '/v1/asyncapi.json',
      operationId: 'describeFollowing',
      summary: 'The follow routes as AsyncAPI 3.0',
      description: 'Channels, messages and close codes of the WebSockets, for generators of clients.',
      schema: AsyncApi,
    },
    () => asyncApiDocument(follows),
  );
  return [openApi, asyncApi];
}

interface Description {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: TSchema;
}

/** The table does not change, so a document is written once, when it is first asked for. */
function descriptionRoute({ schema, ...description }: Description, write: () => object): Route {
  let text: string | undefined;
  return defineRoute({
    ...description,
    method: 'GET',
    tag: 'Service',
    replies: { 200: schema },
    errors: [],
    handle() {
      text ??= JSON.stringify(write());
      return { ok: true, value: { status: 200, bytes: text } };
    },
  });
}

function healthOf(ports: ProbePorts): Health {
  const why = missingOf(ports);
  const state = why.length === 0 ? 'up' : 'impaired';
  return {
    state: ports.draining() ? 'draining' : state,
    ...(why.length > 0 && { impaired: why }),
    bus: ports.bus.connected ? 'connected' : 'disconnected',
    configuration: ports.missions.current?.revision ?? null,
    roles: { ...ports.roles() },
    ...copiesOf(ports),
    ...fillingOf(ports),
    ...lostOf(ports),
    ...archiveOf(ports),
    version: INTERFACE_VERSION,
  };
}

function missingOf({ draining, bus, missions, roles, settled, fills, silent }: ProbePorts): string[] {
  const standing = Object.entries(roles()).filter(([, state]) => state !== 'running');
  return [
    ...(draining() ? ['the process is on its way out'] : []),
    ...(busAnswers(bus) ? [] : [bus.connected ? 'the bus does not answer' : 'the bus is disconnected']),
    ...(missions.known === false ? ['the configuration is not read yet'] : []),
    ...standing.map(([role, state]) => `role ${role} is ${state}`),
    ...(settled?.() === false ? ['targets or gateways that this process may have are with nobody'] : []),
    ...(bus.connected ? blockedBy(fills?.() ?? [], silent?.() ?? []) : []),
  ];
}

function archiveOf({ archiveHealth }: ProbePorts): Pick<Health, 'archive'> {
  const { trouble, setAside = 0 } = archiveHealth ?? {};
  if (trouble === undefined && setAside === 0) return {};
  return {
    archive: { ...(trouble !== undefined && { trouble }), ...(setAside > 0 && { set_aside: setAside }) },
  };
}

function lostOf({ bus }: ProbePorts): Pick<Health, 'lost'> {
  if (bus.lostUntil === undefined) return {};
  const reason =
    'the bus does not hold any more what was read of it: telecommands and runs of that time are ended where it is not ' +
    'known what became of them; `mcs bus check` says what does not fit together';
  return { lost: { until: new Date(bus.lostUntil).toISOString(), reason } };
}

function copiesOf({ replication }: ProbePorts): Pick<Health, 'replicas'> {
  if (replication === undefined || replication.wanted === 1) return {};
  const short = replication.short.map(({ stream, inPlace }) => ({ stream, in_place: inPlace }));
  return { replicas: { wanted: replication.wanted, short } };
}

function fillingOf({ fills }: ProbePorts): Pick<Health, 'filling'> {
  const filling = (fills?.() ?? [])
    .filter((each) => each.filling)
    .map((each) => ({ stream: each.stream, fill: each.fill ?? 0, reason: reasonOf(each) }));
  return filling.length === 0 ? {} : { filling };
}
