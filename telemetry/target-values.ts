/**
 * The current values of a process, as whoever judges by them asks for them. Mission Control Service, sections 3.1 and
 * 3.2.
 */

import type { TargetValues } from '../ports/target-values.ts';
import type { RunningValueFeeds } from './value-feeds.ts';

export function targetValues(
  feeds: Pick<RunningValueFeeds, 'current' | 'position' | 'upToDate'>,
): TargetValues {
  return {
    sample: (target, measure) => feeds.current(target)?.sampleOf(measure),
    position: (target) => feeds.position(target),
    upToDate: (target) => feeds.upToDate(target),
  };
}
