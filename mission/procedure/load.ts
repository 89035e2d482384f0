/** The libraries of a compiled configuration, compiled against its platforms. Part of `load`. */

import { assert } from '../../contract/assert.ts';
import { FaultList } from '../document/fault.ts';
import type { LibraryDocument } from '../document/library.ts';
import type { Platform } from '../platform.ts';
import { compileLibraries } from './compile/library.ts';
import type { Library } from './procedure.ts';

/** The libraries by `name@version`; throws a defect where one does not hold: none such was ever compiled. */
export function loadLibraries(
  documents: readonly LibraryDocument[],
  platforms: ReadonlyMap<string, Platform>,
): ReadonlyMap<string, Library> {
  const list = new FaultList();
  const place = { file: 'configuration', position: () => ({ line: 1, column: 1 }) };
  const libraries = compileLibraries(
    documents.map((document) => ({ document, faults: list.at(place) })),
    { platforms, environments: undefined, fleet: () => undefined },
  );
  const [first] = list.faults;
  assert(first === undefined, `${first?.path}: ${first?.message}`);
  return libraries;
}
