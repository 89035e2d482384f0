/** Reads and compiles the documents of a mission folder. */

import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Result } from '../contract/result.ts';
import { type Compiled, compile } from '../mission/compile.ts';
import type { DocumentFault } from '../mission/document/fault.ts';

/** Documents of the RF bench may lie beside those of the mission; its daemon reads them. */
const BENCH_DOCUMENT = /^bench[/\\](bench\.ya?ml$|(profiles|scenarios|campaigns)[/\\])/;

/** What the folder compiles to, or every fault; throws when there is no such folder or no document in it. */
export async function compileFolder(folder: string): Promise<Result<Compiled, DocumentFault>> {
  const documents = await documentsOf(folder);
  if (documents.length === 0) throw new Error(`no document (*.yaml) in ${JSON.stringify(folder)}`);
  const texts = documents.map(async (name) => {
    const path = join(folder, name);
    const shown = relative(process.cwd(), path);
    return { file: shown.startsWith('..') ? path : shown, text: await readFile(path, 'utf8') };
  });
  return compile(await Promise.all(texts));
}

/** Whether the folder holds more than documents of the bench; throws when there is no such folder. */
export async function hasMission(folder: string): Promise<boolean> {
  return (await documentsOf(folder)).length > 0;
}

async function documentsOf(folder: string): Promise<string[]> {
  const names = await filesIn(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new Error(`no mission folder ${JSON.stringify(folder)}`);
  });
  return names.filter((name) => /\.ya?ml$/.test(name) && !BENCH_DOCUMENT.test(name)).sort();
}

/**
 * The files below a folder, also behind links; what begins with `.` is left out, as in a folder that an orchestrator
 * mounts. `above`: the folders that it is in, by their real paths.
 */
async function filesIn(folder: string, above: readonly string[] = []): Promise<string[]> {
  const real = await realpath(folder);
  if (above.includes(real))
    throw new Error(`${JSON.stringify(folder)} is a link to a folder that it is in: remove it`);
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  const below = names.map(async (name) => {
    const path = join(folder, name);
    const { isDirectory } = await statOf(path);
    if (!isDirectory) return [name];
    return (await filesIn(path, [...above, real])).map((each) => join(name, each));
  });
  return (await Promise.all(below)).flat();
}

async function statOf(path: string): Promise<{ readonly isDirectory: boolean }> {
  try {
    return { isDirectory: (await stat(path)).isDirectory() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') throw new Error(`${JSON.stringify(path)} is a link to itself: remove it`);
    // A link to nowhere is reported when it is read, if it is a document.
    if (code === 'ENOENT') return { isDirectory: false };
    throw error;
  }
}

/** One fault as a line that editors and people can follow. */
export function faultLine({ file, line, column, path, message, help }: DocumentFault): string {
  return `${file}:${line}:${column} ${path}: ${message}${help === undefined ? '' : ` (${help})`}`;
}
