/** Reads and compiles the documents of a mission folder. */

import { readdir, readFile } from 'node:fs/promises';
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
  const names = await readdir(folder, { recursive: true }).catch(() => {
    throw new Error(`no mission folder ${JSON.stringify(folder)}`);
  });
  return names.filter((name) => /\.ya?ml$/.test(name) && !BENCH_DOCUMENT.test(name)).sort();
}

/** One fault as a line that editors and people can follow. */
export function faultLine({ file, line, column, path, message, help }: DocumentFault): string {
  return `${file}:${line}:${column} ${path}: ${message}${help === undefined ? '' : ` (${help})`}`;
}
