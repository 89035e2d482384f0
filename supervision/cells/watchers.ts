/** Those who are notified of the coming and going of entities of one kind: one for each entity. */

import type { Gone } from '../../ports/cells.ts';
import type { Log } from '../../ports/log.ts';
import type { Cell } from './cell.ts';

/** Why a watched entity has no cell any more; only after `asleep` and `restarting` one comes by itself. */
export type Left = Gone | 'asleep' | 'restarting' | 'dropped';

/** Is notified of the coming and going of one entity; see `Kind.watch`. */
export interface EntityWatcher {
  opened(cell: Cell): void;
  left(why: Left): void;
}

export class Watchers {
  readonly #kind: string;
  readonly #log: Log;
  readonly #watchers = new Map<string, EntityWatcher>();

  constructor(kind: string, log: Log) {
    this.#kind = kind;
    this.#log = log;
  }

  add(id: string, watcher: EntityWatcher): () => void {
    this.#watchers.set(id, watcher);
    return () => {
      if (this.#watchers.get(id) === watcher) this.#watchers.delete(id);
    };
  }

  opened(cell: Cell): void {
    this.#notify(cell.id, (watcher) => watcher.opened(cell));
  }

  left(id: string, why: Left): void {
    this.#notify(id, (watcher) => watcher.left(why));
  }

  /** A watcher that throws touches nobody (cell.C8). */
  #notify(id: string, notify: (watcher: EntityWatcher) => void): void {
    const watcher = this.#watchers.get(id);
    if (watcher === undefined) return;
    try {
      notify(watcher);
    } catch (error) {
      this.#watchers.delete(id);
      this.#log.error({ kind: this.#kind, id, err: error }, 'watcher failed');
    }
  }
}
