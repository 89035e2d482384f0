/** CSP against packets that libcsp made, in both directions, and against damage. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32c } from '../../protocol/crc.ts';
import {
  appendCrc,
  type CspHeader,
  cspFlag,
  readCsp,
  readCspHeader,
  takeCrc,
  writeCsp,
  writeCspHeader,
} from '../../protocol/csp.ts';
import { cspVectors } from './csp-vectors.ts';

const packets = cspVectors.filter(({ group }) => group !== 'csp-kiss');
const plain: CspHeader = {
  priority: 2,
  source: 1,
  destination: 2,
  destinationPort: 10,
  sourcePort: 33,
  flags: 0,
};

/** Every buffer that differs from the given one in exactly one bit. */
function oneBitFlipped(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const copy = Buffer.from(bytes);
    copy[bit >> 3]! ^= 1 << (bit & 7);
    return copy;
  });
}

describe('packets of libcsp', () => {
  it('has vectors of both versions', () => {
    expect(packets.map(({ version }) => version)).toEqual([1, 1, 1, 1, 2, 2]);
  });

  it.each(packets)('$id is written byte for byte', ({ version, header, data, bytes }) => {
    expect(writeCsp(version, header, data).toString('hex')).toBe(bytes.toString('hex'));
  });

  it.each(packets)('$id is read, or refused for what it asks', ({ version, header, data, bytes }) => {
    expect(readCspHeader(version, bytes)).toEqual(header);
    const read = readCsp(version, bytes);
    if ((header.flags & cspFlag.rdp) === 0) expect(read).toEqual({ ok: true, value: { ...header, data } });
    else expect(read).toMatchObject({ ok: false, faults: [expect.stringContaining('RDP')] });
  });
});

describe('the CRC', () => {
  const flagged = { ...plain, flags: cspFlag.crc };
  const data = Buffer.from('housekeeping');

  it('is refused in every packet with one wrong bit of data or of itself (protocol/csp.C2)', () => {
    for (const version of [1, 2] as const) {
      const packet = writeCsp(version, flagged, data);
      const header = packet.length - data.length - 4;
      for (const damaged of oneBitFlipped(packet.subarray(header))) {
        const read = readCsp(version, Buffer.concat([packet.subarray(0, header), damaged]));
        expect(read).toMatchObject({ ok: false, faults: [expect.stringContaining('CRC-32C is wrong')] });
      }
    }
  });

  it('over header and data holds as well, as libcsp takes it (protocol/csp.C2)', () => {
    const packet = Buffer.concat([writeCspHeader(1, flagged), data]);
    const crc = Buffer.alloc(4);
    crc.writeUInt32BE(crc32c(packet));
    const whole = Buffer.concat([packet, crc]);
    expect(readCsp(1, whole)).toMatchObject({ ok: true, value: { data } });
    for (const damaged of oneBitFlipped(whole)) {
      // A flip of the flags may ask for no CRC at all.
      if ((readCspHeader(1, damaged)!.flags & cspFlag.crc) === 0) continue;
      expect(readCsp(1, damaged).ok).toBe(false);
    }
  });

  it('is taken off as it was put on', () => {
    const packet = writeCsp(2, plain, data);
    expect(takeCrc(2, appendCrc(2, packet))).toEqual({ ok: true, value: packet });
    expect(takeCrc(2, packet.subarray(0, 9))).toMatchObject({ ok: false });
  });
});

describe('flags', () => {
  it.each([
    ['RDP', cspFlag.rdp],
    ['XTEA', cspFlag.xtea],
    ['HMAC', cspFlag.hmac],
    ['fragments', cspFlag.fragment],
    ['reserved', 0x20],
    ['reserved', 0x80],
  ])('that ask for %s are refused by name (protocol/csp.C3)', (name, flag) => {
    const packet = writeCsp(1, { ...plain, flags: flag }, Buffer.from('x'));
    expect(readCsp(1, packet)).toMatchObject({ ok: false, faults: [expect.stringContaining(name)] });
  });
});

describe('any header and any bytes', () => {
  it('a header is read as it was written', () => {
    const header = (address: number, flags: number): fc.Arbitrary<CspHeader> =>
      fc.record({
        priority: fc.nat(3),
        source: fc.nat(address),
        destination: fc.nat(address),
        destinationPort: fc.nat(63),
        sourcePort: fc.nat(63),
        flags: fc.nat(flags),
      });
    fc.assert(
      fc.property(header(31, 0xff), header(16_383, 0x3f), (one, two) => {
        expect(readCspHeader(1, writeCspHeader(1, one))).toEqual(one);
        expect(readCspHeader(2, writeCspHeader(2, two))).toEqual(two);
      }),
    );
  });

  it('never make reading throw (protocol/csp.C1)', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1 as const, 2 as const),
        fc.uint8Array({ maxLength: 40 }),
        (version, bytes) => {
          const read = readCsp(version, Buffer.from(bytes));
          expect(read.ok || read.faults[0].length > 0).toBe(true);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
