/**
 * A file of passes, or of snapshots of them: what it holds is checked by the service; known here is only which of the
 * two it is.
 */

import { type EntryWords, fileName, readEntries } from './entries-file.ts';

export type PassFile =
  | { readonly kind: 'passes'; readonly passes: readonly unknown[] }
  | { readonly kind: 'snapshots'; readonly snapshots: readonly unknown[] };

const WORDS: EntryWords = { one: 'a pass', many: 'passes', fields: 'id, target, station, aos, los, …' };

/** What the file holds; throws where it cannot be read, with file, line and remedy. */
export async function readPassFile(file: string): Promise<PassFile> {
  const entries = await readEntries(file, WORDS);
  const snapshots = entries.filter((entry) => Object.hasOwn(entry, 'passes'));
  if (snapshots.length === 0) return { kind: 'passes', passes: entries };
  if (snapshots.length === entries.length) return { kind: 'snapshots', snapshots };
  throw new Error(
    `${fileName(file)} has both passes and snapshots of them (write each kind into a file of its own)`,
  );
}
