/**
 * Frames that wait for the port of their gateway, or for its first opening. Whoever takes a gateway over may find its
 * port still held by the process before, which sleeps or is about to end: what is to be sent waits for it while it may
 * leave.
 *
 * V1. It waits no longer than the frame may leave; whoever does not say how long that is does not wait.
 * V2. At most `LINK_SEND_QUEUE` frames wait.
 * V3. A gateway that has just begun has refused nothing yet: what is to be sent waits until its first try has ended,
 *     or every hand-over would cost the telecommands of as long as a distant radio takes to answer (decision 66).
 */

import { LINK_SEND_QUEUE } from '../../contract/limits/link.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MayLeave } from './gateway.ts';

const LOOK_MS = 25;

/** Whether an error of the system says that another process has the port. */
export function isPortHeld(error: unknown): boolean {
  return (error as Partial<NodeJS.ErrnoException> | null)?.code === 'EADDRINUSE';
}

/** As the state of a link says it. */
export const PORT_HELD = 'another process still uses the port; retrying until it is free';

export class PortWait {
  readonly #clock: Clock;
  #waiting = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when it is `over`, or the frame may leave no more. */
  async until(over: () => boolean, mayLeave: MayLeave | undefined): Promise<void> {
    if (mayLeave === undefined || this.#waiting >= LINK_SEND_QUEUE) return;
    this.#waiting += 1;
    try {
      while (!over() && mayLeave() === undefined) await this.#pause();
    } finally {
      this.#waiting -= 1;
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimeout(resolve, LOOK_MS));
  }
}
