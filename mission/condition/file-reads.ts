/**
 * The measures of files that conditions read, collected while they are opened: files come and go, so each that is read
 * gets its ordinal from who asks, for as long as that one asks. Mission Control Service, section 2.8.
 *
 * R1. No ordinal of a file is that of a measure of a platform, whatever the roles; the same file measure read by two
 *     conditions that are opened with the same collection has one.
 */

import { fileMeasure } from '../file-measure.ts';
import type { Measure, Platform } from '../platform.ts';
import type { FileOrdinals, FileRead } from './condition.ts';

/** Above every ordinal of a column. */
const FIRST = 2 ** 32;

export class FileReads implements FileOrdinals {
  readonly #reads: FileRead[] = [];

  /** R1 */
  ordinal(read: FileRead): number {
    const same = this.#reads.findIndex(
      ({ platform, component, file, measure }) =>
        platform === read.platform &&
        component === read.component &&
        file === read.file &&
        measure === read.measure,
    );
    return FIRST + (same === -1 ? this.#reads.push(read) - 1 : same);
  }

  /** What the ordinal is of, as the condition found it; undefined for an ordinal of a platform. */
  read(ordinal: number): FileRead | undefined {
    return this.#reads[ordinal - FIRST];
  }

  /** The measure of a platform or of a file that a condition opened with these reads. */
  measure(platform: Platform, ordinal: number): Measure | undefined {
    const read = this.read(ordinal);
    if (read === undefined) return platform.measures[ordinal];
    return fileMeasure(platform, read.component, read.file, read.measure, ordinal);
  }
}
