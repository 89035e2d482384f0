/**
 * How the link of a gateway is, and since when. A link that is up and on which nothing was received for longer than the
 * mission expects is `silent`: it still sends, and its state says so, for a dead radio looks the same from here.
 *
 * S1. Whoever listens gets every change, once.
 * S2. What is received on a silent link makes it `up` again.
 */

import type { LinkCondition, LinkState } from '../../contract/link.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';

interface LinkWatcherOptions {
  readonly clock: Clock;
  /** Absent: silence is expected. */
  readonly silentAfterMs: number | undefined;
  readonly changed: () => void;
  /** Called when silence begins, and again each time it has lasted as long once more. */
  readonly stillSilent?: () => void;
}

export class LinkWatcher {
  readonly #options: LinkWatcherOptions;
  #condition: LinkCondition;
  #receivedAt: number;
  #timer: TimerHandle | undefined;

  constructor(options: LinkWatcherOptions) {
    this.#options = options;
    this.#receivedAt = options.clock.now();
    this.#condition = { state: 'connecting', since: this.#receivedAt };
  }

  get condition(): LinkCondition {
    return this.#condition;
  }

  get isUp(): boolean {
    return this.#condition.state === 'up' || this.#condition.state === 'silent';
  }

  set(state: LinkState, reason?: string): void {
    const { clock, changed } = this.#options;
    this.#stopTimer();
    if (state === 'up') this.#expect();
    if (state === this.#condition.state && reason === this.#condition.reason) return;
    const since = state === this.#condition.state ? this.#condition.since : clock.now();
    this.#condition = { state, since, ...(reason !== undefined && { reason }) };
    changed();
  }

  /** Something was received now. */
  heard(): void {
    this.#receivedAt = this.#options.clock.now();
    if (this.#condition.state === 'silent') this.set('up');
  }

  stop(): void {
    this.#stopTimer();
  }

  #expect(): void {
    this.#receivedAt = this.#options.clock.now();
    this.#wait(this.#options.silentAfterMs);
  }

  #wait(delayMs: number | undefined): void {
    if (delayMs === undefined) return;
    this.#timer = this.#options.clock.setTimeout(() => this.#judge(), delayMs);
  }

  #judge(): void {
    const { clock, silentAfterMs = 0, stillSilent } = this.#options;
    const idleMs = clock.now() - this.#receivedAt;
    if (idleMs < silentAfterMs) {
      this.#wait(silentAfterMs - idleMs);
      return;
    }
    this.set('silent', `nothing received for ${silentAfterMs / 1_000} s`);
    this.#wait(silentAfterMs);
    stillSilent?.();
  }

  #stopTimer(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
