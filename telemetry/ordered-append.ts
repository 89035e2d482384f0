/**
 * Appends that are many under way and stored in the order they were pushed, through losses of the bus.
 *
 * Q1. Nothing new is sent while the fate of something sent before the connection broke is open.
 * Q2. After a failure everything without an acknowledgement is sent again, in order, under the same ids.
 *     Each is tried once: one that the bus tried again by itself would come behind those pushed later.
 * Q3. `stored` is called in the order of the pushes, each once.
 * Q4. While the oldest has waited for its acknowledgement longer than `VALUE_APPEND_LATE_MS` nothing new is sent: a
 *     stream that has just lost its leader answers nothing, and what was sent behind it would be stored before it.
 * Q6. What was sent behind it within that time may be stored before it all the same. Who comes late so is sent as what
 *     it is behind those that have passed it (`behind`).
 * Q5. Nothing is sent by whoever may not be the owner any more. One that slept would send what its successor has
 *     published, and past the window for which the stream remembers ids both would be stored.
 */

import type { StreamDefinition } from '../contract/bus/streams.ts';
import { BUS_ATTEMPT_MS, BUS_RETRY_MS } from '../contract/limits/bus.ts';
import { VALUE_APPEND_LATE_MS, VALUE_APPENDS } from '../contract/limits/value.ts';
import { Outage } from '../contract/outage.ts';
import type { Bus, Headers } from '../ports/bus.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

export interface Append {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly id: string;
  readonly headers: Headers;
  /** It holds only if the last message of the subject has this position; otherwise it is left out. */
  readonly expectLastSubjectSeq?: number;
  /** What is sent instead of `data` where those, pushed later, are stored already (Q6); default: `data` as it is. */
  behind?(passed: readonly Append[]): Uint8Array;
  /** Position it is stored at. */
  stored(seq: number): void;
  /** It was left out: something else stands last. */
  refused?(): void;
}

interface Entry {
  readonly append: Append;
  state: 'waiting' | 'sent' | { readonly seq: number } | 'refused';
  sentAt: number;
}

export class OrderedAppend {
  readonly #bus: Bus;
  readonly #stream: StreamDefinition;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #holds: () => boolean;
  readonly #queue: Entry[] = [];
  #sent = 0;
  /** Set from a failure until everything sent has settled and the pause is over (Q1). */
  #broken = false;
  #stopped = false;
  #pause: TimerHandle | undefined;
  #room: (() => void)[] = [];
  #settled: (() => void)[] = [];
  /** Wait for an empty queue. */
  readonly #empty: (() => void)[] = [];
  readonly #forget: () => void;

  /** `holds`: whether it is the owner of what it appends (Q5); default: always. */
  constructor(options: {
    readonly bus: Bus;
    readonly stream: StreamDefinition;
    readonly clock: Clock;
    readonly log: Log;
    readonly holds?: (() => boolean) | undefined;
  }) {
    this.#bus = options.bus;
    this.#stream = options.stream;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#holds = options.holds ?? (() => true);
    this.#forget = options.bus.onConnection((connected) => this.#connection(connected));
  }

  /** Whether everything taken has been stored or left out. */
  get idle(): boolean {
    return this.#queue.length === 0;
  }

  /** Takes the append; the promise, when there is one, resolves when there is room for the next. */
  push(append: Append): Promise<void> | undefined {
    this.#queue.push({ append, state: 'waiting', sentAt: 0 });
    this.#send();
    if (this.#queue.length < VALUE_APPENDS || this.#stopped) return undefined;
    return new Promise((resolve) => this.#room.push(resolve));
  }

  /** Resolves when everything taken so far is stored or left out, or it is stopped. */
  async drained(): Promise<void> {
    while (!this.idle && !this.#stopped) await new Promise<void>((resolve) => this.#empty.push(resolve));
  }

  /** Sends nothing more and resolves when what was sent has settled; what was not stored is left to a later owner. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#forget();
    if (this.#pause !== undefined) this.#clock.clearTimeout(this.#pause);
    for (const resolve of [...this.#room.splice(0), ...this.#empty.splice(0)]) resolve();
    if (this.#sent > 0) await new Promise<void>((resolve) => this.#settled.push(resolve));
  }

  #send(): void {
    if (this.#broken || this.#stopped || this.#isLate()) return;
    if (!this.#holds()) return this.#lookAgain();
    for (const entry of this.#queue) if (entry.state === 'waiting') this.#sendOne(entry);
  }

  /** Q5: it is stopped soon, or is the owner after all. */
  #lookAgain(): void {
    this.#pause ??= this.#clock.setTimeout(() => {
      this.#pause = undefined;
      this.#send();
    }, BUS_RETRY_MS);
  }

  /** Q4: what stands first has settled or is on its way. */
  #isLate(): boolean {
    const oldest = this.#queue[0];
    return oldest?.state === 'sent' && this.#clock.now() - oldest.sentAt > VALUE_APPEND_LATE_MS;
  }

  #sendOne(entry: Entry): void {
    entry.state = 'sent';
    entry.sentAt = this.#clock.now();
    this.#sent += 1;
    const { append } = entry;
    const { id, headers, expectLastSubjectSeq: expect } = append;
    this.#bus
      .append(this.#stream, append.subject, this.#dataOf(entry), {
        id,
        headers,
        deadlineMs: BUS_ATTEMPT_MS,
        once: true,
        ...(expect !== undefined && { expectLastSubjectSeq: expect }),
      })
      .then(
        (outcome) => {
          entry.state = outcome.outcome === 'conflict' ? 'refused' : { seq: outcome.seq };
          if (outcome.outcome === 'conflict') append.refused?.();
        },
        (error: unknown) => this.#fail(entry, error),
      )
      .finally(() => this.#settle());
  }

  /** An outage is tried again; anything else would fail again and hold up everything behind it. */
  #fail(entry: Entry, error: unknown): void {
    if (error instanceof Outage) {
      entry.state = 'waiting';
      this.#broken = true;
      return;
    }
    entry.state = 'refused';
    const { subject, id } = entry.append;
    this.#log.error({ err: error, subject, id }, 'append refused, left out');
  }

  /** Q6 */
  #dataOf(entry: Entry): Uint8Array {
    const { append } = entry;
    if (append.behind === undefined || entry === this.#queue.at(-1)) return append.data;
    const later = this.#queue.slice(this.#queue.indexOf(entry) + 1);
    const passed = later.filter(({ state }) => typeof state === 'object').map((each) => each.append);
    return passed.length === 0 ? append.data : append.behind(passed);
  }

  #settle(): void {
    this.#sent -= 1;
    this.#shift();
    this.#send();
    if (this.#sent > 0) return;
    for (const resolve of this.#settled.splice(0)) resolve();
    if (!this.#broken || this.#stopped) return;
    if (this.#bus.connected) this.#resend(BUS_RETRY_MS);
  }

  #shift(): void {
    let entry = this.#queue[0];
    while (entry !== undefined && entry.state !== 'waiting' && entry.state !== 'sent') {
      this.#queue.shift();
      if (entry.state !== 'refused') entry.append.stored(entry.state.seq);
      entry = this.#queue[0];
    }
    if (this.#queue.length < VALUE_APPENDS) for (const resolve of this.#room.splice(0)) resolve();
    if (this.idle) for (const resolve of this.#empty.splice(0)) resolve();
  }

  #connection(connected: boolean): void {
    if (!connected) this.#broken = this.#broken || this.#sent > 0;
    else if (this.#broken && this.#sent === 0) this.#resend(0);
  }

  #resend(delayMs: number): void {
    if (this.#pause !== undefined) this.#clock.clearTimeout(this.#pause);
    this.#pause = this.#clock.setTimeout(() => {
      this.#pause = undefined;
      this.#broken = false;
      this.#send();
    }, delayMs);
  }
}
