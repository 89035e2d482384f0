/**
 * A segment while it is written: files in the directory of the owner that become a segment in one step.
 *
 * D1. Everything is on the disk before the rename: each file, then the entries of its directory. The rename is
 *     durable when the parent is synced; only then the segment counts (file-system.F1, F2).
 * D2. What a crash leaves is in the directory of the owner, and is removed when the archive is opened. An owner that
 *     was replaced meanwhile commits nothing any more (writing-place.P2).
 */

import type { Gap, SegmentName } from '../contract/history.ts';
import {
  ARCHIVE_EVENT_ROWS,
  ARCHIVE_FILE_CHUNKS,
  ARCHIVE_GROUP_VALUES,
  ARCHIVE_LONG_ROWS,
} from '../contract/limits/archive.ts';
import type { Cells, Column } from './cells.ts';
import { codeOf } from './error-code.ts';
import { EVENT_COLUMNS, type EventRow, eventCells } from './event-rows.ts';
import { copyFile, type FileSystem } from './file-system.ts';
import { LONG_COLUMNS, type LongRow, longCells } from './long-rows.ts';
import { type FileEntry, type Manifest, nameOf, writeManifest } from './manifest.ts';
import { type GroupRows, ParquetOutput } from './parquet-output.ts';
import { type Shape, type ShapeRows, TIME } from './row-shape.ts';

/** Directories of a stream: where its segments are, and where its owner writes. */
export interface Places {
  readonly parent: string;
  readonly writing: string;
}

export interface Covered extends SegmentName {
  readonly stream: string;
  readonly received: readonly [number, number];
  readonly gaps: readonly Gap[];
}

export class SegmentDraft {
  readonly #files: FileSystem;
  readonly #parent: string;
  readonly #path: string;
  readonly #covered: Covered;
  readonly #entries: FileEntry[] = [];
  readonly #shapes = new Map<string, Shape>();
  readonly #targets = new Map<string, readonly [number, number]>();
  readonly #open = new Set<FileDraft>();
  #begun = 0;
  #samples = 0;

  constructor(files: FileSystem, { parent, writing }: Places, covered: Covered) {
    this.#files = files;
    this.#parent = parent;
    this.#covered = covered;
    this.#path = `${writing}/${nameOf(covered)}`;
    files.remove(this.#path);
    files.makeDirectory(this.#path);
  }

  /** Begins a file, which is ended by `end`. */
  begin(kind: FileEntry['kind'], shape?: Shape): FileDraft {
    if (shape !== undefined) this.#shapes.set(shape.id, shape);
    const name = `${kind}${shape === undefined ? '' : `-${shape.id}`}-${this.#begun}.parquet`;
    this.#begun += 1;
    const columns = shape?.columns ?? (kind === 'events' ? EVENT_COLUMNS : LONG_COLUMNS);
    const about = { 'mcs.stream': this.#covered.stream, ...aboutOf(shape) };
    const output = new ParquetOutput(this.#files, `${this.#path}/${name}`, columns, about);
    const file = new FileDraft(output, { name, kind, shape, columns });
    this.#open.add(file);
    return file;
  }

  end(file: FileDraft): void {
    this.#entries.push(file.end());
    this.#open.delete(file);
  }

  /** Does all of it, or leaves nothing of it; false where it failed, and the system refused nothing. */
  attempt(write: () => void): boolean {
    const ended = this.#entries.length;
    try {
      write();
      return true;
    } catch (error) {
      if (codeOf(error) !== undefined) throw error;
      const names = this.#entries.splice(ended).map(({ name }) => name);
      for (const { name, output } of this.#open) {
        output.abandon();
        names.push(name);
      }
      this.#open.clear();
      for (const name of names) this.#files.remove(`${this.#path}/${name}`);
      return false;
    }
  }

  /** Makes it a segment (D1). */
  commit(): Manifest {
    const { first, last, level, stream, received, gaps } = this.#covered;
    const targets = Object.fromEntries([...this.#targets].sort());
    const samples = this.#samples;
    const about = { first, last, level, stream, received, samples, targets, gaps, files: this.#entries };
    const used = new Set(this.#entries.map(({ shape }) => shape));
    const shapes = [...this.#shapes.values()].filter(({ id }) => used.has(id));
    const manifest = writeManifest(this.#files, this.#path, about, shapes);
    this.#files.syncDirectory(this.#path);
    this.#files.rename(this.#path, `${this.#parent}/${nameOf(manifest)}`);
    this.#files.syncDirectory(this.#parent);
    return manifest;
  }

  /** Removes what was written. */
  abandon(): void {
    for (const file of this.#open) file.output.abandon();
    this.#files.remove(this.#path);
  }

  /** Takes over a file of another segment as it stands. */
  takeOver(entry: FileEntry, shape: Shape | undefined, from: string): void {
    if (shape !== undefined) this.#shapes.set(shape.id, shape);
    copyFile(this.#files, `${from}/${entry.name}`, `${this.#path}/${entry.name}`);
    this.#entries.push(entry);
  }

  /** Samples of a target that the segment has, and their times. */
  count(target: string, from: number, to: number, samples: number): void {
    const [least, most] = this.#targets.get(target) ?? [from, to];
    this.#targets.set(target, [Math.min(least, from), Math.max(most, to)]);
    this.#samples += samples;
  }

  countSamples(samples: number): void {
    this.#samples += samples;
  }
}

interface FileAbout {
  readonly name: string;
  readonly kind: FileEntry['kind'];
  readonly shape: Shape | undefined;
  readonly columns: readonly Column[];
}

export class FileDraft {
  readonly output: ParquetOutput;
  readonly #about: FileAbout;
  readonly #targets: string[] = [];
  #groups = 0;
  #rows = 0;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  constructor(output: ParquetOutput, about: FileAbout) {
    this.output = output;
    this.#about = about;
  }

  get name(): string {
    return this.#about.name;
  }

  /** Whether another file should be begun: the footer of this one is long. */
  get full(): boolean {
    return this.#groups * this.#about.columns.length > ARCHIVE_FILE_CHUNKS;
  }

  /** Rows of one target, behind those of every target before it. */
  add({ target, rows, cells }: ShapeRows): void {
    const most = Math.max(1, Math.floor(ARCHIVE_GROUP_VALUES / cells.length));
    for (let first = 0; first < rows; first += most) {
      const end = Math.min(rows, first + most);
      const part = first === 0 && end === rows ? cells : cells.map((each) => each.slice(first, end) as Cells);
      const time = part[TIME] as Float64Array;
      const place = this.#place(target);
      this.#group([place, place], end - first, time[0]!, time[end - first - 1]!, (group) =>
        this.output.add(group, part),
      );
    }
  }

  /** Rows in their order (long-rows.L1), behind those before. */
  addLong(rows: readonly LongRow[]): void {
    for (let first = 0; first < rows.length; first += ARCHIVE_LONG_ROWS) {
      const part = rows.slice(first, first + ARCHIVE_LONG_ROWS);
      let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const { time } of part) [from, to] = [Math.min(from, time), Math.max(to, time)];
      const places = part.map(({ target }) => this.#place(target));
      this.#group([places[0]!, places.at(-1)!], part.length, from, to, (group) =>
        this.output.add(group, longCells(part)),
      );
    }
  }

  /** Events in the order of the log, behind those before. */
  addEvents(rows: readonly EventRow[]): void {
    for (let first = 0; first < rows.length; first += ARCHIVE_EVENT_ROWS) {
      const part = rows.slice(first, first + ARCHIVE_EVENT_ROWS);
      let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const { time } of part) [from, to] = [Math.min(from, time), Math.max(to, time)];
      this.#group([0, 0], part.length, from, to, (group) => this.output.add(group, eventCells(part)));
    }
  }

  /** A row group of another file with the same columns, as it stands there. */
  copy(
    target: string,
    head: Pick<GroupRows, 'rows' | 'from' | 'to'>,
    raw: { readonly bytes: Uint8Array; readonly lengths: readonly number[] },
  ): void {
    const place = this.#place(target);
    this.#group([place, place], head.rows, head.from, head.to, (group) => this.output.copy(group, raw));
  }

  end(): FileEntry {
    const { name, kind, shape } = this.#about;
    const file = this.output.finish();
    const [targets, rows, from, to] = [this.#targets, this.#rows, this.#from, this.#to];
    const entry = { name, kind, targets, rows, from, to, ...file };
    return shape === undefined ? entry : Object.assign(entry, { shape: shape.id });
  }

  #group(
    targets: readonly [first: number, last: number],
    rows: number,
    from: number,
    to: number,
    write: (group: GroupRows) => void,
  ): void {
    write({ targets, rows, from, to });
    this.#groups += 1;
    this.#rows += rows;
    this.#from = Math.min(this.#from, from);
    this.#to = Math.max(this.#to, to);
  }

  /** Where the target stands among those of the file: rows come target after target. */
  #place(target: string): number {
    const last = this.#targets.length - 1;
    return this.#targets[last] === target ? last : this.#targets.push(target) - 1;
  }
}

function aboutOf(shape: Shape | undefined): Record<string, string> {
  if (shape === undefined) return {};
  const measures = shape.measures.map(({ key, type, unit, labels }) => ({ key, type, unit, labels }));
  return {
    'mcs.platform': shape.platform,
    'mcs.delivery': shape.deferred ? 'deferred' : 'realtime',
    'mcs.measures': JSON.stringify(measures),
  };
}
