/**
 * Sign-in discovery and credentials of the bus, as the API answers them, and the names that no caller may have. Mission
 * Control Service, sections 2.10, 4.9 and 5.
 */

import Type, { type Static } from 'typebox';
import { nameBound } from './bounded.ts';

/** How `by` begins in logs where nobody but the service itself acts: a reaction, a schedule, a rule, a run. */
const OF_THE_SERVICE = /^(?:alarm|schedule|rule|run)\s/u;

/** Whether the service calls its own launches by such a name: a caller of it would pass for one of them. */
export function isNameOfService(name: string): boolean {
  return OF_THE_SERVICE.test(name);
}

const closed = { additionalProperties: false } as const;

export const WhoAmI = Type.Object(
  {
    identity: Type.Enum(['anonymous', 'declared', 'verified'], {
      description: '`declared`: a name of a header that nobody checked; `verified`: of a token.',
    }),
    subject: Type.Optional(Type.String({ description: 'As logs and events name the caller.' })),
    roles: Type.Array(Type.String()),
    expires_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the token counts no more.' }),
    ),
  },
  {
    ...closed,
    title: 'WhoAmI',
    examples: [
      { identity: 'verified', subject: 'ada', roles: ['operator'], expires_at: '2026-01-02T04:04:05.678Z' },
    ],
  },
);
export type WhoAmI = Static<typeof WhoAmI>;

const SignIn = Type.Object(
  {
    issuer: Type.String({ description: 'Its metadata is at `/.well-known/openid-configuration` below.' }),
    client_id: Type.Optional(Type.String({ description: 'Client of pages in a browser.' })),
    cli_client_id: Type.Optional(Type.String({ description: 'Client of command lines.' })),
    organization: Type.Optional(Type.String({ description: 'Whose sign-in page is shown.' })),
    scopes: Type.Array(Type.String(), { description: 'What to ask for at the sign-in.' }),
  },
  { ...closed, title: 'SignIn' },
);

export const SignInSettings = Type.Object(
  { oidc: Type.Union([SignIn, Type.Null()], { description: 'Null without an identity provider.' }) },
  {
    ...closed,
    title: 'AuthSettings',
    examples: [
      { oidc: { issuer: 'https://id.example.org/realms/mission', client_id: 'console', scopes: ['openid'] } },
    ],
  },
);
export type SignInSettings = Static<typeof SignInSettings>;

export const FollowerRequest = Type.Object(
  {
    public_key: Type.String({
      ...nameBound,
      description: 'Public user key of the bus: the caller keeps its seed.',
    }),
  },
  {
    ...closed,
    title: 'CredentialsRequest',
    examples: [{ public_key: 'UCL7Q5L7VNGYQLFQ7Z2X5WUXBBQ3HQZT4UXCF6SSOO3X2CJQXM4AGCPM' }],
  },
);

export const FollowerReply = Type.Object(
  {
    jwt: Type.String({ description: 'User token of the bus for that key.' }),
    expires: Type.Integer({ description: 'Its end, seconds since 1970.' }),
  },
  {
    ...closed,
    title: 'Credentials',
    examples: [{ jwt: 'eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ…', expires: 1_789_000_000 }],
  },
);
export type FollowerReply = Static<typeof FollowerReply>;
