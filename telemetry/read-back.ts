/** Values that were published before, as they are read back by a new owner or a new catalogue. */

import { header } from '../contract/bus/headers.ts';
import type { Platform } from '../mission/platform.ts';
import type { StreamMessage } from '../ports/bus.ts';
import type { PublishedBatch } from './compute/rebuild.ts';
import { fitsPlatform, readValues } from './reading/batch-shape.ts';
import type { KnownPlatforms } from './reading/known-platforms.ts';
import { mapBatch } from './reading/measure-map.ts';

/**
 * The batch in the message, in the catalogue that there is once it is read; undefined where it cannot be read by any.
 */
export async function readBack(
  message: StreamMessage,
  platforms: KnownPlatforms,
  into: () => Platform | undefined,
): Promise<PublishedBatch | undefined> {
  const batch = readValues(message.data);
  if (batch === undefined) return undefined;
  const revision = message.headers[header.config];
  const known = platforms.get(batch.platform);
  const made = known ?? (await platforms.find(batch.platform, revision, 0));
  const platform = into();
  if (platform === undefined) return undefined;
  const turnedMs = Number(message.headers[header.turned] ?? Number.NEGATIVE_INFINITY);
  if (made !== undefined && fitsPlatform(batch.blocks, made.measures.length))
    return { batch: mapBatch(batch, made, platform), turnedMs };
  // Files mean the same in every catalogue.
  return batch.files && { batch: { ...batch, platform: platform.digest, blocks: [] }, turnedMs };
}
