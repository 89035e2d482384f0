/**
 * What the owner of a decoder asks before it stores: whether it still is the owner, and how much of what is made of a
 * message of frames stands in the stream of decoded samples already. Architecture, "Life of a sample".
 *
 * J1. An owner that died may have stored what lies behind its low-water mark. What is made again within the window of
 *     the stream is a duplicate by its id (decoded-output.O1). Of a message of frames that is older than half of that,
 *     by the clock of the bus, what the stream holds of the target since then is read first, once for each target.
 * J2. A batch says which message it was made from by its position and time (`Mcs-Source`, `Mcs-Source-At`), and its
 *     link; those of one message and link are stored in their order, so their number says which are there.
 * J3. No owner before has read what was stored since this one took the low-water mark. The servers of a cluster date
 *     what they store each by its own clock.
 * J4. Nothing of this stream is conditional: who slept and may not be the owner any more stores nothing. What it has
 *     ready may be stored already, so long ago that its ids are forgotten.
 */

import { type DecodedBatch, decodeBatch } from '../contract/batch.ts';
import { header } from '../contract/bus/headers.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import { CLOCK_SKEW_MS } from '../contract/limits/membership.ts';
import { Outage } from '../contract/outage.ts';
import type { Bus, StreamMessage } from '../ports/bus.ts';
import { caughtUp } from '../ports/caught-up.ts';
import type { Clock } from '../ports/clock.ts';
import { recognizedMs } from '../ports/id-window.ts';

/** A message of frames and the link that was read in it. */
export interface MadeFrom {
  readonly target: string;
  readonly link: string;
  readonly seq: number;
  readonly at: number;
}

interface DecodingTermOptions {
  readonly bus: Pick<Bus, 'follow' | 'last' | 'dedupeMs'>;
  readonly clock: Clock;
  /** A time not before this owner took it, by the clock of the bus, ms since 1970; rejects with `Outage`. */
  readonly takenAt: () => Promise<number>;
  /** Whether the others still have to leave it to this process. */
  readonly holds: () => boolean;
  /** Ends a reading. */
  readonly signal: AbortSignal;
}

export class DecodingTerm {
  readonly #options: DecodingTermOptions;
  readonly #oldMs: number;
  #taken: { readonly at: number; readonly monotonic: number } | undefined;
  readonly #read = new Map<string, ReadonlyMap<string, number>>();

  constructor(options: DecodingTermOptions) {
    this.#options = options;
    const { bus } = options;
    this.#oldMs = recognizedMs(bus, streams.decoded);
  }

  /**
   * Batches of that message and link that are stored and may not be recognized by their ids. Rejects with `Outage`,
   * also where another process may be the owner (J4).
   */
  async storedBefore(from: MadeFrom): Promise<number> {
    const before = await this.#count(from);
    if (!this.#options.holds())
      throw new Outage('bus.unavailable', 'another process may decode these frames');
    return before;
  }

  async #count(from: MadeFrom): Promise<number> {
    const { clock, takenAt } = this.#options;
    this.#taken ??= { at: await takenAt(), monotonic: clock.monotonic() };
    if (from.at > this.#taken.at + CLOCK_SKEW_MS) return 0;
    const read = this.#read.get(from.target) ?? (this.#isOld(from, this.#taken) && (await this.#since(from)));
    if (!read) return 0;
    this.#read.set(from.target, read);
    return read.get(originOf(from)) ?? 0;
  }

  #isOld({ at }: MadeFrom, taken: { readonly at: number; readonly monotonic: number }): boolean {
    return taken.at + (this.#options.clock.monotonic() - taken.monotonic) - at >= this.#oldMs;
  }

  async #since({ target, at }: MadeFrom): Promise<ReadonlyMap<string, number>> {
    const { bus, signal } = this.#options;
    const found = new Map<string, number>();
    const of = subject.decoded(target);
    const since = at - CLOCK_SKEW_MS;
    const last = await bus.last(streams.decoded, of);
    if (last === undefined || last.at < since) return found;
    const follower = await bus.follow(streams.decoded, of, { from: 'time', at: since }, (message) => {
      const origin = originIn(message);
      if (origin !== undefined) found.set(origin, (found.get(origin) ?? 0) + 1);
    });
    await caughtUp(follower, signal);
    return found;
  }
}

function originOf({ link, seq, at }: Omit<MadeFrom, 'target'>): string {
  return `${seq}@${at} ${link}`;
}

/** Undefined where it was not made of a message of frames. */
function originIn({ headers, data }: StreamMessage): string | undefined {
  const { [header.source]: seq, [header.sourceAt]: at } = headers;
  if (at === undefined) return undefined;
  return originOf({ link: linkIn(data), seq: Number(seq), at: Number(at) });
}

/** Empty in bytes that are no batch. */
function linkIn(data: Uint8Array): string {
  try {
    return decodeBatch<DecodedBatch>(data).link;
  } catch {
    return '';
  }
}
