/**
 * Watches and lists: the newest value of each key that matches, and each later one (ports/bus.P3).
 *
 * What is replayed after a reconnect is for the view (`view.ts`).
 *
 * L1. A list goes on for as long as entries keep coming, however many there are: it ends with an outage where none has
 *     come for `BUS_REQUEST_MS`, and where not all have come within `BUS_LIST_MS`, for whoever asked waits.
 */

import type { BucketDefinition } from '../contract/bus/buckets.ts';
import { deferred } from '../contract/deferred.ts';
import { BUS_AGED_LOOK_MS, BUS_ATTEMPT_MS, BUS_LIST_MS, BUS_REQUEST_MS } from '../contract/limits/bus.ts';
import { Outage } from '../contract/outage.ts';
import type { Entry, Watch } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { AssetHandle } from './asset.ts';
import type { Assets } from './assets.ts';
import type { Cursors } from './cursors.ts';
import type { JetStream } from './jetstream.ts';
import type { Past } from './past.ts';
import { readLast } from './stored-last.ts';
import { type Known, View } from './view.ts';

export interface WatchTools {
  readonly jetstream: JetStream;
  readonly assets: Assets;
  readonly cursors: Cursors;
  readonly past: Past;
  readonly log: Log;
}

/**
 * Watches once the bucket is there; rejects with an outage when it cannot be reached in time. `arrived` is called with
 * each value that comes, also where it changes nothing.
 */
export async function watch(
  tools: WatchTools,
  bucket: BucketDefinition,
  filter: string,
  changed: (key: string, entry: Entry | undefined) => void,
  arrived?: () => void,
): Promise<Watch> {
  const asset = tools.assets.bucket(bucket);
  const { identity, stream } = await tools.jetstream.retrying(undefined, (left) => asset.ensure(left()));
  const newest = (subject: string): Promise<Known | undefined> =>
    readLast(tools.jetstream, { stream, subject, timeoutMs: () => BUS_ATTEMPT_MS });
  const view = new View(identity, { past: tools.past, newest, changed: guarded(changed, tools.log, stream) });
  const ready = deferred<void>();
  // Not everybody who watches waits for it.
  ready.promise.catch(() => undefined);
  const cursor = tools.cursors.open({
    stream,
    filter: `$KV.${bucket.name}.${filter}`,
    asset,
    start: (current) => {
      view.replay(current);
      return { deliver_policy: 'last_per_subject' };
    },
    wanted: () => true,
    deliver: (message, position) => {
      arrived?.();
      return view.take(keyOf(bucket, message.subject), message, position);
    },
    atHead: () => {
      view.reconcile();
      ready.resolve();
    },
    ...(bucket.ttlMs !== undefined && { tend: ageing(view, asset, bucket.ttlMs) }),
  });
  return {
    ready: ready.promise,
    stop: () => {
      ready.reject(new Outage('bus.unavailable', `the watch of ${bucket.name} was stopped`));
      return cursor.stop();
    },
  };
}

/** Every entry that matches (L1). */
export async function list(tools: WatchTools, bucket: BucketDefinition, filter: string): Promise<Entry[]> {
  const entries = new Map<string, Entry>();
  let silence: NodeJS.Timeout | undefined;
  const watching = await watch(
    tools,
    bucket,
    filter,
    (key, entry) => {
      if (entry === undefined) entries.delete(key);
      else entries.set(key, entry);
    },
    () => silence?.refresh(),
  );
  const end = (): void => void watching.stop();
  silence = setTimeout(end, BUS_REQUEST_MS);
  const longest = setTimeout(end, BUS_LIST_MS);
  try {
    await watching.ready;
  } finally {
    clearTimeout(silence);
    clearTimeout(longest);
    await watching.stop();
  }
  return [...entries.values()];
}

/** Looks from time to time what has left the bucket by its age (bus/view.H5). */
function ageing(view: View, asset: AssetHandle, ttlMs: number): () => void {
  const everyMs = Math.min(BUS_AGED_LOOK_MS, ttlMs);
  let lookedAt = performance.now();
  return () => {
    if (performance.now() - lookedAt < everyMs) return;
    lookedAt = performance.now();
    asset.look(BUS_ATTEMPT_MS).then(
      (stands) => view.age(stands),
      // Without an answer it is looked at the next time.
      () => undefined,
    );
  };
}

function keyOf(bucket: BucketDefinition, subject: string): string {
  return subject.slice(`$KV.${bucket.name}.`.length);
}

function guarded(
  changed: (key: string, entry: Entry | undefined) => void,
  log: Log,
  stream: string,
): (key: string, entry: Entry | undefined) => void {
  return (key, entry) => {
    try {
      changed(key, entry);
    } catch (error) {
      log.error({ err: error, stream, key }, 'handler of a watched key threw');
    }
  };
}
