/** The service about itself: its interface description, its health, its metrics. Mission Control Service, section 9. */

import Type, { type Static } from 'typebox';
import type { FollowRoute } from '../follow.ts';
import { INTERFACE_VERSION, openApiDocument } from '../openapi.ts';
import type { RoutePorts } from '../ports.ts';
import { defineRoute, type Route } from '../route.ts';

const Health = Type.Object(
  {
    state: Type.Enum(['up', 'draining']),
    bus: Type.Enum(['connected', 'disconnected']),
    configuration: Type.Union([Type.String(), Type.Null()], {
      description: 'Revision of the current configuration; null until one is published.',
    }),
    version: Type.String({ description: 'Version of the interface description.' }),
  },
  { additionalProperties: false, title: 'Health' },
);
type Health = Static<typeof Health>;

export const readHealth = defineRoute({
  method: 'GET',
  path: '/healthz',
  operationId: 'readHealth',
  summary: '200 while the process serves, 503 while it drains',
  identity: 'open',
  replies: { 200: Health, 503: Health },
  errors: [],
  handle(_request, ports) {
    return { ok: true, value: { status: ports.draining() ? 503 : 200, body: healthOf(ports) } };
  },
});

export const readMetrics = defineRoute({
  method: 'GET',
  path: '/metrics',
  operationId: 'readMetrics',
  summary: 'Counters in the Prometheus text format',
  identity: 'open',
  replies: { 200: undefined },
  errors: [],
  async handle(_request, { registry }) {
    const bytes = await registry.metrics();
    return { ok: true, value: { status: 200, bytes, contentType: registry.contentType } };
  },
});

/** The route that serves the document of all routes, itself included. */
export function describeInterface(routes: readonly Route[], follows: readonly FollowRoute[]): Route {
  const self: Route = defineRoute({
    method: 'GET',
    path: '/v1/openapi.json',
    operationId: 'describeInterface',
    summary: 'This document (OpenAPI 3.1)',
    replies: { 200: Type.Object({ openapi: Type.String() }, { title: 'OpenApi' }) },
    errors: [],
    handle() {
      text ??= JSON.stringify(openApiDocument([...routes, self], follows));
      return { ok: true, value: { status: 200, bytes: text } };
    },
  });
  let text: string | undefined;
  return self;
}

function healthOf(ports: RoutePorts): Health {
  return {
    state: ports.draining() ? 'draining' : 'up',
    bus: ports.bus.connected ? 'connected' : 'disconnected',
    configuration: ports.missions.current?.revision ?? null,
    version: INTERFACE_VERSION,
  };
}
