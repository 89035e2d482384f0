/**
 * The OpenAPI 3.1 document of the route table. Mission Control Service, section 9. `asyncapi.ts` says the same of the
 * follow routes for clients that are generated from it.
 *
 * O1. The document says exactly what the table says: nothing is described here that is not checked there.
 */

import type { TSchema } from 'typebox';
import type { FollowRoute } from './follow.ts';
import { errorResponses } from './openapi-errors.ts';
import type { Endpoint, Route } from './route.ts';
import { draft2020, exampleOf, type Json, SchemaComponents, templateOf } from './schema-components.ts';
import { TAGS } from './tags.ts';

/** Mission Control Service, section 9 item 2. */
export const INTERFACE_VERSION = '0.1.0';
export const LICENSE = { name: 'Apache License 2.0', identifier: 'Apache-2.0' } as const;

const DESCRIPTION = `Telecommands, current values and everything around them, for one cell.

**Errors.** Every error answers \`{"errors": [{"code", "message", "help"?}]}\`. Match on the code: its meaning and its status
never change. A request that does not resolve lists everything that is wrong with it.

**Follow routes** are GETs that upgrade to a WebSocket (status 101). Each text message is one JSON document of the schema
under \`x-message\`; \`x-policy\` says what a slow client misses: nothing of a \`log\` (it is closed with 4408 and opens again),
older values of a measure under \`latest\`. One that was opened with a token is closed with 4401 when the token ends.
\`/v1/asyncapi.json\` describes them for generators.

**Identity.** A bearer token, or a declared name in \`X-Mcs-User\` with roles in \`X-Mcs-Role\` where the environment allows it;
a WebSocket takes the token as \`?token=\`.`;

const SECURITY_SCHEMES = {
  token: { type: 'http', scheme: 'bearer', description: 'Access token of the identity provider.' },
  declared: { type: 'apiKey', in: 'header', name: 'X-Mcs-User', description: 'Declared name of the caller.' },
  roles: { type: 'apiKey', in: 'header', name: 'X-Mcs-Role', description: 'Declared roles, with commas.' },
};

/** The document; a defect of the table (two schemas under one title) throws. */
export function openApiDocument(routes: readonly Route[], follows: readonly FollowRoute[]): Json {
  const schemas = new SchemaComponents(draft2020);
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
      description: DESCRIPTION,
      license: LICENSE,
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    security: [{}, { token: [] }, { declared: [] }, { declared: [], roles: [] }],
    tags: tagsOf([...routes, ...follows]),
    paths,
    components: { schemas: schemas.byTitle, securitySchemes: SECURITY_SCHEMES },
  };
}

function tagsOf(endpoints: readonly Endpoint[]): Json[] {
  const used = new Set(endpoints.map(({ tag }) => tag));
  return Object.entries(TAGS).flatMap(([name, description]) =>
    [...used].some((tag) => tag === name) ? [{ name, description }] : [],
  );
}

function operationOf(route: Route, schemas: SchemaComponents): Json {
  return {
    ...describe(route),
    ...(route.body !== undefined && {
      requestBody: { required: route.bodyOptional !== true, content: contentOf(route.body, schemas) },
    }),
    ...(route.content !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/octet-stream': {
            schema: { type: 'string', examples: ['any bytes'] },
            example: 'any bytes',
          },
        },
      },
    }),
    responses: { ...repliesOf(route, schemas), ...errorResponses(route, schemas) },
  };
}

function followOf(route: FollowRoute, schemas: SchemaComponents): Json {
  return {
    ...describe(route),
    description: [route.description, messagesOf(route)].filter((text) => text !== undefined).join('\n\n'),
    responses: {
      101: { description: 'Switching Protocols; the messages are those of `x-message`.' },
      // A GET that asks for no upgrade.
      ...errorResponses(route, schemas, ['api::unknown-route']),
    },
    'x-message': schemas.reference(route.message),
    'x-policy': route.policy,
  };
}

/** What stands in no response of OpenAPI, for people. */
function messagesOf({ message, policy }: FollowRoute): string {
  const { title = 'JSON document' } = message as { title?: string };
  const opened = `Opens as a WebSocket, policy \`${policy}\`. Each text message is one ${title}`;
  const example = exampleOf(message);
  if (example === undefined) return `${opened}.`;
  return `${opened}, for example:\n\n\`\`\`json\n${JSON.stringify(example, undefined, 2)}\n\`\`\``;
}

function describe(endpoint: Endpoint): Json {
  const { operationId, summary, description, tag } = endpoint;
  const parameters = [
    ...Object.entries(endpoint.params).map(([name, { schema }]) => parameterOf(name, 'path', schema)),
    ...Object.entries(endpoint.query).map(([name, { schema }]) => parameterOf(name, 'query', schema)),
  ];
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(endpoint.identity === 'open' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
  };
}

function parameterOf(name: string, where: 'path' | 'query', schema: TSchema): Json {
  const { description, examples, ...rest } = schema as Json & { examples?: readonly unknown[] };
  return {
    name,
    in: where,
    ...(where === 'path' && { required: true }),
    ...(description !== undefined && { description }),
    schema: rest,
    ...(examples !== undefined && { example: examples[0] }),
  };
}

function repliesOf(route: Route, schemas: SchemaComponents): Json {
  const replies = Object.entries(route.replies).map(([status, schema]) => [
    status,
    { description: route.summary, content: contentOf(schema, schemas) },
  ]);
  return Object.fromEntries(replies);
}

function contentOf(schema: TSchema, schemas: SchemaComponents): Json {
  const example = exampleOf(schema);
  const mediaType = (schema as { contentMediaType?: string }).contentMediaType ?? 'application/json';
  return {
    [mediaType]: { schema: schemas.reference(schema), ...(example !== undefined && { example }) },
  };
}
