/**
 * The current values of a target as alarms begin with them, from the checkpoint of its telemetry. Mission Control
 * Service, sections 2.2 and 4.4 (evaluation).
 *
 * K1. Only what came in real time counts (MC-ALM-029): behind a deferred sample nothing is known of the measure.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import type { Target } from '../../mission/mission.ts';
import type { KnownSample } from '../../ports/alarm-watch.ts';
import type { Bus } from '../../ports/bus.ts';
import { decodeCheckpoint } from '../checkpoint.ts';
import { CurrentValues } from '../current-values.ts';

/**
 * The current values by the catalogue of the target; none where it has no catalogue or no checkpoint. Rejects with
 * `Outage`.
 */
export async function knownSamples(bus: Bus, { name, platform }: Target): Promise<KnownSample[]> {
  const entry = platform && (await bus.bucket(buckets.values).get(name));
  const checkpoint = entry && (await decodeCheckpoint(entry.value));
  if (platform === undefined || checkpoint === undefined) return [];
  const values = new CurrentValues(platform);
  values.restore(checkpoint.columns);
  return [...values.columnOrdinals()].flatMap((ordinal) => {
    const { value, groundMs, deferred } = values.sample(ordinal)!;
    return deferred ? [] : [{ ordinal, value, at: groundMs }];
  });
}
