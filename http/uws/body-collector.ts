/**
 * Collects a request body with a bound. uWebSockets.js has neither a bound of its own nor a second chance: the data
 * callback is attached in the same turn as the request, and its buffers are emptied when it returns.
 *
 * U5. At most `limit` bytes are held; the first byte beyond ends the collection.
 */

import type { HttpResponse } from 'uWebSockets.js';

/** Calls `done` with the whole body, or `tooLarge`, once; neither when the client goes before the end. */
export function collectBody(
  res: HttpResponse,
  limit: number,
  done: (body: Buffer) => void,
  tooLarge: () => void,
): void {
  let earlier: Buffer[] = [];
  let size = 0;
  res.onData((data, isLast) => {
    if (size > limit) return;
    size += data.byteLength;
    if (size > limit) {
      earlier = [];
      tooLarge();
      return;
    }
    const chunk = Buffer.from(Buffer.from(data));
    if (isLast) done(earlier.length === 0 ? chunk : Buffer.concat([...earlier, chunk], size));
    else earlier.push(chunk);
  });
}
