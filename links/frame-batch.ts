/** Frames as they are in a batch. */

/** The same bytes. */
export function bufferOf(frame: Uint8Array): Buffer {
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
}
