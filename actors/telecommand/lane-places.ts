/**
 * When a telecommand gives its place up to the next one. Part of a lane.
 */

import type { AwaitedAnswer } from '../../mission/platform.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Open } from './open-lane.ts';
import type { Place } from './turn.ts';

export class LanePlaces {
  readonly #clock: Clock;
  /** Places of those that are over and may still be answered (lane.J8). */
  readonly #lingering = new Map<Place, TimerHandle>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** lane.J7: where an answer is awaited, the answer ends its turn, or its end does. */
  left(open: Open): void {
    if (answerOf(open) === undefined) open.place.leave();
  }

  /** lane.J8. */
  leave(open: Open): void {
    const answer = answerOf(open);
    const { place } = open;
    if (answer === undefined || !open.isUnsure) place.leave();
    else if (!this.#lingering.has(place)) this.#linger(place, answer.withinMs);
  }

  #linger(place: Place, ms: number): void {
    const timer = this.#clock.setTimeout(() => {
      this.#lingering.delete(place);
      place.leave();
    }, ms);
    this.#lingering.set(place, timer);
  }

  /** Every place is given up. */
  stop(): void {
    for (const [place, timer] of this.#lingering) {
      this.#clock.clearTimeout(timer);
      place.leave();
    }
  }
}

function answerOf({ work }: Open): AwaitedAnswer | undefined {
  return work.definition?.telecommand.verify?.answer;
}
