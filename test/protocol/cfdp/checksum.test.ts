/** Checksums of files whose pieces come in any order, against those of the whole. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checksumType, fileChecksum } from '../../../protocol/cfdp/checksum.ts';
import { crc16, crc32, crc32c } from '../../../protocol/crc.ts';

/** Word by word as the standard describes it. */
function modular(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 4) {
    const word = Buffer.alloc(4);
    word.set(bytes.subarray(at, at + 4));
    sum = (sum + word.readUInt32BE()) % 2 ** 32;
  }
  return sum;
}

const ORACLES = [
  [checksumType.modular, modular],
  [checksumType.crc32, crc32],
  [checksumType.crc32c, crc32c],
  [checksumType.none, () => 0],
] as const;

/** A file cut at some places, and an order of the pieces. */
const pieces = fc
  .tuple(
    fc.uint8Array({ maxLength: 300 }),
    fc.array(fc.nat(300), { maxLength: 12 }),
    fc.infiniteStream(fc.nat()),
  )
  .map(([file, cuts, order]) => {
    const places = [0, ...cuts.filter((cut) => cut < file.length), file.length].sort((a, b) => a - b);
    const parts = places.slice(1).map((end, n) => ({ at: places[n]!, bytes: file.subarray(places[n], end) }));
    const ranked = parts.map((part) => ({ part, rank: order.next().value as number }));
    return { file, parts: ranked.sort((a, b) => a.rank - b.rank).map(({ part }) => part) };
  });

it('MC-CFDP-001 checksum.Q1 are the same in whatever order the pieces come', () => {
  fc.assert(
    fc.property(pieces, ({ file, parts }) => {
      for (const [type, oracle] of ORACLES) {
        const checksum = fileChecksum(type)!;
        for (const { at, bytes } of parts) checksum.add(at, bytes);
        expect(checksum.value(file.length)).toBe(oracle(file));
      }
    }),
  );
});

it('scattered-crc.K1 pieces far beyond 32 bits have their place', () => {
  // A file of zeros but for its last byte: moving zeros by 2^36 bytes is moving the remainder.
  const size = 2 ** 36;
  const whole = fileChecksum(checksumType.crc32)!;
  whole.add(size - 1, Buffer.of(7));
  const first = fileChecksum(checksumType.crc32)!;
  first.add(0, Buffer.of(0));
  first.add(size - 1, Buffer.of(7));
  expect(first.value(size)).toBe(whole.value(size));
  expect(whole.value(size)).not.toBe(whole.value(size + 1));
});

it('crc.R2 continue over blocks', () => {
  const bytes = Buffer.from('123456789');
  const [head, tail] = [bytes.subarray(0, 4), bytes.subarray(4)];
  expect(crc16(tail, tail.length, crc16(head))).toBe(crc16(bytes));
  expect(crc32(tail, crc32(head))).toBe(crc32(bytes));
  expect(crc32c(tail, crc32c(head))).toBe(crc32c(bytes));
});

it('a type that is not supported has no checksum', () => {
  expect(fileChecksum(1)).toBeUndefined();
});
