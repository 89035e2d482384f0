/**
 * The current values of a process, as whoever judges by them asks for them. Mission Control Service, sections 3.1 and
 * 3.2.
 */

import { sameMeasure } from '../mission/measure-meaning.ts';
import type { TargetValues } from '../ports/target-values.ts';
import type { RunningValueFeeds } from './value-feeds.ts';

export function targetValues(
  feeds: Pick<RunningValueFeeds, 'current' | 'position' | 'upToDate'>,
): TargetValues {
  return {
    sample: (target, measure) => {
      const store = feeds.current(target);
      const stored = store && sameMeasure(measure, store.platform);
      return stored && store.sample(stored.ordinal);
    },
    position: (target) => feeds.position(target),
    upToDate: (target) => feeds.upToDate(target),
  };
}
