/**
 * The recorded runs of one kind: written by their cells, read here. RF Bench Service, sections 2 and 4.
 *
 * O1. What is shown of a run is what is durable: a view is made of each committed revision, and of nothing else.
 * O3. A record that cannot be read hides no other: it is named in the log, left where it is, and not shown.
 * O2. At most so many are kept; the oldest that are over go first, and never one under way.
 */

import { Outage } from '../../../contract/outage.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Envelope, Store, Stored } from '../../../ports/entity.ts';

/** A store that also lists everything it holds: `createSnapshotStore` of the runtime. */
export interface RunStore extends Store {
  /** `unreadable` is called with what each entry is named that cannot be read. */
  list(unreadable: (id: string) => void): Promise<readonly Stored[]>;
  /** Forgets a run that is over. */
  remove(id: string): Promise<void>;
}

interface RecordsOptions<View> {
  readonly store: RunStore;
  readonly clock: Clock;
  /** Undefined where none can be made of it. */
  readonly viewOf: (envelope: Envelope) => View | undefined;
  readonly isOver: (view: View) => boolean;
  /** Earlier ones have the lesser key. */
  readonly orderOf: (view: View) => string;
  readonly kept: number;
  /** The record of a run cannot be read (O3). */
  readonly unreadable: (id: string) => void;
  /** A run was forgotten. */
  readonly forgotten: (id: string) => void;
  /** The store did not let a run be forgotten. */
  readonly notForgotten: (id: string, error: unknown) => void;
}

export class RunRecords<View> {
  readonly #options: RecordsOptions<View>;
  /** Oldest first. */
  readonly #views = new Map<string, View>();
  readonly #watchers = new Set<() => void>();

  constructor(options: RecordsOptions<View>) {
    this.#options = options;
  }

  /** Reads what the store holds. */
  async load(): Promise<void> {
    const { store, viewOf, orderOf, unreadable } = this.#options;
    const views: [string, View][] = [];
    for (const { envelope } of await store.list(unreadable)) {
      const view = viewOf(envelope);
      if (view === undefined) unreadable(envelope.id);
      else views.push([envelope.id, view]);
    }
    views.sort(([, one], [, other]) => (orderOf(one) < orderOf(other) ? -1 : 1));
    for (const [id, view] of views) this.#views.set(id, view);
    this.#trim();
  }

  /** The store that cells write to. */
  get store(): Store {
    const { store } = this.#options;
    return {
      load: (id) => store.load(id),
      commit: async (commit) => {
        const envelope = commit.envelope();
        const committed = await store.commit(commit);
        if (committed.outcome === 'committed') this.#changed(commit.id, envelope);
        return committed;
      },
    };
  }

  get(id: string): View | undefined {
    return this.#views.get(id);
  }

  /** Newest first. */
  list(): View[] {
    return [...this.#views.values()].reverse();
  }

  entries(): IterableIterator<[string, View]> {
    return this.#views.entries();
  }

  /** The view of a run once it holds; what it is by then when the time is over. */
  until(id: string, holds: (view: View) => boolean, withinMs: number): Promise<View | undefined> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const leave = (): void => {
        clock.clearTimeout(timer);
        this.#watchers.delete(look);
        resolve(this.#views.get(id));
      };
      const look = (): void => {
        const view = this.#views.get(id);
        if (view !== undefined && holds(view)) leave();
      };
      const timer = clock.setTimeout(leave, withinMs);
      this.#watchers.add(look);
      look();
    });
  }

  #changed(id: string, envelope: Envelope): void {
    const view = this.#options.viewOf(envelope);
    if (view !== undefined) this.#views.set(id, view);
    for (const look of [...this.#watchers]) look();
    this.#trim();
  }

  #trim(): void {
    const { kept, isOver } = this.#options;
    let over = this.#views.size - kept;
    for (const [id, view] of this.#views) {
      if (over <= 0) return;
      if (!isOver(view)) continue;
      this.#views.delete(id);
      over -= 1;
      void this.#forget(id);
    }
  }

  /** One that an outage leaves behind is forgotten at the next start. */
  async #forget(id: string): Promise<void> {
    const { store, forgotten, notForgotten } = this.#options;
    try {
      await store.remove(id);
      forgotten(id);
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      notForgotten(id, error);
    }
  }
}
