/**
 * `mcs transfer`: files that come down and go up. A thin client of the routes of transfers. Mission Control Service,
 * section 4.7. Exit code: 0 when it was done, 1 when it was refused or the service does not answer, 2 when the command
 * line is malformed.
 */

import { defineVerbs } from './command.ts';
import { list } from './transfer-list.ts';
import { watch } from './transfer-watch.ts';

export const transfer = defineVerbs('transfer', { list, watch });
