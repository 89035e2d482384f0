/**
 * Gathered samples written as a segment.
 *
 * P1. Rows of a family stand in files with the columns that all of them have in common. Where that cannot be written,
 *     though no rows alone are at fault, each shape has a file of its own, and what fails there, too, is kept sample
 *     by sample: no combination of targets holds the archive up.
 */

import { ARCHIVE_EVENT_ROWS, ARCHIVE_ROWS_LEAST, ARCHIVE_SEGMENT_FILES } from '../contract/limits/archive.ts';
import type { EventRow } from './event-rows.ts';
import type { FileSystem } from './file-system.ts';
import type { GatheredBlock, GatheredFamily, Gathering } from './gathering.ts';
import { type LongRow, rowsOfFamily, rowsOfFile, sortLongRows, textOrder } from './long-rows.ts';
import type { Manifest } from './manifest.ts';
import { commonShape, reshaped, type Shape, type ShapeRows, TIME } from './row-shape.ts';
import { type Covered, type FileDraft, type Places, SegmentDraft } from './segment-draft.ts';
import { targetRows } from './target-rows.ts';

/** The segment of what was gathered. Throws where the disk does not take it; nothing is left of it then. */
export function writePart(
  files: FileSystem,
  places: Places,
  covered: Covered,
  gathering: Gathering,
): Manifest {
  const draft = new SegmentDraft(files, places, covered);
  try {
    const written = new Map<GatheredFamily, ReadonlySet<string>>();
    for (const family of familiesWithColumns(gathering)) written.set(family, writeFamily(draft, family));
    writeLong(draft, rareRows(gathering, written));
    writeEvents(draft, [gathering.events]);
    return draft.commit();
  } catch (error) {
    draft.abandon();
    throw error;
  }
}

/** Families with a file of their own: those with the most rows, if they are too many. */
function familiesWithColumns({ families }: Gathering): GatheredFamily[] {
  const sized = [...families.values()]
    .filter((family) => family.wide && commonTargets(family).length > 0)
    .map((family) => ({
      family,
      rows: [...family.targets.values()].reduce((sum, blocks) => sum + rowsIn(blocks), 0),
    }));
  return sized
    .sort((one, other) => other.rows - one.rows)
    .slice(0, ARCHIVE_SEGMENT_FILES)
    .map(({ family }) => family)
    .sort((one, other) => textOrder(one.family.id, other.family.id));
}

function rowsIn(blocks: readonly GatheredBlock[]): number {
  return blocks.reduce((sum, { block }) => sum + block.ground.length, 0);
}

/** Targets with enough rows for columns, in order. */
function commonTargets({ targets }: GatheredFamily): string[] {
  return [...targets.keys()]
    .filter((target) => rowsIn(targets.get(target)!) >= ARCHIVE_ROWS_LEAST)
    .sort(textOrder);
}

interface RowsOfTarget {
  readonly shape: Shape;
  readonly rows: ShapeRows;
}

/** Writes what can be rows with columns; answers the targets whose rows are (P1). */
function writeFamily(draft: SegmentDraft, gathered: GatheredFamily): ReadonlySet<string> {
  const { family, targets } = gathered;
  const all: RowsOfTarget[] = [];
  for (const target of commonTargets(gathered))
    draft.attempt(() => all.push(targetRows(family, target, targets.get(target)!)));
  const written = writeTogether(draft, all)
    ? all
    : byShape(all)
        .filter((own) => writeTogether(draft, own))
        .flat();
  for (const { rows } of written) countRows(draft, rows, family.measures.length);
  return new Set(written.map(({ rows }) => rows.target));
}

/** Rows of several targets in files of their common shape; false where no such file can be made. */
function writeTogether(draft: SegmentDraft, all: readonly RowsOfTarget[]): boolean {
  if (all.length === 0) return true;
  return draft.attempt(() => {
    const shape = commonShape(all.map((each) => each.shape));
    let file = draft.begin('values', shape);
    for (const each of all) {
      if (file.full) {
        draft.end(file);
        file = draft.begin('values', shape);
      }
      file.add(reshaped(each.rows, each.shape, shape));
    }
    draft.end(file);
  });
}

function byShape(all: readonly RowsOfTarget[]): RowsOfTarget[][] {
  const shapes = new Map<string, RowsOfTarget[]>();
  for (const each of all) {
    const own = shapes.get(each.shape.id);
    if (own === undefined) shapes.set(each.shape.id, [each]);
    else own.push(each);
  }
  return [...shapes.values()];
}

export function countRows(draft: SegmentDraft, { target, rows, cells }: ShapeRows, measures: number): void {
  const time = cells[TIME] as Float64Array;
  draft.count(target, time[0]!, time[rows - 1]!, rows * measures);
}

/** Rows that stand in no file of their family, of which `written` says the targets. */
function rareRows(
  { families, files }: Gathering,
  written: ReadonlyMap<GatheredFamily, ReadonlySet<string>>,
): LongRow[] {
  const rows = files.flatMap(rowsOfFile);
  for (const family of families.values()) {
    const own = written.get(family);
    for (const target of family.targets.keys())
      if (own?.has(target) !== true) for (const row of rowsOfFamily(family, target)) rows.push(row);
  }
  return sortLongRows(rows);
}

export function writeLong(draft: SegmentDraft, rows: readonly LongRow[]): void {
  if (rows.length === 0) return;
  const file = draft.begin('long');
  file.addLong(rows);
  for (const { target, time } of rows) draft.count(target, time, time, 1);
  draft.end(file);
}

/** Events that come in parts, in their order; in memory are as many as a row group has, and a part. */
export function writeEvents(draft: SegmentDraft, parts: Iterable<readonly EventRow[]>): void {
  let file: FileDraft | undefined;
  let waiting: EventRow[] = [];
  const put = (least: number): void => {
    const whole = waiting.length - (waiting.length % least);
    if (whole === 0) return;
    file ??= draft.begin('events');
    file.addEvents(waiting.slice(0, whole));
    waiting = waiting.slice(whole);
  };
  for (const part of parts) {
    for (const row of part) {
      draft.count(row.target ?? '', row.time, row.time, 1);
      waiting.push(row);
    }
    put(ARCHIVE_EVENT_ROWS);
  }
  put(1);
  if (file !== undefined) draft.end(file);
}
