/**
 * The AsyncAPI 3.0 document of the follow routes, from the same table as `openapi.ts`. Mission Control Service,
 * "Conventions" and section 9.
 *
 * A1. Seen from the service, as AsyncAPI 3 has it: the service sends, a client receives; what clients may send it
 *     receives.
 * A2. Schemas are JSON Schema draft 07 here, the dialect AsyncAPI assumes where none is named.
 */

import type { TSchema } from 'typebox';
import { type AnyFollow, closeCode } from './follow.ts';
import { LICENSE, type ServiceInterface } from './interface.ts';
import { missionControl } from './mission-control.ts';
import { draft07, exampleOf, type Json, SchemaComponents, templateOf } from './schema-components.ts';

const WS_BINDING_VERSION = '0.1.0';

type FollowRoute = AnyFollow<never>;

/** What a channel means by its policy, for people. */
const POLICIES = {
  log: `Nothing is left out: a client that cannot keep up is closed with ${closeCode.slowConsumer}, and reconnects.`,
  latest: 'A client that cannot keep up gets the newest value of each measure; its socket stays open.',
  counted: 'A client that cannot keep up misses messages and receives their number; its socket stays open.',
  held: 'Nothing is left out: a client that cannot keep up gets everything later.',
  newest: 'A client that cannot keep up gets the newest message alone, marked with how many it has missed.',
} as const;

const CLOSE_CODES = {
  [closeCode.finished]: 'The log has ended with its final item.',
  [closeCode.goingAway]: 'The service is shutting down; reconnect.',
  [closeCode.internal]: 'A defect in the service; reconnect.',
  [closeCode.tryLater]: 'The message bus does not answer; reconnect, which is answered 503 until it does.',
  [closeCode.tokenExpired]: 'The token that opened it has expired; sign in and reconnect with a new one.',
  [closeCode.slowConsumer]: 'The client was too slow for a log; reconnect.',
};
const CLOSED_BY_SENDING = {
  [closeCode.tooManyWaiting]: 'The client sent too many messages without waiting for answers.',
};

/** The document; a defect of the table (two schemas under one title) throws. */
export function asyncApiDocument(
  follows: readonly FollowRoute[],
  of: ServiceInterface<never> = missionControl,
): Json {
  const schemas = new SchemaComponents(draft07);
  const messages: Record<string, Json> = {};
  for (const route of follows) {
    messages[nameOf(route)] ??= messageOf(route, schemas);
    if (route.takes !== undefined) messages[takenOf(route)] ??= takenMessage(route, schemas);
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: `${of.title}, follow routes`,
      version: of.version,
      description: of.following,
      license: { name: LICENSE.name },
    },
    defaultContentType: 'application/json',
    servers: { plain: serverOf('ws', of), secure: serverOf('wss', of) },
    channels: entries(follows, channelOf),
    operations: {
      ...entries(follows, (route) => operationOf(route, of)),
      ...Object.fromEntries(
        follows.flatMap((route) =>
          route.takes === undefined ? [] : [[`${route.operationId}Taken`, takeOf(route, of)]],
        ),
      ),
    },
    components: {
      messages,
      schemas: schemas.byTitle,
      ...(hasSchemes(of) && { securitySchemes: of.followSchemes }),
    },
  };
}

function entries(follows: readonly FollowRoute[], describe: (route: FollowRoute) => Json): Json {
  return Object.fromEntries(follows.map((route) => [route.operationId, describe(route)]));
}

function hasSchemes({ followSchemes }: ServiceInterface<never>): boolean {
  return Object.keys(followSchemes).length > 0;
}

function serverOf(protocol: 'ws' | 'wss', of: ServiceInterface<never>): Json {
  const description = protocol === 'ws' ? 'The service itself.' : 'Behind a proxy that ends TLS.';
  return {
    host: '{address}',
    protocol,
    description,
    variables: { address: { default: of.address, description: 'Where the service listens.' } },
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
    messages: Object.fromEntries(
      [nameOf(route), ...(route.takes === undefined ? [] : [takenOf(route)])].map((name) => [
        name,
        { $ref: `#/components/messages/${name}` },
      ]),
    ),
    ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
    bindings: { ws: { method: 'GET', query: queryOf(route), bindingVersion: WS_BINDING_VERSION } },
    'x-policy': route.policy,
    'x-close-codes': { ...CLOSE_CODES, ...(route.takes !== undefined && CLOSED_BY_SENDING) },
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

function operationOf(route: FollowRoute, of: ServiceInterface<never>): Json {
  return operation('send', nameOf(route), route.summary, route, of);
}

function takeOf(route: FollowRoute, of: ServiceInterface<never>): Json {
  return operation('receive', takenOf(route), route.takes!.description, route, of);
}

function operation(
  action: 'send' | 'receive',
  message: string,
  summary: string,
  { operationId, tag }: FollowRoute,
  of: ServiceInterface<never>,
): Json {
  const channel = `#/channels/${operationId}`;
  const schemes = Object.keys(of.followSchemes);
  return {
    action,
    channel: { $ref: channel },
    summary,
    messages: [{ $ref: `${channel}/messages/${message}` }],
    ...(schemes.length > 0 && {
      security: schemes.map((name) => ({ $ref: `#/components/securitySchemes/${name}` })),
    }),
    ...(tag !== undefined && { tags: [{ name: tag, description: of.tags[tag] }] }),
  };
}

function messageOf(route: FollowRoute, schemas: SchemaComponents): Json {
  return described(nameOf(route), route.message, schemas);
}

function takenMessage(route: FollowRoute, schemas: SchemaComponents): Json {
  return described(takenOf(route), route.takes!.message, schemas);
}

function described(name: string, schema: TSchema, schemas: SchemaComponents): Json {
  const example = exampleOf(schema);
  const { contentMediaType = 'application/json' } = schema as { contentMediaType?: string };
  return {
    name,
    title: name,
    contentType: contentMediaType,
    payload: schemas.reference(schema),
    ...(example !== undefined && { examples: [{ name: 'example', payload: example }] }),
  };
}

/** The message of a route, named as its schema; a schema without title has the name of its route. */
function nameOf({ message, operationId }: FollowRoute): string {
  return (message as { title?: string }).title ?? operationId;
}

/** What the clients of a route send, named likewise. */
function takenOf({ takes, operationId }: FollowRoute): string {
  return (takes!.message as { title?: string }).title ?? `${operationId}Taken`;
}
