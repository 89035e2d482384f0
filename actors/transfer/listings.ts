/** Listings as transfers wait for them. Mission Control Service, section 4.7 rules 5 and 8. */

import type { FileDirectory, ListedFile } from '../../ports/file-directory.ts';

type Listener = (target: string, file: string) => void;

export class Listings {
  readonly #directory: Pick<FileDirectory, 'file' | 'watch'>;
  readonly #listed: Listener;
  readonly #waiting = new Set<Listener>();
  readonly #watched = new Map<string, () => void>();

  constructor(directory: Pick<FileDirectory, 'file' | 'watch'>, listed: Listener) {
    this.#directory = directory;
    this.#listed = listed;
  }

  /** Reports each listing of the target from now on. */
  follow(target: string): void {
    if (this.#watched.has(target)) return;
    const forget = this.#directory.watch(target, (file) => {
      this.#listed(target, file);
      for (const waiting of [...this.#waiting]) waiting(target, file);
    });
    this.#watched.set(target, forget);
  }

  leave(target: string): void {
    this.#watched.get(target)?.();
    this.#watched.delete(target);
  }

  stop(): void {
    for (const target of [...this.#watched.keys()]) this.leave(target);
  }

  file(target: string, file: string): ListedFile | undefined {
    return this.#directory.file(target, file);
  }

  /** The listing of the file that fits, the last one or a later; undefined when `signal` ended the wait. */
  fitting(
    name: { readonly target: string; readonly file_id: string },
    fits: (listed: ListedFile) => boolean,
    signal: AbortSignal,
  ): Promise<ListedFile | undefined> {
    return new Promise((resolve) => {
      const end = (listed: ListedFile | undefined): void => {
        this.#waiting.delete(look);
        signal.removeEventListener('abort', aborted);
        resolve(listed);
      };
      const aborted = (): void => end(undefined);
      const look: Listener = (target, file) => {
        if (target !== name.target || file !== name.file_id) return;
        const listed = this.file(target, file);
        if (listed !== undefined && fits(listed)) end(listed);
      };
      if (signal.aborted) return resolve(undefined);
      signal.addEventListener('abort', aborted, { once: true });
      this.#waiting.add(look);
      look(name.target, name.file_id);
    });
  }
}
