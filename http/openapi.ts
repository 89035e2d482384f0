/**
 * The OpenAPI 3.1 document of the route table. Mission Control Service, section 9. TypeBox schemas are JSON Schema and
 * stand in the document nearly as they are; those with a title become components.
 *
 * O1. The document says exactly what the table says: nothing is described here that is not checked there.
 */

import type { TSchema } from 'typebox';
import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import { ErrorItem } from './errors.ts';
import type { FollowRoute } from './follow.ts';
import { declaredErrors, type Endpoint, type Route } from './route.ts';

/** Mission Control Service, section 9 item 2. */
export const INTERFACE_VERSION = '0.1.0';

type Json = Record<string, unknown>;

/** The document; a defect of the table (two schemas under one title) throws. */
export function openApiDocument(routes: readonly Route[], follows: readonly FollowRoute[]): Json {
  const schemas = new Components();
  const paths: Record<string, Json> = {};
  const add = (path: string, method: string, operation: Json): void => {
    paths[templateOf(path)] = { ...paths[templateOf(path)], [method.toLowerCase()]: operation };
  };
  for (const route of routes) add(route.path, route.method, operationOf(route, schemas));
  for (const route of follows) add(route.path, 'get', followOf(route, schemas));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mission Control Service',
      version: INTERFACE_VERSION,
      description:
        'Follow routes are GETs that upgrade to a WebSocket; x-message is the schema of each message.',
    },
    paths,
    components: { schemas: schemas.byTitle, securitySchemes: SECURITY },
    security: [{}, { token: [] }, { declared: [] }],
  };
}

const SECURITY = {
  token: { type: 'http', scheme: 'bearer' },
  declared: { type: 'apiKey', in: 'header', name: 'X-Mcs-User' },
};

function operationOf(route: Route, schemas: Components): Json {
  return {
    ...describe(route),
    ...(route.body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemas.reference(route.body) } },
      },
    }),
    responses: { ...repliesOf(route, schemas), ...errorsOf(route, schemas) },
  };
}

function followOf(route: FollowRoute, schemas: Components): Json {
  return {
    ...describe(route),
    responses: { 101: { description: 'Switching Protocols' }, ...errorsOf(route, schemas) },
    'x-message': schemas.reference(route.message),
    'x-policy': route.policy,
  };
}

function describe(endpoint: Endpoint): Json {
  const { operationId, summary } = endpoint;
  const parameters = [
    ...Object.entries(endpoint.params).map(([name, { schema }]) => ({
      name,
      in: 'path',
      required: true,
      schema,
    })),
    ...Object.entries(endpoint.query).map(([name, { schema }]) => ({ name, in: 'query', schema })),
  ];
  return {
    operationId,
    summary,
    ...(endpoint.identity === 'open' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
  };
}

function repliesOf(route: Route, schemas: Components): Json {
  const replies = Object.entries(route.replies).map(([status, schema]) => {
    const content =
      schema === undefined
        ? { 'text/plain': {} }
        : { 'application/json': { schema: schemas.reference(schema) } };
    return [status, { description: route.summary, content }];
  });
  return Object.fromEntries(replies);
}

/** The statuses a code may have on an endpoint: a path parameter takes the 404 of its two. */
function errorsOf(endpoint: Endpoint, schemas: Components): Json {
  const inPath = new Set(Object.values(endpoint.params).map(({ code }) => code));
  const byStatus = new Map<number, ErrorCode[]>([
    [403, ['api::foreign-origin']],
    [500, ['api::internal']],
  ]);
  for (const code of declaredErrors(endpoint)) {
    const statuses: readonly number[] = ERRORS[code].status;
    const status = inPath.has(code) ? 404 : statuses[0]!;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const item = schemas.reference(ErrorItem);
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, errorOf(codes, item)]));
}

function errorOf(codes: readonly ErrorCode[], item: Json): Json {
  const coded = { allOf: [item, { type: 'object', properties: { code: { enum: codes } } }] };
  const schema = {
    type: 'object',
    required: ['errors'],
    properties: { errors: { type: 'array', minItems: 1, items: coded } },
  };
  const description = codes.map((code) => `${code}: ${ERRORS[code].cause}`).join('; ');
  return { description, content: { 'application/json': { schema } } };
}

/** `/v1/tc/:target` becomes `/v1/tc/{target}`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** TypeBox writes tuples as drafts before 2020-12 did, with a list under `items`; in OpenAPI 3.1 that is `prefixItems`. */
function modern(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(modern);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, modern(value)]));
  if (!Array.isArray(parts['items'])) return parts;
  const { items, additionalItems, ...rest } = parts;
  return { ...rest, prefixItems: items, items: additionalItems ?? true };
}

class Components {
  readonly #titled = new Map<string, TSchema>();
  readonly byTitle: Record<string, unknown> = {};

  reference(schema: TSchema): Json {
    const { title } = schema as { title?: string };
    if (title === undefined) return modern(schema) as Json;
    if ((this.#titled.get(title) ?? schema) !== schema)
      throw new TypeError(`two schemas are called ${title}`);
    if (!this.#titled.has(title)) this.byTitle[title] = modern(schema);
    this.#titled.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  }
}
