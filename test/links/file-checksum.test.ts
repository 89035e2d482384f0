import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileChecksum } from '../../links/file-checksum.ts';

const CHECK = Buffer.from('123456789');

describe('the checksum of a file', () => {
  it.each([
    ['crc16', '29b1'],
    ['crc32', 'cbf43926'],
    ['md5', '25f9e794323b453885f5181f1b624d0b'],
    ['sha256', '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225'],
  ])(
    'MC-XFER-054 MC-XFER-065 MC-LIM-020 %s of the check text, in whatever pieces it comes',
    (algorithm, expected) => {
      fc.assert(
        fc.property(fc.nat(9), fc.nat(9), (a, b) => {
          const checksum = fileChecksum(algorithm)!;
          for (const [from, to] of [
            [0, Math.min(a, b)],
            [Math.min(a, b), Math.max(a, b)],
            [Math.max(a, b), 9],
          ])
            checksum.add(CHECK.subarray(from, to));
          expect(checksum.end()).toBe(expected);
        }),
      );
    },
  );

  it('MC-LIM-020 has its leading zeros, and no other algorithm is available', () => {
    expect(fileChecksum('crc32')!.end()).toBe('00000000');
    expect(fileChecksum('sha256')!.end()).toBe(createHash('sha256').digest('hex'));
    for (const other of ['crc32c', 'modular', 'sha1', 'SHA256', ''])
      expect(fileChecksum(other)).toBeUndefined();
  });
});
