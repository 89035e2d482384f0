/**
 * Names of documents. RF Bench Service, section 4: a name may not be a word that a path of the interface has for
 * itself.
 */

import { RESERVED_NAMES } from '../../contract/bench/profile.ts';
import type { DocumentFaults } from './fault.ts';

export function checkName(name: string, faults: DocumentFaults): void {
  if ((RESERVED_NAMES as readonly string[]).includes(name))
    faults.in('name').fault(`"${name}" is a word of the interface`, 'choose another name');
}

/** Faults every name that stands twice, at its second place. */
export function checkUnique(
  names: readonly { readonly name: string; readonly faults: DocumentFaults }[],
): void {
  const seen = new Set<string>();
  for (const { name, faults } of names) {
    if (seen.has(name)) faults.fault(`"${name}" is given twice`, 'give each a name of its own');
    seen.add(name);
  }
}
