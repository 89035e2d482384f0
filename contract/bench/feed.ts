/**
 * Feeds for eyes: binary messages with pictures and readings, newest wins. Not in the specification.
 *
 * A message is a head of 16 bytes, a description in JSON, and numbers; all little-endian:
 *
 * | bytes | what |
 * |---|---|
 * | 0 | version, 1 |
 * | 1 | kind: 1 spectrum, 2 constellation, 3 eye, 4 metrics |
 * | 2..3 | length of the description, which spaces fill to a multiple of 4 |
 * | 4..7 | sequence of the feed, the same for all who watch it |
 * | 8..11 | messages left out for this watcher since it opened |
 * | 12..15 | milliseconds since the start of the daemon |
 * | 16.. | the description, then 32-bit floats to the end |
 */

import type { MetricName } from './metric.ts';
import type { Modulation } from './profile.ts';

export const FEEDS = ['spectrum', 'constellation', 'eye', 'metrics'] as const;
export type FeedName = (typeof FEEDS)[number];

export const FEED_VERSION = 1;
export const FEED_HEAD_BYTES = 16;
const SPACE = 0x20;

/** Of what the floats are. */
export type FeedDescription =
  /** Power of each bin in dB below full scale, from the lowest frequency. */
  | {
      readonly kind: 'spectrum';
      readonly source: Source;
      /** Null: the board does not report it. */
      readonly center_hz: number | null;
      readonly span_hz: number;
    }
  /** I and Q in turn, sampled at the instants of symbols, of mean power 1; none while the demodulator does not run. */
  | {
      readonly kind: 'constellation';
      readonly source: Source;
      readonly modulation: Modulation;
      /** Error vector magnitude, as a share; absent without a carrier. */
      readonly evm?: number;
    }
  /** Traces over two symbols, one behind the other. */
  | {
      readonly kind: 'eye';
      readonly source: Source;
      readonly samples_per_symbol: number;
      readonly traces: number;
    }
  /** No floats: the values stand here; null: the board cannot report it. */
  | {
      readonly kind: 'metrics';
      readonly source: Source;
      readonly values: Readonly<Partial<Record<MetricName, number | boolean | null>>>;
    };

type Source = 'pl' | 'stub';

export interface FeedMessage {
  readonly seq: number;
  readonly dropped: number;
  readonly uptimeMs: number;
  readonly description: FeedDescription;
  readonly floats: Float32Array;
}

/** The bytes of a message; what was left out for whom is written by `markDropped`. */
export function encodeFeed({ seq, dropped, uptimeMs, description, floats }: FeedMessage): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(description));
  const words = new Uint8Array(Math.ceil(text.length / 4) * 4).fill(SPACE);
  words.set(text);
  const bytes = new Uint8Array(FEED_HEAD_BYTES + words.length + floats.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, FEED_VERSION);
  view.setUint8(1, FEEDS.indexOf(description.kind) + 1);
  view.setUint16(2, words.length, true);
  view.setUint32(4, seq, true);
  view.setUint32(8, dropped, true);
  view.setUint32(12, uptimeMs, true);
  bytes.set(words, FEED_HEAD_BYTES);
  bytes.set(
    new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength),
    FEED_HEAD_BYTES + words.length,
  );
  return bytes;
}

/** The message with the count of what its watcher did not get; the same bytes where that was nothing. */
export function markDropped(message: Uint8Array, dropped: number): Uint8Array {
  if (dropped === 0) return message;
  const marked = message.slice();
  new DataView(marked.buffer).setUint32(8, dropped, true);
  return marked;
}
