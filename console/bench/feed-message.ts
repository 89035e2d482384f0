/** Binary messages of the feeds, as `contract/bench/feed.ts` lays them out. Pure. */

import type { FeedDescription, FeedMessage } from '../../contract/bench/feed.ts';

const VERSION = 1;
const HEAD_BYTES = 16;

/** The message; undefined for bytes that are malformed, or of a version that this page does not know. */
export function readFeed(bytes: ArrayBuffer): FeedMessage | undefined {
  if (bytes.byteLength < HEAD_BYTES) return undefined;
  const view = new DataView(bytes);
  const begin = HEAD_BYTES + view.getUint16(2, true);
  if (view.getUint8(0) !== VERSION || begin > bytes.byteLength || (bytes.byteLength - begin) % 4 !== 0)
    return undefined;
  const description = readDescription(new Uint8Array(bytes, HEAD_BYTES, begin - HEAD_BYTES));
  if (description === undefined) return undefined;
  return {
    seq: view.getUint32(4, true),
    dropped: view.getUint32(8, true),
    uptimeMs: view.getUint32(12, true),
    description,
    floats: readFloats(view, begin),
  };
}

function readDescription(bytes: Uint8Array): FeedDescription | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as FeedDescription;
  } catch {
    return undefined;
  }
}

/** Copied: the floats of a message may begin anywhere, and the browser may have another order of bytes. */
function readFloats(view: DataView, begin: number): Float32Array {
  return Float32Array.from({ length: (view.byteLength - begin) / 4 }, (_, at) =>
    view.getFloat32(begin + 4 * at, true),
  );
}
