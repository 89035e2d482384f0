/**
 * `mcs schedule`: runs that start automatically on passes. Mission Control Service, section 2.7. Exit code: 0 when it
 * was done, 1 when it was refused or the service does not answer, 2 when the command line is malformed.
 */

import { defineVerbs } from './command.ts';
import { cancel, validate } from './schedule-command.ts';
import { create } from './schedule-create.ts';
import { list } from './schedule-list.ts';
import { show } from './schedule-show.ts';

export const schedule = defineVerbs('schedule', { list, show, create, cancel, validate });
