/**
 * How long clients ask a server to wait for a buffer. libiio asks on the connection of its context, and opens and reads
 * each buffer over another one.
 *
 * A1. What is asked holds for all connections from one address, the last word counts, and it is forgotten with the last
 *     of them. iiod itself keeps one time for everybody.
 */

import { IIOD_TIMEOUT_LONGEST_MS, IIOD_TIMEOUT_MS } from '../../contract/limits/bench.ts';

export interface AskedWait {
  readonly timeoutMs: number;
  /** 0: without end. */
  ask(ms: number): void;
  leave(): void;
}

export class AskedWaits {
  readonly #byAddress = new Map<string, { timeoutMs: number; connections: number }>();

  join(address: string): AskedWait {
    const shared = this.#byAddress.get(address) ?? { timeoutMs: IIOD_TIMEOUT_MS, connections: 0 };
    shared.connections += 1;
    this.#byAddress.set(address, shared);
    return {
      get timeoutMs() {
        return shared.timeoutMs;
      },
      ask: (ms) => {
        shared.timeoutMs = Math.min(ms || IIOD_TIMEOUT_LONGEST_MS, IIOD_TIMEOUT_LONGEST_MS);
      },
      leave: () => {
        shared.connections -= 1;
        if (shared.connections === 0) this.#byAddress.delete(address);
      },
    };
  }
}
