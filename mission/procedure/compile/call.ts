/**
 * `call`: another procedure with its roles and inputs given. Mission Control Service, section 4.2 (nested procedures).
 */

import { nearHelp } from '../../../contract/near.ts';
import type { FaultsAt } from '../../document/fault.ts';
import type { CallDocument } from '../../document/statement.ts';
import type { Written } from '../procedure.ts';
import type { Header } from './header.ts';
import { Names } from './names.ts';
import { compileWritten } from './value.ts';

/** Role of the called procedure to role of the caller; missing, unexpected and unlike ones are reported. */
export function callRoles(
  { roles: given }: CallDocument,
  caller: Header,
  called: Header,
  faults: FaultsAt,
): Map<string, string> {
  const roles = new Map<string, string>();
  const wanted = Object.keys(called.document.roles);
  for (const role of wanted) {
    if (!Object.hasOwn(given, role))
      faults.fault(
        `role "${role}" of ${called.name} has no value`,
        `add ${role}: and a role of ${caller.name}`,
      );
  }
  for (const [role, own] of Object.entries(given)) {
    const at = faults.in(role);
    if (!wanted.includes(role)) {
      at.keyFault(`${called.name} has no role "${role}"`, nearHelp(role, wanted, 'roles'));
      continue;
    }
    checkSame(own, caller, called, role, at);
    roles.set(role, own);
  }
  return roles;
}

function checkSame(own: string, caller: Header, called: Header, role: string, faults: FaultsAt): void {
  const is = caller.roles.get(own);
  const needed = called.roles.get(role);
  if (is === undefined && !caller.unsoundRoles.has(own))
    faults.fault(`no role "${own}"`, nearHelp(own, caller.roles.keys(), 'roles'));
  if (is === undefined || needed === undefined || is.platformId === needed.platformId) return;
  const message = `${own} is ${is.platformId}, ${role} of ${called.name} is ${needed.platformId}`;
  if (is.platform !== needed.platform) faults.fault(message, 'give a role of the same platform');
  // Libraries move to a new version one by one; until all have, what mixes versions is refused when it is launched.
  else faults.warning(`${message}; a run of it is refused`, 'compile both libraries against one version');
}

/** The inputs of the called procedure; missing, unexpected and unlike ones are reported. */
export function callInputs(
  { inputs: given = {} }: CallDocument,
  caller: Header,
  called: Header,
  faults: FaultsAt,
): Map<string, Written> {
  const inputs = new Map<string, Written>();
  // A call stands between steps, where no answer is known: its names are inputs (procedure.P2).
  const names = new Names(caller);
  for (const { name, type, default: preset } of called.inputs.values()) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined && preset === undefined)
      faults.fault(
        `input "${name}" of ${called.name} has no value and no default`,
        `add ${name}: and a value`,
      );
    if (value === undefined || (value === null && preset === null)) continue;
    const need = { type, roles: called.roles, nullable: preset === null };
    const written = compileWritten(value, need, names, faults.in(name));
    if (written !== undefined) inputs.set(name, written);
  }
  const wanted = Object.keys(called.document.inputs ?? {});
  for (const name of Object.keys(given)) {
    if (wanted.includes(name)) continue;
    const help = nearHelp(name, wanted, 'inputs', 'it takes none');
    faults.in(name).keyFault(`${called.name} has no input "${name}"`, help);
  }
  return inputs;
}
