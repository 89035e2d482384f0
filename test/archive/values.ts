/** Platforms and messages of every kind of value, and what the archive is to answer of them. */

import type { ValueMessage } from '../../archive/gathering.ts';
import { columnOf, type MeasureColumn, type PlatformColumns } from '../../archive/platform-columns.ts';
import type { ValueBatch, ValueBlock, WideValue } from '../../contract/batch.ts';
import type { HistorySample, SampleValue } from '../../contract/history.ts';

/** 2026-01-02T03:00:00Z: the beginning of an hour. */
export const HOUR = Date.UTC(2026, 0, 2, 3);

const LABELS = [
  ['SAFE', 0],
  ['NOMINAL', 1],
  ['BOOT', 7],
] as const;

/** One measure of each type, in two packets: even and odd ordinals. */
export const MEASURES: readonly MeasureColumn[] = [
  { key: 'power.f64', type: 'f64', unit: 'V', calibrated: false },
  { key: 'power.f32', type: 'f32', calibrated: false },
  { key: 'power.u8', type: 'u8', calibrated: false },
  { key: 'power.u32', type: 'u32', calibrated: false },
  { key: 'power.i64', type: 'i64', calibrated: false },
  { key: 'power.u64', type: 'u64', calibrated: false },
  { key: 'power.flag', type: 'bool', calibrated: false },
  { key: 'power.name', type: 'string', calibrated: false },
  { key: 'power.blob', type: 'bytes', calibrated: false },
  { key: 'power.mode', type: 'enum', labels: LABELS, calibrated: false },
  { key: 'battery[1].voltage', type: 'u16', unit: 'V', calibrated: true },
  { key: 'battery[2].voltage', type: 'u16', unit: 'V', calibrated: true },
];

export const PLATFORM: PlatformColumns = { digest: 'digest-1', measures: MEASURES, files: 'storage' };

export type Cell = number | WideValue;

/** A block of rows of cells; what no double holds is wide. */
export function blockOf(
  ordinals: readonly number[],
  rows: readonly { readonly ground: number; readonly onboard?: number; readonly cells: readonly Cell[] }[],
  more: Partial<ValueBlock> = {},
): ValueBlock {
  const wide: [number, WideValue][] = [];
  const raw = new Float64Array(rows.length * ordinals.length);
  const value = new Float64Array(raw.length);
  rows.forEach(({ cells }, row) => {
    cells.forEach((cell, column) => {
      const at = row * ordinals.length + column;
      raw[at] = typeof cell === 'number' ? cell : Number.NaN;
      if (typeof cell !== 'number') wide.push([at, cell]);
      value[at] = columnOf(PLATFORM, ordinals[column]!).calibrated ? raw[at]! * 0.001 : raw[at]!;
    });
  });
  const block = {
    ordinals: Uint32Array.from(ordinals),
    ground: Float64Array.from(rows, ({ ground }) => ground),
    onboard: Float64Array.from(rows, ({ onboard }) => onboard ?? Number.NaN),
    raw,
    value,
  };
  return Object.assign(block, wide.length === 0 ? {} : { wide }, more);
}

export function messageOf(
  position: number,
  blocks: readonly ValueBlock[],
  more: Partial<ValueBatch & ValueMessage> = {},
): ValueMessage {
  const { target = 'sat1', storedMs = HOUR + position, deferred = false, link = 'uhf', files } = more;
  const batch: ValueBatch = { platform: PLATFORM.digest, link, deferred, blocks, reports: [] };
  return { target, position, storedMs, batch: files === undefined ? batch : Object.assign(batch, { files }) };
}

/** What the samples of a message are, by the contract of batches alone. */
export function samplesOf(
  { position, batch }: Pick<ValueMessage, 'position' | 'batch'>,
  platform: PlatformColumns = PLATFORM,
): (HistorySample & { readonly key: string })[] {
  return batch.blocks.flatMap((block) => {
    const wide = new Map(block.wide);
    return Array.from(block.value, (value, index) => {
      const column = index % block.ordinals.length;
      const row = Math.floor(index / block.ordinals.length);
      const measure = columnOf(platform, block.ordinals[column]!);
      const onboard = block.onboard[row]!;
      const sample = {
        key: measure.key,
        measure: 0,
        value: sampleValue(measure, value, wide.get(index)),
        time: Number.isNaN(onboard) ? block.ground[row]! : onboard,
        ground: block.ground[row]!,
        position,
        link: batch.link,
        deferred: batch.deferred || block.deferred === true,
      };
      const raw = rawValue(measure, block.raw[index]!, wide.get(index), sample.value);
      if (raw !== undefined) Object.assign(sample, { raw });
      if (block.superseded?.includes(index)) Object.assign(sample, { superseded: true });
      return sample;
    });
  });
}

function sampleValue(
  { labels, calibrated, type }: MeasureColumn,
  value: number,
  wide: WideValue | undefined,
): SampleValue {
  if (labels !== undefined) return labels.find(([, number]) => number === value)?.[0] ?? null;
  if (wide !== undefined && !calibrated) return wide;
  if (Number.isNaN(value)) return null;
  return type === 'bool' ? value === 1 : value;
}

function rawValue(
  { labels, calibrated }: MeasureColumn,
  raw: number,
  wide: WideValue | undefined,
  value: SampleValue,
): SampleValue | undefined {
  const said = wide ?? (Number.isNaN(raw) ? undefined : raw);
  return (labels !== undefined || calibrated) && said !== value ? said : undefined;
}
