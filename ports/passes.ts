/** The passes of every target, as they are known in this process. */

import type { StoredPass } from '../contract/pass.ts';
import type { CurrentPasses } from '../mission/pass/serving-gateway.ts';

export interface Passes extends CurrentPasses {
  /** Whether it has every pass there is, now: false before the first reading, and while the bus is away. */
  readonly live: boolean;
  /** The pass of a target by its identifier, or by that of a contribution. */
  find(target: string, name: string): StoredPass | undefined;
  /** Calls the listener at each change from now on; returns how to end it. */
  onChange(listener: (change: { readonly target: string; readonly id: string }) => void): () => void;
}
