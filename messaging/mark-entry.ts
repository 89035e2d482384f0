/**
 * A low-water mark as bucket `mcs_members` has it (`low-water-mark.ts`): JSON of the epoch of its owner, a position for
 * each field, and what the owner knew of its streams.
 */

import { streams } from '../contract/bus/streams.ts';
import { objectIn } from '../contract/json-bytes.ts';
import type { Entry } from '../ports/bus.ts';
import type { KnownIn } from './known-past.ts';

export type Positions = Readonly<Record<string, number>>;

/** Where bucket `mcs_members` has the mark of that name (`<prefix>.<partition>`). */
export function markKey(name: string): string {
  return `checkpoint.${name}`;
}

export interface StoredMark {
  readonly epoch: number;
  readonly stands: Positions;
  readonly known: readonly KnownIn[];
  /** Whether its owner knew no more (low-water-mark.F5). */
  readonly whole: boolean;
  /** Until when losses have been dealt with (low-water-mark.F6). */
  readonly dealtWith: number;
}

export const NO_MARK: StoredMark = { epoch: 0, stands: {}, known: [], whole: true, dealtWith: 0 };

/** What cannot be read counts as nothing: everything is read again, and known by what it has led to. */
export function markOf({ value }: Entry): StoredMark {
  return markIn(value) ?? NO_MARK;
}

/** What `markIn` reads. */
export function markBytes({ epoch, stands, known, whole, dealtWith }: StoredMark): Buffer {
  const messages = known.map(({ stream, ...message }) => [stream.name, message]);
  const more = {
    ...(messages.length > 0 && { known: Object.fromEntries(messages), ...(whole && { whole }) }),
    ...(dealtWith > 0 && { dealtWith }),
  };
  return Buffer.from(JSON.stringify({ epoch, ...stands, ...more }));
}

/** The same bytes with other positions. */
export function markWith(value: Uint8Array, positions: Positions): Uint8Array {
  return Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(value).toString()), ...positions }));
}

/** The low-water mark in the bytes of its entry; undefined for malformed bytes. What is no number of it is left out. */
export function markIn(value: Uint8Array): StoredMark | undefined {
  const mark = objectIn(value) as Readonly<Record<string, unknown>> | undefined;
  if (mark === undefined) return undefined;
  const { epoch = 0, known = {}, whole = false, dealtWith = 0, ...stands } = mark;
  if (!isNumber(epoch) || !isNumber(dealtWith)) return undefined;
  return {
    epoch,
    stands: Object.fromEntries(
      Object.entries(stands).filter((each): each is [string, number] => isNumber(each[1])),
    ),
    known: Object.entries(known ?? {}).flatMap(([name, each]) => knownIn(name, each)),
    whole: whole === true,
    dealtWith,
  };
}

function knownIn(name: string, known: Partial<KnownIn> | null): KnownIn[] {
  const { seq, at, subject } = known ?? {};
  const stream = Object.values(streams).find((each) => each.name === name);
  if (stream === undefined || !isNumber(seq) || !isNumber(at)) return [];
  return [{ stream, seq, at, ...(typeof subject === 'string' && { subject }) }];
}

function isNumber(read: unknown): read is number {
  return Number.isFinite(read);
}
