/**
 * Collects a request body with a bound. uWebSockets.js has neither a bound of its own nor a second chance: the data
 * callback is attached in the same turn as the request, and its buffers are emptied when it returns.
 *
 * U5. At most `limit` bytes are held; the first byte beyond ends the collection.
 * U19. A body that does not come whole at once is admitted first (`admission.ts`); without it nothing of it is held.
 */

import type { HttpResponse } from 'uWebSockets.js';

interface Collecting {
  readonly limit: number;
  /** Asked when there is more to come; false: nothing more of it is taken (U19). */
  readonly admit: () => boolean;
  readonly done: (body: Buffer) => void;
  readonly tooLarge: () => void;
}

/**
 * Calls `done` with the whole body, or `tooLarge`, once; neither when it was not admitted or the client goes before the
 * end.
 */
export function collectBody(res: HttpResponse, { limit, admit, done, tooLarge }: Collecting): void {
  let earlier: Buffer[] = [];
  let size = 0;
  let isOver = false;
  res.onData((data, isLast) => {
    if (isOver) return;
    size += data.byteLength;
    if (size > limit) {
      isOver = true;
      earlier = [];
      tooLarge();
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
