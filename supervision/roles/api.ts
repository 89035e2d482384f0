/** The API: the front end of this process, stateless. Mission Control Service, section 1 (10). */

import { type FrontEndOptions, startFrontEnd } from '../../http/front-end.ts';
import type { Role, RoleContext } from '../role.ts';

interface ApiOptions {
  readonly port: number;
  readonly host: string;
  readonly allowHosts: readonly string[];
  /** The roles of this process, and how each of them stands. */
  readonly roles: FrontEndOptions['roles'];
  /** Called with the address at which it listens. */
  readonly listening: (url: string) => void;
}

export function apiRole({
  port,
  host,
  allowHosts,
  roles,
  listening,
}: ApiOptions): (context: RoleContext) => Promise<Role> {
  return async ({ bus, missions, values, books, clock, log, registry, tokens, followers, replication }) => {
    const { passes, schedules, rules, transfers } = books;
    const reached = { bus, missions, values, passes, schedules, rules, transfers, clock, log };
    const ports = { ...reached, registry, tokens, followers, replication, roles };
    const frontEnd = await startFrontEnd({ ...ports, port, host, allowHosts });
    listening(frontEnd.url);
    return {
      shared: [],
      stop: async () => {
        await frontEnd.drain();
        await frontEnd.close();
      },
    };
  };
}
