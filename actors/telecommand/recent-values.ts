/**
 * The value stream of one target, shared by everything that verifies on it, with the last batches kept so that who
 * comes a moment later misses nothing.
 *
 * X1. A listener gets each batch behind the position it asks for, and maybe some before it, once and in order, or
 *     learns that the kept ones do not reach back that far.
 * X2. The stream is followed while somebody listens and a while longer: telecommands come in bursts.
 * X3. A message that is no batch of values is handed on without one, and logged: it may still be the last one stored.
 */

import type { ValueBatch } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Bus, Follower, StreamMessage } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { valuesIn } from '../../telemetry/reading/values-in.ts';

/** `isLast`: nothing that was stored before is still to come. */
export type Listener = (message: ValueMessage, isLast: boolean) => void;

/** A message of the value stream, read; without a batch where it holds none (X3). */
export interface ValueMessage extends Pick<StreamMessage, 'seq' | 'headers'> {
  readonly batch: ValueBatch | undefined;
}

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
  #kept: ValueMessage[] = [];
  #follower: Promise<Follower> | undefined;
  /** Every batch behind this position was given, or is kept. */
  #since = Number.POSITIVE_INFINITY;
  /** Position of the last batch that is not kept any more. */
  #dropped = 0;
  /** Whether the last batch received was the newest stored. */
  #atHead = true;
  #linger: TimerHandle | undefined;

  constructor(options: RecentValuesOptions) {
    this.#options = options;
  }

  /**
   * Listens behind `position` if the kept batches reach back to it; otherwise only begins to follow, for the next one.
   */
  listen(position: number, listener: Listener): boolean {
    this.#begin();
    if (position < this.#since) {
      this.#lingerSoon();
      return false;
    }
    for (const [n, kept] of this.#kept.entries()) {
      listener(kept, n === this.#kept.length - 1 && this.#atHead);
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
    const { bus, target, log } = this.#options;
    const begun = bus.follow(streams.values, subject.values(target), { from: 'now' }, (message) =>
      this.#hear(message),
    );
    this.#follower = begun;
    const reached = begun.then((follower) => follower.caughtUp);
    reached.then(
      (position) => {
        if (this.#follower === begun) this.#since = Math.max(position, this.#dropped);
      },
      (error: unknown) => {
        log.warn({ err: error, target }, 'values of a target not followed');
        if (this.#follower === begun) this.#follower = undefined;
      },
    );
  }

  #hear(message: StreamMessage): void {
    const read = readMessage(message, this.#options.log);
    this.#kept.push(read);
    if (this.#kept.length > KEPT_BATCHES) this.#drop(this.#kept.shift()!);
    this.#atHead = message.pending === 0;
    for (const listener of [...this.#listeners]) listener(read, this.#atHead);
  }

  #drop({ seq }: ValueMessage): void {
    this.#dropped = seq;
    if (this.#since < seq) this.#since = seq;
  }

  #lingerSoon(): void {
    if (this.#listeners.size > 0 || this.#linger !== undefined) return;
    this.#linger = this.#options.clock.setTimeout(() => void this.stop(), LINGER_MS);
  }
}

/** The message with its batch (X3). */
export function readMessage(message: StreamMessage, log: Log): ValueMessage {
  const { seq, headers } = message;
  return { seq, headers, batch: valuesIn(message, log) };
}
