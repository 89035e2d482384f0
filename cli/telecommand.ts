/** `mcs telecommand list`: what a target can be sent. A thin client of `GET /v1/targets/{target}/catalogue`. */

import type { CatalogueView, TelecommandView } from '../contract/catalogue.ts';
import { wantedWords } from '../contract/run-question.ts';
import { defineCommand, defineVerbs } from './command.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';

const list = defineCommand({
  usage: `mcs telecommand list TARGET [PATTERN] [--json]
  telecommands of a target with their arguments; PATTERN: those whose component.name contains it
`,
  words: ['TARGET', '[PATTERN]'],
  options: JSON_OPTIONS,
  async run({ words: [target, pattern = ''], values }) {
    const path = `/v1/targets/${encodeURIComponent(target)}/catalogue`;
    const catalogue = await request<CatalogueView>(serviceOf(values), 'GET', path);
    if (catalogue === undefined) return 1;
    const found = telecommandsOf(catalogue).filter(({ name }) =>
      name.toLowerCase().includes(pattern.toLowerCase()),
    );
    if (values.json === true) printJson(found);
    else for (const line of found.flatMap(telecommandLines)) process.stdout.write(`${printable(line)}\n`);
    if (found.length === 0) process.stderr.write('no telecommand matches\n');
    return found.length === 0 ? 1 : 0;
  },
});

export const telecommand = defineVerbs('telecommand', { list });

interface Listed extends TelecommandView {
  readonly instances: readonly string[];
}

/** By the names that `mcs tc send` takes. */
export function telecommandsOf({ components }: CatalogueView): Listed[] {
  return components.flatMap(({ name, instances, telecommands }) =>
    telecommands.map((each) => ({ ...each, name: `${name}.${each.name}`, instances })),
  );
}

export function telecommandLines(each: Listed): string[] {
  const { name, description, args, instances, changes_state, hazardous } = each;
  const facts = [
    ...(hazardous ? ['HAZARDOUS'] : []),
    ...(changes_state ? ['changes state'] : []),
    ...(instances.length === 0 ? [] : [`--instance ${instances.join('|')}`]),
    ...(description === undefined ? [] : [description]),
  ];
  return [
    `${name}${facts.length === 0 ? '' : `  ${facts.join(', ')}`}`,
    ...args.map(({ name: argument, values, default: standard, ...typed }) => {
      const wanted = wantedWords({ ...typed, ...(values !== undefined && { choices: values }) });
      return `  ${argument}=…  ${wanted}${standard === undefined ? '' : `, default ${String(standard)}`}`;
    }),
  ];
}
