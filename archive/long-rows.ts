/**
 * What is rare, one row for each sample: rows of which there are too few for a file of their shape, blocks that are no
 * row, measures of files on board. All targets share one file of a segment.
 *
 * L1. In order of target, measure, time and position, so that one measure of one target stands together.
 * L2. Numbers stand in `number`, everything else in `text`: labels, strings, bytes as hexadecimal, and the digits of
 *     integers that no double holds. `type` says what they are.
 * L3. A measure of a file that is not known any more is a sample without a value: NaN and null.
 */

import type { FileSample } from '../contract/batch.ts';
import { sampledValue } from '../telemetry/reading/file-samples.ts';
import type { Cells, Column } from './cells.ts';
import type { GatheredBlock, GatheredFamily, GatheredFile } from './gathering.ts';
import { fileKey, type MeasureColumn } from './platform-columns.ts';
import { sampleTimes } from './target-rows.ts';

export interface LongRow {
  readonly target: string;
  readonly measure: string;
  readonly type: string;
  readonly platform: string;
  readonly deferred: boolean;
  readonly time: number;
  readonly ground: number;
  readonly position: number;
  readonly link: string;
  readonly superseded: boolean;
  /** NaN where there is none. */
  readonly number: number;
  readonly text: string | null;
  readonly rawNumber: number;
  readonly rawText: string | null;
}

export const LONG_COLUMNS: readonly Column[] = [
  { name: 'target', kind: 'text', nullable: false },
  { name: 'measure', kind: 'text', nullable: false },
  { name: 'type', kind: 'text', nullable: false },
  { name: 'platform', kind: 'text', nullable: false },
  { name: 'deferred', kind: 'bool', nullable: false },
  { name: 'time', kind: 'us', nullable: false },
  { name: 'time_ms', kind: 'f64', nullable: false },
  { name: 'ground_time_ms', kind: 'f64', nullable: false },
  { name: 'position', kind: 'count', nullable: false },
  { name: 'link', kind: 'text', nullable: false },
  { name: 'superseded', kind: 'bool', nullable: false },
  { name: 'number', kind: 'f64', nullable: false },
  { name: 'text', kind: 'text', nullable: true },
  { name: 'raw_number', kind: 'f64', nullable: false },
  { name: 'raw_text', kind: 'text', nullable: true },
];

export function rowsOfFamily({ family, targets }: GatheredFamily, target: string): LongRow[] {
  return (targets.get(target) ?? []).flatMap((gathered) => {
    const wide = new Map(gathered.block.wide);
    const superseded = new Set(gathered.block.superseded);
    return Array.from(gathered.block.value, (_, index) =>
      sampleRow(family.measures[index % family.measures.length]!, gathered, index, {
        target,
        platform: family.platform,
        deferred: family.deferred,
        superseded: superseded.has(index),
        wide: wide.has(index) ? String(wide.get(index)) : null,
      }),
    );
  });
}

/** What a sample has beside what its block says. */
export interface Rest extends Pick<LongRow, 'target' | 'platform' | 'deferred' | 'superseded'> {
  readonly wide: string | null;
}

/** The sample at an index of `value` of a block. */
export function sampleRow(
  measure: MeasureColumn,
  gathered: GatheredBlock,
  index: number,
  rest: Rest,
): LongRow {
  const { block, position, storedMs, link } = gathered;
  const { wide, target, platform, deferred, superseded } = rest;
  const row = Math.floor(index / block.ordinals.length);
  const value = block.value[index]!;
  const label = measure.labels?.find(([, number]) => number === value)?.[0] ?? null;
  return {
    target,
    measure: measure.key,
    type: measure.type,
    platform,
    deferred,
    ...sampleTimes(block.onboard[row]!, block.ground[row]!, storedMs),
    position,
    link,
    superseded,
    number: measure.labels === undefined ? value : Number.NaN,
    text: measure.labels === undefined ? (measure.calibrated ? null : wide) : label,
    rawNumber: block.raw[index]!,
    rawText: wide,
  };
}

const FILE_TYPES = {
  file_type: 'u32',
  size: 'u64',
  generation: 'u64',
  checksum: 'bytes',
  transfer: 'string',
} as const;

const FILE_NAMES = Object.keys(FILE_TYPES) as (keyof typeof FILE_TYPES)[];

/** How many rows are made of a sample of a file. */
export function rowsInFile(sample: FileSample): number {
  return FILE_NAMES.filter((name) => sampledValue(sample, name) !== undefined).length;
}

/** What a sample of a file on board says, a row for each of its measures (L3). */
export function rowsOfFile({
  sample,
  target,
  position,
  storedMs,
  link,
  deferred,
  platform,
}: GatheredFile): LongRow[] {
  const times = sampleTimes(sample.onboard, sample.ground, storedMs);
  return FILE_NAMES.flatMap((name): LongRow[] => {
    const value = sampledValue(sample, name);
    if (value === undefined) return [];
    const [number, text] = typeof value === 'number' ? [value, null] : [Number.NaN, value];
    const { time, ground } = times;
    const measure = fileKey(platform, sample.file, name);
    const common = { target, measure, type: FILE_TYPES[name], platform: platform.digest, deferred };
    const stands = { time, ground, position, link, superseded: false };
    return [Object.assign(common, stands, { number, text, rawNumber: number, rawText: text })];
  });
}

/** In the order of the file (L1); rows that are equal in it stay as they come. */
export function sortLongRows(rows: LongRow[]): LongRow[] {
  return rows.sort(
    (one, other) =>
      textOrder(one.target, other.target) ||
      textOrder(one.measure, other.measure) ||
      one.time - other.time ||
      one.position - other.position,
  );
}

export function textOrder(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export function longCells(rows: readonly LongRow[]): Cells[] {
  const numbers = (take: (row: LongRow) => number): Float64Array => Float64Array.from(rows, take);
  return [
    rows.map(({ target }) => target),
    rows.map(({ measure }) => measure),
    rows.map(({ type }) => type),
    rows.map(({ platform }) => platform),
    numbers(({ deferred }) => Number(deferred)),
    numbers(({ time }) => time),
    numbers(({ time }) => time),
    numbers(({ ground }) => ground),
    numbers(({ position }) => position),
    rows.map(({ link }) => link),
    numbers(({ superseded }) => Number(superseded)),
    numbers(({ number }) => number),
    rows.map(({ text }) => text),
    numbers(({ rawNumber }) => rawNumber),
    rows.map(({ rawText }) => rawText),
  ];
}

/** The rows whose place `take` answers true for. */
export function longRowsOf(cells: readonly Cells[], take: (row: number) => boolean): LongRow[] {
  const texts = (column: number): readonly (string | null)[] => cells[column] as readonly (string | null)[];
  const numbers = (column: number): Float64Array => cells[column] as Float64Array;
  const rows: LongRow[] = [];
  for (let row = 0; row < numbers(6).length; row += 1) {
    if (!take(row)) continue;
    rows.push({
      target: texts(0)[row]!,
      measure: texts(1)[row]!,
      type: texts(2)[row]!,
      platform: texts(3)[row]!,
      deferred: numbers(4)[row] === 1,
      time: numbers(6)[row]!,
      ground: numbers(7)[row]!,
      position: numbers(8)[row]!,
      link: texts(9)[row]!,
      superseded: numbers(10)[row] === 1,
      number: numbers(11)[row]!,
      text: texts(12)[row]!,
      rawNumber: numbers(13)[row]!,
      rawText: texts(14)[row]!,
    });
  }
  return rows;
}
