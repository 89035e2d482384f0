/**
 * A message of the value stream in which every chosen measure of a platform has one new sample. All samples are written
 * with four digits, so that every message to a watcher of one measure has the same length.
 */

import { encodeBatch } from '../contract/batch.ts';
import { header } from '../contract/bus/headers.ts';
import { subject } from '../contract/bus/subjects.ts';
import type { Platform } from '../mission/platform.ts';
import type { StreamMessage } from '../ports/bus.ts';

interface Values {
  readonly target: string;
  readonly seq: number;
  readonly groundMs: number;
  /** 1000 to 9999. */
  readonly value: number;
  /** Default: all. */
  readonly ordinals?: Uint32Array;
}

export function valueMessage(
  platform: Platform,
  { target, seq, groundMs, value, ordinals = everyOrdinal(platform) }: Values,
): StreamMessage {
  const column = new Float64Array(ordinals.length).fill(value);
  const block = {
    ordinals,
    ground: Float64Array.of(groundMs),
    onboard: Float64Array.of(Number.NaN),
    raw: column,
    value: column.slice(),
  };
  const batch = { platform: platform.digest, link: 'uhf', deferred: false, blocks: [block], reports: [] };
  return {
    subject: subject.values(target),
    data: encodeBatch(batch),
    headers: { [header.delivery]: 'realtime' },
    seq,
    at: groundMs,
    pending: 0,
  };
}

function everyOrdinal(platform: Platform): Uint32Array {
  return Uint32Array.from(platform.measures, ({ ordinal }) => ordinal);
}

/** The first measures that are plain numbers. */
export function plainOrdinals(platform: Platform, count: number): Uint32Array {
  const plain = platform.measures.filter(
    ({ definition }) =>
      definition.enumeration === undefined && !['bool', 'string', 'bytes'].includes(definition.type),
  );
  return Uint32Array.from(plain.slice(0, count), ({ ordinal }) => ordinal);
}
