/**
 * Which libraries can be judged where a document of the mission cannot be read or has not the shape of its kind: the
 * faults of one document hide none of another, and none is made up of what is missing.
 *
 * J1. Left out is what imports a platform that is not there, and what calls a procedure of a library that is left out.
 * J2. Nothing is judged where a faulty document is a library, or may be one: every call might be to it.
 */

import type { LibraryDocument } from '../document/library.ts';
import type { ReadDocument, SourceFile } from '../document/read.ts';

export interface Documents {
  readonly given: readonly SourceFile[];
  readonly read: readonly ReadDocument[];
  readonly sound: readonly ReadDocument[];
}

const CALL = /"call":"([^"]+)"/g;
const NO_LIBRARY = /^(platform|topology|config):/m;
const LIBRARY = /^library:/m;

/** Those of the sound libraries whose faults are their own. */
export function judgedLibraries(
  { given, read, sound }: Documents,
  platforms: ReadonlyMap<string, unknown>,
): readonly ReadDocument[] {
  const soundFiles = new Set(sound.map(({ file }) => file));
  const kinds = new Map(read.map(({ file, kind }) => [file, kind]));
  const faulty = given.filter(({ file }) => !soundFiles.has(file));
  if (faulty.some(({ file, text }) => kinds.get(file) === 'library' || mayBeLibrary(text))) return [];
  let judged = sound.filter(
    ({ kind, value }) =>
      kind === 'library' && (value as LibraryDocument).imports.every((platform) => platforms.has(platform)),
  );
  const libraries = sound.filter(({ kind }) => kind === 'library');
  for (let before = -1; before !== judged.length; ) {
    before = judged.length;
    const leftOut = new Set(libraries.filter((each) => !judged.includes(each)).flatMap(proceduresOf));
    judged = judged.filter((each) => !callsOf(each).some((name) => leftOut.has(name)));
  }
  return judged;
}

function mayBeLibrary(text: string): boolean {
  return LIBRARY.test(text) || !NO_LIBRARY.test(text);
}

function proceduresOf({ value }: ReadDocument): string[] {
  return Object.keys((value as LibraryDocument).procedures);
}

function callsOf({ value }: ReadDocument): string[] {
  return [...JSON.stringify(value).matchAll(CALL)].map(([, name]) => name!);
}
