/** The frames in a message of a gateway. */

import { decodeBatch, type FrameBatch } from '../contract/batch.ts';

/** The batch in a message; undefined when the bytes are none. */
export function frameBatch(bytes: Uint8Array): FrameBatch | undefined {
  try {
    const batch: Partial<FrameBatch> | undefined = decodeBatch<FrameBatch>(bytes);
    return isFrameBatch(batch) ? batch : undefined;
  } catch {
    return undefined;
  }
}

function isFrameBatch(batch: Partial<FrameBatch> | undefined): batch is FrameBatch {
  if (!Array.isArray(batch?.frames) || !Array.isArray(batch.at)) return false;
  const { at, frames } = batch;
  return at.length === frames.length && frames.every((frame) => frame instanceof Uint8Array);
}

/** The same bytes. */
export function bufferOf(frame: Uint8Array): Buffer {
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
}
