/** The service a client command speaks to, and who speaks: options that every client of the API takes. */

import { userInfo } from 'node:os';
import { headerText } from '../contract/header-text.ts';

interface ServiceValues {
  readonly api?: string | undefined;
  readonly user?: string | undefined;
  readonly role?: string | undefined;
  readonly token?: string | undefined;
}

export interface Service {
  readonly api: string;
  readonly user: string | undefined;
  /** Declared roles, with commas. */
  readonly roles: string | undefined;
  /** A bearer token decides alone; the declared name then does not count. */
  readonly token: string | undefined;
}

/** For `parseArgs`. */
export const SERVICE_OPTIONS = {
  api: { type: 'string' },
  user: { type: 'string' },
  role: { type: 'string' },
  token: { type: 'string' },
} as const;

export const SERVICE_USAGE = `options: --api URL (default $MCS_API or http://127.0.0.1:8400), --user NAME (default: who is logged in), --role A,B,
         --token TOKEN (default $MCS_TOKEN; everybody on the machine can see a token given as an option)
`;

/** What the options say, and where they say nothing, the environment. */
export function serviceOf({ api, user, role, token }: ServiceValues, env = process.env): Service {
  return {
    api: (api ?? env.MCS_API ?? 'http://127.0.0.1:8400').replace(/\/+$/, ''),
    user: user ?? given(env.USER) ?? accountName(),
    roles: role,
    token: given(token) ?? given(env.MCS_TOKEN),
  };
}

/** Containers and services often come without $USER. */
function accountName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // The account has no name.
    return undefined;
  }
}

/** The headers that say who calls. */
export function identityHeaders({ user, roles, token }: Service): Record<string, string> {
  if (token !== undefined) return { authorization: `Bearer ${plainToken(token)}` };
  return {
    ...(user !== undefined && { 'x-mcs-user': headerText(user) }),
    ...(roles !== undefined && { 'x-mcs-role': headerText(roles) }),
  };
}

function plainToken(token: string): string {
  if (/^[\u0020-\u007e]*$/.test(token)) return token;
  throw new Error(
    'the token contains characters that a header cannot carry; it is ASCII without line breaks',
  );
}

function given(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}
