/**
 * The value stream of one target, shared by everything that verifies on it, with the last batches kept so that who comes a
 * moment later misses nothing.
 *
 * X1. A listener hears each batch stored at or after the time it asks for, once and in order, or is told that the kept
 *     batches do not reach back that far.
 * X2. The stream is followed while somebody listens and a while longer: telecommands come in bursts.
 */

import type { ValueBatch } from '../../contract/batch.ts';
import { streams, subject } from '../../contract/subject.ts';
import type { Bus, Follower, StreamMessage } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { valuesIn } from '../values-in.ts';

/** `isLast`: nothing that was stored before is still to come; without a batch the message held none. */
export type Listener = (batch: ValueBatch | undefined, isLast: boolean) => void;

/** Enough for the moment between a sending and the first look at any sensible telemetry rate. */
const KEPT_BATCHES = 256;
/** Longer than the pause between telecommands of one operator. */
const LINGER_MS = 30_000;

interface RecentValuesOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly target: string;
}

export class RecentValues {
  readonly #options: RecentValuesOptions;
  readonly #listeners = new Set<Listener>();
  #kept: { readonly at: number; readonly batch: ValueBatch | undefined }[] = [];
  #follower: Promise<Follower> | undefined;
  /** Every batch stored since then has been heard. */
  #since = Number.POSITIVE_INFINITY;
  /** Whether the last batch heard was the newest stored. */
  #atHead = true;
  #linger: TimerHandle | undefined;

  constructor(options: RecentValuesOptions) {
    this.#options = options;
  }

  /** Listens from `at` on if the kept batches reach back to it; otherwise only begins to follow, for the next one. */
  listen(at: number, listener: Listener): boolean {
    this.#begin();
    if (at < this.#since) {
      this.#lingerSoon();
      return false;
    }
    for (const [n, kept] of this.#kept.entries()) {
      listener(kept.batch, n === this.#kept.length - 1 && this.#atHead);
    }
    this.#listeners.add(listener);
    return true;
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener);
    this.#lingerSoon();
  }

  async stop(): Promise<void> {
    if (this.#linger !== undefined) this.#options.clock.clearTimeout(this.#linger);
    const follower = this.#follower;
    this.#follower = undefined;
    this.#since = Number.POSITIVE_INFINITY;
    this.#kept = [];
    await (await follower?.catch(() => undefined))?.stop();
  }

  #begin(): void {
    if (this.#linger !== undefined) this.#options.clock.clearTimeout(this.#linger);
    this.#linger = undefined;
    if (this.#follower !== undefined) return;
    const { bus, target, clock, log } = this.#options;
    const begun = bus.follow(streams.values, subject.values(target), { from: 'now' }, (message) =>
      this.#hear(message),
    );
    this.#follower = begun;
    begun.then(
      () => {
        if (this.#follower === begun) this.#since = clock.now();
      },
      (error: unknown) => {
        log.warn({ err: error, target }, 'values of a target not followed');
        if (this.#follower === begun) this.#follower = undefined;
      },
    );
  }

  #hear(message: StreamMessage): void {
    const batch = valuesIn(message, this.#options.log);
    this.#kept.push({ at: message.at, batch });
    if (this.#kept.length > KEPT_BATCHES) this.#since = this.#kept.shift()!.at + 1;
    this.#atHead = message.pending === 0;
    for (const listener of [...this.#listeners]) listener(batch, this.#atHead);
  }

  #lingerSoon(): void {
    if (this.#listeners.size > 0 || this.#linger !== undefined) return;
    this.#linger = this.#options.clock.setTimeout(() => void this.stop(), LINGER_MS);
  }
}
