/**
 * `mcs rule`: recurring rules, which make a schedule of each pass they match. Mission Control Service, section 2.7.
 * Exit code: 0 when it was done, 1 when it was refused or the service does not answer, 2 when the command line is
 * malformed.
 */

import { defineVerbs } from './command.ts';
import { add } from './rule-add.ts';
import { list } from './rule-list.ts';
import { remove } from './rule-remove.ts';

export const rule = defineVerbs('rule', { list, add, remove });
