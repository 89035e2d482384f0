/**
 * Segments made into a wider one: the parts of an hour, with their minutes counted; the hours of a day.
 *
 * O1. The wider segment covers the positions of its parts and has their rows, each once. It is committed like any other
 *     (segment-draft.D1), and only then its parts are removed: whoever opens the archive between the two sees by the
 *     names which ones it replaces (segment-list.S2).
 * O2. What is in memory is one target of one shape of an hour; of a day, one row group. Row groups of hours are copied
 *     into the file of a day as they stand: they are what a question of an hour reads.
 */

import type { Level } from '../contract/history.ts';
import { ARCHIVE_LONG_ROWS } from '../contract/limits/archive.ts';
import type { EventRow } from './event-rows.ts';
import type { FileSystem } from './file-system.ts';
import { joinedGaps } from './gaps.ts';
import { type LongRow, sortLongRows, textOrder } from './long-rows.ts';
import type { FileEntry, Manifest } from './manifest.ts';
import { mergedMinutes, minutesOf, minutesShape } from './minutes.ts';
import { joinedRows, OpenedSegment, targetsOf } from './opened-segment.ts';
import type { ParquetInput } from './parquet-input.ts';
import { commonShape, reshaped, type Shape, type ShapeRows } from './row-shape.ts';
import { type FileDraft, type Places, SegmentDraft } from './segment-draft.ts';
import { countRows, writeEvents } from './write-part.ts';

interface Source {
  readonly segment: OpenedSegment;
  readonly entry: FileEntry;
}

/**
 * The segments, in order of their positions, as one of that level. Throws where one cannot be read, or the disk is
 * full.
 */
export function compact(
  files: FileSystem,
  places: Places,
  parts: readonly Manifest[],
  level: Exclude<Level, 'part' | 'minutes'>,
  shapes: Map<string, Shape>,
): Manifest {
  const segments = parts.map((manifest) => new OpenedSegment(files, places.parent, manifest, shapes));
  const draft = new SegmentDraft(files, places, coveredBy(parts, level));
  try {
    const sources = (kind: FileEntry['kind']): Source[] =>
      segments.flatMap((segment) =>
        segment.manifest.files.filter((entry) => entry.kind === kind).map((entry) => ({ segment, entry })),
      );
    if (level === 'hour') countHour(draft, sources('values'));
    else copyDay(draft, sources('values'), sources('minutes'), parts);
    joinLong(draft, sources('long'), level === 'hour');
    writeEvents(draft, eventsOf(sources('events')));
    return draft.commit();
  } catch (error) {
    draft.abandon();
    throw error;
  }
}

function* eventsOf(sources: readonly Source[]): Generator<EventRow[]> {
  for (const { segment, entry } of sources) yield* segment.eventGroups(entry);
}

/** What is left of a segment when its samples are deleted: minutes, and what is rare and has none. */
export function withoutSamples(
  files: FileSystem,
  places: Places,
  manifest: Manifest,
  shapes: Map<string, Shape>,
): Manifest {
  const segment = new OpenedSegment(files, places.parent, manifest, shapes);
  const draft = new SegmentDraft(files, places, coveredBy([manifest], 'minutes'));
  try {
    for (const [target, [from, to]] of Object.entries(manifest.targets)) draft.count(target, from, to, 0);
    for (const entry of manifest.files)
      if (entry.kind !== 'values')
        draft.takeOver(entry, entry.kind === 'minutes' ? segment.shape(entry) : undefined, segment.path);
    return draft.commit();
  } catch (error) {
    draft.abandon();
    throw error;
  }
}

function coveredBy(parts: readonly Manifest[], level: Level) {
  const [first, last] = [parts[0]!, parts.at(-1)!];
  return {
    first: first.first,
    last: last.last,
    level,
    stream: first.stream,
    received: [first.received[0], last.received[1]] as const,
    gaps: joinedGaps(parts.flatMap(({ gaps }) => gaps)),
  };
}

/** Sources by what `key` says of them, in order of the keys. */
function grouped(sources: readonly Source[], key: (source: Source) => string): Source[][] {
  const groups = new Map<string, Source[]>();
  for (const source of sources) {
    const group = groups.get(key(source));
    if (group === undefined) groups.set(key(source), [source]);
    else group.push(source);
  }
  return [...groups].sort(([one], [other]) => textOrder(one, other)).map(([, group]) => group);
}

const familyIn = ({ segment, entry }: Source): string => segment.shape(entry).family;
const shapeIn = ({ segment, entry }: Source): string => segment.shape(entry).id;

/** Calls `take` for each target of the sources with those that have it, opened. */
function eachTarget(
  sources: readonly Source[],
  take: (target: string, having: readonly (Source & { readonly input: ParquetInput })[]) => void,
): void {
  const opened: (Source & { readonly input: ParquetInput })[] = [];
  try {
    for (const source of sources) opened.push({ ...source, input: source.segment.open(source.entry) });
    for (const target of targetsOf(sources.map(({ entry }) => entry)))
      take(
        target,
        opened.filter(({ entry }) => entry.targets.includes(target)),
      );
  } finally {
    for (const { input } of opened) input.close();
  }
}

function countHour(draft: SegmentDraft, values: readonly Source[]): void {
  for (const sources of grouped(values, familyIn)) {
    const shape = commonShape(sources.map(({ segment, entry }) => segment.shape(entry)));
    const counted = minutesShape(shape);
    const out = new Outputs(draft);
    eachTarget(sources, (target, having) => {
      const parts = having.flatMap(({ segment, entry, input }) =>
        segment.rowsOf(input, entry, target).map((rows) => reshaped(rows, segment.shape(entry), shape)),
      );
      const rows = joinedRows(parts);
      out.add('values', shape, rows);
      out.add('minutes', counted, minutesOf(rows, shape, counted));
      countRows(draft, rows, shape.measures.length);
    });
    out.end();
  }
}

function copyDay(
  draft: SegmentDraft,
  values: readonly Source[],
  minutes: readonly Source[],
  parts: readonly Manifest[],
): void {
  for (const sources of grouped(values, shapeIn)) {
    const out = new Outputs(draft);
    const shape = sources[0]!.segment.shape(sources[0]!.entry);
    eachTarget(sources, (target, having) => {
      for (const { entry, input } of having)
        for (const group of input.groups)
          if (group.targets[0] === entry.targets.indexOf(target))
            out.file('values', shape).copy(target, group, input.raw(group));
    });
    out.end();
  }
  for (const sources of grouped(minutes, shapeIn)) {
    const out = new Outputs(draft);
    const shape = sources[0]!.segment.shape(sources[0]!.entry);
    eachTarget(sources, (target, having) => {
      const rows: ShapeRows[] = having.flatMap(({ segment, entry, input }) =>
        segment.rowsOf(input, entry, target),
      );
      out.add('minutes', shape, mergedMinutes(rows, shape));
    });
    out.end();
  }
  for (const { targets } of parts)
    for (const [target, [from, to]] of Object.entries(targets)) draft.count(target, from, to, 0);
  draft.countSamples(parts.reduce((sum, { samples }) => sum + samples, 0));
}

/** The rare rows of all parts, target after target. */
function joinLong(draft: SegmentDraft, sources: readonly Source[], counts: boolean): void {
  if (sources.length === 0) return;
  const file = draft.begin('long');
  const streams = sources.map(({ segment, entry }) => segment.longTargets(entry));
  const heads = streams.map((stream) => stream.next());
  let waiting: LongRow[] = [];
  const put = (all: boolean): void => {
    if (waiting.length === 0 || (!all && waiting.length < LONG_AT_ONCE)) return;
    file.addLong(waiting);
    waiting = [];
  };
  for (;;) {
    const open = heads.flatMap(({ done, value }) => (done ? [] : [value[0]]));
    if (open.length === 0) break;
    const target = open.reduce((least, each) => (each < least ? each : least));
    const rows = heads.flatMap((head, n) => {
      if (head.done || head.value[0] !== target) return [];
      heads[n] = streams[n]!.next();
      return head.value[1];
    });
    if (counts) for (const { time } of rows) draft.count(target, time, time, 1);
    waiting = waiting.concat(sortLongRows(rows));
    put(false);
  }
  put(true);
  draft.end(file);
}

/** Rows that are written together: a row group or two. */
const LONG_AT_ONCE = ARCHIVE_LONG_ROWS;

/** The files that are written for one shape and its minutes; a full one is followed by another. */
class Outputs {
  readonly #draft: SegmentDraft;
  readonly #files = new Map<FileEntry['kind'], FileDraft>();

  constructor(draft: SegmentDraft) {
    this.#draft = draft;
  }

  file(kind: FileEntry['kind'], shape: Shape): FileDraft {
    const open = this.#files.get(kind);
    if (open !== undefined && !open.full) return open;
    if (open !== undefined) this.#draft.end(open);
    const file = this.#draft.begin(kind, shape);
    this.#files.set(kind, file);
    return file;
  }

  add(kind: FileEntry['kind'], shape: Shape, rows: ShapeRows): void {
    this.file(kind, shape).add(rows);
  }

  end(): void {
    for (const file of this.#files.values()) this.#draft.end(file);
  }
}
