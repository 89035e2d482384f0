/** The bench about itself: its interface descriptions, its health, its metrics. RF Bench Service, section 9. */

import Type, { type Static } from 'typebox';
import { type BenchSchemaKind, benchSchema } from '../../contract/bench/schema.ts';
import { asyncApiDocument } from '../asyncapi.ts';
import { openApiDocument } from '../openapi.ts';
import { BENCH_VERSION, benchInterface } from './dialect.ts';
import { schemaInPath } from './parameters.ts';
import type { BenchPorts } from './ports.ts';
import { type BenchFollow, type BenchRoute, defineBenchRoute, replied } from './route.ts';

const Health = Type.Object(
  {
    state: Type.Enum(['up', 'draining']),
    board: Type.String({ description: 'What would carry out a board action, in words.' }),
    version: Type.String({ description: 'Version of the interface description.' }),
  },
  {
    additionalProperties: false,
    title: 'Health',
    examples: [{ state: 'up', board: 'the model of the board in this process', version: BENCH_VERSION }],
  },
);

const Metrics = Type.String({
  contentMediaType: 'text/plain',
  examples: ['bench_http_requests_total{operation="readRadio",status="200"} 17\n'],
});

const info = { title: benchInterface.title, version: BENCH_VERSION };
/** As far as a client may rely on them; the whole shapes are the specifications' of those names. */
const OpenApi = Type.Object(
  { openapi: Type.String() },
  { additionalProperties: true, title: 'OpenApi', examples: [{ openapi: '3.1.0', info, paths: {} }] },
);
const AsyncApi = Type.Object(
  { asyncapi: Type.String() },
  { additionalProperties: true, title: 'AsyncApi', examples: [{ asyncapi: '3.0.0', info, channels: {} }] },
);

const Schema = Type.Object(
  { $schema: Type.String(), type: Type.String() },
  {
    additionalProperties: true,
    title: 'DocumentSchema',
    examples: [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }],
  },
);

export const probeRoutes: readonly BenchRoute[] = [
  defineBenchRoute({
    method: 'GET',
    path: '/healthz',
    operationId: 'readHealth',
    summary: '200 while the daemon serves, 503 while it drains',
    description:
      'For supervisors. A daemon that has lost its board is up: it answers 503 where it would need one.',
    tag: 'Service',
    identity: 'open',
    replies: { 200: Health, 503: Health },
    errors: [],
    handle: (_request, ports) => ({
      ok: true,
      value: { status: ports.draining() ? 503 : 200, body: healthOf(ports) },
    }),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/metrics',
    operationId: 'readMetrics',
    summary: 'Counters in the Prometheus text format',
    description: 'Of this daemon.',
    tag: 'Service',
    identity: 'open',
    replies: { 200: Metrics },
    errors: [],
    async handle(_request, { registry }) {
      const bytes = await registry.metrics();
      return { ok: true, value: { status: 200, bytes, contentType: registry.contentType } };
    },
  }),
];

/** Documents for editors of YAML: `# yaml-language-server: $schema=…`. */
export const readSchema = defineBenchRoute({
  method: 'GET',
  path: '/api/v1/schemas/:kind',
  operationId: 'readSchema',
  summary: 'The JSON Schema of a kind of document',
  description: 'Draft 7, which editors of YAML know best.',
  tag: 'Service',
  params: { kind: schemaInPath },
  replies: { 200: Schema },
  errors: [],
  handle: ({ params: { kind } }) => replied(benchSchema(kind as BenchSchemaKind)),
});

function healthOf({ bench, draining }: BenchPorts): Static<typeof Health> {
  return {
    state: draining() ? 'draining' : 'up',
    board: bench.campaigns.active().board_provider,
    version: BENCH_VERSION,
  };
}

/** The routes that describe every route, themselves included. */
export function benchDescriptions(
  described: readonly BenchRoute[],
  follows: readonly BenchFollow[],
): readonly [BenchRoute, BenchRoute] {
  const openApi: BenchRoute = defineBenchRoute({
    method: 'GET',
    path: '/api/v1/openapi.json',
    operationId: 'describeInterface',
    summary: 'This document (OpenAPI 3.1)',
    description: 'What every route takes and answers. `/docs` shows it to people.',
    tag: 'Service',
    replies: { 200: OpenApi },
    errors: [],
    handle: once(() => openApiDocument([...described, openApi, asyncApi], follows, benchInterface)),
  });
  const asyncApi: BenchRoute = defineBenchRoute({
    method: 'GET',
    path: '/api/v1/asyncapi.json',
    operationId: 'describeFollowing',
    summary: 'The feeds as AsyncAPI 3.0',
    description: 'Channels, messages and close codes of the WebSockets, for generators of clients.',
    tag: 'Service',
    replies: { 200: AsyncApi },
    errors: [],
    handle: once(() => asyncApiDocument(follows, benchInterface)),
  });
  return [openApi, asyncApi];
}

/** The table does not change, so a document is written once, when it is first asked for. */
function once(write: () => object): BenchRoute['handle'] {
  let text: string | undefined;
  return () => {
    text ??= JSON.stringify(write());
    return { ok: true, value: { status: 200, bytes: text } };
  };
}
