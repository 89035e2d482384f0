/**
 * References of statements to roles and what belongs to them: `sat`, `sat.power.switch`, `sat.battery[1].set_heater`,
 * `sat.files[$image]`. Measures are referred to in conditions and texts, which have a grammar of their own.
 */

import { nearHelp } from '../../../contract/near.ts';
import type { FaultsAt } from '../../document/fault.ts';
import type { Component } from '../../platform.ts';
import type { Role, Written } from '../procedure.ts';
import type { Names } from './names.ts';
import { nameIn, typeText } from './value.ts';

const PLACE = /^([^.[\]]+)\.([^.[\]]+)(?:\[([^\]]*)\])?(?:\.([^.[\]]+))?$/;

export interface Place {
  readonly role: string;
  readonly component: Component;
  /** As written in brackets. */
  readonly bracket: string | undefined;
  /** What stands behind the component. */
  readonly member: string | undefined;
}

/** The role; undefined when there is none, which is reported unless its platform has a fault. */
export function roleNamed(name: string, { header }: Names, faults: FaultsAt): Role | undefined {
  const role = header.roles.get(name);
  if (role === undefined && !header.unsoundRoles.has(name))
    faults.fault(`no role "${name}"`, nearHelp(name, header.roles.keys(), 'roles'));
  return role;
}

/** The component of a role; undefined after a fault. `form` says what is expected. */
export function placeNamed(text: string, form: string, names: Names, faults: FaultsAt): Place | undefined {
  const [, roleName = '', componentName = '', bracket, member] = PLACE.exec(text) ?? [];
  if (roleName === '') {
    faults.fault(`"${text}" is not of this form`, `write ${form}`);
    return undefined;
  }
  const role = roleNamed(roleName, names, faults);
  if (role === undefined) return undefined;
  const component = role.compiled.components.get(componentName);
  if (component !== undefined) return { role: roleName, component, bracket, member };
  const help = nearHelp(componentName, role.compiled.components.keys(), 'components');
  faults.fault(`${role.platformId} has no component "${componentName}"`, help);
  return undefined;
}

/** The instance in brackets; undefined after a fault. */
export function instanceIn(
  bracket: string,
  { name, instances }: Component,
  names: Names,
  faults: FaultsAt,
): Written | undefined {
  const named = nameIn(bracket);
  if (named !== undefined) return namedInstance(named, 'instance', name, names, faults);
  if (instances.includes(bracket)) return { value: bracket };
  faults.fault(`${name} has no instance "${bracket}"`, nearHelp(bracket, instances, 'instances'));
  return undefined;
}

/** The file identifier in brackets, an input; undefined after a fault. */
export function fileIn(
  bracket: string | undefined,
  names: Names,
  faults: FaultsAt,
): { readonly name: string } | undefined {
  const named = nameIn(bracket);
  if (named !== undefined) return namedInstance(named, 'file_id', undefined, names, faults);
  faults.fault(
    bracket === undefined ? 'it names no file' : `"${bracket}" is a literal file identifier`,
    'declare an input of type file_id and write its $name in brackets: files come and go',
  );
  return undefined;
}

function namedInstance(
  name: string,
  type: 'instance' | 'file_id',
  of: string | undefined,
  names: Names,
  faults: FaultsAt,
): { readonly name: string } | undefined {
  const found = names.find(name, faults);
  if (found === undefined) return undefined;
  const wanted = typeText({ type, ...(of !== undefined && { of }) });
  if (found.type !== type || (of !== undefined && found.of !== of)) {
    faults.fault(`$${name} is ${typeText(found)}, ${wanted} is needed`, `declare it as ${wanted}`);
    return undefined;
  }
  if (!names.maybeNull(name)) return { name };
  faults.fault(`$${name} may be null, and null is no ${type}`, `give the input ${name} no default`);
  return undefined;
}
