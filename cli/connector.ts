/**
 * `mcs connector`: who takes data out of the bus, and how far behind. Thin clients of the routes of connectors, and the
 * connectors that are ours. Mission Control Service, section 4.9. Exit code: 0 when it was done, 1 when it was refused
 * or the service does not answer, 2 when the command line is malformed.
 */

import { defineVerbs, loadedWhenCalled as loaded } from './command.ts';
import { LIST_USAGE, POSTGRES_USAGE, REMOVE_USAGE } from './connector-usage.ts';

export const connector = defineVerbs('connector', {
  list: loaded(LIST_USAGE, async () => (await import('./connector-list.ts')).list),
  remove: loaded(REMOVE_USAGE, async () => (await import('./connector-remove.ts')).remove),
  postgres: loaded(POSTGRES_USAGE, async () => (await import('./connector-postgres.ts')).postgres),
});
