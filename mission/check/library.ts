/**
 * Libraries: names, versions, imports, and the shape of procedures. Mission Control Service, section 4.2. What the
 * statements mean is the step language's to compile; here each is known to be a statement.
 */

import type { PlatformConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import { type LibraryDocument, STATEMENT_KINDS, type Statement } from '../document/library.ts';
import { nearHelp } from '../document/near.ts';
import type { ReadDocument } from '../document/read.ts';

/** The library as it is; imports, roles, environments and statements that name nothing are reported. */
export function checkLibrary(
  read: ReadDocument,
  platforms: ReadonlyMap<string, PlatformConfiguration>,
  environments: readonly string[] | undefined,
): LibraryDocument {
  const document = read.value as LibraryDocument;
  const { faults } = read;
  const imported = new Set(document.imports.map((each) => each.split('@')[0] ?? ''));
  for (const [index, platform] of document.imports.entries()) {
    if (platforms.has(platform)) continue;
    const help = nearHelp(platform, platforms.keys(), 'platforms', 'add its platform document');
    faults.in('imports', index).fault(`no platform ${platform}`, help);
  }
  if (Object.keys(document.procedures).length === 0)
    faults.in('procedures').fault('it has no procedure', 'declare one');
  for (const [name, procedure] of Object.entries(document.procedures)) {
    const at = faults.in('procedures', name);
    for (const [role, platform] of Object.entries(procedure.roles)) {
      if (imported.has(platform)) continue;
      at.in('roles', role).fault(
        `platform "${platform}" is not imported`,
        nearHelp(platform, imported, 'imported'),
      );
    }
    for (const [index, environment] of (procedure.allowed_in ?? []).entries()) {
      if (environments === undefined || environments.includes(environment)) continue;
      at.in('allowed_in', index).fault(
        `no environment "${environment}"`,
        nearHelp(environment, environments, 'environments'),
      );
    }
    checkStatements(procedure.steps, at.in('steps'));
  }
  return document;
}

function checkStatements(statements: readonly Statement[], faults: FaultsAt): void {
  const kinds: readonly string[] = STATEMENT_KINDS;
  for (const [index, statement] of statements.entries()) {
    const at = faults.in(index);
    const [kind = ''] = Object.keys(statement);
    if (!kinds.includes(kind))
      at.in(kind).keyFault(`"${kind}" is no statement`, nearHelp(kind, kinds, 'statements'));
    if (kind === 'step') checkNested(statement['do'], at.in('do'));
    if (kind === 'if failed') checkNested(statement['if failed'], at.in('if failed'));
  }
}

function checkNested(steps: unknown, faults: FaultsAt): void {
  const isStatement = (each: unknown): each is Statement =>
    typeof each === 'object' && each !== null && !Array.isArray(each) && Object.keys(each).length > 0;
  if (Array.isArray(steps) && steps.length > 0 && steps.every(isStatement)) checkStatements(steps, faults);
  else faults.fault('it needs a list of statements', 'write one or more, each a mapping');
}
