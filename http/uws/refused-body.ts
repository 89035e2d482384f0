/**
 * The rest of a body that nobody wants, until its answer may be written.
 *
 * U26. It is read and dropped until its end, a pause or `REFUSED_BODY_BYTES`: a connection that is closed over bytes
 *      nobody has read loses the answer on its way to the client.
 * U27. A pause is one of the client, not of this process: what came while it stood still is read first.
 */

import { REFUSED_BODY_BYTES, REFUSED_BODY_QUIET_MS } from '../../contract/limits/connection.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';

export class RefusedBody {
  readonly #clock: Clock;
  readonly #over: (isWhole: boolean) => void;
  #quiet: TimerHandle | undefined;
  #isOver = false;
  #bytes = 0;

  /** `over` is called once; `isWhole`: its end was read, so that the connection can go on. */
  constructor(clock: Clock, over: (isWhole: boolean) => void) {
    this.#clock = clock;
    this.#over = over;
  }

  /** So much was dropped by now. */
  take(bytes: number, isLast: boolean): void {
    if (this.#isOver) return;
    this.#clearQuiet();
    this.#bytes = bytes;
    if (isLast || bytes > REFUSED_BODY_BYTES) this.#end(isLast);
    else this.#quiet = this.#clock.setTimeout(() => this.#paused(bytes), REFUSED_BODY_QUIET_MS);
  }

  /** Nobody waits for its end any more. */
  abort(): void {
    this.#isOver = true;
    this.#clearQuiet();
  }

  /** U27: sockets are read between timers and what is set to be immediate. */
  #paused(bytes: number): void {
    setImmediate(() => {
      if (!this.#isOver && this.#bytes === bytes) this.#end(false);
    });
  }

  #end(isWhole: boolean): void {
    this.abort();
    this.#over(isWhole);
  }

  #clearQuiet(): void {
    if (this.#quiet !== undefined) this.#clock.clearTimeout(this.#quiet);
    this.#quiet = undefined;
  }
}
