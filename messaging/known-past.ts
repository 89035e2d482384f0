/**
 * What a process last knew of the streams whose partitions it owns, over the lives of their owners. Architecture,
 * "Ownership"; decision 27.
 *
 * K1. An owner that ends leaves what it knew here. Where the store went back, the low-water mark in its bucket went
 *     back with the streams and shows nothing: the next owner in this process compares with what was known here as
 *     well.
 * K2. Whenever the connection comes back, the last message known of each stream is looked for. Where it is gone every
 *     owner begins again from what is there, whichever of its streams it follows: what it takes for over may be open
 *     again.
 * K3. What was lost stays known: each partition that this process takes later deals with it, unless its low-water mark
 *     is of a later time.
 */

import type { StreamDefinition } from '../contract/bus/streams.ts';
import type { Bus, KnownMessage, Stoppable } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { everyOutage, retryWhileBusIsAway } from './while-bus-is-away.ts';

/** The last message known of a stream. */
export interface KnownIn extends KnownMessage {
  readonly stream: StreamDefinition;
  /** When it was stored; about when, where its position is known by its subject. */
  readonly at: number;
}

/** An owner while it lives. */
interface Knowing {
  /** What it knows of its streams now. */
  readonly known: () => readonly KnownIn[];
  /** A stream does not hold any more what was read of it. */
  readonly pastIsGone: (stream: StreamDefinition) => void;
}

interface KnownPastOptions {
  readonly bus: Pick<Bus, 'stillHolds' | 'connected' | 'onConnection'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Many partitions are taken one behind the other: one look does for them. */
const LOOK_AGAIN_MS = 250;
/** More losses than anybody deals with at once. */
const KEPT_LOSSES = 16;

export class KnownPast implements Stoppable {
  readonly #options: KnownPastOptions;
  readonly #known = new Map<string, KnownIn>();
  readonly #owners = new Set<Knowing>();
  /** What was known of streams that do not hold it any more. */
  #losses: readonly KnownIn[] = [];
  readonly #forget: () => void;
  /** The look under way: whoever asks meanwhile waits for it. */
  #looking: Promise<void> | undefined;
  /** By the monotonic clock; the connection has been there since. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Ends with the present connection, and with it the look that its beginning led to (K2). */
  #connection = new AbortController();
  #stopped = false;

  constructor(options: KnownPastOptions) {
    this.#options = options;
    this.#forget = options.bus.onConnection((connected) => {
      this.#lookedAt = Number.NEGATIVE_INFINITY;
      this.#connection.abort('the connection changed');
      this.#connection = new AbortController();
      if (connected) void this.#look();
    });
  }

  /** An owner goes on from here; the result is called at its end, and takes what it knew then (K1). */
  join(owner: Knowing): () => void {
    this.#owners.add(owner);
    return () => {
      if (this.#owners.delete(owner)) for (const known of owner.known()) this.#note(known);
    };
  }

  /** What was lost of streams as far as this process knows, and is not held again (K3). Rejects with `Outage`. */
  async losses(): Promise<readonly KnownIn[]> {
    const now = this.#options.clock.monotonic();
    if (now - this.#lookedAt > LOOK_AGAIN_MS) {
      this.#looking ??= this.#lookOnce(now);
      await this.#looking;
    }
    return this.#losses;
  }

  async #lookOnce(now: number): Promise<void> {
    try {
      await this.#compare(this.#gathered());
      this.#lookedAt = now;
    } finally {
      this.#looking = undefined;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#connection.abort('stopped');
    this.#forget();
  }

  #note(known: KnownIn): void {
    const before = this.#known.get(known.stream.name);
    if (before === undefined || before.at <= known.at) this.#known.set(known.stream.name, known);
  }

  #gathered(): readonly KnownIn[] {
    for (const owner of this.#owners) for (const known of owner.known()) this.#note(known);
    return [...this.#known.values()];
  }

  /** K2 */
  async #look(): Promise<void> {
    const { clock, log } = this.#options;
    const known = this.#gathered();
    const { signal } = this.#connection;
    try {
      await retryWhileBusIsAway({ clock, signal, waitsFor: everyOutage }, () => this.#compare(known));
    } catch (error) {
      // The next owner that is taken meets it too, and says so.
      log.error({ err: error }, 'what is known of the streams cannot be looked for');
    }
  }

  async #compare(known: readonly KnownIn[]): Promise<void> {
    const { bus } = this.#options;
    const held = await Promise.all(known.map((each) => bus.stillHolds(each.stream, seen(each))));
    for (const [n, each] of known.entries()) if (held[n] === false) this.#lose(each);
  }

  #lose(lost: KnownIn): void {
    const { stream } = lost;
    if (this.#stopped || this.#losses.some((each) => each.stream === stream && each.at >= lost.at)) return;
    const fields = { stream: stream.name, known: lost.seq, at: new Date(lost.at).toISOString() };
    this.#options.log.error(fields, 'stream does not hold any more what was known of it: owners begin again');
    this.#losses = [...this.#losses, lost].slice(-KEPT_LOSSES);
    if (this.#known.get(stream.name) === lost) this.#known.delete(stream.name);
    for (const owner of [...this.#owners]) owner.pastIsGone(stream);
  }
}

/** The time is only about right where the subject says which message it was. */
export function seen({ seq, at, subject }: KnownIn): KnownMessage {
  return subject === undefined ? { seq, at } : { seq, subject };
}
