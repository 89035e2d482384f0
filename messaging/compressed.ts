/** Content that is compressed where it is large, and read back whichever it is. */

import { gunzipSync, gzipSync } from 'node:zlib';
import { COMPRESS_BYTES, INFLATED_BYTES } from '../contract/limits/bus.ts';

/** The first two bytes of gzip; no JSON begins with them. */
const MAGIC = [0x1f, 0x8b] as const;

export function compressed(content: Uint8Array): Uint8Array {
  return content.length < COMPRESS_BYTES ? content : gzipSync(content);
}

/** Throws on what is damaged, or larger than anything that is stored so. */
export function inflated(stored: Uint8Array): Uint8Array {
  if (stored[0] !== MAGIC[0] || stored[1] !== MAGIC[1]) return stored;
  return gunzipSync(stored, { maxOutputLength: INFLATED_BYTES });
}
