/**
 * A PDU that is sent until it is acknowledged: the positive acknowledgement procedure. CCSDS 727.0-B-5, section 4.7.
 *
 * L1. It is sent so many times at most, and counts as unanswered when the time after the last one is over too.
 * L2. What was lost with the link does not count.
 * L3. Whoever answers it in another way is there: it is sent on as often as at first.
 */

import type { PduBody } from './pdu.ts';
import type { RunningTime } from './running-time.ts';

const DEADLINE = 'ack';

export class Repeated<Body extends PduBody> {
  readonly #time: RunningTime;
  readonly #everyMs: number;
  readonly #most: number;
  #body: Body | undefined;
  #isDue = false;
  #sent = 0;

  constructor(time: RunningTime, everyMs: number, most: number) {
    this.#time = time;
    this.#everyMs = everyMs;
    this.#most = most;
  }

  /** Sends this from now on, instead of what was sent before. */
  begin(body: Body): void {
    this.#body = body;
    this.#isDue = true;
    this.#sent = 0;
    this.#time.clear(DEADLINE);
  }

  /** Counts from the beginning. */
  again(): void {
    if (this.#body !== undefined) this.begin(this.#body);
  }

  /** The other end is there, and has not acknowledged it (L3). */
  heard(): void {
    this.#sent = Math.min(this.#sent, 1);
  }

  /** Time runs again: the last one is sent once more (L2). */
  afterStop(): void {
    if (this.#body === undefined) return;
    this.#isDue = true;
    this.#sent = Math.max(0, this.#sent - 1);
  }

  /** It is acknowledged. */
  end(): void {
    this.#body = undefined;
    this.#isDue = false;
    this.#time.clear(DEADLINE);
  }

  take(now: number): Body | undefined {
    if (!this.#isDue) return undefined;
    this.#isDue = false;
    this.#sent += 1;
    this.#time.set(DEADLINE, now, this.#everyMs);
    return this.#body;
  }

  /** Whether it stays unanswered (L1). */
  isUnanswered(now: number): boolean {
    if (!this.#time.isOver(DEADLINE, now)) return false;
    this.#isDue = this.#sent < this.#most;
    return !this.#isDue;
  }
}
