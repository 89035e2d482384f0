/**
 * Whether a file is on board as it was sent, by the listings behind the end of its writing. Mission Control Service,
 * section 4.7 rule 8.
 *
 * U1. The first listing with the right checksum says so.
 * U2. One with another checksum counts when it was surely made behind the end, by its time on board too and by more
 *     than clocks may differ, or when one that was made later says the same. A listing of before the end that comes
 *     late, or is dated by a clock that is ahead, shows a file that is half written, and CORRUPTED is for ever. The
 *     same listing received again says nothing more than before.
 * U3. One of a later generation proves nothing about it and ends the wait: a listing of its own that was made before
 *     comes too late (known-files.K1), and one that is made later shows another file under the same number.
 */

import { CLOCK_SKEW_MS } from '../../contract/limits/membership.ts';
import type { Comparison } from '../../machines/transfer/protocol.ts';
import type { ListedFile } from '../../ports/file-directory.ts';

interface UploadChecking {
  /** When the last byte was acknowledged, ms since 1970. */
  readonly endedAt: number;
  readonly generation: number;
  /**
   * The next listing of the file that was received behind that time, or one of a later generation; undefined: it is not
   * waited for any more.
   */
  readonly next: (afterMs: number) => Promise<ListedFile | undefined>;
  readonly compare: (checksum: string | undefined) => Promise<Comparison>;
}

/** What its checksum came to; undefined where the wait was ended. */
export async function checkUpload({
  endedAt,
  generation,
  next,
  compare,
}: UploadChecking): Promise<Comparison | undefined> {
  let doubted: { readonly checksum: string | undefined; readonly madeAt: number } | undefined;
  for (let after = endedAt; ; ) {
    const listed = await next(after);
    if (listed === undefined) return undefined;
    const { checksum, listedAt, madeAt = listedAt, generation: onBoard = generation } = listed;
    if (onBoard > generation) return { outcome: 'rewritten', generation: onBoard };
    const comparison = await compare(checksum);
    const isBehind = madeAt > endedAt + CLOCK_SKEW_MS;
    if (comparison.outcome !== 'differs' || isBehind) return comparison;
    if (doubted === undefined || madeAt > doubted.madeAt) {
      if (doubted !== undefined && checksum === doubted.checksum) return comparison;
      doubted = { checksum, madeAt };
    }
    after = listedAt;
  }
}
