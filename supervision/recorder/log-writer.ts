/**
 * One source of the log of events: what was recorded of it last, and what is recorded next.
 *
 * W1. A batch is appended behind the last one known: of two recorders that both believe to lead one is refused, and
 *     begins again from what the log has.
 * W2. What a batch goes up to stands in it: position and events are stored in one message or not at all.
 * W3. A log that was emptied, or whose events left it by their age, is not filled again: what counts is the later of
 *     what it says and of what is known beside it (recorder.R2).
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { type LoggedEvent, type RecordedUpTo, readEventBatch } from '../../contract/event.ts';
import { EVENT_BATCH, EVENT_BATCH_CHARACTERS, RECORDER_AGAIN_MS } from '../../contract/limits/event.ts';
import { Outage } from '../../contract/outage.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';

export interface LogWriterOptions {
  readonly bus: Pick<Bus, 'append' | 'last' | 'follow'>;
  readonly clock: Clock;
  /** A token: the last segment of its subject. */
  readonly source: string;
  /** Up to where it was recorded, as is known beside the log (W3). */
  readonly known: RecordedUpTo | undefined;
  readonly newId: () => string;
  readonly signal: AbortSignal;
}

export class LogWriter {
  readonly #options: LogWriterOptions;
  #last = 0;
  #upTo: RecordedUpTo | undefined;
  #waiting: LoggedEvent[] = [];
  #characters = 0;
  #waitsUpTo: RecordedUpTo | undefined;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#upTo = options.known;
  }

  /** Up to where it is recorded. Rejects with `Outage`. */
  async open(): Promise<RecordedUpTo | undefined> {
    const { bus, known } = this.#options;
    const last = await bus.last(streams.events, this.#subject);
    this.#last = last?.seq ?? 0;
    const said = last === undefined ? undefined : readEventBatch(last.data)?.upTo;
    this.#upTo = said === undefined || (known !== undefined && known.at > said.at) ? known : said;
    return this.#upTo;
  }

  /** Sources of what was recorded shortly before the last one (contract/event.E2). Rejects with `Outage`. */
  async recent(): Promise<ReadonlySet<string>> {
    const { bus } = this.#options;
    const upTo = this.#upTo;
    if (upTo === undefined) return new Set();
    const sources = new Set<string>();
    const from = { from: 'time', at: upTo.at - RECORDER_AGAIN_MS } as const;
    const follower = await bus.follow(streams.events, this.#subject, from, ({ data }) => {
      for (const { source } of readEventBatch(data)?.events ?? []) sources.add(source);
    });
    await follower.caughtUp;
    await follower.stop();
    return sources;
  }

  /** Goes up to there, with so many events, which are appended by `flush`. */
  add(events: readonly LoggedEvent[], upTo: RecordedUpTo): void {
    for (const event of events) {
      this.#waiting.push(event);
      this.#characters += event.text.length + (event.data?.length ?? 0);
    }
    this.#waitsUpTo = upTo;
  }

  get isFull(): boolean {
    return this.#waiting.length >= EVENT_BATCH || this.#characters >= EVENT_BATCH_CHARACTERS;
  }

  /**
   * Appends what was added; waits while the bus is away. Rejects with `Outage` where somebody else records (W1).
   */
  async flush(): Promise<void> {
    if (this.#waiting.length === 0 || this.#waitsUpTo === undefined) return;
    const { bus, clock, source, newId, signal } = this.#options;
    const upTo = this.#waitsUpTo;
    const data = Buffer.from(JSON.stringify({ upTo, events: this.#waiting }));
    this.#waiting = [];
    this.#characters = 0;
    // Of this batch alone: where the bus knows it, an outage took the answer.
    const options = { id: newId(), expectLastSubjectSeq: this.#last };
    const appended = await retryWhileBusIsAway({ clock, signal }, () =>
      bus.append(streams.events, this.#subject, data, options),
    );
    if (appended === undefined) return;
    if (appended.value.outcome === 'conflict')
      throw new Outage('bus.unavailable', `another process records ${source}, or the log went back`);
    this.#last = appended.value.seq;
    this.#upTo = upTo;
  }

  /** Up to where it is recorded. */
  get upTo(): RecordedUpTo | undefined {
    return this.#upTo;
  }

  get #subject(): string {
    return subject.events(this.#options.source);
  }
}
