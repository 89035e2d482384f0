/**
 * How far the value batches of a target have come, and what identifies each in the value stream: ids, headers and
 * positions (telemetry-owner.O1, O2, O5, O7). What is in a batch is made by the owner.
 */

import { encodeBatch, type ValueBatch } from '../contract/batch.ts';
import { header } from '../contract/bus/headers.ts';
import { subject } from '../contract/bus/subjects.ts';
import type { Platform } from '../mission/platform.ts';
import type { Bus, FollowFrom, StreamMessage } from '../ports/bus.ts';
import type { Positions } from './checkpoint.ts';
import { inMessages } from './files/messages.ts';
import type { Append, OrderedAppend } from './ordered-append.ts';
import { PublishedTail, readTail } from './published-tail.ts';
import { markedBehind } from './sample-order.ts';
import { covered } from './went-back.ts';

interface PublisherOptions {
  readonly target: string;
  readonly epoch: number;
  readonly appends: OrderedAppend;
  /** Revision of the mission in force. */
  readonly revision: () => string | undefined;
  /** The batch, by that catalogue, is in the value stream. */
  readonly stored: (values: ValueBatch, platform: Platform | undefined) => void;
  /** The positions have moved. */
  readonly moved: () => void;
  /** Something has settled. */
  readonly settled: () => void;
  /** Another owner has published since. */
  readonly refused: () => void;
}

const NOTHING: Positions = { decoded: 0, values: 0 };

export class ValuePublisher {
  readonly #options: PublisherOptions;
  #positions = NOTHING;
  /** What owners before have published behind the checkpoint. */
  #published = new PublishedTail();
  /** The last decoded message that values were made from, and when it was stored. */
  #handled = 0;
  #handledAt = 0;
  /** Behind the position in the ids (telemetry-owner.O7). */
  #tag = '';
  /** The batch that each append is of. */
  readonly #sent = new WeakMap<Append, ValueBatch>();
  /** Last message of the value stream of this target, as far as is known here; 0 where it holds none. */
  #tail = 0;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** What the value stream holds of: the checkpoint may say so. */
  get positions(): Positions {
    return this.#positions;
  }

  get tail(): number {
    return this.#tail;
  }

  /** Takes up how far owners before came: their checkpoint, and the last message of the value stream. */
  begin(checkpoint: Positions | undefined, last: StreamMessage | undefined): void {
    if (checkpoint !== undefined) this.#positions = covered(checkpoint, last);
    // Where the stream holds none, as one that was emptied, what is published is the first, whatever stood there.
    this.#tail = last?.seq ?? 0;
  }

  /** Reads what they published behind the checkpoint. Rejects with `Outage`. */
  async readTail(bus: Bus, take: (message: StreamMessage) => Promise<void>): Promise<void> {
    const { target } = this.#options;
    const { values: after } = this.#positions;
    this.#published = await readTail({ bus, target, after, upTo: this.#tail, take });
  }

  /** Goes on behind them; returns the last decoded message that is covered. */
  goOn(last: StreamMessage | undefined): number {
    const { decoded, values } = this.#positions;
    this.#handled = Math.max(decoded, this.#published.last);
    this.#handledAt = Number(last?.headers[header.sourceAt] ?? 0);
    if (this.#tail > values) this.#cover(decoded);
    return decoded;
  }

  /** Reads again what was decoded since that time (telemetry-owner.O7). */
  goOnFrom(lost: number): FollowFrom {
    this.#tag = `@${lost}`;
    this.#published = new PublishedTail();
    this.#positions = { ...this.#positions, decoded: 0 };
    return { from: 'time', at: lost + 1 };
  }

  /** Whether a batch made from the decoded message is in the value stream. */
  has(decoded: number): boolean {
    return this.#published.has(decoded);
  }

  /** Passes what an owner before has published: it counts once all of that is passed (published-tail.U1). */
  pass(decoded: number, isOver: () => boolean): void | Promise<void> {
    if (decoded < this.#published.last) return;
    const { appends } = this.#options;
    if (appends.idle) return this.#cover(decoded);
    // What was missing in front of it.
    return appends.drained().then(() => {
      if (!isOver()) this.#cover(decoded);
    });
  }

  /** Publishes what was made from the decoded message; the promise, when there is one, resolves when there is room. */
  publish(message: StreamMessage, values: ValueBatch, platform: Platform | undefined): void | Promise<void> {
    const { target, appends } = this.#options;
    const { seq: decoded, at } = message;
    if (decoded > this.#handled) [this.#handled, this.#handledAt] = [decoded, at];
    const headers = this.#headers(decoded, at, values.deferred);
    const received = message.headers[header.source];
    // Position of the frames it was made from.
    if (received !== undefined) headers[header.received] = received;
    const id = `${target}-${decoded}${this.#tag}`;
    const { last, more } = inMessages(values);
    for (const [n, { batch, data }] of more.entries())
      void appends.push({
        subject: subject.values(target),
        data,
        id: `${id}.${n}`,
        headers: { ...headers, [header.part]: String(n) },
        stored: (seq) => {
          this.#options.stored(batch, platform);
          this.#tail = Math.max(this.#tail, seq);
        },
      });
    return appends.push(
      this.#withSamples(last.batch, platform, {
        subject: subject.values(target),
        data: last.data,
        id,
        headers,
        stored: (seq) => this.#stored(last.batch, platform, { decoded, values: seq }),
      }),
    );
  }

  /** Publishes what that moment changed; with `tail`, only if nothing has been published behind it. */
  publishTurned(at: number, values: ValueBatch, platform: Platform | undefined, tail?: number): void {
    const { target, appends, refused } = this.#options;
    const decoded = this.#handled;
    const headers = this.#headers(decoded, this.#handledAt, false);
    headers[header.turned] = String(at);
    void appends.push(
      this.#withSamples(values, platform, {
        subject: subject.values(target),
        data: encodeBatch(values),
        id: `${target}-${decoded}${this.#tag}-${at}`,
        headers,
        ...(tail !== undefined && { expectLastSubjectSeq: tail }),
        stored: (seq) => this.#stored(values, platform, { decoded, values: seq }),
        refused,
      }),
    );
  }

  /** Samples that come late are marked where those that have passed them are newer (telemetry-owner.O8). */
  #withSamples(batch: ValueBatch, platform: Platform | undefined, append: Append): Append {
    if (platform === undefined) return append;
    const behind = (passed: readonly Append[]): Uint8Array => {
      const before = passed.flatMap((each) => this.#sent.get(each) ?? []);
      return encodeBatch(markedBehind(platform, batch, before));
    };
    const whole = { ...append, behind };
    this.#sent.set(whole, batch);
    return whole;
  }

  #headers(decoded: number, at: number, deferred: boolean): Record<string, string> {
    const { epoch, revision } = this.#options;
    const config = revision();
    return {
      [header.delivery]: deferred ? 'deferred' : 'realtime',
      [header.source]: String(decoded),
      ...(at > 0 && { [header.sourceAt]: String(at) }),
      [header.epoch]: String(epoch),
      ...(config !== undefined && { [header.config]: config }),
    };
  }

  #stored(values: ValueBatch, platform: Platform | undefined, positions: Positions): void {
    this.#options.stored(values, platform);
    this.#tail = Math.max(this.#tail, positions.values);
    this.#cover(positions.decoded);
  }

  /**
   * Everything up to the decoded message is stored. What was published behind the checkpoint counts once it is passed
   * as a whole.
   */
  #cover(decoded: number): void {
    if (decoded >= this.#published.last) {
      this.#positions = { decoded, values: this.#tail };
      this.#options.moved();
    }
    this.#options.settled();
  }
}
