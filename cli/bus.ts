/** `mcs bus`: the message bus itself, without a service. */

import { check } from './bus-check.ts';
import { defineVerbs } from './command.ts';

export const bus = defineVerbs('bus', { check });
