/**
 * What the owner of a target keeps beside its streams, compressed.
 *
 * Z1. A little is done at once: it takes less than a millisecond, and the way to another thread gives the turn away, to
 *     come back at a time that no clock here decides. Seeded simulations rely on that.
 */

import { promisify } from 'node:util';
import { constants, gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';

const compress = promisify(gzip);
const expand = promisify(gunzip);
const FAST = { level: constants.Z_BEST_SPEED };
/** Z1 */
const AT_ONCE_BYTES = 64 * 1024;

export function compressed(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> {
  return bytes.length <= AT_ONCE_BYTES ? gzipSync(bytes, FAST) : compress(bytes, FAST);
}

/** Throws on, or rejects with, what is not compressed. The length before stands in the last four bytes of the format. */
export function expanded(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const tail = new DataView(bytes.buffer, bytes.byteOffset + bytes.byteLength - 4, 4);
  return tail.getUint32(0, true) <= AT_ONCE_BYTES ? gunzipSync(bytes) : expand(bytes);
}
