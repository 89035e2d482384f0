/**
 * Where the owner of an archive writes what is no segment yet, and how it is known that there is one owner: whoever
 * opens the archive makes a directory `writing-<number>` of its own, and takes those of all others away.
 *
 * P1. A number is taken by making the directory, which succeeds for one process alone, and is above all that are
 *     there. Whoever opens makes its own first, takes the others away, and looks only then at what there is: every
 *     segment of an earlier owner is there by then, or will never be.
 * P2. Nothing becomes a segment, and none stops being one, but by a rename out of the directory of the owner or into
 *     it. An owner that was asleep while another one opened the archive has no such directory any more: the rename
 *     fails, whenever it comes, and the owner knows that it is none (`fenced`). No clock and no bus is asked.
 * P3. A directory is taken away by one rename, so that whoever still writes into it fails from then on; what is in it
 *     is removed afterwards. A damaged segment on its way out of the way is put where it belongs (segment-list.S3).
 */

import type { FileSystem } from './file-system.ts';

export const WRITING = 'writing-';
const TAKEN_AWAY = 'gone-';
/** Damaged segments under way: `aside~<stream>~<name that it gets>`. */
const ASIDE = 'aside~';

/** Code of the refusal to do anything in an archive that another one owns. */
export const FENCED = 'MCS_ARCHIVE_FENCED';

/** Whether a name in the folder of the archive is a stream. */
export function isStream(name: string): boolean {
  return !name.startsWith(WRITING) && !name.startsWith(TAKEN_AWAY);
}

/** Makes the caller the owner (P1), and answers with its directory. Throws where the disk refuses. */
export function takePlace(files: FileSystem, root: string): string {
  let own: string;
  do {
    const numbers = files.list(root).map(numberOf);
    own = `${WRITING}${Math.max(0, ...numbers) + 1}`;
  } while (!files.claimDirectory(`${root}/${own}`));
  for (const name of files.list(root))
    if (name.startsWith(WRITING) && name !== own) takeAway(files, root, name, own);
  files.syncDirectory(root);
  for (const name of files.list(root)) if (name.startsWith(TAKEN_AWAY)) clear(files, root, name);
  return `${root}/${own}`;
}

/** Does what needs the directory of the owner; throws with code `FENCED` where it is not there any more (P2). */
export function asOwner<Done>(files: FileSystem, writing: string, work: () => Done): Done {
  try {
    return work();
  } catch (error) {
    const at = writing.lastIndexOf('/');
    if (files.list(writing.slice(0, at)).includes(writing.slice(at + 1))) throw error;
    const message = `another process has opened the archive: ${writing} is not there any more`;
    throw Object.assign(new Error(message, { cause: error }), { code: FENCED });
  }
}

/** Takes a segment out of the stream, for ever. */
export function discard(files: FileSystem, writing: string, parent: string, names: readonly string[]): void {
  for (const name of names) {
    const away = `${writing}/removed-${name}`;
    files.remove(away);
    if (!files.list(parent).includes(name)) continue;
    files.rename(`${parent}/${name}`, away);
  }
  files.syncDirectory(parent);
  for (const name of names) files.remove(`${writing}/removed-${name}`);
}

/** Gives what stands in the stream another name there (P3). */
export function putAside(
  files: FileSystem,
  writing: string,
  parent: string,
  name: string,
  becomes: string,
): void {
  const stream = parent.slice(parent.lastIndexOf('/') + 1);
  const between = `${writing}/${ASIDE}${stream}~${becomes}`;
  files.rename(`${parent}/${name}`, between);
  files.syncDirectory(parent);
  files.rename(between, `${parent}/${becomes}`);
  files.syncDirectory(parent);
}

/** P3 */
function takeAway(files: FileSystem, root: string, name: string, by: string): void {
  try {
    files.rename(`${root}/${name}`, `${root}/${TAKEN_AWAY}${name.slice(WRITING.length)}-${by}`);
  } catch (error) {
    // Another one that opens the archive was first.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function clear(files: FileSystem, root: string, name: string): void {
  for (const each of files.list(`${root}/${name}`)) {
    const [, stream, becomes] = /^aside~([^~]+)~(.+)$/.exec(each) ?? [];
    if (stream === undefined || becomes === undefined) continue;
    files.rename(`${root}/${name}/${each}`, `${root}/${stream}/${becomes}`);
    files.syncDirectory(`${root}/${stream}`);
  }
  files.remove(`${root}/${name}`);
}

function numberOf(name: string): number {
  const [, number] = /^(?:writing-|gone-)(\d{1,15})/.exec(name) ?? [];
  return Number(number ?? 0);
}
