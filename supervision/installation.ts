/** What the settings of a mission say about the streams of the bus. Mission Control Service, section 6. */

import { buckets, objectStores } from '../contract/bus/buckets.ts';
import { streams } from '../contract/bus/streams.ts';
import type { Settings } from '../mission/mission.ts';
import type { Installation } from '../ports/replication.ts';

export function installationOf({ replicas, alarmRetentionMs, streams: stated }: Settings): Installation {
  const overrides = { ...stated, [streams.alarms.name]: { maxAgeMs: alarmRetentionMs } };
  const runsMs = stated[streams.runs.name]?.maxAgeMs;
  return { replicas, overrides, ...(runsMs !== undefined && { ttls: ttlsOf(runsMs) }) };
}

/** What logs of runs name is kept as long as they are, and programs and uploads for a month more (decision 47). */
function ttlsOf(runsMs: number): Readonly<Record<string, number>> {
  const margin = buckets.programs.ttlMs - streams.runs.maxAgeMs;
  return {
    [buckets.runs.name]: runsMs,
    [buckets.runReports.name]: runsMs,
    [buckets.programs.name]: runsMs + margin,
    [objectStores.uploads.name]: runsMs + margin,
  };
}
