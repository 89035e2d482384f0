/** How long what cannot wait does wait for an access under way. */

import { BENCH_URGENT_MS } from '../../contract/limits/bench.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Late } from './modem.ts';

export function lateBy(clock: Clock): Late {
  return (until) =>
    new Promise((resolve) => {
      const timer = clock.setTimeout(resolve, BENCH_URGENT_MS);
      const clear = (): void => clock.clearTimeout(timer);
      void until.then(clear, clear);
    });
}
