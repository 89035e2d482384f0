/**
 * Cuts a stream of bytes into frames and makes the bytes of a frame to send. Pure: no socket, no clock. One framer
 * serves one stream.
 *
 * K1. The frames depend on the bytes and on where the stream stood still, never on how it was cut into chunks.
 * K2. Whatever the bytes are, nothing throws, and what is kept is bounded by one frame and one chunk.
 * K4. Noise holds no frame up: a whole frame at the end of a stream that stands still is given.
 * K3. Bytes that are in no frame are counted.
 */

import type { Result } from '../../contract/result.ts';

export interface Framer {
  /** Bytes skipped so far because they are in no frame, those of frames that are too long included. */
  readonly skipped: number;
  /** The frames completed by these bytes, in order; they stay valid after later pushes. */
  push(bytes: Uint8Array): Buffer[];
  /** Bytes kept that a stream which stands still may make frames of. */
  readonly waiting: number;
  /** The frames that are complete because the stream has stood still for a while, in order (K4). */
  settle(): Buffer[];
  /** Forgets the unfinished frame, for the stream ended; the bytes it had. */
  reset(): number;
  /** What goes onto the wire for a frame; refuses with a sentence a frame the framing cannot carry. */
  wrap(frame: Buffer): Result<Buffer, string>;
}
