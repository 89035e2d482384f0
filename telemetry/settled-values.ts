/**
 * The current values of a process for who judges by them: found by measure, whatever catalogue is the present one. Mission
 * Control Service, section 3.2.
 */

import { meansTheSame } from '../mission/measure-meaning.ts';
import type { Measure } from '../mission/platform.ts';
import type { SettledValues } from '../ports/target-values.ts';
import type { CurrentValues } from './current-values.ts';
import type { RunningValueFeeds } from './value-feeds.ts';

export function settledValues(feeds: Pick<RunningValueFeeds, 'current' | 'upToDate'>): SettledValues {
  return {
    sample: (target, measure) => sampleOf(feeds.current(target), measure),
    upToDate: (target) => feeds.upToDate(target),
  };
}

function sampleOf(store: CurrentValues | undefined, measure: Measure) {
  const ordinal = store?.platform.ordinal(measure.key);
  if (store === undefined || ordinal === undefined) return undefined;
  return meansTheSame(store.platform.measures[ordinal], measure) ? store.sample(ordinal) : undefined;
}
