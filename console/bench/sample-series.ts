/** Samples of a report as series over time, one for each metric. Pure. */

import type { MetricSample } from '../../contract/bench/scenario.ts';

export interface SampleSeries {
  readonly name: string;
  readonly seconds: readonly number[];
  /** Booleans as 0 and 1; null: the board could not report it. */
  readonly values: readonly (number | null)[];
  readonly isBoolean: boolean;
  /** The newest reading. */
  readonly last: MetricSample['value'];
}

/** In the order in which the metrics first occur; those that hold nothing but text have no values. */
export function seriesOf(samples: readonly MetricSample[]): SampleSeries[] {
  const byName = new Map<string, MetricSample[]>();
  for (const sample of samples) {
    const ofName = byName.get(sample.name);
    if (ofName === undefined) byName.set(sample.name, [sample]);
    else ofName.push(sample);
  }
  return [...byName].map(([name, ofName]) => ({
    name,
    seconds: ofName.map(({ elapsed_ms }) => elapsed_ms / 1000),
    values: ofName.map(({ value }) => numberOf(value)),
    isBoolean: ofName.some(({ value }) => typeof value === 'boolean'),
    last: ofName.at(-1)?.value ?? null,
  }));
}

function numberOf(value: MetricSample['value']): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' ? value : null;
}
