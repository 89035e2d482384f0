/**
 * The parameters of a target and which value of one counts in a mode and an environment: for the page of parameters,
 * for runs and for the bindings of links alike. Mission Control Service, section 2.5. What the current mode is says
 * `mode.ts`.
 *
 * P1. The key with instance comes before the key without, within a key the override of the environment before the value
 *     of the target, all in the same mode.
 */

import type { ResolvedValue } from '../contract/telecommand.ts';
import { measureKey } from './measure-table.ts';
import type { ParameterValues, Target } from './mission.ts';
import type { Parameter, Platform } from './platform.ts';

/** A parameter of one instance, or of a component without instances. */
export interface ParameterPlace {
  readonly component: string;
  readonly instance: string | undefined;
  readonly parameter: Parameter;
}

/** Values by full parameter name. */
export type NamedValues = Readonly<Record<string, ResolvedValue>>;

/** `component[instance].parameter`, or `component.parameter`. */
export function parameterName({ component, instance, parameter }: ParameterPlace): string {
  return measureKey(component, instance, parameter.name);
}

/** Every parameter of the platform in the order of the document, instances in their order. */
export function parameterPlaces({ components }: Platform): ParameterPlace[] {
  return [...components.values()].flatMap(({ name: component, instances, parameters }) =>
    parameters.flatMap((parameter) => {
      const places = instances.length === 0 ? [undefined] : instances;
      return places.map((instance) => ({ component, instance, parameter }));
    }),
  );
}

/** The measure that reads the parameter back, of the same instance in its own component; undefined when none does. */
export function readbackPlace({
  component: own,
  instance,
  parameter: { readback },
}: ParameterPlace): { component: string; instance?: string; measure: string } | undefined {
  if (readback === undefined) return undefined;
  const { component, measure } = readback;
  return component === own && instance !== undefined
    ? { component, instance, measure }
    : { component, measure };
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

/** Every value that counts in the mode; none without a mode, or without the document of the platform. */
export function parameterValues(
  target: Target,
  mode: string | null,
  environment: string | undefined,
): NamedValues {
  if (mode === null || target.platform === undefined) return {};
  const values: Record<string, ResolvedValue> = {};
  for (const place of parameterPlaces(target.platform)) {
    const value = parameterValue(target, place, mode, environment);
    if (value !== undefined) values[parameterName(place)] = value;
  }
  return values;
}

/**
 * What counts otherwise in the environments of the target than without one, by environment; those without are left out.
 */
export function overriddenValues(target: Target, mode: string | null): Readonly<Record<string, NamedValues>> {
  const plain = parameterValues(target, mode, undefined);
  const found = target.environments.map((environment) => {
    const values = Object.entries(parameterValues(target, mode, environment));
    return [
      environment,
      Object.fromEntries(values.filter(([name, value]) => plain[name] !== value)),
    ] as const;
  });
  return Object.fromEntries(found.filter(([, values]) => Object.keys(values).length > 0));
}

/** Those of the key with instance first. */
function valuesOf(target: Target, place: ParameterPlace): ParameterValues[] {
  const keys = new Set([parameterName(place), parameterName({ ...place, instance: undefined })]);
  return [...keys].flatMap((key) => target.parameters.filter((each) => each.key === key));
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
