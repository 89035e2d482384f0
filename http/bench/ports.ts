/** What a route of the bench may reach: the bench in this process, and what the layer needs. */

import type { Registry } from 'prom-client';
import type { Bench } from '../../ports/bench.ts';
import type { LayerPorts } from '../dialect.ts';

export interface BenchPorts extends LayerPorts {
  readonly bench: Bench;
  readonly registry: Registry;
  /** Whether the process is on its way out. */
  readonly draining: () => boolean;
}
