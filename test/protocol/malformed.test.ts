/** What reads bytes from space never throws and never reads past them, whatever they are. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPusTelecommand } from '../../protocol/pus-telecommand.ts';
import { readPusTelemetry } from '../../protocol/pus-telemetry.ts';
import { readVerification, writeVerification } from '../../protocol/pus-verification.ts';
import { readPrimaryHeader, readSpacePacket, writeSpacePacket } from '../../protocol/space-packet.ts';

const anyBytes = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));
/** Random bytes behind a header that fits them, so that the inner layers are reached. */
const anyPacket = fc
  .tuple(fc.boolean(), fc.boolean(), fc.nat(0x7ff), fc.uint8Array({ minLength: 1, maxLength: 64 }))
  .map(([isCommand, secondaryHeader, apid, data]) =>
    writeSpacePacket(
      {
        type: isCommand ? 'telecommand' : 'telemetry',
        secondaryHeader,
        apid,
        sequenceFlags: 'unsegmented',
        sequenceCount: 0,
      },
      Buffer.from(data),
    ),
  );

describe('malformed input', () => {
  it('never makes a reader throw', () => {
    fc.assert(
      fc.property(fc.oneof(anyBytes, anyPacket), fc.nat(255), fc.nat(18), (bytes, subtype, timeBytes) => {
        readPrimaryHeader(bytes, subtype);
        readSpacePacket(bytes);
        readPusTelecommand(bytes);
        readPusTelemetry(bytes, timeBytes);
        for (const size of [1, 2, 4] as const)
          readVerification(subtype, bytes, { stepBytes: size, codeBytes: size });
      }),
      { numRuns: 5_000 },
    );
  });

  it('is refused with a reason', () => {
    expect(readSpacePacket(Buffer.alloc(6))).toMatch(/too short/);
    expect(readSpacePacket(Buffer.from('2873c00000010000', 'hex'))).toMatch(/version 1/);
    expect(readSpacePacket(Buffer.from('0873c00000050000', 'hex'))).toMatch(/announces a packet of 12/);
    const telemetry = Buffer.from('0873c016000f2011020000000040610502932e7b9d68', 'hex');
    expect(readPusTelecommand(telemetry)).toMatchObject({
      faults: [expect.stringMatching(/telemetry packet/)],
    });
    const ping = Buffer.from('1873c01500062f11010000621c', 'hex');
    expect(readPusTelemetry(ping, 7)).toMatchObject({
      faults: [expect.stringMatching(/telecommand packet/)],
    });
  });

  it('a report that is cut short or too long is refused', () => {
    const sizes = { stepBytes: 1, codeBytes: 2 } as const;
    const { subtype, data } = writeVerification(
      { reference: '1873c015', stage: 'acceptance', ok: true },
      sizes,
    );
    for (let end = 0; end < data.length; end += 1) {
      expect(readVerification(subtype, data.subarray(0, end), sizes).ok).toBe(false);
    }
    expect(readVerification(subtype, Buffer.concat([data, Buffer.alloc(1)]), sizes).ok).toBe(false);
    for (const other of [0, 9, 10, 255]) expect(readVerification(other, data, sizes).ok).toBe(false);
  });
});
