/**
 * What is received of the spacecraft of archives: batches of values as an owner of a target publishes them, with rows
 * of several packets, late ones, some that are rare, some dated on board.
 *
 * R1. No two samples of a measure have the same ground time, nor the same time: each is known by it.
 */

import { columnOf, type PlatformColumns } from '../../../archive/platform-columns.ts';
import { encodeBatch, type ValueBatch, type ValueBlock } from '../../../contract/batch.ts';
import { Chance } from '../chance.ts';
import type { Received } from './keeping.ts';

/** Places of measures in the catalogue: numbers, labels, booleans, with calibration and without. */
const PACKETS: readonly [readonly number[], ...(readonly number[])[]] = [
  [6, 0, 5],
  [17, 16, 19, 20],
  [21, 23, 22],
  [14, 15, 2],
  [6, 17],
];
const NUMBERS = 1_024;
/** Between rows of a message; the numbers of messages are fractions of a millisecond. */
const ROW_MS = 50;
/** More than the oldest row of the first block. */
const SECOND_BLOCK_MS = 10_000_000;

/** The bytes of a message that is stored now. */
export function receivedBytes(
  { number, deferred, unreadable }: Received,
  {
    seed,
    now,
    platform,
  }: { readonly seed: number; readonly now: number; readonly platform: PlatformColumns },
): Uint8Array {
  if (unreadable) return Buffer.from(`no batch ${number}`);
  const chance = new Chance(seed, `received ${number}`);
  const blocks = Array.from({ length: chance.whole(1, 2) }, (_, n) => {
    const packet = chance.one(PACKETS);
    // Of two blocks the second one is of other times (R1).
    return blockOf(chance, platform, packet, Math.floor(now) - n * SECOND_BLOCK_MS + number / NUMBERS);
  });
  const batch: ValueBatch = { platform: platform.digest, link: 'uhf', deferred, blocks, reports: [] };
  return encodeBatch(batch);
}

function blockOf(
  chance: Chance,
  platform: PlatformColumns,
  ordinals: readonly number[],
  base: number,
): ValueBlock {
  const rows = chance.happens(0.5) ? chance.whole(8, 12) : chance.whole(1, 6);
  const ageMs = chance.happens(0.2) ? chance.whole(0, 7_200_000) : 0;
  const ground = Float64Array.from({ length: rows }, (_, row) => base - ageMs - row * ROW_MS);
  const isDated = chance.happens(0.3);
  const raw = new Float64Array(rows * ordinals.length);
  const value = new Float64Array(raw.length);
  for (const index of raw.keys()) {
    const column = columnOf(platform, ordinals[index % ordinals.length]!);
    raw[index] = numberOf(chance, column.type);
    value[index] = column.calibrated ? raw[index]! * 0.5 : raw[index]!;
  }
  const superseded = chance.happens(0.2) ? { superseded: Uint32Array.of(0) } : {};
  const onboard = ground.map((at) => (isDated ? at - 250 : Number.NaN));
  return { ordinals: Uint32Array.from(ordinals), ground, onboard, raw, value, ...superseded };
}

function numberOf(chance: Chance, type: string): number {
  if (chance.happens(0.05)) return Number.NaN;
  if (type === 'bool') return chance.whole(0, 1);
  if (type === 'enum') return chance.whole(0, 3);
  return type === 'f64' ? chance.between(-40, 40) : chance.whole(0, 60_000);
}
