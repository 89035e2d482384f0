/** What a schedule keeps of its resolved run. Mission Control Service, sections 2.7 and 4.6 (creation, validation). */

import { createHash } from 'node:crypto';
import { assert } from '../../contract/assert.ts';
import type { ResolvedRun } from '../procedure/resolve-run.ts';
import { formatDuration } from '../quantity.ts';

export interface SchedulePlan {
  /** SHA-256 (hexadecimal) of the resolved run. */
  readonly ir: string;
  /**
   * The same of the run without the revision of the configuration: equal where a configuration that was published again
   * changes nothing of it.
   */
  readonly content: string;
  /** Revision of the configuration it was resolved with. */
  readonly config: string;
  readonly max_duration: string;
  readonly sends: boolean;
  readonly needs_validation: boolean;
}

/** The role whose holders validate schedules (section 4.6). */
export const SUPERVISOR = 'supervisor';

/** Undefined for a run whose duration has no bound: no pass is long enough for it. */
export function planOf({
  ir,
  program,
  canonical,
}: Pick<ResolvedRun, 'ir' | 'program' | 'canonical'>): SchedulePlan | undefined {
  const { config, maxDurationMs, sends, hazardous, policy } = program;
  if (maxDurationMs === null) return undefined;
  return {
    ir,
    config,
    content: createHash('sha256').update(withoutConfig(canonical, config)).digest('hex'),
    max_duration: formatDuration(maxDurationMs),
    sends,
    needs_validation: hazardous && policy.hazardousConfirmation.includes(SUPERVISOR),
  };
}

/** The canonical form of a program as it is without its configuration, which stands first in it. */
function withoutConfig(canonical: string, config: string): string {
  const first = `{"config":${JSON.stringify(config)},`;
  assert(canonical.startsWith(first), 'the first key of a canonical program is config');
  return `{${canonical.slice(first.length)}`;
}
