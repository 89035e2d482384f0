/**
 * A bucket of the twin: conditional writes on a stream with one subject per key, as beneath a bucket of the real
 * server.
 *
 * B1. A removal is a marker that competes with the other writers; a marker is no key.
 * B2. A watch sees the newest value of a key: one that is replaced before it was handed over may be skipped.
 * B3. Where the store went back a watch hands everything over again: what is earlier than what it reported as
 *     `rewound`, and what is gone.
 * B4. Nothing leaves it by its age: no simulated world lasts for the time that a bucket keeps.
 */

import { checkKey, checkKeyFilter } from '../../../bus/address.ts';
import type { Outage } from '../../../contract/outage.ts';
import type { Appended, Bucket, Entry, Headers, Watch, Written } from '../../../ports/bus.ts';
import type { Log } from '../../../ports/log.ts';
import { promised } from './promised.ts';
import type { Pump } from './pump.ts';
import { matcher, type StoredMessage, type StoredStream } from './stored-stream.ts';

/** A write as the bucket and the stream ask for it. */
export interface TwinWrite {
  readonly stream: StoredStream;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers?: Headers;
  readonly id?: string;
  readonly expect?: number;
  readonly removal?: boolean;
  readonly deadlineMs?: number;
  readonly once?: boolean;
}

/** What a bucket needs of the bus of its process. */
export interface TwinCalls {
  readonly log: Log;
  write(wanted: TwinWrite): Promise<Appended>;
  read<Value>(what: string, look: () => Value): Promise<Value>;
  /** A message stored then is gone: the store went back. */
  lost(at: number | undefined): void;
  onConnection(listener: (connected: boolean) => void): () => void;
  pump<Item>(handle: (item: Item, pending: number) => void | Promise<void>): Pump<Item>;
  /** Ends a pump, once. */
  stopper(pump: { stop(): void }, forget: () => void, reject: (error: Outage) => void): () => Promise<void>;
}

/** The bucket as one process uses it. */
export function openTwinBucket(bus: TwinCalls, stream: StoredStream, name: string): Bucket {
  const prefix = `$KV.${name}.`;
  const subjectOf = (key: string): string => `${prefix}${checkKey(key)}`;
  const entryOf = (message: StoredMessage): Entry => ({
    key: message.subject.slice(prefix.length),
    value: message.data,
    revision: message.seq,
    at: message.at,
  });
  const lastOf = (key: string): Promise<StoredMessage | undefined> => {
    const subject = subjectOf(key);
    return bus.read(`get ${subject}`, () => stream.last(subject));
  };
  const store = async (key: string, wanted: Omit<TwinWrite, 'stream' | 'subject'>): Promise<Written> => {
    const written = await bus.write({ ...wanted, stream, subject: subjectOf(key) });
    return written.outcome === 'stored'
      ? { outcome: 'written', revision: written.seq }
      : { outcome: 'conflict' };
  };
  const get = async (key: string): Promise<Entry | undefined> => {
    const last = await lastOf(key);
    return last === undefined || last.removal ? undefined : entryOf(last);
  };

  return {
    get,
    put: async (key, value, expected, { deadlineMs } = {}) => {
      const wanted = { data: value, ...(deadlineMs !== undefined && { deadlineMs }) };
      const first = await store(key, { ...wanted, expect: expected });
      if (expected !== 0 || first.outcome === 'written') return first;
      const last = await lastOf(key);
      return last?.removal === true ? store(key, { ...wanted, expect: last.seq }) : first;
    },
    overwrite: async (key, value) => {
      const written = await store(key, { data: value });
      if (written.outcome === 'conflict') throw new Error('an unconditional write cannot conflict');
      return written.revision;
    },
    remove: async (key, expected) => {
      subjectOf(key);
      if (expected === 0) return { outcome: 'conflict' };
      return store(key, { data: new Uint8Array(0), expect: expected, removal: true });
    },
    list: async (filter) => {
      const matches = matcher(`${prefix}${checkKeyFilter(filter)}`);
      return bus.read(`list ${name}`, () =>
        stream
          .lasts()
          .filter(({ subject, removal }) => !removal && matches(subject))
          .map(entryOf),
      );
    },
    position: () => bus.read(`position ${name}`, () => stream.lastSeq),
    watch: async (filter, changed): Promise<Watch> => {
      const matches = matcher(`${prefix}${checkKeyFilter(filter)}`);
      await bus.read(`watch ${name}`, () => undefined);
      const ready = promised<void>();
      const view = new View(bus, entryOf, (key, entry) => {
        try {
          changed(key, entry);
        } catch (error) {
          bus.log.error({ err: error, key }, 'handler of a watched key threw');
        }
      });
      const pump = bus.pump<StoredMessage>((message) => view.take(message));
      let isStale = false;
      const fill = (): void => {
        view.replay();
        for (const message of stream.lasts())
          if (!message.removal && matches(message.subject)) pump.push(message);
        pump.mark(() => {
          view.reconcile();
          ready.resolve();
        });
      };
      const stops = [
        stream.onStored((message) => {
          if (isStale || !matches(message.subject)) return;
          pump.drop(({ subject }) => subject === message.subject);
          pump.push(message);
        }),
        stream.onRewound(() => {
          isStale = true;
          pump.clear();
        }),
        bus.onConnection((connected) => {
          if (!connected || !isStale) return;
          isStale = false;
          fill();
        }),
      ];
      fill();
      const forget = (): void => {
        for (const stop of stops) stop();
      };
      return { ready: ready.promise, stop: bus.stopper(pump, forget, ready.reject) };
    },
  };
}

/** What a watch has reported of each key; where the store went back it says so (B3). */
class View {
  readonly #bus: Pick<TwinCalls, 'lost'>;
  readonly #entryOf: (message: StoredMessage) => Entry;
  readonly #changed: (key: string, entry: Entry | undefined) => void;
  readonly #known = new Map<string, { readonly seq: number; readonly at: number }>();
  #missing = new Set<string>();

  constructor(
    bus: Pick<TwinCalls, 'lost'>,
    entryOf: (message: StoredMessage) => Entry,
    changed: (key: string, entry: Entry | undefined) => void,
  ) {
    this.#bus = bus;
    this.#entryOf = entryOf;
    this.#changed = changed;
  }

  /** Everything is handed over again from here on. */
  replay(): void {
    this.#missing = new Set(this.#known.keys());
  }

  take(message: StoredMessage): void {
    const { seq, at } = message;
    const entry = this.#entryOf(message);
    const replayed = this.#missing.delete(entry.key);
    const known = this.#known.get(entry.key);
    const wentBack = known !== undefined && (seq < known.seq || (seq === known.seq && at !== known.at));
    const rewound = replayed && wentBack;
    if (known !== undefined && seq <= known.seq && !rewound) return;
    if (rewound) this.#bus.lost(known.at);
    if (message.removal) {
      if (this.#known.delete(entry.key)) this.#changed(entry.key, undefined);
      return;
    }
    this.#known.set(entry.key, { seq, at });
    this.#changed(entry.key, { ...entry, ...(rewound && { rewound }) });
  }

  /** What was not handed over again is gone. */
  reconcile(): void {
    for (const key of this.#missing) {
      this.#known.delete(key);
      this.#changed(key, undefined);
    }
    this.#missing.clear();
  }
}
