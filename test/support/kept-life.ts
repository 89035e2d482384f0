/**
 * The life of one cell on a log in memory, with every envelope that could have been kept of it, and ways to spoil one.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import type { StreamDefinition } from '../../contract/bus/streams.ts';
import { isKept, keptBytes, packr, readEnvelope } from '../../messaging/kept-envelopes.ts';
import type { Appended } from '../../ports/bus.ts';
import type { KeptEnvelope, Stored } from '../../ports/entity.ts';
import { LogBus } from '../actors/telecommand/log-bus.ts';

/** Numbers drawn one after the other; past the last one nothing happens by chance. */
export class Dice {
  readonly #left: number[];

  constructor(numbers: readonly number[]) {
    this.#left = [...numbers];
  }

  /** True once in `sides`. */
  hits(sides: number): boolean {
    const next = this.#left.shift();
    return next !== undefined && next % sides === 0;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    const next = this.#left.shift() ?? 0;
    return items[next % items.length] ?? items[0];
  }
}

/** What a log of that stream was when it ended at a position, and this is kept beside it. */
export function busAt(
  whole: LogBus,
  stream: StreamDefinition,
  position: number,
  kept?: { readonly key: string; readonly value: Uint8Array },
): CountingBus {
  const bus = new CountingBus();
  bus.messages(stream).push(...whole.messages(stream).slice(0, position));
  if (kept !== undefined) {
    const entry = { key: kept.key, value: kept.value, revision: 7, at: 0 };
    bus.bucket(buckets.actors).entries.set(kept.key, entry);
  }
  return bus;
}

/** Counts what of its streams is delivered to followers; takes blanks around headers away, as the real one does. */
export class CountingBus extends LogBus {
  delivered = 0;

  override append(...[stream, subject, data, options = {}]: Parameters<LogBus['append']>): Promise<Appended> {
    const trimmed = Object.entries(options.headers ?? {}).map(([name, value]) => [name, value.trim()]);
    return super.append(stream, subject, data, { ...options, headers: Object.fromEntries(trimmed) });
  }

  override follow(
    ...[stream, subject, from, handle]: Parameters<LogBus['follow']>
  ): ReturnType<LogBus['follow']> {
    return super.follow(stream, subject, from, (message) => {
      this.delivered += 1;
      return handle(message);
    });
  }
}

/** Everything of it that decides how its cell goes on, as bytes. */
export function bytesOf(stored: Stored | undefined): string {
  if (stored === undefined) return '';
  const { envelope, position, mark } = stored;
  return Buffer.from(packr.pack({ envelope, position, mark })).toString('hex');
}

export function envelopeIn(value: Uint8Array): KeptEnvelope {
  const envelope = readEnvelope({ value });
  if (envelope === undefined || !isKept(envelope)) throw new Error('nothing is kept there');
  return envelope;
}

/** What may stand under the key of an entity that nobody may go by; `at`: where a byte is damaged. */
export function spoiled(value: Uint8Array, at: number): Record<string, Uint8Array> {
  const sound = envelopeIn(value);
  // Whoever goes by it is found out.
  const envelope = { ...sound, revision: sound.revision + 1_000 };
  const { covers } = envelope;
  const damaged = Buffer.from(value);
  const place = at % damaged.length;
  damaged[place] = (damaged[place] ?? 0) ^ (1 << (at % 8));
  const { snapshot: _, ...bare } = envelope;
  return {
    damaged,
    'cut short': value.subarray(0, place),
    'of nothing': packr.pack({}),
    'of another format': packr.pack({ format: 'kept-0', digest: '', body: packr.pack(envelope) }),
    'of an older chart': keptBytes({ ...envelope, version: envelope.version - 1 }),
    'of a newer chart': keptBytes({ ...envelope, version: envelope.version + 1 }),
    'of another entity': keptBytes({ ...envelope, id: `${envelope.id}0` }),
    'of another kind': keptBytes({ ...envelope, kind: 'alarm' }),
    'without its snapshot': keptBytes(bare as never),
    'ahead of its log': keptBytes({
      ...envelope,
      covers: { ...covers, position: covers.position + 1_000_000 },
    }),
    'of a log that was put back': keptBytes({ ...envelope, covers: { ...covers, mark: `${covers.mark}0` } }),
  };
}
