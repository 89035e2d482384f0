/**
 * The connection of one process to the server of the twin: takes time, keeps the order of each direction, breaks and
 * comes back. Time on the way belongs to the world, time in the process to the process.
 *
 * N1. What is sent arrives in the order it was sent, or, when the connection breaks first, not at all; answers too.
 *     What is pulled from streams keeps an order of its own: it may be overtaken by everything else.
 * N2. What waits for an answer when the connection breaks fails at once; whether it was done is not known.
 * N3. A process that was cut sends nothing more and receives nothing more; what had left it still arrives.
 */

import { BUS_ATTEMPT_MS } from '../../../contract/limits/bus.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { TwinServer } from './server.ts';
import type { Weather } from './weather.ts';

export interface WireOptions {
  readonly server: TwinServer;
  /** Time on the way. */
  readonly outside: Clock;
  /** Time in the process. */
  readonly inside: Clock;
  /** Brings what arrives into the process; default: its clock. */
  readonly arrivals?: Clock;
  /** The same for what is pulled from streams and buckets. */
  readonly pulled?: Clock;
  readonly weather: Weather;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Outage) => void;
}

export class Wire {
  readonly #options: WireOptions;
  readonly #listeners = new Set<(connected: boolean) => void>();
  readonly #waiters = new Set<Waiter>();
  readonly #inFlight = new Set<(error: Outage) => void>();
  readonly #forget: () => void;
  #connected = false;
  #changedAt: number;
  #generation = 0;
  #ended = false;
  #upAt = Number.NEGATIVE_INFINITY;
  #downAt = Number.NEGATIVE_INFINITY;
  #pulledAt = Number.NEGATIVE_INFINITY;

  constructor(options: WireOptions) {
    this.#options = options;
    this.#changedAt = options.inside.monotonic();
    this.#forget = options.server.onTurn((up) => {
      if (up) this.#dialSoon();
      else this.break();
    });
    this.#dialSoon();
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** When the connection was made or lost, by the clock of the process. */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** Whether the process may still act. */
  get alive(): boolean {
    return !this.#ended;
  }

  onChange(listener: (connected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** As the adapter waits for its connection: for a while when impatient, until the deadline when patient. */
  async ready(deadline: number, patient: boolean): Promise<void> {
    if (this.#connected) return;
    if (this.#ended) throw away();
    const now = this.#options.inside.monotonic();
    const until = patient ? deadline : Math.min(deadline, this.#changedAt + BUS_ATTEMPT_MS);
    if (until <= now) throw away();
    await new Promise<void>((resolve, reject) => {
      const waiter = { resolve, reject };
      this.#waiters.add(waiter);
      this.#options.inside.setTimeout(() => {
        if (this.#waiters.delete(waiter)) reject(away());
      }, until - now);
    });
  }

  /** Carries something to the server; lost when the connection breaks before it arrives. */
  up(arrive: () => void): void {
    if (!this.#connected || this.#ended) return;
    const { outside, weather, server } = this.#options;
    const generation = this.#generation;
    this.#upAt = Math.max(outside.now() + weather.latencyMs(), this.#upAt);
    outside.setTimeout(() => {
      if (generation === this.#generation && server.up) arrive();
    }, this.#upAt - outside.now());
  }

  /** Carries something to the process; lost when the connection breaks before it arrives. */
  down(arrive: () => void): void {
    if (!this.#connected || this.#ended) return;
    const { outside, inside, arrivals = inside, weather } = this.#options;
    this.#downAt = Math.max(outside.now() + weather.latencyMs(), this.#downAt);
    this.#arriveAt(this.#downAt, arrivals, arrive);
  }

  /** Carries what was pulled from a stream to the process. */
  pull(arrive: () => void): void {
    if (!this.#connected || this.#ended) return;
    const { outside, inside, pulled = inside, weather } = this.#options;
    this.#pulledAt = Math.max(outside.now() + weather.pullMs(), this.#pulledAt);
    this.#arriveAt(this.#pulledAt, pulled, arrive);
  }

  #arriveAt(at: number, clock: Clock, arrive: () => void): void {
    const generation = this.#generation;
    clock.setTimeout(() => {
      if (generation === this.#generation && !this.#ended) arrive();
    }, at - this.#options.outside.now());
  }

  /**
   * An answer awaited for at most `timeoutMs`: `begin` is given how to settle it; a break or the end of time rejects.
   */
  flight<Value>(
    timeoutMs: number,
    late: () => Outage,
    begin: (settle: (value: Value) => void, fail: (error: unknown) => void) => void,
  ): Promise<Value> {
    const { inside } = this.#options;
    if (!this.#connected) return Promise.reject(away());
    return new Promise<Value>((resolve, reject) => {
      const timer = inside.setTimeout(() => fail(late()), Math.max(1, timeoutMs));
      const over = (): void => {
        inside.clearTimeout(timer);
        this.#inFlight.delete(fail);
      };
      const settle = (value: Value): void => {
        over();
        resolve(value);
      };
      const fail = (error: unknown): void => {
        over();
        reject(error);
      };
      this.#inFlight.add(fail);
      begin(settle, fail);
    });
  }

  /** The connection breaks; it is made again unless the server is away. */
  break(): void {
    if (!this.#connected) return;
    this.#generation += 1;
    this.#turn(false);
    this.#dialSoon();
  }

  /** The process leaves in order. */
  close(): void {
    if (this.#ended) return;
    this.#turn(false);
    this.cut();
    for (const waiter of [...this.#waiters]) waiter.reject(away());
    this.#waiters.clear();
  }

  /** The process died (N3). */
  cut(): void {
    this.#ended = true;
    this.#forget();
  }

  #dialSoon(): void {
    const { inside, weather } = this.#options;
    inside.setTimeout(() => {
      if (this.#ended || this.#connected || !this.#options.server.up) return;
      this.#generation += 1;
      this.#turn(true);
    }, weather.dialMs());
  }

  #turn(connected: boolean): void {
    if (connected === this.#connected) return;
    this.#connected = connected;
    this.#changedAt = this.#options.inside.monotonic();
    if (connected) for (const waiter of [...this.#waiters]) waiter.resolve();
    else for (const fail of [...this.#inFlight]) fail(lost());
    if (connected) this.#waiters.clear();
    for (const listener of [...this.#listeners]) listener(connected);
  }
}

export function away(): Outage {
  return new Outage('bus.unavailable', 'no connection to the bus');
}

function lost(): Outage {
  return new Outage('bus.unavailable', 'the connection was lost before the bus answered');
}
