/**
 * What keeps transfers from going on, as their records are to say it: why nothing can be asked for now, and why what
 * was asked did not come. Whoever delivers says it as often as it likes; here is what a record is written for.
 *
 * G1. What a turn finds is said once it has lasted for `TRANSFER_WAIT_MS`: what comes and goes is not. What has ended
 *     an attempt (`failed`) is said at once, unless it may be the exception among many.
 * G2. A record is given another reason at most every `TRANSFER_REASON_MS`; what holds then is what counts.
 * G3. A transfer that goes on says so at once, also one whose reason another leader has recorded.
 */

import { TRANSFER_REASON_MS, TRANSFER_WAIT_MS } from '../../contract/limits/transfer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DeliveryEvents, DeliveryWaits, Obstacle, Undelivered } from './delivery.ts';

interface Lasting extends Obstacle {
  /** Since when there is one, whatever it was at first. */
  readonly since: number;
  /** It counts when it has lasted (G1). */
  readonly isPatient: boolean;
}

interface Waiting {
  /** What the record says, as far as it is known here. */
  said: string | undefined;
  saidAt: number;
  /** Found when it was its turn. */
  turn?: Lasting | undefined;
  /** What became of what was asked. */
  answer?: Lasting | undefined;
}

interface WaitsOptions {
  readonly clock: Clock;
  readonly events: Pick<DeliveryEvents, 'hindered' | 'ended'>;
}

export class Waits implements DeliveryWaits {
  readonly #options: WaitsOptions;
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: WaitsOptions) {
    this.#options = options;
  }

  turn({ key, record }: Undelivered, obstacle: Obstacle | undefined): void {
    const waiting = this.#of(key, record.actor.hindrance);
    waiting.turn = this.#next(waiting.turn, obstacle, true);
    this.#say(key, waiting);
  }

  failed(key: string, reason: string | undefined, isPatient = false): void {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    waiting.answer = this.#next(waiting.answer, reason === undefined ? undefined : { reason }, isPatient);
    this.#say(key, waiting);
  }

  forget(key: string): void {
    this.#waiting.delete(key);
  }

  #of(key: string, said: string | undefined): Waiting {
    const known = this.#waiting.get(key) ?? { said, saidAt: Number.NEGATIVE_INFINITY };
    this.#waiting.set(key, known);
    return known;
  }

  #next(
    before: Lasting | undefined,
    obstacle: Obstacle | undefined,
    isPatient: boolean,
  ): Lasting | undefined {
    if (obstacle === undefined) return undefined;
    // That a run is over has to last by itself (G1): it is not taken back.
    const isSame = before?.hasEnded === obstacle.hasEnded;
    const since = (isSame ? before?.since : undefined) ?? this.#options.clock.now();
    return { ...obstacle, since, isPatient };
  }

  #say(key: string, waiting: Waiting): void {
    const now = this.#options.clock.now();
    const { turn, answer, said } = waiting;
    const due = dueOf(turn, now) ?? dueOf(answer, now);
    const reason = due?.reason;
    const isFree = turn === undefined && answer === undefined;
    // Whose run is over is not found here again once its record says so.
    const isKnown = reason === said && due?.hasEnded !== true;
    if (isKnown || (reason === undefined && !isFree)) return;
    // G2; a clock that was set back keeps nothing from being said.
    if (reason !== undefined && Math.abs(now - waiting.saidAt) < TRANSFER_REASON_MS) return;
    waiting.said = reason;
    if (reason !== undefined) waiting.saidAt = now;
    if (due?.hasEnded === true) this.#options.events.ended(key, due.reason);
    else this.#options.events.hindered(key, reason);
  }
}

function dueOf(obstacle: Lasting | undefined, now: number): Lasting | undefined {
  if (obstacle === undefined) return undefined;
  const hasLasted = Math.abs(now - obstacle.since) >= TRANSFER_WAIT_MS;
  return hasLasted || !obstacle.isPatient ? obstacle : undefined;
}
