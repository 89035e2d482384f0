/**
 * Which procedure of which library a request means. Mission Control Service, section 2.3 (fields `run`, `library`) and
 * section 7.4.
 *
 * F1. A library is named alone, or as `name@version` where it is there in several versions.
 */

import type { Fault } from '../../../contract/errors.ts';
import { nearHelp } from '../../../contract/near.ts';
import { accepted, type Result, refused } from '../../../contract/result.ts';
import type { Mission } from '../../mission.ts';
import { fault } from '../../resolve-link.ts';
import type { Library, Procedure } from '../procedure.ts';
import { pointer } from './pointer.ts';

export interface FoundProcedure {
  readonly library: Library;
  readonly procedure: Procedure;
}

/** The procedure; refuses an unknown library, an unknown procedure, and one that several libraries have. */
export function findProcedure(
  mission: Mission,
  { run, library: wanted }: { readonly run: string; readonly library?: string },
): Result<FoundProcedure, Fault> {
  const all = [...mission.libraries.values()];
  const libraries =
    wanted === undefined ? all : all.filter(({ name, id }) => name === wanted || id === wanted);
  if (wanted !== undefined && libraries.length === 0) return refused(unknownLibrary(wanted, all));
  const found = libraries.flatMap((library) => {
    const procedure = library.procedures.get(run);
    return procedure === undefined ? [] : [{ library, procedure }];
  });
  const [first, second] = found;
  if (first === undefined) return refused(unknownProcedure(run, wanted, libraries));
  if (second !== undefined) return refused(ambiguous(run, found));
  return accepted(first);
}

/** The library that has this very procedure. */
export function libraryOf(mission: Mission, procedure: Procedure): Library | undefined {
  return [...mission.libraries.values()].find((each) => each.procedures.get(procedure.name) === procedure);
}

function unknownLibrary(wanted: string, all: readonly Library[]): Fault {
  const names = new Set(all.map(({ name }) => name));
  const help = nearHelp(wanted, names, 'libraries');
  return fault('run::unknown-library', `no library "${wanted}"`, help, pointer('library'));
}

function unknownProcedure(run: string, wanted: string | undefined, libraries: readonly Library[]): Fault {
  const names = new Set(libraries.flatMap(({ procedures }) => [...procedures.keys()]));
  const where = wanted === undefined ? 'no library has' : `library ${wanted} has no`;
  const message = wanted === undefined ? `${where} a procedure "${run}"` : `${where} procedure "${run}"`;
  return fault('run::unknown-procedure', message, nearHelp(run, names, 'procedures'), pointer('run'));
}

function ambiguous(run: string, found: readonly FoundProcedure[]): Fault {
  const names = found.map(({ library }) => library.name);
  const choices = new Set(names).size === names.length ? names : found.map(({ library }) => library.id);
  const message = `several libraries have a procedure "${run}"`;
  const help = `give library: ${choices.join(' or ')}`;
  return fault('run::ambiguous-procedure', message, help, pointer('library'));
}
