/** The API: the front end of this process, stateless. Mission Control Service, section 1 (10). */

import { TablesInThread } from '../../archive/tables-in-thread.ts';
import { type FrontEndOptions, startFrontEnd } from '../../http/front-end.ts';
import type { Role, RoleContext } from '../role.ts';

interface ApiOptions {
  readonly port: number;
  readonly host: string;
  readonly allowHosts: readonly string[];
  /** The roles of this process, and how each of them stands. */
  readonly roles: FrontEndOptions['roles'];
  readonly settled: () => boolean;
  /** Called with the address at which it listens. */
  readonly listening: (url: string) => void;
}

export function apiRole({
  port,
  host,
  allowHosts,
  roles,
  settled,
  listening,
}: ApiOptions): (context: RoleContext) => Promise<Role> {
  return async ({
    bus,
    missions,
    values,
    books,
    clock,
    log,
    registry,
    tokens,
    followers,
    units,
    replication,
    fills,
    silent,
    archiveHealth,
  }) => {
    const { passes, schedules, rules, transfers, alarms } = books;
    const reached = { bus, missions, values, passes, schedules, rules, transfers, alarms, clock, log };
    const historyTables = new TablesInThread();
    const looked = { replication, fills, silent, settled, archiveHealth, historyTables };
    const ports = { ...reached, ...looked, registry, tokens, followers, units, roles };
    const frontEnd = await startFrontEnd({ ...ports, port, host, allowHosts });
    listening(frontEnd.url);
    return {
      shared: [],
      stop: async () => {
        await frontEnd.drain();
        await frontEnd.close();
        await historyTables.stop();
      },
    };
  };
}
