/**
 * The head of a procedure: its roles and inputs, which its statements and its callers name. Mission Control Service,
 * section 4.2 (inputs: section 2.3). Steps are compiled in `steps.ts`.
 *
 * H1. What has a fault of its own is kept by name, so that statements which name it are not reported for it.
 */

import { nearHelp } from '../../../contract/near.ts';
import type { FaultsAt } from '../../document/fault.ts';
import type { LibraryDocument, ProcedureDocument } from '../../document/library.ts';
import type { Platform } from '../../platform.ts';
import type { Input, Role } from '../procedure.ts';
import { checkAnswerType } from './answer-type.ts';
import { checkDefault } from './literal.ts';

/** What the targets of a platform have between them. */
export interface Fleet {
  readonly modes: ReadonlySet<string>;
  readonly links: ReadonlySet<string>;
}

/** What libraries are compiled against. */
export interface Surroundings {
  readonly platforms: ReadonlyMap<string, Platform>;
  /** Undefined: not known here, or checked before. */
  readonly environments: readonly string[] | undefined;
  /** Undefined: no target is of the platform, or it was checked before. */
  fleet(platformId: string): Fleet | undefined;
}

export interface Header {
  readonly name: string;
  /** `name@version` */
  readonly library: string;
  readonly document: ProcedureDocument;
  readonly faults: FaultsAt;
  readonly roles: ReadonlyMap<string, Role>;
  readonly unsoundRoles: ReadonlySet<string>;
  readonly inputs: ReadonlyMap<string, Input>;
  readonly unsoundNames: ReadonlySet<string>;
  readonly around: Surroundings;
}

/** The head of a procedure; roles, inputs and environments that do not hold are reported. */
export function compileHeader(
  library: LibraryDocument,
  name: string,
  document: ProcedureDocument,
  around: Surroundings,
  faults: FaultsAt,
): Header {
  checkEnvironments(document, around.environments, faults);
  const { roles, unsound } = compileRoles(library, document, around, faults.in('roles'));
  const inputs = new Map<string, Input>();
  const unsoundNames = new Set<string>();
  for (const [input, each] of Object.entries(document.inputs ?? {})) {
    const compiled = compileInput(input, each, roles, unsound.size > 0, faults.in('inputs', input));
    if (compiled === undefined) unsoundNames.add(input);
    else inputs.set(input, compiled);
  }
  return {
    name,
    library: `${library.library}@${library.version}`,
    document,
    faults,
    around,
    roles,
    unsoundRoles: unsound,
    inputs,
    unsoundNames,
  };
}

function checkEnvironments(
  { allowed_in = [] }: ProcedureDocument,
  environments: readonly string[] | undefined,
  faults: FaultsAt,
): void {
  for (const [index, environment] of allowed_in.entries()) {
    if (environments === undefined || environments.includes(environment)) continue;
    const help = nearHelp(environment, environments, 'environments');
    faults.in('allowed_in', index).fault(`no environment "${environment}"`, help);
  }
}

function compileRoles(
  library: LibraryDocument,
  document: ProcedureDocument,
  { platforms }: Surroundings,
  faults: FaultsAt,
): { readonly roles: Map<string, Role>; readonly unsound: Set<string> } {
  const imported = new Map(library.imports.map((id) => [id.slice(0, id.indexOf('@')), id]));
  const roles = new Map<string, Role>();
  const unsound = new Set<string>();
  for (const [role, platform] of Object.entries(document.roles)) {
    const platformId = imported.get(platform);
    const compiled = platforms.get(platformId ?? '');
    if (platformId !== undefined && compiled !== undefined)
      roles.set(role, { platform, platformId, compiled });
    else unsound.add(role);
    if (platformId !== undefined) continue;
    const help = nearHelp(platform, imported.keys(), 'imported', 'add it to imports, as name@version');
    faults.in(role).fault(`platform "${platform}" is not imported`, help);
  }
  return { roles, unsound };
}

function compileInput(
  name: string,
  document: NonNullable<ProcedureDocument['inputs']>[string],
  roles: ReadonlyMap<string, Role>,
  lenient: boolean,
  faults: FaultsAt,
): Input | undefined {
  const type = checkAnswerType(document, { roles, lenient }, faults);
  if (type === undefined) return undefined;
  const read = checkDefault(type, document.default, roles, faults.in('default'));
  return read && { name, description: document.description, type, default: read.default };
}
