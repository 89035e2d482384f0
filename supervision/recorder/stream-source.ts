/**
 * A stream whose messages are recorded: each once, read on from behind the last one recorded.
 *
 * S1. What a message became is known by the position beside it (log-writer.W2): a recorder that died repeats nothing
 *     and leaves nothing out.
 * S2. Positions that the stream had discarded are an event that says which, from the first one on, and whether or not
 *     anything comes behind them; a message that cannot be read, or breaks its reader, is one too, and a dead letter,
 *     and stops nothing.
 * S3. A stream that is another one now is read from what was stored later than the last message recorded.
 */

import type { StreamDefinition } from '../../contract/bus/streams.ts';
import type { ReadPosition } from '../../contract/connector-wire.ts';
import type { LoggedEvent, RecordedUpTo } from '../../contract/event.ts';
import { Outage } from '../../contract/outage.ts';
import { pastIsGone } from '../../messaging/low-water-mark.ts';
import type { Bus, Follower, FollowFrom, StreamMessage } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { DeadLetters } from '../cells/dead-letters.ts';
import { sourceOf } from './event-of.ts';
import type { LogWriter } from './log-writer.ts';
import { lostText, noteOf, replacedText, unreadableText } from './notes.ts';

/** What a message says; undefined for bytes that are malformed, and it may throw on them. */
export type ReadMessage = (
  message: StreamMessage,
) => readonly LoggedEvent[] | undefined | Promise<readonly LoggedEvent[] | undefined>;

export interface StreamSourceOptions {
  readonly bus: Pick<Bus, 'follow' | 'stillHolds'>;
  readonly clock: Clock;
  readonly stream: StreamDefinition;
  readonly writer: LogWriter;
  readonly read: ReadMessage;
  readonly deadLetters: DeadLetters;
  readonly failed: (error: unknown) => void;
}

/** What waits for more of its stream, which does not come: recorded after so long. */
const FLUSH_MS = 1_000;

export class StreamSource {
  readonly #options: StreamSourceOptions;
  #follower: Follower | undefined;
  /** The position that comes next; undefined where it is read by time (S3). */
  #next: number | undefined;
  /** When what was recorded last was stored. */
  #knownAt = 0;
  #lost: { readonly messages: number; readonly since: string } | undefined;
  #timer: TimerHandle | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #stopped = false;
  #replaced = false;

  constructor(options: StreamSourceOptions) {
    this.#options = options;
  }

  /** Up to where what it says is in the log, and what was discarded before. */
  get position(): ReadPosition {
    const seq = this.#options.writer.upTo?.seq ?? 0;
    return this.#lost === undefined ? { seq } : { seq, lost: this.#lost };
  }

  /** Rejects with `Outage`. */
  async start(): Promise<void> {
    const { bus, stream, writer, failed } = this.#options;
    const from = await this.#beginning(await writer.open());
    const wentBack = (): void => {
      this.#stopped = true;
      failed(pastIsGone(stream));
    };
    const take = (message: StreamMessage): Promise<void> =>
      this.#take(message).catch((error) => this.#fail(error));
    this.#follower = await bus.follow(stream, stream.subjects[0]!, from, take, { wentBack });
    void this.#follower.caughtUp.then((last) => this.#ends(last)).catch((error) => this.#fail(error));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    await this.#follower?.stop();
    await this.#flushing.catch(() => undefined);
  }

  /** S1, S3 */
  async #beginning(upTo: RecordedUpTo | undefined): Promise<FollowFrom> {
    const { bus, stream } = this.#options;
    const { seq, at } = upTo ?? { seq: 0, at: 0 };
    this.#knownAt = at;
    if (seq === 0 || (await bus.stillHolds(stream, at === 0 ? { seq } : { seq, at }))) {
      this.#next = seq + 1;
      return seq === 0 ? { from: 'start' } : { from: 'seq', seq: seq + 1 };
    }
    this.#replaced = true;
    return { from: 'time', at: at + 1 };
  }

  async #take(message: StreamMessage): Promise<void> {
    if (this.#stopped) return;
    const { writer, stream } = this.#options;
    const { seq, at, pending } = message;
    const events: LoggedEvent[] = [...this.#notes(message)];
    this.#next = seq + 1;
    const said = await this.#read(message);
    if (said === undefined) events.push(this.#unreadable(message));
    else events.push(...said);
    if (this.#stopped) return;
    writer.add(
      events.map((event) => Object.assign({}, event, { source: event.source || sourceOf(stream.name, seq) })),
      { seq, at },
    );
    if (pending === 0 || writer.isFull) await this.#flush();
    else this.#flushLater();
  }

  /** S2: an outage is no fault of the message. */
  async #read(message: StreamMessage): Promise<readonly LoggedEvent[] | undefined> {
    try {
      return await this.#options.read(message);
    } catch (error) {
      if (error instanceof Outage) throw error;
      return undefined;
    }
  }

  /** S2: what was discarded at the end of the stream, once all that is there was taken. */
  async #ends(last: number): Promise<void> {
    const { writer, clock } = this.#options;
    const next = this.#next;
    if (this.#stopped || next === undefined || last < next) return;
    this.#next = last + 1;
    const at = clock.now();
    writer.add([this.#discarded(next, last, at)], { seq: last, at });
    await this.#flush();
  }

  /** S2, S3 */
  #notes({ seq, at }: StreamMessage): LoggedEvent[] {
    const { name } = this.#options.stream;
    const next = this.#next;
    if (this.#replaced) {
      this.#replaced = false;
      return [noteOf(at, replacedText(name, this.#knownAt), `${name}:before-${seq}`)];
    }
    return next === undefined || seq <= next ? [] : [this.#discarded(next, seq - 1, at)];
  }

  #discarded(first: number, last: number, at: number): LoggedEvent {
    const { name } = this.#options.stream;
    const { messages, since } = this.#lost ?? { messages: 0, since: new Date(at).toISOString() };
    this.#lost = { messages: messages + last - first + 1, since };
    return noteOf(at, lostText(name, first, last), `${name}:${first}-${last}`);
  }

  #unreadable({ subject, seq, at, data }: StreamMessage): LoggedEvent {
    const { stream, deadLetters } = this.#options;
    const text = unreadableText(stream.name, seq);
    const event = { type: 'recorder.unreadable', position: seq, stored: at, bytes: data.length } as never;
    deadLetters.add({ kind: 'recorder', id: subject, at, event, error: text });
    return noteOf(at, text, sourceOf(stream.name, seq));
  }

  #flushLater(): void {
    this.#timer ??= this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      void this.#flush().catch((error) => this.#fail(error));
    }, FLUSH_MS);
  }

  #flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#options.writer.flush());
    return this.#flushing;
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#options.failed(error);
  }
}
