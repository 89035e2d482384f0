/** The service about itself: its interface description, its health, its metrics. Mission Control Service, section 9. */

import Type, { type Static, type TSchema } from 'typebox';
import type { ChildState } from '../../contract/inspection.ts';
import { asyncApiDocument } from '../asyncapi.ts';
import type { FollowRoute } from '../follow.ts';
import { INTERFACE_VERSION } from '../mission-control.ts';
import { openApiDocument } from '../openapi.ts';
import type { RoutePorts } from '../ports.ts';
import { defineRoute, type Route } from '../route.ts';

/** All that health and metrics reach: a process without API has no more. */
export type ProbePorts = Pick<
  RoutePorts,
  'bus' | 'missions' | 'clock' | 'log' | 'registry' | 'tokens' | 'roles' | 'newId' | 'draining'
> &
  Pick<RoutePorts, 'replication'>;

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

const Health = Type.Object(
  {
    state: Type.Enum(['up', 'draining']),
    bus: Type.Enum(['connected', 'disconnected']),
    configuration: Type.Union([Type.String(), Type.Null()], {
      description: 'Revision of the current configuration; null until one is published.',
    }),
    roles: Type.Record(Type.String(), Type.Enum(ROLE_STATES), {
      description: 'What this process does for the cell, and the state of each part.',
    }),
    replicas: Type.Optional(Replicas),
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
    'For load balancers and supervisors. A process without a bus is up: it answers 503 where it would need one. ' +
    'Processes without the role api answer it on the port of `--metrics-port`.',
  tag: 'Service',
  identity: 'open',
  replies: { 200: Health, 503: Health },
  errors: [],
  handle(_request, ports: ProbePorts) {
    return { ok: true, value: { status: ports.draining() ? 503 : 200, body: healthOf(ports) } };
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
  described: readonly Route[],
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
  return {
    state: ports.draining() ? 'draining' : 'up',
    bus: ports.bus.connected ? 'connected' : 'disconnected',
    configuration: ports.missions.current?.revision ?? null,
    roles: { ...ports.roles() },
    ...copiesOf(ports),
    version: INTERFACE_VERSION,
  };
}

function copiesOf({ replication }: ProbePorts): Pick<Health, 'replicas'> {
  if (replication === undefined || replication.wanted === 1) return {};
  const short = replication.short.map(({ stream, inPlace }) => ({ stream, in_place: inPlace }));
  return { replicas: { wanted: replication.wanted, short } };
}
