/** How the archive of this process stands, wherever in the tree its owner is just now. */

import type { ArchiveHealth } from '../../ports/archive-health.ts';

export class ArchiveWatch implements ArchiveHealth {
  #read: (() => ArchiveHealth | undefined) | undefined;

  get trouble(): string | undefined {
    return this.#read?.()?.trouble;
  }

  get setAside(): number {
    return this.#read?.()?.setAside ?? 0;
  }

  /** From now on that one is read, until the result is called. */
  of(read: () => ArchiveHealth | undefined): () => void {
    this.#read = read;
    return () => {
      if (this.#read === read) this.#read = undefined;
    };
  }
}
