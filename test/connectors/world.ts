/** Values and events as the service publishes them, for what stores them. */

import { encodeBatch, type ValueBatch, type ValueBlock, type WideValue } from '../../contract/batch.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Platform } from '../../mission/platform.ts';
import type { Bus } from '../../ports/bus.ts';

/** 2026-01-02T03:00:00Z. */
export const HOUR = Date.UTC(2026, 0, 2, 3);

export type Cell = number | WideValue;

export interface MadeRow {
  readonly ground: number;
  readonly onboard?: number;
  readonly cells: readonly Cell[];
  /** Values that are not their raw values. */
  readonly values?: readonly number[];
}

export function blockOf(
  ordinals: readonly number[],
  rows: readonly MadeRow[],
  more: Partial<ValueBlock> = {},
): ValueBlock {
  const wide: [number, WideValue][] = [];
  const raw = new Float64Array(rows.length * ordinals.length);
  const value = new Float64Array(raw.length);
  rows.forEach(({ cells, values }, row) => {
    cells.forEach((cell, column) => {
      const at = row * ordinals.length + column;
      raw[at] = typeof cell === 'number' ? cell : Number.NaN;
      if (typeof cell !== 'number') wide.push([at, cell]);
      value[at] = values?.[column] ?? raw[at]!;
    });
  });
  const block = {
    ordinals: Uint32Array.from(ordinals),
    ground: Float64Array.from(rows, ({ ground }) => ground),
    onboard: Float64Array.from(rows, ({ onboard }) => onboard ?? Number.NaN),
    raw,
    value,
  };
  return Object.assign(block, wide.length > 0 ? { wide } : {}, more);
}

export function batchOf(
  platform: string,
  blocks: readonly ValueBlock[],
  more: Partial<ValueBatch> = {},
): ValueBatch {
  return Object.assign({ platform, link: 'uhf', deferred: false, blocks, reports: [] }, more);
}

export async function publishValues(
  bus: Pick<Bus, 'append'>,
  mission: Mission,
  target: string,
  batch: ValueBatch,
): Promise<void> {
  await bus.append(streams.values, subject.values(target), encodeBatch(batch), {
    headers: { [header.config]: mission.revision },
  });
}

/** The platform of sat1 in the demo mission, and a measure of it by type. */
export function demoPlatform(mission: Mission): Platform {
  return [...mission.platforms.values()].find(({ measures }) =>
    measures.some(({ key }) => key === 'battery[1].voltage'),
  )!;
}
