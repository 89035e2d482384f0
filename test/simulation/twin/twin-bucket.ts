/**
 * A bucket of the twin: conditional writes on a stream with one subject per key, as beneath a bucket of the real server.
 *
 * B1. A removal is a marker that competes with the other writers; a marker is no key.
 * B2. A watch sees the newest value of a key: one that is replaced before it was handed over may be passed over.
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
    watch: async (filter, changed): Promise<Watch> => {
      const matches = matcher(`${prefix}${checkKeyFilter(filter)}`);
      await bus.read(`watch ${name}`, () => undefined);
      const known = new Set<string>();
      const pump = bus.pump<StoredMessage>((message) => {
        const { key } = entryOf(message);
        if (message.removal && !known.delete(key)) return;
        if (!message.removal) known.add(key);
        try {
          changed(key, message.removal ? undefined : entryOf(message));
        } catch (error) {
          bus.log.error({ err: error, key }, 'handler of a watched key threw');
        }
      });
      for (const message of stream.lasts()) {
        if (!message.removal && matches(message.subject)) pump.push(message);
      }
      const forget = stream.onStored((message) => {
        if (!matches(message.subject)) return;
        pump.drop(({ subject }) => subject === message.subject);
        pump.push(message);
      });
      const ready = promised<void>();
      pump.mark(() => ready.resolve());
      return { ready: ready.promise, stop: bus.stopper(pump, forget, ready.reject) };
    },
  };
}
