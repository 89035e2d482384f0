/**
 * `mcs pass put`: contributes passes, one after the other (post-all.U1). A thin client of `POST /v1/passes`. Mission
 * Control Service, section 4.5.
 */

import type { PassView } from '../contract/pass.ts';
import { defineCommand } from './command.ts';
import { passLine, passRow } from './pass-columns.ts';
import { readPassFile } from './pass-file.ts';
import { postAll } from './post-all.ts';
import { jsonText, printable } from './printable.ts';
import { serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS } from './table-options.ts';

const PUT_USAGE = `mcs pass put FILE|- [--json] [--utc | --local]
  contributes a pass or a list of passes, JSON or YAML; stops at the first that is refused
`;

export const put = defineCommand({
  usage: PUT_USAGE,
  words: ['FILE'],
  options: TABLE_OPTIONS,
  async run({ words: [file], values }) {
    const shape = shapeOf(values);
    const read = await readPassFile(file);
    if (read.kind === 'snapshots')
      throw new Error(`${file} holds snapshots, which replace what was said before: mcs pass feed ${file}`);
    if (read.passes.length === 0) throw new Error(`${file} has no passes`);
    const show = (view: PassView): void => {
      const line = shape.json ? jsonText(view) : printable(passLine(passRow(view), shape.local));
      process.stdout.write(`${line}\n`);
    };
    const posting = { service: serviceOf(values), path: '/v1/passes', noun: 'pass', nouns: 'passes', show };
    return postAll(posting, read.passes);
  },
});
