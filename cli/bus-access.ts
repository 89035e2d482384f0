/**
 * How a command proves itself to a bus that is not its own: a credentials file, or a user and a password of the
 * environment. What stands in an address is seen by everybody who lists the processes of the machine.
 */

import type { BusOptions } from '../bus/nats-bus.ts';

interface Given {
  readonly credentials: string | undefined;
  readonly ca: string | undefined;
}

/** For `openBus`; throws a sentence on half of what is needed. */
export function busAccess(
  { credentials, ca }: Given,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Pick<BusOptions, 'credentials' | 'ca'> {
  const { MCS_NATS_USER: user, MCS_NATS_PASSWORD: password, MCS_NATS_TOKEN: token } = env;
  if ((user === undefined) !== (password === undefined))
    throw new Error('MCS_NATS_USER and MCS_NATS_PASSWORD go together: give both, or none');
  const authorities = ca === undefined ? {} : { ca };
  if (credentials !== undefined) return { ...authorities, credentials: { kind: 'file', path: credentials } };
  if (user !== undefined && password !== undefined)
    return { ...authorities, credentials: { kind: 'user', user, password } };
  return token === undefined ? authorities : { ...authorities, credentials: { kind: 'token', token } };
}
