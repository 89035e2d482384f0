/**
 * Stores calls in the log of events: batches of one front end, one after the other, each once.
 *
 * B1. A batch is repeated under its id until the bus has it. An outage may last longer than the stream remembers ids:
 *     before a batch is repeated, what was stored behind the one before is searched for it. Other front ends write to
 *     the same subject, so it need not be the last.
 * B2. Behind the end each batch is tried once: what was answered while it ended is recorded if the bus takes it.
 */

import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import { type LoggedEvent, readEventBatch } from '../contract/event.ts';
import { Outage } from '../contract/outage.ts';
import { isBusAway, retryWhileBusIsAway } from '../messaging/while-bus-is-away.ts';
import type { Bus } from '../ports/bus.ts';
import { caughtUp } from '../ports/caught-up.ts';
import type { Clock } from '../ports/clock.ts';

/** Last segment of the subject, and of what its events were made from. */
export const REQUESTS = 'requests';
const TO = subject.events(REQUESTS);

interface RequestLogOptions {
  readonly bus: Pick<Bus, 'append' | 'last' | 'follow'>;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Ends the repetitions. */
  readonly signal: AbortSignal;
}

interface Batch {
  readonly id: string;
  readonly data: Buffer;
  /** Of its first event: no other batch has it (contract/event.E2). */
  readonly source: string;
}

export class RequestLog {
  readonly #options: RequestLogOptions;
  /** Position of a message that stood there before the batch under way was sent first; undefined: none was sent yet. */
  #behind: number | undefined;

  constructor(options: RequestLogOptions) {
    this.#options = options;
  }

  /** Whether they are stored; not where it ended while the bus was away. Throws what is no outage of the bus. */
  async store(events: readonly [LoggedEvent, ...LoggedEvent[]]): Promise<boolean> {
    const { clock, newId, signal } = this.#options;
    const data = Buffer.from(JSON.stringify({ events }));
    const batch = { id: newId(), data, source: events[0].source };
    try {
      await this.#append(batch);
      return true;
    } catch (error) {
      if (!(error instanceof Outage && isBusAway(error))) throw error;
    }
    const repeated = await retryWhileBusIsAway({ clock, signal, finishes: true }, () => this.#repeat(batch));
    return repeated !== undefined;
  }

  async #append({ id, data }: Batch): Promise<void> {
    const { bus } = this.#options;
    this.#behind ??= (await bus.last(streams.events, TO))?.seq ?? 0;
    const appended = await bus.append(streams.events, TO, data, { id });
    if (appended.outcome !== 'conflict') this.#behind = appended.seq;
  }

  /** B1 */
  async #repeat(batch: Batch): Promise<void> {
    const found = await this.#positionOf(batch);
    if (found === undefined) return this.#append(batch);
    this.#behind = found;
  }

  /** Where it is stored; undefined where it is not. */
  async #positionOf({ source }: Batch): Promise<number | undefined> {
    const { bus, signal } = this.#options;
    if (this.#behind === undefined) return undefined;
    const last = await bus.last(streams.events, TO);
    if (last === undefined || last.seq <= this.#behind) return undefined;
    let found: number | undefined;
    const from = { from: 'seq', seq: this.#behind + 1 } as const;
    const follower = await bus.follow(streams.events, TO, from, ({ seq, data }) => {
      if (readEventBatch(data)?.events[0]?.source === source) found = seq;
    });
    await caughtUp(follower, signal);
    return found;
  }
}
