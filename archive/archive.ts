/**
 * The archive: everything that passed the stream of values, for as long as it is to be kept. The storage behind the
 * role `archive`, which reads the stream and gives it the messages; knows no bus.
 *
 *     const archive = await Archive.open(workInThreads(folder), { stream, clock, retention, log });
 *     // read the stream from archive.readFrom on, and for each message:
 *     await archive.append({ target, position, storedMs, batch }, platformColumns(platform));
 *     archive.samples(query, { cursor, limit }, signal); archive.buckets(query, points, signal);
 *     // about once a minute, as long as it answers that it did something:
 *     await archive.maintain();
 *
 * V1. `stream` is the identity of the stream, a token: positions mean something in it alone. What was archived of
 *     another one stays, is answered from, and is never mixed with it.
 * V2. Every position is archived once: what a segment covers is not taken again, whoever gives it. A crash at any
 *     moment leaves segments whole, and `readFrom` at what is to be read again.
 * V3. A position that the stream leaves out is lost, and a gap: said with the next segment, and in every answer about
 *     its time. So are positions of a damaged segment that the stream has no more, and what it had let go before the
 *     archive first read it: since when is not known, and the gap begins in 1970. Of a stream that stands in the
 *     place of another one, the time from the end of that to its own first message is a gap from position 0 on.
 * V4. A disk that refuses (full, read-only) is no crash: `trouble` says what it is, what was taken stays in memory and
 *     is written when there is room, `append` waits meanwhile, and the stream keeps what is behind.
 * V5. Whoever asks sees each sample once, in a segment or in memory (tail.T1). Segments that are replaced are removed
 *     when the questions that were asked before have their answers.
 * V6. One process owns an archive: whoever opens it shuts out the one before, which writes and removes nothing from
 *     then on, though it was only asleep (writing-place.P2). It says so once (`lost`), and is closed by whoever has it.
 * V7. A message that no segment can be made of is left out, said (`setAside`) and a gap; what came with it is written.
 *     Messages that only fail together are written apart.
 */

import type { ArchivedEvents, EventPageAsked, EventQuery } from '../contract/event-query.ts';
import type { Buckets, Cursor, Damage, HistoryQuery, SamplePage } from '../contract/history.ts';
import {
  ARCHIVE_OPEN_BYTES,
  ARCHIVE_OPEN_MESSAGES,
  ARCHIVE_OPEN_MS,
  ARCHIVE_OPEN_SAMPLES,
  ARCHIVE_TAIL_BYTES,
  ARCHIVE_TAIL_MESSAGES,
  ARCHIVE_TAIL_SAMPLES,
} from '../contract/limits/archive.ts';
import { isToken } from '../contract/token.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventMessage } from './event-rows.ts';
import type { UnwritableMessage } from './gathered.ts';
import type { ValueMessage } from './gathering.ts';
import { Questions } from './history-questions.ts';
import { Intake } from './intake.ts';
import type { Retention } from './maintenance.ts';
import { Owner } from './owner.ts';
import type { PlatformColumns } from './platform-columns.ts';
import { type Contents, StreamSegments } from './stream-segments.ts';
import { Upkeep } from './upkeep.ts';
import type { Opened, OpenedStream } from './work.ts';
import type { Workshop } from './workshop.ts';

/** How far a stream is archived: its last position that is durable, and when the bus stored that. */
export interface ArchivedStream {
  readonly stream: string;
  readonly last: number;
  readonly storedMs: number;
}

export interface Continued {
  readonly stream: string;
  /** Of a stream that stands in the place of another one: until when that was archived (V3). */
  readonly after?: number;
}

export interface ArchiveOptions {
  /** The identity of the stream; or what chooses it, given how far each one is archived, the newest last. */
  readonly stream: string | ((archived: readonly ArchivedStream[]) => Promise<Continued>);
  readonly clock: Clock;
  readonly retention?: Retention;
  /** Bounds of what waits in memory; default: those of `contract/limits/archive.ts`. */
  readonly openMessages?: number;
  readonly openSamples?: number;
  readonly openBytes?: number;
  readonly openMs?: number;
  readonly tailMessages?: number;
  readonly tailSamples?: number;
  readonly tailBytes?: number;
  /** Given each trouble and each damage once. */
  readonly log?: (message: string) => void;
  /** Another process has opened the archive: nothing is written any more (V6). */
  readonly lost?: (error: Error) => void;
  /** A message cannot be written, and is left out: a gap (V7). */
  readonly setAside?: (message: UnwritableMessage) => void;
}

export class Archive {
  readonly #work: Workshop;
  readonly #streams: StreamSegments;
  readonly #intake: Intake;
  readonly #upkeep: Upkeep;
  readonly #questions: Questions;

  /** Opens what stands there. Rejects where the disk refuses. */
  static async open(work: Workshop, options: ArchiveOptions): Promise<Archive> {
    const opened = await work.do('open');
    const { stream: named } = options;
    const continued =
      typeof named === 'string' ? { stream: named } : await named(opened.streams.flatMap(endOf));
    if (!isToken(continued.stream)) throw new TypeError(`"${continued.stream}" is no identity of a stream`);
    return new Archive(work, options, opened, continued);
  }

  private constructor(
    work: Workshop,
    options: ArchiveOptions,
    { writing, streams: found }: Opened,
    { stream, after }: Continued,
  ) {
    const streams = new StreamSegments(stream, found);
    const { clock, log = () => undefined } = options;
    const owned = { work, streams, writing, clock, log, owner: new Owner(options.lost) };
    this.#work = work;
    this.#streams = streams;
    this.#intake = new Intake({
      ...owned,
      after,
      open: {
        messages: options.openMessages ?? ARCHIVE_OPEN_MESSAGES,
        samples: options.openSamples ?? ARCHIVE_OPEN_SAMPLES,
        bytes: options.openBytes ?? ARCHIVE_OPEN_BYTES,
      },
      openMs: options.openMs ?? ARCHIVE_OPEN_MS,
      tail: {
        messages: options.tailMessages ?? ARCHIVE_TAIL_MESSAGES,
        samples: options.tailSamples ?? ARCHIVE_TAIL_SAMPLES,
        bytes: options.tailBytes ?? ARCHIVE_TAIL_BYTES,
      },
      setAside: options.setAside ?? (() => undefined),
    });
    const { tail: samples, events } = this.#intake.gathered;
    this.#questions = new Questions(work, streams, { samples, events }, () => this.#intake.gaps);
    const settled = (): Promise<unknown> => this.#questions.settled();
    this.#upkeep = new Upkeep({ ...owned, settled }, options.retention ?? {});
    for (const { segment, reason } of streams.damaged)
      log(`archive: positions ${segment.first} to ${segment.last} cannot be read: ${reason}`);
  }

  /** The position from which on the stream is to be read: what is behind a damaged segment is read again (V2). */
  get readFrom(): number {
    return this.#streams.readFrom;
  }

  /** The last position that is durable. */
  get position(): number {
    return this.#streams.last;
  }

  /** The last position that is in memory or durable, and when what is in memory is written; undefined: nothing is. */
  get taken(): { readonly position: number; readonly writesAt: number | undefined } {
    return { position: Math.max(this.#streams.taken, this.#streams.last), writesAt: this.#intake.writesAt };
  }

  /** Why nothing is written at the moment; undefined where it is (V4). */
  get trouble(): string | undefined {
    return this.#intake.trouble;
  }

  /** From now on as long as that. */
  keep(retention: Retention): void {
    this.#upkeep.retention = retention;
  }

  get stream(): string {
    return this.#streams.stream;
  }

  get damaged(): readonly Damage[] {
    return this.#streams.damaged;
  }

  /** What is there, for those who look after it; `begins` is when the bus stored the first message of it. */
  get contents(): Contents & { readonly waiting: number } {
    return Object.assign({ waiting: this.#intake.gathered.held.samples }, this.#streams.contents);
  }

  /**
   * Takes a message; resolves when the next one may be given. One is given after the other, in order of positions from
   * `readFrom` on; what is archived already is left out (V2).
   */
  append(message: ValueMessage, platform: PlatformColumns): Promise<void> {
    return this.#intake.append(message, platform);
  }

  /** The same with a message of the log of events. */
  record(message: EventMessage): Promise<void> {
    return this.#intake.record(message);
  }

  /** Leaves out a position whose message nobody can read: it is covered, and a gap. */
  skip(position: number, storedMs: number): Promise<void> {
    return this.#intake.skip(position, storedMs);
  }

  /** Makes a segment of what is in memory; false where the disk does not take it (V4). */
  flush(): Promise<boolean> {
    return this.#intake.flush();
  }

  /** A page of samples, behind the cursor. Rejects with `RangeError` a question that costs too much. */
  samples(
    query: HistoryQuery,
    page: { readonly cursor?: Cursor; readonly limit: number },
    signal?: AbortSignal,
  ): Promise<SamplePage> {
    return this.#questions.samples(query, page, signal);
  }

  /** About so many points. Rejects with `RangeError` a question that costs too much. */
  buckets(query: HistoryQuery, points: number, signal?: AbortSignal): Promise<Buckets> {
    return this.#questions.buckets(query, points, signal);
  }

  /** A page of events, the newest first (contract/event-query.ts). */
  events(query: EventQuery, page: EventPageAsked, signal?: AbortSignal): Promise<ArchivedEvents> {
    return this.#questions.events(query, page, signal);
  }

  /** Does one thing that is to be done (maintenance.ts) and says what; undefined where there is none, or trouble. */
  maintain(): Promise<string | undefined> {
    return this.#upkeep.maintain();
  }

  /** Writes what is in memory, if it can be, and ends the threads. */
  async close(): Promise<void> {
    this.#intake.wakeToClose();
    await this.#upkeep.idle();
    await this.#intake.close();
    await this.#work.end();
  }
}

function endOf({ stream, segments }: OpenedStream): ArchivedStream[] {
  const end = segments.at(-1);
  return end === undefined ? [] : [{ stream, last: end.last, storedMs: end.received[1] }];
}
