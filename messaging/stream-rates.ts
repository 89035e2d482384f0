/**
 * How fast streams grow, and readers read them, from how they stood at two looks.
 *
 * R1. The rate is that of the last `STREAM_RATE_MS`; before there are two looks at least `STREAM_RATE_LEAST_MS` apart
 *     it is the mean over what the stream holds.
 */

import { STREAM_RATE_LEAST_MS, STREAM_RATE_MS } from '../contract/limits/bus.ts';
import type { StreamLevel } from '../ports/stream-levels.ts';

export interface StreamRate {
  readonly messagesPerS: number;
  readonly bytesPerS: number;
}

interface Look {
  readonly at: number;
  readonly position: number;
}

/** Positions by name, as they advance. Time is monotonic. */
export class Advances {
  readonly #looks = new Map<string, Look[]>();

  note(name: string, position: number, at: number): void {
    const before = this.#looks.get(name) ?? [];
    // One that went back is another stream, or a reader that begins again.
    const kept = position < (before.at(-1)?.position ?? 0) ? [] : before;
    const start = kept.findLastIndex((look) => at - look.at >= STREAM_RATE_MS);
    const last = kept.at(-1);
    const isNew = last === undefined || at - last.at >= STREAM_RATE_LEAST_MS;
    this.#looks.set(name, [...kept.slice(Math.max(0, start)), ...(isNew ? [{ at, position }] : [])]);
  }

  /** A second; undefined before there are two looks. */
  perS(name: string): number | undefined {
    const looks = this.#looks.get(name);
    const [first, last] = [looks?.[0], looks?.at(-1)];
    if (first === undefined || last === undefined || last.at === first.at) return undefined;
    return (1_000 * (last.position - first.position)) / (last.at - first.at);
  }

  /** Forgets all but these. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#looks.keys()) if (!names.has(name)) this.#looks.delete(name);
  }
}

/** What a stream takes in at present (R1). */
export function rateOf(level: StreamLevel, messagesPerS: number | undefined): StreamRate {
  const { messages, bytes, firstAt = 0, lastAt = 0 } = level;
  const meanBytes = messages === 0 ? 0 : bytes / messages;
  const spanS = Math.max(1, (lastAt - firstAt) / 1_000);
  const perS = messagesPerS ?? (messages > 1 ? messages / spanS : 0);
  return { messagesPerS: perS, bytesPerS: perS * meanBytes };
}

/** For how long a stream keeps a message at this rate, s. */
export function keptS({ maxAgeMs, maxBytes }: StreamLevel, { bytesPerS }: StreamRate): number {
  const byBytes = maxBytes === undefined || bytesPerS === 0 ? Number.POSITIVE_INFINITY : maxBytes / bytesPerS;
  return Math.min(maxAgeMs === 0 ? Number.POSITIVE_INFINITY : maxAgeMs / 1_000, byBytes);
}
