/**
 * Watches and lists: the newest value of each key that matches, and each later one (ports/bus.P3).
 *
 * H1. Revisions of a key only rise in one store: after a reconnect everything is replayed, and what is known already is
 *     skipped. What is replayed with an earlier revision, or with the known one at another time, shows that the store
 *     went back: it is the newest there is, and is handed over as `rewound`.
 * H2. A key that is known and not among the replayed ones was removed meanwhile. A copy of the bucket that lags behind
 *     after a crash in a cluster may say so of a living key; it comes again when the copy has caught up.
 * H3. In another bucket of the same name revisions mean nothing: all of it is `rewound`, after H2.
 */

import type { Msg } from 'nats';
import type { BucketDefinition } from '../contract/bus/buckets.ts';
import { Outage } from '../contract/outage.ts';
import type { Entry, Watch } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { Assets } from './assets.ts';
import type { Cursors } from './cursors.ts';
import type { JetStream } from './jetstream.ts';
import type { Position } from './message.ts';
import type { Past } from './past.ts';

export interface WatchTools {
  readonly jetstream: JetStream;
  readonly assets: Assets;
  readonly cursors: Cursors;
  readonly past: Past;
  readonly log: Log;
}

/** What a header says of an entry that stands for a removal. */
export const OPERATION_HEADER = 'KV-Operation';

/** Watches once the bucket is there; rejects with an outage when it cannot be reached in time. */
export async function watch(
  tools: WatchTools,
  bucket: BucketDefinition,
  filter: string,
  changed: (key: string, entry: Entry | undefined) => void,
): Promise<Watch> {
  const asset = tools.assets.bucket(bucket);
  const { created, stream } = await tools.jetstream.retrying(undefined, (left) => asset.ensure(left()));
  const view = new View(created, tools.past, guarded(changed, tools.log, stream));
  const ready = deferred();
  const cursor = tools.cursors.open({
    stream,
    filter: `$KV.${bucket.name}.${filter}`,
    asset,
    start: (current) => {
      view.replay(current.created);
      return { deliver_policy: 'last_per_subject' };
    },
    wanted: () => true,
    deliver: (message, position) => view.take(keyOf(bucket, message.subject), message, position),
    atHead: () => {
      view.reconcile();
      ready.resolve();
    },
  });
  return {
    ready: ready.promise,
    stop: () => {
      ready.reject(new Outage('bus.unavailable', `the watch of ${bucket.name} was stopped`));
      return cursor.stop();
    },
  };
}

/** Every entry that matches; rejects with an outage when they are not there within `timeoutMs`. */
export async function list(
  tools: WatchTools,
  bucket: BucketDefinition,
  filter: string,
  timeoutMs: number,
): Promise<Entry[]> {
  const entries = new Map<string, Entry>();
  const watching = await watch(tools, bucket, filter, (key, entry) => {
    if (entry === undefined) entries.delete(key);
    else entries.set(key, entry);
  });
  const timer = setTimeout(() => void watching.stop(), timeoutMs);
  try {
    await watching.ready;
  } finally {
    clearTimeout(timer);
    await watching.stop();
  }
  return [...entries.values()];
}

interface Known {
  readonly seq: number;
  readonly at: number;
}

class View {
  readonly #past: Past;
  readonly #changed: (key: string, entry: Entry | undefined) => void;
  readonly #known = new Map<string, Known>();
  /** Keys known before the present replay and not seen in it yet. */
  #missing = new Set<string>();
  #created: string;
  /** Whether those were known of another bucket (H3). */
  #isAnother = false;

  constructor(created: string, past: Past, changed: (key: string, entry: Entry | undefined) => void) {
    this.#created = created;
    this.#past = past;
    this.#changed = changed;
  }

  replay(created: string): void {
    this.#missing = new Set(this.#known.keys());
    this.#isAnother ||= created !== this.#created && this.#missing.size > 0;
    this.#created = created;
  }

  take(key: string, message: Msg, { seq, at }: Position): void {
    const replayed = this.#missing.delete(key);
    const known = this.#known.get(key);
    const rewound = replayed && known !== undefined && this.#wentBack(known, { seq, at });
    if (known !== undefined && seq <= known.seq && !rewound) return;
    if (rewound) this.#past.lost(known.at);
    if (isRemoval(message)) {
      this.#known.delete(key);
      if (known !== undefined) this.#changed(key, undefined);
      return;
    }
    this.#known.set(key, { seq, at });
    // A copy: what is watched is kept, and would keep the whole buffer it was received in.
    const value = new Uint8Array(message.data);
    this.#changed(key, { key, value, revision: seq, at, ...(rewound && { rewound }) });
  }

  reconcile(): void {
    for (const key of this.#missing) {
      this.#known.delete(key);
      this.#changed(key, undefined);
    }
    this.#missing.clear();
    this.#isAnother = false;
  }

  #wentBack(known: Known, { seq, at }: Known): boolean {
    return this.#isAnother || seq < known.seq || (seq === known.seq && at !== known.at);
  }
}

/** Only an empty value can be a removal; looking at the headers of every message would cost too much. */
function isRemoval(message: Msg): boolean {
  return message.data.length === 0 && (message.headers?.get(OPERATION_HEADER) ?? '') !== '';
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

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (reason: Outage) => void } {
  let resolve = () => {};
  let reject: (reason: Outage) => void = () => {};
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
