/** The fields of a form that starts a procedure, now or later, and the run they amount to. Pure. */

import type { MissionView } from '../../../contract/mission-view.ts';
import type { ProcedureView } from '../../../contract/procedure.ts';
import type { RunRequest } from '../../../contract/run.ts';
import { pairsText, valueText } from '../../../contract/run-words.ts';
import { unitsOf } from '../../input-units.ts';
import { type FieldView, sentValue } from './arguments.ts';

/** Fields beside the inputs; a blank keeps them apart from any input. */
export const ENVIRONMENT = ' environment';
const ROLE = ' target of ';

export type Typed = Readonly<Record<string, string>>;

/** `library/procedure`, as addresses and choices have it. */
export function procedureName({ library, procedure }: Pick<ProcedureView, 'library' | 'procedure'>): string {
  return `${library}/${procedure}`;
}

export function procedureNamed(mission: MissionView, name: string): ProcedureView | undefined {
  return mission.procedures.find((each) => procedureName(each) === name);
}

/** Where it may run, of the environments of the mission. */
export function environmentsOf({ allowed_in }: ProcedureView, mission: MissionView): string[] {
  const all = mission.environments.map(({ environment }) => environment);
  return allowed_in === undefined ? all : all.filter((each) => allowed_in.includes(each));
}

/** A field for the target of each role. */
export function roleFields({ roles }: ProcedureView, mission: MissionView): FieldView[] {
  return Object.entries(roles).map(([role, platform]) => ({
    name: `${ROLE}${role}`,
    type: '',
    description: platform,
    choices: mission.targets.filter((each) => each.platform === platform).map(({ target }) => target),
    required: true,
  }));
}

export function inputFields({ inputs }: ProcedureView): FieldView[] {
  return inputs.map(({ name, type, unit, range, choices, required, description, default: preset }) => ({
    name,
    type,
    unit,
    range,
    choices,
    required,
    description,
    fallback: required ? undefined : valueText(preset ?? null, unit),
  }));
}

/** The selected target for each role that nobody has chosen one for, where it can be meant. */
export function withTarget(
  typed: Record<string, string>,
  fields: readonly FieldView[],
  target: string,
): void {
  for (const { name, choices } of fields)
    if (name.startsWith(ROLE) && typed[name] === undefined && choices?.includes(target)) typed[name] = target;
}

/** Targets by role, and the inputs that are given. */
export function runOf(
  procedure: ProcedureView,
  typed: Typed,
): Pick<RunRequest, 'run' | 'library' | 'targets' | 'inputs'> {
  const inputs = procedure.inputs.flatMap((input) => {
    const value = sentValue(input, typed[input.name] ?? '');
    if (value === undefined) return [];
    // A launch takes a quantity with its unit only: what is typed without one is in that of the field.
    const { unit } = input;
    return [
      [input.name, typeof value === 'number' && unit !== undefined ? `${value} ${unit}` : value] as const,
    ];
  });
  return {
    run: procedure.procedure,
    library: procedure.library,
    targets: Object.fromEntries(
      Object.keys(procedure.roles).map((role) => [role, typed[`${ROLE}${role}`] ?? '']),
    ),
    ...(inputs.length > 0 && { inputs: Object.fromEntries(inputs) }),
  };
}

type Asked = Pick<RunRequest, 'run' | 'library' | 'targets' | 'inputs'>;

/** `sat=sat1, exposure=20 ms`; a number is in the unit that the mission has for the input. */
export function pairsOf(
  { run, library, targets, inputs = {} }: Asked,
  mission: MissionView | undefined,
): string {
  return pairsText({ ...targets, ...inputs }, unitsOf(mission, { procedure: run, library }));
}
