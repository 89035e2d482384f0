/**
 * Which value of a parameter counts for a target in a mode and an environment. Mission Control Service, section 2.5.
 *
 * P1. The key with instance comes before the key without, within a key the override of the environment before the value
 *     of the target, all in the same mode.
 */

import type { ResolvedValue } from '../../../contract/telecommand.ts';
import type { ParameterValues, Target } from '../../mission.ts';
import type { Parameter } from '../../platform.ts';

/** A parameter of one instance, or of a component without instances. */
export interface ParameterPlace {
  readonly component: string;
  readonly instance: string | undefined;
  readonly parameter: Parameter;
}

/** `component[instance].parameter`, or `component.parameter`. */
export function parameterName({ component, instance, parameter }: ParameterPlace): string {
  return instance === undefined
    ? `${component}.${parameter.name}`
    : `${component}[${instance}].${parameter.name}`;
}

/** The value in the mode; undefined when the target gives none. Without environment no override counts. */
export function parameterValue(
  target: Target,
  place: ParameterPlace,
  mode: string,
  environment: string | undefined,
): ResolvedValue | undefined {
  for (const { values, environments } of valuesOf(target, place)) {
    const overrides = environment === undefined ? undefined : own(environments, environment);
    const found = (overrides === undefined ? undefined : own(overrides, mode)) ?? own(values, mode);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether the target gives it a value in any mode and environment: its modes then manage it. */
export function isManaged(target: Target, place: ParameterPlace): boolean {
  return valuesOf(target, place).some(({ values, environments }) =>
    [values, ...Object.values(environments)].some((each) => Object.keys(each).length > 0),
  );
}

/** Those of the key with instance first. */
function valuesOf(target: Target, place: ParameterPlace): ParameterValues[] {
  const keys = new Set([parameterName(place), parameterName({ ...place, instance: undefined })]);
  return [...keys].flatMap((key) => target.parameters.filter((each) => each.key === key));
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
