/**
 * What configuring a target in a mode sends and reads back: the setters of its parameters with their values. Mission
 * Control Service, section 2.5, section 4.3 and section 7.4.
 *
 * C1. Setters and readbacks come in the order of the platform document, instances in their order.
 * C2. A parameter to which the target gives no value at all is left alone; one that has a value in another mode or
 *     environment must have one here, or the spacecraft would keep what the mode before has set.
 * C3. A mode the target does not declare is a fault of the choice of target, so of `targets`.
 */

import { assert } from '../../../contract/assert.ts';
import { nearHelp } from '../../../contract/near.ts';
import type { ConfigureStatement, Readback, SendStatement } from '../../../contract/program.ts';
import type { ResolvedValue } from '../../../contract/telecommand.ts';
import type { Environment, Mission, Target } from '../../mission.ts';
import {
  isManaged,
  type ParameterPlace,
  parameterName,
  parameterPlaces,
  parameterValue,
  readbackPlace,
} from '../../parameter-values.ts';
import type { Platform } from '../../platform.ts';
import { asReadback } from '../../readback.ts';
import { telecommandLongestMs } from '../compile/longest.ts';
import type { Statement } from '../procedure.ts';
import { type Leaf, reportFault } from './invocation.ts';
import { resolveSending } from './send.ts';
import type { RoleTarget } from './target.ts';

interface SetParameter extends ParameterPlace {
  readonly value: ResolvedValue;
}

/** The statement for its target; undefined when it is reported, or depends on something unknown. */
export function resolveConfigure(
  { role: roleName, mode, withinMs }: Extract<Statement, { kind: 'configure' }>,
  leaf: Leaf,
): ConfigureStatement | undefined {
  const role = leaf.frame.targets.get(roleName);
  if (role === undefined || !declaresMode(role, mode, leaf)) return undefined;
  const { target } = role;
  const { environment } = leaf.frame;
  if (environment === undefined || !target.environments.includes(environment.name)) return undefined;
  const parameters = setParameters(role, mode, environment, leaf);
  const setters = parameters.flatMap((each) => setterOf(each, role, leaf));
  const readbacks = parameters.flatMap((each) => readbackOf(each, platformOf(target)));
  return { kind: 'configure', target: target.name, mode, setters, readbacks, withinMs };
}

/** Whether the target declares the mode; reports it when not. */
export function declaresMode({ target, at }: RoleTarget, mode: string, leaf: Leaf): boolean {
  if (target.modes.includes(mode)) return true;
  const help = nearHelp(mode, target.modes, 'modes', 'give a target whose modes are declared');
  reportFault(leaf, 'run::invalid-input', `target ${target.name} has no mode "${mode}"`, help, at);
  return false;
}

/** Its setters one after the other, then its readbacks. */
export function longestConfigure(
  { target, setters, readbacks, withinMs }: ConfigureStatement,
  { targets }: Mission,
): number {
  const components = targets.get(target)?.platform?.components;
  const durations = setters.map(({ component, telecommand: name }) => {
    const telecommand = components?.get(component)?.telecommands.get(name);
    assert(telecommand !== undefined, `${target} has ${component}.${name}`);
    return telecommandLongestMs(telecommand);
  });
  return durations.reduce((total, each) => total + each, readbacks.length === 0 ? 0 : withinMs);
}

function setParameters(
  { target, at }: RoleTarget,
  mode: string,
  environment: Environment,
  leaf: Leaf,
): SetParameter[] {
  return parameterPlaces(platformOf(target)).flatMap((place) => {
    const value = parameterValue(target, place, mode, environment.name);
    if (value !== undefined) return [{ ...place, value }];
    if (isManaged(target, place)) {
      const message = `parameter ${parameterName(place)} of ${target.name} has no value in mode ${mode} in ${environment.name}`;
      reportFault(leaf, 'run::parameter-undefined', message, 'give it one in the topology', at);
    }
    return [];
  });
}

function setterOf(set: SetParameter, role: RoleTarget, leaf: Leaf): SendStatement[] {
  const { component: own, parameter, value } = set;
  const { at } = role;
  if (parameter.set === undefined) return [];
  const component = platformOf(role.target).components.get(parameter.set.component);
  const telecommand = component?.telecommands.get(parameter.set.telecommand);
  assert(component !== undefined && telecommand !== undefined, `${own}.${parameter.name} has its setter`);
  const instance = component.name === own ? set.instance : undefined;
  const setter = resolveSending(
    {
      role,
      component,
      telecommand,
      instance: instance === undefined ? undefined : { kind: 'value', value: instance, unit: undefined, at },
      args: new Map([[parameter.set.argument, { kind: 'value', value, unit: parameter.unit, at }]]),
      link: undefined,
      retry: 0,
    },
    leaf,
  );
  return setter === undefined ? [] : [setter];
}

function readbackOf(set: SetParameter, platform: Platform): Readback[] {
  const { component: own, parameter, value } = set;
  const place = readbackPlace(set);
  if (place === undefined) return [];
  const { component, measure: name } = place;
  const measure = platform.components.get(component)?.measures.find((each) => each.name === name);
  assert(measure !== undefined, `${own}.${parameter.name} has its readback`);
  return [{ parameter: parameterName(set), ...place, value: asReadback(value, parameter, measure) }];
}

/** A target in a role has the platform of the role (target.T2 of targets). */
function platformOf(target: Target): Platform {
  assert(target.platform !== undefined, `target ${target.name} has its platform`);
  return target.platform;
}
