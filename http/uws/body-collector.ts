/**
 * Collects a request body with a bound. uWebSockets.js has neither a bound of its own nor a second chance: the data
 * callback is attached in the same turn as the request, and its buffers are emptied when it returns.
 *
 * U5. At most `limit` bytes are held; the first byte beyond ends the collection.
 * U19. A body that does not come whole at once is admitted first (`admission.ts`); without it nothing of it is held.
 * U21. What comes behind that first byte is read and dropped until its end, a pause or `REFUSED_BODY_BYTES`: a
 *      connection that is closed over bytes nobody has read loses the answer on its way to the client.
 */

import type { HttpResponse } from 'uWebSockets.js';
import { REFUSED_BODY_BYTES, REFUSED_BODY_QUIET_MS } from '../../contract/limits/connection.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';

interface Collecting {
  readonly limit: number;
  readonly clock: Clock;
  /** Asked when there is more to come; false: nothing more of it is taken (U19). */
  readonly admit: () => boolean;
  readonly done: (body: Buffer) => void;
  /** `isWhole`: its end was read, so that the connection can go on. */
  readonly tooLarge: (isWhole: boolean) => void;
}

/**
 * Calls `done` with the whole body, or `tooLarge`, once; neither when it was not admitted or the client goes before the
 * end.
 */
export function collectBody(res: HttpResponse, { limit, clock, admit, done, tooLarge }: Collecting): void {
  let earlier: Buffer[] = [];
  let size = 0;
  let isOver = false;
  const dropping = new Dropping(clock, (isWhole) => {
    isOver = true;
    tooLarge(isWhole);
  });
  res.onData((data, isLast) => {
    if (isOver) return;
    size += data.byteLength;
    if (size > limit) {
      earlier = [];
      dropping.take(size - limit, isLast);
      return;
    }
    if (!isLast && earlier.length === 0 && !admit()) {
      isOver = true;
      return;
    }
    const chunk = Buffer.from(Buffer.from(data));
    if (isLast) done(earlier.length === 0 ? chunk : Buffer.concat([...earlier, chunk], size));
    else earlier.push(chunk);
  });
}

/** U21 */
class Dropping {
  readonly #clock: Clock;
  readonly #over: (isWhole: boolean) => void;
  #quiet: TimerHandle | undefined;

  constructor(clock: Clock, over: (isWhole: boolean) => void) {
    this.#clock = clock;
    this.#over = over;
  }

  /** So much was dropped by now. */
  take(bytes: number, isLast: boolean): void {
    if (this.#quiet !== undefined) this.#clock.clearTimeout(this.#quiet);
    this.#quiet = undefined;
    if (isLast || bytes > REFUSED_BODY_BYTES) this.#over(isLast);
    else this.#quiet = this.#clock.setTimeout(() => this.#over(false), REFUSED_BODY_QUIET_MS);
  }
}
