/** How mission control speaks, and what it says of itself. Mission Control Service, sections 5, 7 and 9. */

import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import type { Dialect } from './dialect.ts';
import { ErrorItem, refusalOf, refusalReply, refuse } from './errors.ts';
import { identify } from './identity.ts';
import type { ServiceInterface } from './interface.ts';
import type { RoutePorts } from './ports.ts';
import type { Refusal } from './reply.ts';
import { TAGS } from './tags.ts';

/** Mission Control Service, section 9 item 2. */
export const INTERFACE_VERSION = '0.1.0';

type IdentityPorts = Pick<RoutePorts, 'missions' | 'tokens'>;

export const missionControlDialect: Dialect<IdentityPorts> = {
  codes: {
    unknownRoute: 'api::unknown-route',
    invalid: 'api::invalid-body',
    tooLarge: 'api::too-large',
    headTooLarge: 'api::head-too-large',
    foreignOrigin: 'api::foreign-origin',
    foreignHost: 'api::foreign-host',
    tooMany: 'api::too-many-requests',
    internal: 'api::internal',
  },
  checked: [
    'auth::no-provider',
    'auth::invalid-token',
    'auth::token-required',
    'api::invalid-body',
    'api::unavailable',
  ],
  unaskedBody: 'refused',
  routesHelp: 'GET /v1/openapi.json lists the routes.',
  identify: (credentials, { missions, tokens }) =>
    missions.known === false ? settingsUnknown() : identify(credentials, missions.current?.settings, tokens),
  onAccessChange: ({ tokens }, listener) => tokens.onChange(listener),
  outage: refusalOf,
  // Its codes are those of the table: a route declares no others.
  reply: (refusal) => refusalReply(refusal as Refusal),
  describe(code) {
    const { status, cause } = ERRORS[code as ErrorCode];
    return { statuses: status, cause };
  },
  errorSchema(codes, reference) {
    const coded = {
      allOf: [reference(ErrorItem), { type: 'object', properties: { code: { enum: codes } } }],
    };
    return {
      type: 'object',
      additionalProperties: false,
      required: ['errors'],
      properties: { errors: { type: 'array', minItems: 1, items: coded } },
    };
  },
};

/** Whether only tokens count stands in the configuration: until it is read nobody is let in on good faith. */
function settingsUnknown(): Refusal {
  return refuse('api::unavailable', 'the configuration, which says who has access, is not loaded yet', {
    help: 'Try again in a moment. If this persists, the log says why; mcs config publish DIR publishes it again.',
  });
}

export const missionControl: ServiceInterface<IdentityPorts> = {
  title: 'Mission Control Service',
  version: INTERFACE_VERSION,
  description: `Telecommands, current values and everything around them, for one cell.

**Errors.** Every error answers \`{"errors": [{"code", "message", "help"?}]}\`. Match on the code: its meaning and its status
never change. A request that does not resolve lists all its errors.

**Follow routes** are GETs that upgrade to a WebSocket (status 101). Each text message is one JSON document of the schema
under \`x-message\`; \`x-policy\` says what a slow client misses: nothing of a \`log\` (it is closed with 4408 and reconnects),
older values of a measure under \`latest\`. One that was opened with a token is closed with 4401 when the token ends.
\`/v1/asyncapi.json\` describes them for generators.

**Identity.** A bearer token, or a declared name in \`X-Mcs-User\` with roles in \`X-Mcs-Role\` where the environment allows it,
both printable ASCII or percent-encoded UTF-8 (\`UTF-8''Jos%C3%A9\`, RFC 8187); a WebSocket takes the token as \`?token=\`.`,
  following: `What the service sends over WebSockets. Each text message is one JSON document; clients send nothing. A refused upgrade
is an HTTP answer with \`{"errors": [...]}\`, described in \`/v1/openapi.json\`.

Anonymous callers are served unless the configuration requires tokens.`,
  address: '127.0.0.1:8400',
  security: [{}, { token: [] }, { declared: [] }, { declared: [], roles: [] }],
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer', description: 'Access token of the identity provider.' },
    declared: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Mcs-User',
      description: 'Declared name of the caller.',
    },
    roles: { type: 'apiKey', in: 'header', name: 'X-Mcs-Role', description: 'Declared roles, with commas.' },
  },
  followSchemes: {
    token: { type: 'http', scheme: 'bearer', description: 'Access token of the identity provider.' },
    tokenInQuery: { type: 'httpApiKey', in: 'query', name: 'token', description: 'The same, for browsers.' },
    declared: {
      type: 'httpApiKey',
      in: 'header',
      name: 'X-Mcs-User',
      description: 'Declared name of the caller.',
    },
  },
  tags: TAGS,
  dialect: missionControlDialect,
};
