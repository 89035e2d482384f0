/**
 * One stream, read on from behind what is stored of it.
 *
 * R1. Positions mean something in one stream, which is known by its identity. In another one of the same name, and in
 *     one that was put back from a copy, what the bus stored later than the last message that is stored here is new;
 *     nothing is stored twice.
 * R2. Positions that the stream leaves out are lost, and a gap; so is whatever may have stood behind the last one
 *     stored here in a stream that went back or was made again.
 * R3. When the stream changes while it is read, whoever reads is asked to begin again (`changed`), and nothing behind
 *     the change is taken before.
 * R4. What the stream had lost before it was first read here is no gap: nobody had said that it would be stored. The
 *     same holds for what stood in it where reading begins now: that place is stored before anything is read.
 */

import type { StreamDefinition } from '../../contract/bus/streams.ts';
import { everyOutage, retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Bus, Follower, FollowFrom, StreamMessage } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StreamLevels } from '../../ports/stream-levels.ts';
import type { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';
import type { Gap, Received } from './inbox.ts';
import { rowsOf } from './sample-rows.ts';
import type { StoredPosition } from './session.ts';
import type { Content, Source } from './source.ts';

export type ReaderBus = Pick<Bus, 'follow' | 'stillHolds'> & {
  readonly levels: Pick<StreamLevels, 'stream'>;
};

export interface ReaderOptions {
  readonly bus: ReaderBus;
  readonly clock: Clock;
  readonly source: Source;
  readonly stored: StoredPosition;
  readonly platforms: KnownPlatforms;
  readonly push: (message: Received) => Promise<void> | undefined;
  /** R3 */
  readonly changed: () => void;
  readonly signal: AbortSignal;
}

/** Where reading begins. */
interface Beginning {
  readonly from: FollowFrom;
  /** The position that comes next if nothing is lost; undefined where any may. */
  readonly next: number | undefined;
  readonly lost: Pick<Gap, 'kind' | 'detail'> | undefined;
}

export class StreamReader {
  readonly #options: ReaderOptions;
  readonly #identity: string;
  #lost: Beginning['lost'];
  #next: number | undefined;
  #at: number | undefined;
  #follower: Follower | undefined;
  #opened: (() => void) | undefined;
  readonly #open: Promise<void>;
  #isOpen = false;
  #closed = false;

  /** Reading; waits while the bus is away. Undefined when the signal was aborted before. */
  static async open(options: ReaderOptions): Promise<StreamReader | undefined> {
    const { clock, signal } = options;
    const waiting = { clock, signal, waitsFor: everyOutage, finishes: true };
    for (;;) {
      const opened = await retryWhileBusIsAway(waiting, () => StreamReader.#begin(options));
      if (opened === undefined) return undefined;
      if (opened.value !== undefined) return opened.value;
    }
  }

  /** Undefined where the stream changed meanwhile. */
  static async #begin(options: ReaderOptions): Promise<StreamReader | undefined> {
    const { source, stored, bus } = options;
    const { stream } = source;
    const identity = await identityOf(bus, stream);
    const beginning = await beginningOf(bus, stream, stored, identity);
    const reader = new StreamReader(options, identity, beginning);
    const { changed } = options;
    const wentBack = (): void => {
      reader.#closed = true;
      changed();
    };
    reader.#follower = await bus.follow(
      stream,
      stream.subjects[0]!,
      beginning.from,
      (message) => reader.#take(message),
      { wentBack },
    );
    const now = await identityOf(bus, stream).catch(async (error: unknown) => {
      await reader.stop();
      throw error;
    });
    if (now !== identity) {
      await reader.stop();
      return undefined;
    }
    reader.#isOpen = true;
    reader.#opened?.();
    return reader;
  }

  private constructor(options: ReaderOptions, identity: string, { next, lost }: Beginning) {
    this.#options = options;
    this.#identity = identity;
    this.#lost = lost;
    this.#next = next;
    this.#at = options.stored.at;
    this.#open = new Promise((resolve) => {
      this.#opened = resolve;
    });
  }

  async stop(): Promise<void> {
    this.#closed = true;
    this.#opened?.();
    await this.#follower?.stop();
  }

  /** One at a time (ports/bus.ts). */
  #take(message: StreamMessage): void | Promise<void> {
    if (this.#closed) return;
    // Until it is certain in which stream it stands.
    if (!this.#isOpen) return this.#open.then(() => this.#take(message));
    const content = this.#options.source.read(message, this.#options.platforms);
    if (!(content instanceof Promise)) return this.#give(message, content);
    return this.#awaited(message, content);
  }

  async #awaited(message: StreamMessage, first: Promise<Content>): Promise<void> {
    const { clock, signal, source, platforms } = this.#options;
    let content: Content | Promise<Content> = first;
    const waiting = { clock, signal, waitsFor: everyOutage };
    const read = await retryWhileBusIsAway(waiting, async () => {
      try {
        return await content;
      } catch (error) {
        content = source.read(message, platforms);
        Promise.resolve(content).catch(() => undefined);
        throw error;
      }
    });
    if (read !== undefined) await this.#give(message, read.value);
  }

  #give(message: StreamMessage, content: Content): void | Promise<void> {
    if (this.#closed) return;
    const { seq, at, data } = message;
    const gap = this.#gapBefore(message);
    this.#lost = undefined;
    this.#next = seq + 1;
    this.#at = at;
    return this.#options.push({
      stream: this.#options.source.stream.name,
      position: { identity: this.#identity, position: seq, at },
      content,
      gap,
      rows: content.kind === 'values' ? rowsOf(content.message.batch) : 1,
      bytes: data.length,
    });
  }

  /** R2 */
  #gapBefore({ seq, at }: StreamMessage): Gap | undefined {
    const after = this.#at;
    if (this.#lost !== undefined)
      return Object.assign({ first: undefined, last: undefined, after, before: at }, this.#lost);
    if (this.#next === undefined || seq <= this.#next) return undefined;
    const [first, last] = [this.#next, seq - 1];
    const detail = `${last - first + 1} messages were discarded before they were read`;
    return { kind: 'discarded', first, last, after, before: at, detail };
  }
}

/** Tells a stream from another one that later bears its name; empty before it is made. Rejects with `Outage`. */
async function identityOf({ levels }: ReaderBus, { name }: StreamDefinition): Promise<string> {
  return (await levels.stream(name))?.identity ?? '';
}

/** The place behind what stands in the stream now; position 0 where nothing does. Rejects with `Outage`. */
export async function placeNow(
  { levels }: Pick<ReaderBus, 'levels'>,
  { name }: StreamDefinition,
  now: number,
): Promise<StoredPosition> {
  const level = await levels.stream(name);
  return { identity: level?.identity ?? '', position: level?.lastSeq ?? 0, at: level?.lastAt ?? now };
}

async function beginningOf(
  bus: Pick<Bus, 'stillHolds'>,
  stream: StreamDefinition,
  { identity, position, at }: StoredPosition,
  now: string,
): Promise<Beginning> {
  if (at === undefined || position === 0)
    return { from: { from: 'start' }, next: undefined, lost: undefined };
  const later = { from: 'time', at: at + 1 } as const;
  if (identity !== now) {
    const detail = `another stream of the name, since ${now}; what stood behind position ${position} of the one before is not known`;
    // By one clock everything in it is later: from its beginning on.
    const from = Date.parse(now) >= at ? ({ from: 'start' } as const) : later;
    return { from, next: undefined, lost: { kind: 'made-again', detail } };
  }
  if (!(await bus.stillHolds(stream, { seq: position, at }))) {
    const detail = `put back from a copy, or lost its newest messages; what is stored here up to position ${position} stays`;
    return { from: later, next: undefined, lost: { kind: 'went-back', detail } };
  }
  return { from: { from: 'seq', seq: position + 1 }, next: position + 1, lost: undefined };
}
