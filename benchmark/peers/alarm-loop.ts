/**
 * A process that takes messages of values as they come off the bus, packets of NOAA-20 in columns, and keeps the newest
 * of each: with every measure checked against soft and hard limits, and without. No bus: what is compared is the work
 * on a message once it is there.
 */

import { BlockBuilder, decodeBatch, encodeBatch, type ValueBatch } from '../../contract/batch.ts';
import type { Platform } from '../../mission/platform.ts';
import type { AlarmWatch } from '../../ports/alarm-watch.ts';
import { createAlarmWatch } from '../../telemetry/alarms/alarm-watch.ts';
import { calibrateBatch } from '../../telemetry/calibration.ts';
import { CurrentValues } from '../../telemetry/current-values.ts';
import { demoMission } from '../demo-mission.ts';
import { answerCalls, ownCpuUs } from '../peer-side.ts';
import { recordedPackets } from '../recording.ts';

interface Wanted {
  readonly ms: number;
  readonly checked: boolean;
  readonly crossing: boolean;
}

/** Nothing of the recording is outside. */
const SOFT = [-1e12, 1e12] as const;
const HARD = [-1e15, 1e15] as const;
const CRITICAL = 1e16;
/** A measure crosses its limits with every twentieth sample: 5 %. */
const SAMPLES_PER_EDGE = 20;
const STEP_MS = 1_000;

let platform: Platform;
let quiet: Uint8Array[] = [];
let crossing: Uint8Array[] = [];
let edges = 0;
let store: CurrentValues;
let watch: AlarmWatch;
/** Time goes on from turn to turn: what is older than the last sample would not be looked at. */
let now = Date.now();
let position = 0;

async function prepare({ packets }: { packets: number }): Promise<void> {
  platform = limited((await demoMission()).platforms.get('jpss-geolocation@1.0.0')!);
  const recorded = await recordedPackets();
  const batches: ValueBatch[] = [];
  for (let from = 0; from + packets <= recorded.length; from += packets) {
    batches.push(batchOf(recorded.slice(from, from + packets)));
  }
  quiet = batches.map(encodeBatch);
  for (const batch of batches) cross(batch);
  crossing = batches.map(encodeBatch);
  store = new CurrentValues(platform);
  watch = createAlarmWatch({
    platform,
    tell: () => {
      edges += 1;
    },
  });
}

/** The platform with limits on every measure. */
function limited(bare: Platform): Platform {
  const measures = bare.measures.map((measure) => ({
    ...measure,
    definition: { ...measure.definition, soft: SOFT, hard: HARD },
  }));
  return { ...bare, measures };
}

function batchOf(packets: readonly Buffer[]): ValueBatch {
  const into = new BlockBuilder();
  for (const [row, packet] of packets.entries()) platform.packets.read(packet, row * STEP_MS, into);
  const decoded = { platform: platform.digest, link: 'replay', blocks: into.take(), reports: [] };
  return calibrateBatch(decoded, platform, false);
}

function cross({ blocks }: ValueBatch): void {
  for (const { value, ordinals } of blocks) {
    for (let index = 0; index < value.length; index += 1) {
      const row = Math.floor(index / ordinals.length);
      const column = index % ordinals.length;
      const outside = Math.floor((row + column) / SAMPLES_PER_EDGE) % 2 === 1;
      if (outside) value[index] = CRITICAL;
    }
  }
}

/** Takes messages for `ms`; resolves with what it took. */
function turn({ ms, checked, crossing: crosses }: Wanted) {
  const messages = crosses ? crossing : quiet;
  const before = { cpuUs: ownCpuUs(), edges };
  let samples = 0;
  const start = performance.now();
  while (performance.now() - start < ms) {
    const batch = decodeBatch<ValueBatch>(messages[position % messages.length]!);
    position += 1;
    samples += take(batch, checked);
  }
  const tookMs = performance.now() - start;
  return { samples, ms: tookMs, cpuUs: ownCpuUs() - before.cpuUs, edges: edges - before.edges };
}

function take(batch: ValueBatch, checked: boolean): number {
  let samples = 0;
  for (const { ground, value } of batch.blocks) {
    for (let row = 0; row < ground.length; row += 1) ground[row] = now + row * STEP_MS;
    now += ground.length * STEP_MS;
    samples += value.length;
  }
  store.apply(batch);
  if (checked) watch.apply(batch, position);
  return samples;
}

answerCalls({ prepare, turn });
