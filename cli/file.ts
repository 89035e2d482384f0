/** `mcs file`: files on board a target. */

import { defineVerbs } from './command.ts';
import { get } from './file-get.ts';
import { list } from './file-list.ts';
import { put } from './file-put.ts';
import { refresh } from './file-refresh.ts';

export const file = defineVerbs('file', { list, refresh, get, put });
