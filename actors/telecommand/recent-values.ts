/**
 * The value stream of one target, shared by everything that verifies on it, with the last batches kept so that who
 * comes a moment later misses nothing.
 *
 * X1. A listener gets each batch behind the position it asks for, and maybe some before it, once and in order, or
 *     learns that the kept ones do not reach back that far.
 * X2. The stream is followed while somebody listens and a while longer: telecommands come in bursts.
 * X3. A message that is no batch of values is handed on without one, and logged: it may still be the last one stored.
 * X4. What is kept is of the last `KEPT_MS`, and at most `KEPT_BATCHES`: a batch that is read takes several times the
 *     memory of its message, and whoever comes next is handed all of them.
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
/** Between a sending and the first look are milliseconds, and seconds on a machine that is busy. */
const KEPT_MS = 10_000;
/** Longer than the pause between telecommands of one operator. */
const LINGER_MS = 30_000;

interface Kept {
  readonly message: ValueMessage;
  /** In ms since 1970. */
  readonly at: number;
}

interface RecentValuesOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly target: string;
}

export class RecentValues {
  readonly #options: RecentValuesOptions;
  readonly #listeners = new Set<Listener>();
  #kept: Kept[] = [];
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
    for (const [n, { message }] of this.#kept.entries()) {
      listener(message, n === this.#kept.length - 1 && this.#atHead);
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

  #hear(stored: StreamMessage): void {
    const message = readMessage(stored, this.#options.log);
    const at = this.#options.clock.now();
    this.#kept.push({ message, at });
    this.#drop(at - KEPT_MS);
    this.#atHead = stored.pending === 0;
    for (const listener of [...this.#listeners]) listener(message, this.#atHead);
  }

  /** X4; the newest one stays. */
  #drop(before: number): void {
    let count = Math.max(0, this.#kept.length - KEPT_BATCHES);
    while (count < this.#kept.length - 1 && this.#kept[count]!.at < before) count += 1;
    for (const { message } of this.#kept.splice(0, count)) this.#dropped = message.seq;
    this.#since = Math.max(this.#since, this.#dropped);
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
