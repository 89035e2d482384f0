/** An object store of the twin: whole contents in a bucket, under their hash or their name. */

import { createHash } from 'node:crypto';
import { checkObject } from '../../../bus/address.ts';
import type { Objects } from '../../../ports/bus.ts';
import type { StoredStream } from './stored-stream.ts';
import { openTwinBucket, type TwinCalls } from './twin-bucket.ts';

const PIECE_BYTES = 128 * 1024;

export function openTwinObjects(bus: TwinCalls, stream: StoredStream, name: string): Objects {
  const bucket = openTwinBucket(bus, stream, name);
  const keyOf = (object: string): string => checkObject(object).replaceAll('/', '.');
  const size = async (object: string): Promise<number | undefined> =>
    (await bucket.get(keyOf(object)))?.value.length;
  const replace = async (object: string, pieces: AsyncIterable<Uint8Array>): Promise<number> => {
    const content = await whole(pieces);
    await bucket.overwrite(keyOf(object), content);
    return content.length;
  };
  return {
    size,
    wholeSize: size,
    keep: size,
    replace,
    put: async (hash, pieces) => {
      const stored = await size(hash);
      if (stored !== undefined) return stored;
      const content = await whole(pieces);
      const sum = createHash('sha256').update(content).digest('hex');
      if (sum !== hash) throw new Error(`the content is not ${hash}`);
      return replace(hash, inPieces(content));
    },
    read: async (object, { from = 0, to = Number.POSITIVE_INFINITY } = {}) => {
      const entry = await bucket.get(keyOf(object));
      if (entry === undefined) return undefined;
      return { size: entry.value.length, pieces: inPieces(entry.value.subarray(from, to)) };
    },
    remove: async (object) => {
      const entry = await bucket.get(keyOf(object));
      if (entry !== undefined) await bucket.remove(keyOf(object), entry.revision);
    },
  };
}

async function whole(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  return Buffer.concat(parts);
}

async function* inPieces(content: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < content.length; at += PIECE_BYTES) yield content.subarray(at, at + PIECE_BYTES);
}
