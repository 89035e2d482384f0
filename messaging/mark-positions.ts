/**
 * Which stream each position of a low-water mark is of, by the name of the mark (`low-water-mark.ts`).
 *
 * M1. A position that stands behind the end of its stream shows by itself that the stream was deleted or went back,
 *     also where its owner had read no message and knew none.
 */

import { type StreamDefinition, streams } from '../contract/bus/streams.ts';

export interface ReadPosition {
  /** Of the mark. */
  readonly field: string;
  readonly stream: StreamDefinition;
  /** The last position that was read. */
  readonly read: number;
}

interface Meaning {
  readonly stream: StreamDefinition;
  /** It names the next message to be read, and not the last one. */
  readonly isNext: boolean;
}

const next = (stream: StreamDefinition): Meaning => ({ stream, isNext: true });
const last = (stream: StreamDefinition): Meaning => ({ stream, isNext: false });

/** By the first segment of the name. */
const MEANINGS: Readonly<Record<string, Readonly<Record<string, Meaning>>>> = {
  lane: { submission: next(streams.telecommands) },
  runs: { submission: next(streams.runSubmissions), answer: next(streams.runAnswers) },
  decoder: { next: next(streams.frames) },
  transfers: { position: last(streams.fileChunks) },
  alarms: { position: last(streams.values) },
  'alarm-records': { events: last(streams.alarms) },
};

/** The positions of a mark whose streams are known; `name`: `<prefix>.<partition>`. */
export function positionsOf(
  name: string,
  stands: Readonly<Record<string, unknown>>,
): readonly ReadPosition[] {
  const meanings = MEANINGS[name.slice(0, name.indexOf('.'))] ?? {};
  return Object.entries(meanings).flatMap(([field, { stream, isNext }]) => {
    const position = stands[field];
    if (typeof position !== 'number' || !Number.isSafeInteger(position)) return [];
    const read = isNext ? position - 1 : position;
    return read > 0 ? [{ field, stream, read }] : [];
  });
}
