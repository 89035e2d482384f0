/**
 * Whether a stream still holds what somebody once knew of it. A store that is put back from a copy, or that loses its
 * newest messages with the power, uses positions again: they mean something else from then on.
 *
 * H1. A message is known by its position with the time it was stored or its subject. One that is gone by its age proves
 *     nothing; one that is too young for that does (`isYoung`): copies that differ leave holes.
 * H2. In a cluster a new leader may not know yet what the old one held: that is waited for, not taken for a loss.
 * H4. Messages leave a stream by its age or its size, from the front. A position behind its first message that holds
 *     none, up to the last one that was given, is a loss that nobody need have known of. It was stored before the
 *     message behind it; where nothing is behind it, before the last message that the server knows the time of, or
 *     before now.
 * H5. What leaves a stream from its front need not have been as old as the stream keeps messages now: its retention was
 *     shorter for a time, or somebody took messages out. It holds all that was stored only from its first message on;
 *     and what was stored before it was made was in one that bore its name before.
 * H3. Whoever finds that something known is gone leaves its time here, for those of this process that knew nothing of
 *     that time.
 */

import type { StreamInfo } from 'nats';
import { Outage } from '../contract/outage.ts';
import type { KnownMessage } from '../ports/bus.ts';
import type { AssetHandle, Standing } from './asset.ts';
import type { JetStream } from './jetstream.ts';
import { readAt } from './stored-last.ts';

/** As many positions as an answer of the server may name. */
const NAMED_HOLES = 10_000;

/** An election and the catching up after it take some seconds; a loss may wait as long. */
export const CATCH_UP_MS = 15_000;

type Reached = Pick<Standing, 'stream' | 'lastSeq' | 'replicas'>;

export class Past {
  readonly #jetstream: JetStream;
  #lostUntil: number | undefined;
  /** Streams that end before what is known of them: since when, and the last position that is known. */
  readonly #behind = new Map<string, { readonly since: number; seq: number }>();

  constructor(jetstream: JetStream) {
    this.#jetstream = jetstream;
  }

  /** H3 */
  get lostUntil(): number | undefined {
    return this.#lostUntil;
  }

  lost(at: number | undefined): void {
    if (at !== undefined) this.#lostUntil = Math.max(at, this.#lostUntil ?? at);
  }

  /** Rejects with an outage while it cannot be determined. */
  async stillHolds(asset: AssetHandle, known: KnownMessage): Promise<boolean> {
    const holds = await this.#jetstream.retrying(undefined, (left) => this.#look(asset, known, left));
    if (!holds) this.lost(known.at);
    return holds;
  }

  /**
   * H4: until when messages are lost out of the middle of a stream or off its end; undefined: none are. Rejects with an
   * outage while it cannot be determined.
   */
  async holesUntil(asset: AssetHandle): Promise<number | undefined> {
    return this.#jetstream.retrying(undefined, async (left) => {
      const stands = await asset.look(left());
      const { stream, messages, lastAt } = stands;
      if (messages === 0) return lastAt;
      if (holesOf(stands) === 0) return undefined;
      const newest = await this.#newestHole(stands, left());
      const behind = await readAt(this.#jetstream, stream, { seq: newest + 1 }, left());
      return behind?.at ?? lastAt ?? Date.now();
    });
  }

  /**
   * H5: until when what was stored may have left the front of a stream, or was in one before it. Rejects with an outage
   * while it cannot be determined.
   */
  async leftUntil(asset: AssetHandle): Promise<number> {
    return this.#jetstream.retrying(undefined, async (left) => {
      const { messages, firstSeq, lastSeq, firstAt, lastAt, madeAt } = await asset.look(left());
      if (lastSeq > 0 && (messages === 0 || firstSeq > 1)) return firstAt ?? lastAt ?? Date.now();
      // A copy that came later than the first message says when it came.
      return Math.min(madeAt ?? Date.now(), firstAt ?? Number.POSITIVE_INFINITY);
    });
  }

  async #newestHole({ stream, lastSeq, ...stands }: Standing, timeoutMs: number): Promise<number> {
    if (holesOf({ lastSeq, ...stands }) > NAMED_HOLES) return lastSeq;
    const { state } = await this.#jetstream.ask<Pick<StreamInfo, 'state'>>(
      `STREAM.INFO.${stream}`,
      { deleted_details: true },
      timeoutMs,
    );
    return Math.max(...(state.deleted ?? [lastSeq]));
  }

  async #look(asset: AssetHandle, known: KnownMessage, left: () => number): Promise<boolean> {
    const stands = await asset.look(left());
    if (!this.reaches(stands, known.seq)) return false;
    return this.holdsAt(stands.stream, known, left());
  }

  /** The same of a stream that is known to reach as far. */
  async holdsAt(stream: string, known: KnownMessage, timeoutMs: number): Promise<boolean> {
    const message = await readAt(this.#jetstream, stream, { seq: known.seq }, timeoutMs);
    if (message === undefined) return known.isYoung !== true;
    return (
      (known.at === undefined || known.at === message.at) &&
      (known.subject === undefined || known.subject === message.subject)
    );
  }

  /** Whether the stream ends behind a position that it once held; throws an outage while it may be catching up (H2). */
  reaches({ stream, lastSeq, replicas }: Reached, seq: number): boolean {
    const now = performance.now();
    const behind = this.#behind.get(stream);
    if (behind !== undefined && lastSeq >= behind.seq) this.#behind.delete(stream);
    if (lastSeq >= seq) return true;
    const { since } = behind ?? { since: now };
    this.#behind.set(stream, { since, seq: Math.max(seq, behind?.seq ?? 0) });
    if (replicas > 1 && now - since < CATCH_UP_MS)
      throw new Outage('bus.unavailable', `${stream} has not caught up with what it held`);
    return false;
  }
}

/** H4 */
export function holesOf({
  messages,
  firstSeq,
  lastSeq,
}: Pick<Standing, 'messages' | 'firstSeq' | 'lastSeq'>): number {
  return messages === 0 ? 0 : lastSeq - firstSeq + 1 - messages;
}
