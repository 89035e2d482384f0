/**
 * The AsyncAPI 3.0 document of the follow routes, from the same table as `openapi.ts`. Mission Control Service,
 * "Conventions" and section 9.
 *
 * A1. Seen from the service, as AsyncAPI 3 has it: the service sends, a client receives. Clients send nothing.
 * A2. Schemas are JSON Schema draft 07 here, the dialect AsyncAPI assumes where none is named.
 */

import type { TSchema } from 'typebox';
import { closeCode, type FollowRoute } from './follow.ts';
import { INTERFACE_VERSION, LICENSE } from './openapi.ts';
import { draft07, exampleOf, type Json, SchemaComponents, templateOf } from './schema-components.ts';
import { TAGS } from './tags.ts';

const WS_BINDING_VERSION = '0.1.0';

const DESCRIPTION = `What the service tells on WebSockets. Each text message is one JSON document; clients send nothing. A refused upgrade
is an HTTP answer with \`{"errors": [...]}\`, described in \`/v1/openapi.json\`.

Anonymous callers are served unless the configuration requires tokens.`;

/** What a channel means by its policy, for people. */
const POLICIES = {
  log: `Nothing is left out: a client that cannot keep up is closed with ${closeCode.slowConsumer}; it opens again.`,
  latest: 'A client that cannot keep up gets the newest value of each measure; its socket stays open.',
  counted: 'A client that cannot keep up misses messages and is told how many; its socket stays open.',
} as const;

const CLOSE_CODES = {
  [closeCode.finished]: 'The log has ended with its final item.',
  [closeCode.goingAway]: 'The service goes away; open again.',
  [closeCode.internal]: 'A defect in the service; open again.',
  [closeCode.tokenExpired]: 'The token that opened it has expired; sign in, and open again with a new one.',
  [closeCode.slowConsumer]: 'The client was too slow for a log; open again.',
};

const SECURITY_SCHEMES = {
  token: { type: 'http', scheme: 'bearer', description: 'Access token of the identity provider.' },
  tokenInQuery: { type: 'httpApiKey', in: 'query', name: 'token', description: 'The same, for browsers.' },
  declared: {
    type: 'httpApiKey',
    in: 'header',
    name: 'X-Mcs-User',
    description: 'Declared name of the caller.',
  },
};

/** The document; a defect of the table (two schemas under one title) throws. */
export function asyncApiDocument(follows: readonly FollowRoute[]): Json {
  const schemas = new SchemaComponents(draft07);
  const messages: Record<string, Json> = {};
  for (const route of follows) messages[nameOf(route)] ??= messageOf(route, schemas);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Mission Control Service, follow routes',
      version: INTERFACE_VERSION,
      description: DESCRIPTION,
      license: { name: LICENSE.name },
    },
    defaultContentType: 'application/json',
    servers: { plain: serverOf('ws'), secure: serverOf('wss') },
    channels: entries(follows, channelOf),
    operations: entries(follows, operationOf),
    components: { messages, schemas: schemas.byTitle, securitySchemes: SECURITY_SCHEMES },
  };
}

function entries(follows: readonly FollowRoute[], describe: (route: FollowRoute) => Json): Json {
  return Object.fromEntries(follows.map((route) => [route.operationId, describe(route)]));
}

function serverOf(protocol: 'ws' | 'wss'): Json {
  const description = protocol === 'ws' ? 'The service itself.' : 'Behind a proxy that ends TLS.';
  return {
    host: '{address}',
    protocol,
    description,
    variables: { address: { default: '127.0.0.1:8400', description: 'Where the service listens.' } },
  };
}

function channelOf(route: FollowRoute): Json {
  const parameters = Object.entries(route.params).map(([name, { schema }]) => [name, parameterOf(schema)]);
  return {
    address: templateOf(route.path),
    summary: route.summary,
    description: [route.description, POLICIES[route.policy]]
      .filter((text) => text !== undefined)
      .join('\n\n'),
    messages: { [nameOf(route)]: { $ref: `#/components/messages/${nameOf(route)}` } },
    ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
    bindings: { ws: { method: 'GET', query: queryOf(route), bindingVersion: WS_BINDING_VERSION } },
    'x-policy': route.policy,
    'x-close-codes': CLOSE_CODES,
  };
}

/** A parameter of AsyncAPI is text and has no schema; its shape stands in the description. */
function parameterOf(schema: TSchema): Json {
  const { description, pattern, examples } = schema as {
    description?: string;
    pattern?: string;
    examples?: readonly string[];
  };
  const shape = pattern === undefined ? undefined : `Matches \`${pattern}\`.`;
  return {
    description: [description, shape].filter((text) => text !== undefined).join(' '),
    ...(examples !== undefined && { examples }),
  };
}

function queryOf({ query }: FollowRoute): Json {
  const properties = Object.fromEntries(Object.entries(query).map(([name, { schema }]) => [name, schema]));
  return { type: 'object', properties, additionalProperties: false };
}

function operationOf(route: FollowRoute): Json {
  const channel = `#/channels/${route.operationId}`;
  return {
    action: 'send',
    channel: { $ref: channel },
    summary: route.summary,
    messages: [{ $ref: `${channel}/messages/${nameOf(route)}` }],
    security: Object.keys(SECURITY_SCHEMES).map((name) => ({ $ref: `#/components/securitySchemes/${name}` })),
    ...(route.tag !== undefined && { tags: [{ name: route.tag, description: TAGS[route.tag] }] }),
  };
}

function messageOf(route: FollowRoute, schemas: SchemaComponents): Json {
  const name = nameOf(route);
  const example = exampleOf(route.message);
  return {
    name,
    title: name,
    contentType: 'application/json',
    payload: schemas.reference(route.message),
    ...(example !== undefined && { examples: [{ name: 'example', payload: example }] }),
  };
}

/** The message of a route, named as its schema; a schema without title has the name of its route. */
function nameOf({ message, operationId }: FollowRoute): string {
  return (message as { title?: string }).title ?? operationId;
}
