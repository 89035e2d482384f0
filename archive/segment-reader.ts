/**
 * Answers from segments: run in a thread, because it blocks while it reads.
 *
 * R1. A question opens the segments and files in which the target has rows of that time, reads the row groups of that
 *     time, and of these the columns that it asks for.
 * R2. A segment that cannot be read is left out and said with its reason; the others answer (`damaged`).
 * R3. Before each segment, whether it has something of the question or not, and between two files it is looked whether
 *     anybody still waits for the answer.
 */

import type { Cursor, Damage, HistoryQuery, HistorySample, SegmentName } from '../contract/history.ts';
import {
  ARCHIVE_COLUMN_BYTES_KEPT,
  ARCHIVE_MANIFESTS_KEPT,
  ARCHIVE_SHAPES_KEPT,
} from '../contract/limits/archive.ts';
import { type ColumnSums, emptySums } from './bucket-sums.ts';
import { ColumnCache } from './column-cache.ts';
import { collectRows, longRows, sumMinutes, sumRows } from './file-rows.ts';
import type { FileSystem } from './file-system.ts';
import type { Grid } from './history-query.ts';
import { collectLong, sumLong } from './long-samples.ts';
import { type FileEntry, type Manifest, nameOf, readManifest } from './manifest.ts';
import { MINUTE_MS } from './minutes.ts';
import { OpenedSegment } from './opened-segment.ts';
import type { ParquetInput } from './parquet-input.ts';
import type { Shape } from './row-shape.ts';
import { SampleCollector } from './sample-collector.ts';

/** A segment of a stream. */
export interface SegmentPlace extends SegmentName {
  readonly stream: string;
}

/** Throws when nobody waits any more. */
export type Waited = () => void;

export class SegmentReader {
  readonly #files: FileSystem;
  readonly #root: string;
  readonly #manifests = new Map<string, Manifest>();
  readonly #shapes = new Map<string, Shape>();
  readonly #columns = new ColumnCache(ARCHIVE_COLUMN_BYTES_KEPT);

  constructor(files: FileSystem, root: string) {
    this.#files = files;
    this.#root = root;
  }

  /**
   * The first samples of the question, a few more than the page has where there are more. `segments` are in order of
   * the times of the target, with the first of them.
   */
  samples(
    query: HistoryQuery,
    { cursor, limit }: { readonly cursor: Cursor | undefined; readonly limit: number },
    segments: readonly (SegmentPlace & { readonly from: number })[],
    waited: Waited,
  ): { readonly samples: HistorySample[]; readonly damaged: Damage[] } {
    const collector = new SampleCollector(cursor, limit);
    const damaged: Damage[] = [];
    const from = Math.max(query.from, cursor?.time ?? query.from);
    for (const name of segments) {
      if (name.from > collector.horizon) break;
      const asked = { ...query, from };
      waited();
      this.#each(name, damaged, asked, (segment, entry, input) => {
        waited();
        if (entry.kind === 'values')
          collectRows(collector, { shape: segment.shape(entry), entry, input, query: asked });
        if (entry.kind === 'long')
          for (const row of longRows({ entry, input, query: asked })) collectLong(collector, query, row);
      });
    }
    return { samples: collector.taken(), damaged };
  }

  /** The sums of the question; `segments` are in order of their positions. */
  buckets(
    query: HistoryQuery,
    grid: Grid,
    segments: readonly SegmentPlace[],
    waited: Waited,
  ): { readonly sums: ColumnSums[]; readonly damaged: Damage[] } {
    const sums = query.measures.map(() => emptySums(grid));
    const damaged: Damage[] = [];
    const range = { ...query, from: grid.start, to: grid.start + grid.count * grid.width };
    for (const name of segments) {
      waited();
      this.#each(name, damaged, range, (segment, entry, input) => {
        waited();
        const { level } = segment.manifest;
        const counted = level === 'minutes' || (grid.minutes && level !== 'part');
        const asked = { entry, input, query: range };
        if (entry.kind === 'long') for (const row of longRows(asked)) sumLong(sums, grid, query, row);
        else if (counted === (entry.kind === 'minutes'))
          (counted ? sumMinutes : sumRows)(sums, grid, { ...asked, shape: segment.shape(entry) });
      });
    }
    return { sums, damaged };
  }

  #each(
    name: SegmentPlace,
    damaged: Damage[],
    query: HistoryQuery,
    take: (segment: OpenedSegment, entry: FileEntry, input: ParquetInput) => void,
  ): void {
    try {
      const segment = this.opened(name);
      for (const entry of segment.manifest.files) {
        if (!isAskedFor(segment, entry, query)) continue;
        const input = segment.open(entry);
        try {
          take(segment, entry, input);
        } finally {
          input.close();
        }
      }
    } catch (error) {
      if (error instanceof NobodyWaits) throw error;
      const { first, last, level } = name;
      damaged.push({ segment: { first, last, level }, reason: (error as Error).message });
    }
  }

  /** A segment, to be read. Throws where its description cannot be. */
  opened(name: SegmentPlace): OpenedSegment {
    return new OpenedSegment(
      this.#files,
      `${this.#root}/${name.stream}`,
      this.#manifest(name),
      this.#keptShapes(),
      this.#columns,
    );
  }

  #manifest(name: SegmentPlace): Manifest {
    const path = `${this.#root}/${name.stream}/${nameOf(name)}`;
    let manifest = this.#manifests.get(path);
    this.#manifests.delete(path);
    manifest ??= readManifest(this.#files, path);
    this.#manifests.set(path, manifest);
    for (const oldest of this.#manifests.keys())
      if (this.#manifests.size > ARCHIVE_MANIFESTS_KEPT) this.#manifests.delete(oldest);
    return manifest;
  }

  #keptShapes(): Map<string, Shape> {
    if (this.#shapes.size > ARCHIVE_SHAPES_KEPT) this.#shapes.clear();
    return this.#shapes;
  }
}

export class NobodyWaits extends Error {
  override readonly name = 'NobodyWaits';
}

function isAskedFor(segment: OpenedSegment, entry: FileEntry, query: HistoryQuery): boolean {
  const { target, measures, from, to, delivery } = query;
  const end = entry.kind === 'minutes' ? entry.to + MINUTE_MS : entry.to;
  if (end < from || entry.from >= to || !entry.targets.includes(target)) return false;
  if (entry.kind === 'long') return true;
  const shape = segment.shape(entry);
  if (delivery !== 'all' && shape.deferred !== (delivery === 'deferred')) return false;
  return shape.measures.some(({ key }) => measures.includes(key));
}
