/** `mcs run check`: the procedures of a mission folder in words. Nothing is asked of a service. */

import { load } from '../mission/load.ts';
import { outlineOf } from '../mission/procedure/outline.ts';
import type { Library, Procedure } from '../mission/procedure/procedure.ts';
import { compileFolder, faultLine } from './mission-folder.ts';
import { outlineLines } from './run-outline.ts';

/** Prints every procedure of the folder, or the named one; 1 when it does not compile or has no such procedure. */
export async function checkProcedures(folder: string, name: string | undefined): Promise<number> {
  const compiled = await compileFolder(folder);
  if (!compiled.ok) {
    for (const fault of compiled.faults) process.stderr.write(`${faultLine(fault)}\n`);
    return 1;
  }
  const { configuration, revision } = compiled.value;
  const { libraries } = load(configuration, revision);
  const procedures = proceduresOf([...libraries.values()], name);
  if (procedures.length === 0) {
    process.stderr.write(name === undefined ? 'mcs: no procedures\n' : `mcs: no procedure ${name}\n`);
    return 1;
  }
  const outlines = procedures.map((each) => outlineLines(outlineOf(each)).join('\n'));
  process.stdout.write(`${outlines.join('\n\n')}\n`);
  return 0;
}

function proceduresOf(libraries: readonly Library[], name: string | undefined): Procedure[] {
  const all = libraries.flatMap(({ procedures }) => [...procedures.values()]);
  return name === undefined ? all : all.filter((each) => each.name === name);
}
