/** The current value of one measure as the console has it. Pure. */

import { numberIn } from '../../../contract/shown-value.ts';
import type { Sample } from '../../../contract/value.ts';

export interface LiveValue {
  readonly name: string;
  sample: Sample;
  /** ms since 1970, when the ground received it. */
  groundAt: number;
  readonly spark: number[];
  /** Times in s and values since it is plotted; undefined where it is not. */
  tail: { readonly times: number[]; readonly values: number[] } | undefined;
}

/** `component[instance].measure`, as people and routes write it. */
export function measureName(component: string, instance: string | undefined, measure: string): string {
  return `${component}${instance === undefined ? '' : `[${instance}]`}.${measure}`;
}

/** What can be drawn over time: a number, and 0 or 1 for a boolean. */
export function numberOf(value: Sample['value']): number | undefined {
  return typeof value === 'boolean' ? Number(value) : numberIn(value);
}
