/**
 * `mcs procedure list`: the procedures of the mission, with what a launch needs. A thin client of `GET /v1/mission`,
 * and for one target of `GET /v1/targets/{target}/procedures`.
 */

import type { MissionView } from '../contract/mission-view.ts';
import type { ProcedureList, ProcedureView } from '../contract/procedure.ts';
import { wantedWords } from '../contract/run-question.ts';
import { defineCommand, defineVerbs } from './command.ts';
import { lasting } from './pass-look.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import { type Service, serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';

const list = defineCommand({
  usage: `mcs procedure list [TARGET] [--json]
  procedures of the mission, or those that a target can be given to: roles, inputs, longest duration, hazards
`,
  words: ['[TARGET]'],
  options: JSON_OPTIONS,
  async run({ words: [target], values }) {
    const procedures = await proceduresOf(serviceOf(values), target);
    if (procedures === undefined) return 1;
    if (values.json === true) printJson(procedures);
    else for (const line of procedures.flatMap(procedureLines)) process.stdout.write(`${printable(line)}\n`);
    if (procedures.length === 0) process.stderr.write('no procedures\n');
    return 0;
  },
});

export const procedure = defineVerbs('procedure', { list });

async function proceduresOf(
  service: Service,
  target: string | undefined,
): Promise<readonly ProcedureView[] | undefined> {
  if (target === undefined) return (await request<MissionView>(service, 'GET', '/v1/mission'))?.procedures;
  const path = `/v1/targets/${encodeURIComponent(target)}/procedures`;
  return (await request<ProcedureList>(service, 'GET', path))?.procedures;
}

/** One for the procedure, and one for each role, input and hazard. */
export function procedureLines(view: ProcedureView): string[] {
  const { procedure: name, library, draft, allowed_in: allowed, description, roles, inputs } = view;
  const { max_duration_ms: longest, hazardous = [] } = view;
  const facts = [
    ...(description === undefined ? [] : [description]),
    ...(draft ? ['DRAFT'] : []),
    ...(allowed === undefined ? [] : [`only in ${allowed.join(', ')}`]),
    ...(longest === undefined ? [] : [longest === null ? 'unbounded' : `at most ${lasting(longest)}`]),
  ];
  return [
    `${name}  ${library}${facts.length === 0 ? '' : `  ${facts.join(', ')}`}`,
    ...Object.entries(roles).map(([role, platform]) => `  ${role}=TARGET  of ${platform}`),
    ...inputs.map(
      (input) => `  ${input.name}=…  ${wantedWords(input)}${input.required ? '' : ', has a default'}`,
    ),
    ...hazardous.map(({ path, telecommand }) => `  HAZARDOUS: ${telecommand} at ${path}`),
  ];
}
