/**
 * `mcs pass`: passes of targets over ground stations. Mission Control Service, section 2.6. Exit code: 0 when it was
 * done, 1 when it was refused or the service does not answer, 2 when the command line is malformed.
 */

import { defineVerbs } from './command.ts';
import { feed } from './pass-feed.ts';
import { list } from './pass-list.ts';
import { predict } from './pass-predict.ts';
import { put } from './pass-put.ts';
import { show } from './pass-show.ts';
import { watch } from './pass-watch.ts';

export const pass = defineVerbs('pass', { list, show, watch, put, feed, predict });
