/** What a route of the bench may reach: the bench in this process, and what the layer needs. */

import type { Registry } from 'prom-client';
import type { Bench } from '../../ports/bench.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import type { AccessTokens } from '../../ports/tokens.ts';
import type { LayerPorts } from '../dialect.ts';

export interface BenchIdentity {
  readonly missions: MissionSource;
  readonly tokens: AccessTokens;
}

export interface BenchPorts extends LayerPorts {
  readonly bench: Bench;
  readonly registry: Registry;
  /** Where who calls is asked as mission control asks it; undefined: nobody is asked. */
  readonly identity: BenchIdentity | undefined;
  /** Whether the process is on its way out. */
  readonly draining: () => boolean;
}
