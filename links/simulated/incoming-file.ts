/**
 * A file that is on its way to the memory of a simulated spacecraft: nobody sees it there before all of it came.
 *
 * I1. What it takes of the memory is taken at once; `discard` gives it back.
 */

import { WrittenContent } from './file-content.ts';
import type { OnboardFiles } from './onboard-files.ts';

export class IncomingFile {
  readonly #id: number;
  readonly #files: OnboardFiles;
  readonly #content = new WrittenContent();
  #isOver = false;

  constructor(id: number, files: OnboardFiles) {
    this.#id = id;
    this.#files = files;
  }

  /** Whether there is room for the bytes. */
  write(offset: number, bytes: Buffer): boolean {
    const { pages } = this.#files;
    const added = this.#content.pagesFor(offset, bytes.length);
    if (this.#isOver || !pages.has(added)) return false;
    pages.take(added);
    this.#content.write(offset, bytes);
    return true;
  }

  /** It is a file now. */
  keep(): void {
    if (!this.#isOver) this.#files.keep(this.#id, this.#content);
    this.#isOver = true;
  }

  discard(): void {
    if (!this.#isOver) this.#files.pages.giveBack(this.#content.pages);
    this.#isOver = true;
  }
}
