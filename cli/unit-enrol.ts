/**
 * `mcs unit enrol`: a credential for a unit that is to register, as a file for its client of the bus; `mcs unit
 * remove`: a unit that is no more. Thin clients of the routes of units; `docs/units.md` has what comes before and
 * behind.
 */

import type { Enrolled } from '../contract/unit.ts';
import { defineCommand } from './command.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { ask, faultLine, request } from './request.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';
import { ENROL_USAGE, REMOVE_USAGE } from './unit-usage.ts';

export const enrol = defineCommand({
  usage: ENROL_USAGE,
  words: ['SERIAL', 'PUBLIC_KEY'],
  options: JSON_OPTIONS,
  async run({ words: [serial, key], values }) {
    const body = { serial, public_key: key };
    const enrolled = await request<Enrolled>(serviceOf(values), 'POST', '/v1/units', body);
    if (enrolled === undefined) return 1;
    if (values.json === true) {
      printJson(enrolled);
      return 0;
    }
    process.stdout.write(`${enrolled.jwt}\n`);
    process.stderr.write(`register until ${new Date(enrolled.expires * 1_000).toISOString()}\n`);
    return 0;
  },
});

export const remove = defineCommand({
  usage: REMOVE_USAGE,
  words: ['SERIAL'],
  options: JSON_OPTIONS,
  async run({ words: [serial], values }) {
    const path = `/v1/units/${encodeURIComponent(serial)}`;
    const answer = await ask(serviceOf(values), 'DELETE', path);
    if (!answer.ok) {
      for (const fault of answer.faults) process.stderr.write(`${faultLine(fault)}\n`);
      return 1;
    }
    if (values.json === true) printJson({ removed: serial });
    else process.stdout.write(`${printable(serial)}  removed\n`);
    return 0;
  },
});
