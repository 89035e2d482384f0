/**
 * What threads of the archive do, each call whole and one after the other: everything that touches the disk.
 *
 * W1. What was gathered stays gathered until it is a segment: a disk that is full is asked again later, and nothing has
 *     to be read again.
 * W2. What cannot be gathered is missing in the count, and no segment is made without it (GATHERED_OTHERWISE).
 */

import type { ValueBatch } from '../contract/batch.ts';
import type { EventPageAsked, EventQuery } from '../contract/event-query.ts';
import type {
  Cursor,
  Damage,
  Gap,
  HistoryQuery,
  HistorySample,
  Level,
  SegmentName,
} from '../contract/history.ts';
import type { ColumnSums } from './bucket-sums.ts';
import { compact, withoutSamples } from './compaction.ts';
import { type FoundEvents, readEvents } from './event-reader.ts';
import type { EventMessage } from './event-rows.ts';
import { type FileSystem, NOWHERE } from './file-system.ts';
import { Gathering, type ValueMessage } from './gathering.ts';
import type { Grid } from './history-query.ts';
import { type Manifest, nameOf, readManifest } from './manifest.ts';
import type { PlatformColumns } from './platform-columns.ts';
import type { Shape } from './row-shape.ts';
import type { Places } from './segment-draft.ts';
import { openSegments } from './segment-list.ts';
import { type SegmentPlace, SegmentReader, type Waited } from './segment-reader.ts';
import { writePart } from './write-part.ts';
import { asOwner, discard, isStream, takePlace } from './writing-place.ts';

/** What finds a segment, without what opens its files. */
export interface Summary extends Omit<Manifest, 'files' | 'shapes' | 'version'> {
  /** Of its files. */
  readonly bytes: number;
  /** Of the rows of all targets; the first is later than the last where there are none. */
  readonly times: readonly [from: number, to: number];
}

export interface OpenedStream {
  readonly stream: string;
  readonly segments: readonly Summary[];
  readonly damaged: readonly Damage[];
}

/** What an archive has, opened by its owner, with the directory that only this one has (writing-place.ts). */
export interface Opened {
  readonly writing: string;
  readonly streams: readonly OpenedStream[];
}

export interface Added {
  readonly message: Omit<ValueMessage, 'batch'> & { readonly batch: ValueBatch };
  readonly digest: string;
  /** The first time a platform is named. */
  readonly platform?: PlatformColumns;
}

export interface Sealed {
  readonly writing: string;
  readonly stream: string;
  readonly first: number;
  readonly last: number;
  readonly received: readonly [number, number];
  readonly gaps: readonly Gap[];
  /** How many messages it is made of: those that the thread was given. */
  readonly messages: number;
}

/** Code of the refusal to write a segment of other messages than those that are to be in it. */
export const GATHERED_OTHERWISE = 'MCS_GATHERED_OTHERWISE';

export class Work {
  readonly #files: FileSystem;
  readonly #root: string;
  readonly #reader: SegmentReader;
  readonly #platforms = new Map<string, PlatformColumns>();
  readonly #shapes = new Map<string, Shape>();
  #gathering = new Gathering();

  constructor(files: FileSystem, root: string) {
    this.#files = files;
    this.#root = root;
    this.#reader = new SegmentReader(files, root);
  }

  /** Makes the caller the owner, and puts every stream that has something in order. */
  open(): Opened {
    const writing = takePlace(this.#files, this.#root);
    return asOwner(this.#files, writing, () => {
      this.#removeBare(writing);
      const names = this.#files.list(this.#root).filter(isStream);
      const streams = [...names].sort().map((each): OpenedStream => {
        const { segments, damaged } = openSegments(this.#files, this.#places(each, writing));
        return { stream: each, segments: segments.map(summaryOf), damaged };
      });
      return { writing, streams };
    });
  }

  /** Directories of streams whose first segment never came: their process died while it was written. */
  #removeBare(writing: string): void {
    const bare = this.#files
      .list(this.#root)
      .filter((name) => isStream(name) && this.#files.list(`${this.#root}/${name}`).length === 0);
    if (bare.length > 0) discard(this.#files, writing, this.#root, bare);
  }

  /** Forgets what is gathered: it is given again. */
  begin(): void {
    this.#gathering = new Gathering();
  }

  add({ message, digest, platform }: Added): void {
    if (platform !== undefined) this.#platforms.set(digest, platform);
    const known = this.#platforms.get(digest);
    // A thread that began since it was named: what was to be gathered is given again (W2).
    if (known === undefined) throw new Error(`platform ${digest} was named to a thread before this one`);
    this.#gathering.add(message, known);
  }

  addEvents(message: EventMessage): void {
    this.#gathering.addEvents(message);
  }

  /** What is gathered, as a segment (W1). */
  seal({ writing, stream, first, last, received, gaps, messages }: Sealed): Summary {
    if (this.#gathering.messages !== messages) {
      const message = `${this.#gathering.messages} messages were gathered and ${messages} given`;
      throw Object.assign(new Error(message), { code: GATHERED_OTHERWISE });
    }
    const covered = { stream, first, last, received, gaps, level: 'part' as const };
    const places = this.#places(stream, writing);
    const manifest = asOwner(this.#files, writing, () => {
      this.#makeStream(stream);
      return writePart(this.#files, places, covered, this.#gathering);
    });
    this.#gathering = new Gathering();
    return summaryOf(manifest);
  }

  /** Whether a segment can be made of these alone; nothing is written. `reason` says why not. */
  probe(some: readonly Added[]): { readonly reason?: string } {
    const gathering = new Gathering();
    for (const { message, digest, platform = this.#platforms.get(digest) } of some)
      gathering.add(message, platform ?? { digest, measures: [] });
    return triedOf(gathering);
  }

  /** The same of messages of the log. */
  probeEvents(some: readonly EventMessage[]): { readonly reason?: string } {
    const gathering = new Gathering();
    for (const message of some) gathering.addEvents(message);
    return triedOf(gathering);
  }

  compact(writing: string, stream: string, parts: readonly SegmentName[], level: Level): Summary {
    const places = this.#places(stream, writing);
    const wider = level === 'hour' ? 'hour' : 'day';
    return asOwner(this.#files, writing, () => {
      const manifests = parts.map((part) => readManifest(this.#files, `${places.parent}/${nameOf(part)}`));
      return summaryOf(
        level === 'minutes'
          ? withoutSamples(this.#files, places, manifests[0]!, this.#shapes)
          : compact(this.#files, places, manifests, wider, this.#shapes),
      );
    });
  }

  remove(writing: string, stream: string, segments: readonly SegmentName[]): void {
    const { parent } = this.#places(stream, writing);
    asOwner(this.#files, writing, () => discard(this.#files, writing, parent, segments.map(nameOf)));
  }

  /** The directory of a stream comes with its first segment. */
  #makeStream(stream: string): void {
    if (this.#files.list(this.#root).includes(stream)) return;
    this.#files.makeDirectory(`${this.#root}/${stream}`);
    this.#files.syncDirectory(this.#root);
  }

  #places(stream: string, writing: string): Places {
    return { parent: `${this.#root}/${stream}`, writing };
  }

  samples(
    query: HistoryQuery,
    page: { readonly cursor: Cursor | undefined; readonly limit: number },
    segments: readonly (SegmentPlace & { readonly from: number })[],
    waited: Waited,
  ): { readonly samples: HistorySample[]; readonly damaged: Damage[] } {
    return this.#reader.samples(query, page, segments, waited);
  }

  events(
    query: EventQuery,
    page: EventPageAsked,
    segments: readonly SegmentPlace[],
    waited: Waited,
  ): FoundEvents {
    return readEvents((place) => this.#reader.opened(place), query, page, segments, waited);
  }

  buckets(
    query: HistoryQuery,
    grid: Grid,
    segments: readonly SegmentPlace[],
    waited: Waited,
  ): { readonly sums: ColumnSums[]; readonly damaged: Damage[] } {
    return this.#reader.buckets(query, grid, segments, waited);
  }
}

function summaryOf({
  first,
  last,
  level,
  stream,
  received,
  samples,
  targets,
  gaps,
  files,
}: Manifest): Summary {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const times = [
    files.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY),
    files.reduce((most, { to }) => Math.max(most, to), Number.NEGATIVE_INFINITY),
  ] as const;
  return { bytes, times, first, last, level, stream, received, samples, targets, gaps };
}

/** Why no segment can be made of it. */
function triedOf(gathering: Gathering): { readonly reason?: string } {
  const covered = { stream: '', first: 1, last: 1, received: [0, 0], gaps: [], level: 'part' } as const;
  try {
    writePart(NOWHERE, { parent: '', writing: '' }, covered, gathering);
    return {};
  } catch (error) {
    return { reason: (error as Error).message };
  }
}
