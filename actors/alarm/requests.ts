/**
 * Asks cells and waits for what their charts reply. Part of the alarm service.
 *
 * N1. A reply comes after what it reports is durable, or never: the caller waits with a bound.
 */

import type { AlarmReply } from '../../contract/alarm.ts';
import type { Told } from '../../ports/cells.ts';
import type { Clock } from '../../ports/clock.ts';

/** `late`: no reply within the time; what was asked may have been done. */
export type Answer = AlarmReply | { readonly outcome: Exclude<Told, 'accepted'> | 'late' };

export class Requests {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Sends something under a name of its own; resolves with what is replied to that name. */
  ask(send: (request: string) => Told, withinMs: number): Promise<Answer> {
    this.#count += 1;
    const request = String(this.#count);
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(() => answered({ outcome: 'late' }), withinMs);
      const answered = (answer: Answer): void => {
        this.#clock.clearTimeout(timer);
        this.#waiting.delete(request);
        resolve(answer);
      };
      this.#waiting.set(request, answered);
      const receipt = send(request);
      if (receipt !== 'accepted') answered({ outcome: receipt });
    });
  }

  replied({ request, ...reply }: { readonly request: string } & AlarmReply): void {
    this.#waiting.get(request)?.(reply);
  }

  /** Lets everybody go who waits. */
  stop(): void {
    for (const answered of [...this.#waiting.values()]) answered({ outcome: 'gone' });
  }
}
