/** An object store of the twin: whole contents in a bucket, under their hash. */

import { createHash } from 'node:crypto';
import type { Objects } from '../../../ports/bus.ts';
import type { StoredStream } from './stored-stream.ts';
import { openTwinBucket, type TwinCalls } from './twin-bucket.ts';

export function openTwinObjects(bus: TwinCalls, stream: StoredStream, name: string): Objects {
  const bucket = openTwinBucket(bus, stream, name);
  const size = async (hash: string): Promise<number | undefined> => (await bucket.get(hash))?.value.length;
  return {
    size,
    put: async (hash, pieces) => {
      const stored = await size(hash);
      if (stored !== undefined) return stored;
      const parts: Uint8Array[] = [];
      for await (const piece of pieces) parts.push(piece);
      const content = Buffer.concat(parts);
      const sum = createHash('sha256').update(content).digest('hex');
      if (sum !== hash) throw new Error(`the content is not ${hash}`);
      await bucket.overwrite(hash, content);
      return content.length;
    },
  };
}
