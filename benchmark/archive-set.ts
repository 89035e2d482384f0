/**
 * What the archive is measured with: the recorded flight of NOAA-20, and a made set of 1,000 measures in ten packets at
 * 10 Hz: 30 % calibrated counts of a converter, 30 % doubles with noise in every bit, 15 % integers, 20 % booleans and
 * enumerations, 5 % texts.
 */

import type { ValueMessage } from '../archive/gathering.ts';
import { type MeasureColumn, type PlatformColumns, platformColumns } from '../archive/platform-columns.ts';
import { BlockBuilder, type ValueBatch, type ValueBlock, type WideValue } from '../contract/batch.ts';
import { seededRandom } from '../ports/seeded-random.ts';
import { calibrateBatch } from '../telemetry/calibration.ts';
import { demoMission } from './demo-mission.ts';
import { recordedPackets } from './recording.ts';

export interface SampleSet {
  readonly target: string;
  readonly platform: PlatformColumns;
  readonly messages: readonly ValueMessage[];
  readonly samples: number;
  /** From the first row to where the set would begin again. */
  readonly spanMs: number;
}

/** 2026-01-02T00:00:00Z: the beginning of a day. */
export const SET_BEGINS = Date.UTC(2026, 0, 2);

const NOAA = 'jpss-geolocation';
const PACKETS_A_MESSAGE = 60;

/** Two hours, one packet a second, received with some milliseconds of jitter. */
export async function noaaSet(): Promise<SampleSet> {
  const mission = await demoMission();
  const platform = [...mission.platforms.values()].find(({ id }) => id.startsWith(NOAA))!;
  const packets = await recordedPackets();
  const random = seededRandom(20);
  const messages: ValueMessage[] = [];
  for (let at = 0; at < packets.length; at += PACKETS_A_MESSAGE) {
    const builder = new BlockBuilder();
    packets.slice(at, at + PACKETS_A_MESSAGE).forEach((packet, n) => {
      platform.packets.read(packet, SET_BEGINS + (at + n) * 1_000 + Math.floor(random.next() * 20), builder);
    });
    const decoded = { platform: platform.digest, link: 'x-band', blocks: builder.take(), reports: [] };
    const batch = calibrateBatch(decoded, platform, false);
    messages.push(messageOf('noaa20', messages.length, SET_BEGINS + at * 1_000, batch));
  }
  return setOf('noaa20', platformColumns(platform), messages, packets.length * 1_000);
}

export interface MadeSet {
  readonly measures: number;
  readonly packets: number;
  readonly hz: number;
  readonly seconds: number;
}

const LABELS = ['OFF', 'STANDBY', 'ON', 'FAULT'].map((label, number) => [label, number] as const);

/** One message a second with the rows of every packet. */
export function madeSet({ measures, packets, hz, seconds }: MadeSet): SampleSet {
  const platform = {
    digest: `made-${measures}`,
    measures: Array.from({ length: measures }, (_, n) => measureOf(n)),
  };
  const random = seededRandom(measures);
  const each = measures / packets;
  const messages = Array.from({ length: seconds }, (_, second) => {
    const blocks = Array.from({ length: packets }, (_, packet) =>
      blockOf(
        platform,
        Uint32Array.from({ length: each }, (_, n) => packet * each + n),
        second,
        hz,
        () => random.next(),
      ),
    );
    const batch: ValueBatch = {
      platform: platform.digest,
      link: 's-band',
      deferred: false,
      blocks,
      reports: [],
    };
    return messageOf('sat1', second, SET_BEGINS + second * 1_000, batch);
  });
  return setOf('sat1', platform, messages, seconds * 1_000);
}

/** The same again, so many times later. */
export function laterMessage(set: SampleSet, message: ValueMessage, times: number): ValueMessage {
  const shift = times * set.spanMs;
  const blocks = message.batch.blocks.map((block) =>
    Object.assign({}, block, {
      ground: block.ground.map((at) => at + shift),
      onboard: block.onboard.map((at) => at + shift),
    }),
  );
  return {
    target: message.target,
    position: message.position + times * set.messages.length,
    storedMs: message.storedMs + shift,
    batch: Object.assign({}, message.batch, { blocks }),
  };
}

function messageOf(target: string, index: number, storedMs: number, batch: ValueBatch): ValueMessage {
  return { target, position: index + 1, storedMs, batch };
}

function setOf(
  target: string,
  platform: PlatformColumns,
  messages: readonly ValueMessage[],
  spanMs: number,
): SampleSet {
  const sizes = messages.flatMap(({ batch }) => batch.blocks.map(({ value }) => value.length));
  return { target, platform, messages, samples: sizes.reduce((sum, size) => sum + size, 0), spanMs };
}

/** By hundredths of the measures: see above. */
function measureOf(n: number): MeasureColumn {
  const share = n % 20;
  const key = `unit[${Math.floor(n / 20) + 1}].m${share}`;
  if (share < 6) return { key, type: 'u16', unit: 'V', calibrated: true };
  if (share < 12) return { key, type: 'f64', calibrated: false };
  if (share < 15) return { key, type: 'u32', calibrated: false };
  if (share < 17) return { key, type: 'bool', calibrated: false };
  if (share < 19) return { key, type: 'enum', labels: LABELS, calibrated: false };
  return { key, type: 'string', calibrated: false };
}

function blockOf(
  platform: PlatformColumns,
  ordinals: Uint32Array,
  second: number,
  hz: number,
  random: () => number,
): ValueBlock {
  const ground = Float64Array.from(
    { length: hz },
    (_, row) => SET_BEGINS + (second + row / hz) * 1_000 + Math.floor(random() * 20),
  );
  const onboard = Float64Array.from({ length: hz }, (_, row) => SET_BEGINS + (second + row / hz) * 1_000);
  const raw = new Float64Array(hz * ordinals.length);
  const value = new Float64Array(raw.length);
  const wide: [number, WideValue][] = [];
  for (let row = 0; row < hz; row += 1)
    ordinals.forEach((ordinal, column) => {
      const at = row * ordinals.length + column;
      const measure = platform.measures[ordinal]!;
      const time = second + row / hz;
      if (measure.type === 'string') wide.push([at, `step ${Math.floor(time / 30)}`]);
      raw[at] = measure.type === 'string' ? Number.NaN : numberOf(measure.type, ordinal, time, random);
      value[at] = measure.calibrated ? raw[at]! * 0.001_220_703_125 - 1.5 : raw[at]!;
    });
  return { ordinals, ground, onboard, raw, value, wide };
}

function numberOf(type: string, ordinal: number, time: number, random: () => number): number {
  const slow = Math.sin(time / (50 + ordinal) + ordinal);
  if (type === 'u16') return Math.round(2_048 + 1_500 * slow + 4 * random());
  if (type === 'f64') return 20 + 5 * slow + 0.01 * random();
  if (type === 'u32') return Math.floor(time * 10) + ordinal;
  if (type === 'bool') return slow > 0.9 ? 1 : 0;
  return Math.floor((slow + 1) * 1.999);
}
