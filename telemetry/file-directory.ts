/**
 * The current values of a process as whoever transfers files asks for them: what was listed, and when something is.
 * Mission Control Service, section 2.8.
 */

import type { FileDirectory, ListedFile } from '../ports/file-directory.ts';
import type { KnownFile } from './files/file-values.ts';
import type { RunningValueFeeds } from './value-feeds.ts';

export function fileDirectory(
  feeds: Pick<RunningValueFeeds, 'current' | 'upToDate' | 'watch'>,
): FileDirectory {
  return {
    file: (target, file) => listedIn(feeds.current(target)?.files?.file(file)),
    upToDate: (target) => feeds.upToDate(target),
    watch: (target, listed) =>
      feeds.watch(target, (changed, { files, platform }) => {
        if (files === undefined) return;
        const found = new Set<string>();
        for (const ordinal of changed) {
          // Those of files stand behind those of the catalogue.
          const named = ordinal < platform.measures.length ? undefined : files.named(ordinal);
          if (named !== undefined && named.name !== 'transfer') found.add(named.id);
        }
        for (const file of found) listed(file);
      }),
  };
}

/** A file of which only the state of a transfer is known was never listed. */
function listedIn(known: KnownFile | undefined): ListedFile | undefined {
  if (known?.listedMs === undefined) return undefined;
  const { fileType, size, checksum, generation, listedMs, listedOnboardMs = listedMs, transferMs } = known;
  const madeAt = Math.min(listedMs, listedOnboardMs);
  return { fileType, size, checksum, generation, listedAt: listedMs, madeAt, statedAt: transferMs };
}
