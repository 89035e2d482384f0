/**
 * A bucket watched for as long as a process lives, from whenever the bus can first be reached: what lists and pages are
 * made of.
 *
 * W1. Nothing is live before every entry of the beginning was seen, and nothing while the bus is away: a list never
 *     leaves out what is there.
 */

import type { BucketDefinition } from '../contract/bus/buckets.ts';
import type { Bus, Entry, Stoppable, Watch } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';

export interface KeptWatch extends Stoppable {
  /** Whether everything stored was seen, and the bus is there (W1). */
  readonly live: boolean;
  /** Whether everything stored at the beginning was seen once. */
  readonly known: boolean;
}

/** Watches what matches in a bucket from now on; see `Bucket.watch`. */
export function keepWatching(
  { bus, log }: { readonly bus: Bus; readonly log: Log },
  bucket: BucketDefinition,
  changed: (key: string, entry: Entry | undefined) => void,
): KeptWatch {
  let known = false;
  let stopped = false;
  let starting = false;
  let watch: Watch | undefined;

  const start = async (): Promise<void> => {
    if (starting || watch !== undefined || stopped || !bus.connected) return;
    starting = true;
    try {
      watch = await bus.bucket(bucket).watch('>', changed);
      if (stopped) return await watch.stop();
      await watch.ready;
      known = true;
    } catch (error) {
      // The next return of the bus tries again.
      log.warn({ err: error, bucket: bucket.name }, 'a bucket cannot be watched');
    } finally {
      starting = false;
    }
  };
  const offConnection = bus.onConnection((connected) => {
    if (connected) void start();
  });
  void start();

  return {
    get live() {
      return known && bus.connected;
    },
    get known() {
      return known;
    },
    async stop() {
      stopped = true;
      offConnection();
      await watch?.stop();
    },
  };
}
