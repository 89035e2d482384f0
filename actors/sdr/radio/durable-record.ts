/**
 * What readers may see of the record of the radio: an apply that is done and not yet durable is not shown. RF Bench
 * Service, section 4, rule 4.
 *
 * V1. An epoch that was shown is durable, so that no later life gives it to another apply.
 */

import type { RadioContext } from '../../../machines/bench/radio-protocol.ts';
import type { RadioRecord } from '../../../machines/bench/radio-record.ts';
import type { Commit, Committed, Store, Stored } from '../../../ports/entity.ts';

/** The store of the cell, which remembers what is durable. */
export class DurableRecord implements Store {
  readonly #store: Store;
  /** Of this life; until its first commit nothing is done in it, and everything there is comes from the record. */
  #durable: RadioRecord | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** As this life wrote it last. */
  get written(): RadioRecord | undefined {
    return this.#durable;
  }

  load(id: string): Promise<Stored | undefined> {
    return this.#store.load(id);
  }

  async commit(commit: Commit): Promise<Committed> {
    const committed = await this.#store.commit(commit);
    if (committed.outcome === 'committed') this.#note(commit.envelope().snapshot);
    return committed;
  }

  /** As readers see it (V1); of a lost board nothing stays applied. */
  shown(context: RadioContext): RadioContext {
    const { record } = context;
    const durable = this.#durable;
    if (durable === undefined || record.epoch <= durable.epoch) return context;
    return {
      ...context,
      record: { ...durable, applied: record.applied && durable.applied, proof: undefined },
    };
  }

  #note(snapshot: unknown): void {
    const { context } = snapshot as { readonly context: RadioContext };
    this.#durable = context.record;
  }
}
