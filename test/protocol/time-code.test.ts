import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CCSDS_EPOCH_MS,
  type CucSizes,
  cucPField,
  readCdsShort,
  readCuc,
  readCucPField,
  writeCdsShort,
  writeCuc,
} from '../../protocol/time-code.ts';

const J2000_MS = Date.UTC(2000, 0, 1, 12);

describe('CDS short', () => {
  it('comes back as written, for any ms of its range and any epoch', () => {
    fc.assert(
      fc.property(
        fc.nat(0xffff),
        fc.nat(86_399_999),
        fc.constantFrom(CCSDS_EPOCH_MS, J2000_MS),
        (day, ms, epoch) => {
          const time = epoch + day * 86_400_000 + ms;
          expect(readCdsShort(writeCdsShort(time, epoch), 0, epoch)).toBe(time);
        },
      ),
    );
  });

  it('is NaN for bytes that are no time', () => {
    expect(readCdsShort(Buffer.from('40610502932e', 'hex'))).toBeNaN();
    expect(readCdsShort(Buffer.from('41610502932e7b', 'hex'))).toBeNaN();
    expect(readCdsShort(Buffer.from('406105ffffffff', 'hex'))).toBeNaN();
    expect(readCdsShort(Buffer.from('40610502932e7b', 'hex'), 1)).toBeNaN();
    expect(readCdsShort(Buffer.from('40610502932e7b', 'hex'), -1)).toBeNaN();
  });

  it('refuses to write a time before its epoch or past its days', () => {
    expect(() => writeCdsShort(CCSDS_EPOCH_MS - 1)).toThrow();
    expect(() => writeCdsShort(CCSDS_EPOCH_MS + 65_536 * 86_400_000)).toThrow();
  });
});

describe('CUC', () => {
  const sizes: CucSizes[] = [1, 2, 3, 4].flatMap((coarseBytes) =>
    [0, 1, 2, 3].map((fineBytes) => ({ coarseBytes, fineBytes }) as CucSizes),
  );

  it.each(sizes)('$coarseBytes + $fineBytes bytes come back within one step', (size) => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 255_000, noNaN: true }), (since) => {
        const back = readCuc(writeCuc(J2000_MS + since, size, J2000_MS), 0, size, J2000_MS);
        // A double counts ms since 1970 in steps of 2^-12, which the three byte fraction undercuts.
        const step = Math.max(1_000 / 256 ** size.fineBytes, 2 ** -11);
        expect(Math.abs(J2000_MS + since - back)).toBeLessThanOrEqual(step);
      }),
    );
  });

  it('reads the number a receiver of GPS seconds would write', () => {
    // 1 s and a half after the epoch: 00000001.8000
    expect(readCuc(Buffer.from('000000018000', 'hex'), 0, { coarseBytes: 4, fineBytes: 2 }, J2000_MS)).toBe(
      J2000_MS + 1_500,
    );
  });

  it('P-field says the sizes and comes back', () => {
    for (const size of sizes) expect(readCucPField(cucPField(size))).toEqual(size);
    expect(cucPField({ coarseBytes: 4, fineBytes: 3 })).toBe(0x1f);
    expect(cucPField({ coarseBytes: 4, fineBytes: 3 }, J2000_MS)).toBe(0x2f);
    expect(readCucPField(0x40)).toBeUndefined();
  });

  it('is NaN for too few bytes', () => {
    expect(readCuc(Buffer.alloc(5), 0, { coarseBytes: 4, fineBytes: 2 })).toBeNaN();
    expect(readCuc(Buffer.alloc(6), 1, { coarseBytes: 4, fineBytes: 2 })).toBeNaN();
  });
});
