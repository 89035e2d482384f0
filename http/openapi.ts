/**
 * The OpenAPI 3.1 document of the route table. Mission Control Service, section 9. `asyncapi.ts` says the same of the
 * follow routes for clients that are generated from it.
 *
 * O1. The document says exactly what the table says: nothing is described here that is not checked there.
 */

import type { TSchema } from 'typebox';
import type { Dialect } from './dialect.ts';
import { type AnyFollow, isBinary } from './follow.ts';
import { LICENSE, type ServiceInterface } from './interface.ts';
import { missionControl } from './mission-control.ts';
import { errorResponses } from './openapi-errors.ts';
import type { AnyEndpoint, AnyRoute, Method } from './route.ts';
import { draft2020, exampleOf, type Json, SchemaComponents, templateOf } from './schema-components.ts';

/** Routes as far as a description reads them, whatever they reach. */
type Described = Omit<AnyRoute<never>, 'handle' | 'method' | 'validator'> & {
  readonly method: Method | 'PATCH';
};
/** Requests that another service answers. */
export type ForwardedOperation = Described;
type DescribedFollow = AnyFollow<never>;

/** The document; a defect of the table (two schemas under one title) throws. */
export function openApiDocument(
  routes: readonly Described[],
  follows: readonly DescribedFollow[],
  of: ServiceInterface<never> = missionControl,
): Json {
  const { title, version, description, security, securitySchemes, dialect } = of;
  const schemas = new SchemaComponents(draft2020);
  const paths: Record<string, Json> = {};
  const add = (path: string, method: string, operation: Json): void => {
    paths[templateOf(path)] = { ...paths[templateOf(path)], [method.toLowerCase()]: operation };
  };
  for (const route of routes) add(route.path, route.method, operationOf(route, schemas, dialect));
  for (const route of follows) add(route.path, 'get', followOf(route, schemas, dialect));
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: LICENSE },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    security,
    tags: tagsOf([...routes, ...follows], of),
    paths,
    components: {
      schemas: schemas.byTitle,
      ...(Object.keys(securitySchemes).length > 0 && { securitySchemes }),
    },
  };
}

function tagsOf(endpoints: readonly AnyEndpoint[], { tags }: ServiceInterface<never>): Json[] {
  const used = new Set(endpoints.map(({ tag }) => tag));
  return Object.entries(tags).flatMap(([name, description]) =>
    used.has(name) ? [{ name, description }] : [],
  );
}

function operationOf(route: Described, schemas: SchemaComponents, dialect: Dialect<never>): Json {
  return {
    ...describe(route),
    ...requestOf(route, schemas),
    responses: { ...repliesOf(route, schemas), ...errorResponses(route, schemas, dialect) },
  };
}

function requestOf({ body, bodyOptional, content, bytes }: Described, schemas: SchemaComponents): Json {
  if (body !== undefined)
    return { requestBody: { required: bodyOptional !== true, content: contentOf(body, schemas) } };
  if (content !== undefined) return bytesOf('application/octet-stream', { example: 'any bytes' });
  return bytes === undefined ? {} : bytesOf(bytes.mediaType, bytes);
}

function bytesOf(
  mediaType: string,
  { example, minBytes = 0, description }: { example: string; minBytes?: number; description?: string },
): Json {
  const schema = { type: 'string', ...(minBytes > 0 && { minLength: minBytes }), examples: [example] };
  return {
    requestBody: {
      ...(description !== undefined && {
        description: `${description[0]!.toUpperCase()}${description.slice(1)}.`,
      }),
      required: true,
      content: { [mediaType]: { schema, example } },
    },
  };
}

function followOf(route: DescribedFollow, schemas: SchemaComponents, dialect: Dialect<never>): Json {
  return {
    ...describe(route),
    description: [route.description, messagesOf(route)].filter((text) => text !== undefined).join('\n\n'),
    responses: {
      101: { description: 'Switching Protocols; the messages are those of `x-message`.' },
      // A GET that asks for no upgrade.
      ...errorResponses(route, schemas, dialect, [dialect.codes.unknownRoute]),
    },
    'x-message': schemas.reference(route.message),
    ...(route.takes !== undefined && { 'x-takes': schemas.reference(route.takes.message) }),
    'x-policy': route.policy,
  };
}

/** What stands in no response of OpenAPI, for people. */
function messagesOf({ message, policy, takes }: DescribedFollow): string {
  const { title = 'JSON document' } = message as { title?: string };
  const kind = isBinary(policy) ? 'binary' : 'text';
  const opened = `Opens as a WebSocket, policy \`${policy}\`. Each ${kind} message is one ${title}`;
  const example = exampleOf(message);
  const sent = takes === undefined ? '' : `\n\n${takes.description}`;
  if (example === undefined || isBinary(policy)) return `${opened}.${sent}`;
  return `${opened}, for example:\n\n\`\`\`json\n${JSON.stringify(example, undefined, 2)}\n\`\`\`${sent}`;
}

function describe(endpoint: AnyEndpoint): Json {
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

function repliesOf(route: Described, schemas: SchemaComponents): Json {
  const replies = Object.entries(route.replies).map(([status, schema]) => [
    status,
    {
      description: route.summary,
      ...(Number(status) !== 204 && { content: contentsOf(route, Number(status), schema, schemas) }),
    },
  ]);
  return Object.fromEntries(replies);
}

function contentsOf(
  { alsoAs = [] }: Described,
  status: number,
  schema: TSchema,
  schemas: SchemaComponents,
): Json {
  const others = status === 200 ? alsoAs : [];
  return Object.assign({}, ...[schema, ...others].map((each) => contentOf(each, schemas))) as Json;
}

function contentOf(schema: TSchema, schemas: SchemaComponents): Json {
  const example = exampleOf(schema);
  const mediaType = (schema as { contentMediaType?: string }).contentMediaType ?? 'application/json';
  return {
    [mediaType]: { schema: schemas.reference(schema), ...(example !== undefined && { example }) },
  };
}
