/**
 * Collects a request body with a bound. uWebSockets.js has neither a bound of its own nor a second chance: the data
 * callback is attached in the same turn as the request, and its buffers are emptied when it returns.
 *
 * U5. At most `limit` bytes are held; the first byte beyond ends the collection.
 * U19. A body that does not come whole at once is admitted first (`admission.ts`); without it nothing of it is held.
 * U21. What comes behind that first byte is dropped before the answer (refused-body.U26).
 */

import type { HttpResponse } from 'uWebSockets.js';
import type { Clock } from '../../ports/clock.ts';
import { RefusedBody } from './refused-body.ts';

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
  const refused = new RefusedBody(clock, (isWhole) => {
    isOver = true;
    tooLarge(isWhole);
  });
  res.onData((data, isLast) => {
    if (isOver) return;
    size += data.byteLength;
    if (size > limit) {
      earlier = [];
      refused.take(size - limit, isLast);
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
