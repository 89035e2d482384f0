/** What a rule matches, in words. Pure. */

import type { RuleFilter } from '../../../contract/schedule-rule.ts';

/** `at least 20 deg, over kiruna, with uplink`; `every pass` */
export function filterWords(filter: RuleFilter | undefined): string {
  const { min_elevation, station, status, uplink } = filter ?? {};
  const words = [
    status,
    min_elevation === undefined ? undefined : `at least ${min_elevation}`,
    station === undefined ? undefined : `over ${station}`,
    uplink === undefined ? undefined : `${uplink ? 'with' : 'without'} uplink`,
  ].filter((each) => each !== undefined);
  return words.length === 0 ? 'every pass' : words.join(', ');
}
