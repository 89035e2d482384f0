import fc from 'fast-check';
import { describe, it } from 'vitest';
import { decodeBatch, encodeBatch } from '../../contract/batch.ts';
import { readCsp, readCspHeader, takeCrc } from '../../protocol/csp.ts';
import { readPusTelecommand } from '../../protocol/pus-telecommand.ts';
import { readPusTelemetry } from '../../protocol/pus-telemetry.ts';
import { readVerification } from '../../protocol/pus-verification.ts';
import { readPrimaryHeader, readSpacePacket } from '../../protocol/space-packet.ts';
import { CCSDS_EPOCH_MS, readCdsShort, readCuc, readCucPField } from '../../protocol/time-code.ts';
import { FUZZ_TEST_MS, fuzz } from './cases.ts';
import { demand } from './demand.ts';
import { anyBytes, anyFrame } from './shipped.ts';
import { mutatedBytes } from './text.ts';

/** A reader that says no says why. */
function checkReason(
  result: { ok: boolean; faults?: readonly string[] } | string | object | undefined,
): void {
  const reasons =
    typeof result === 'string' ? [result] : ((result as { faults?: readonly string[] })?.faults ?? []);
  for (const reason of reasons) demand(reason.length > 0, 'a refusal without a reason');
}

describe('any bytes', { timeout: FUZZ_TEST_MS }, () => {
  it('are read as space packet and PUS packet, or refused with a reason', () => {
    fuzz({ cases: 14_000 }, fc.tuple(anyFrame, fc.nat(255), fc.nat(18)), ([bytes, number, timeBytes]) => {
      const header = readPrimaryHeader(bytes, number % 8);
      demand(header === undefined || header.dataBytes > 0, 'a packet without data');
      checkReason(readSpacePacket(bytes));
      checkReason(readPusTelecommand(bytes));
      checkReason(readPusTelemetry(bytes, timeBytes));
      for (const size of [1, 2, 4] as const)
        checkReason(readVerification(number, bytes, { stepBytes: size, codeBytes: size }));
    });
  });

  it('are read as a time after its epoch, or as none', () => {
    fuzz(
      { cases: 4_000 },
      fc.tuple(fc.uint8Array({ minLength: 24, maxLength: 24 }), fc.nat(255)),
      ([bytes, pField]) => {
        const buffer = Buffer.from(bytes);
        const cds = readCdsShort(buffer, pField % 32);
        demand(Number.isNaN(cds) || cds >= CCSDS_EPOCH_MS, 'a time before its epoch');
        const sizes = readCucPField(pField);
        if (sizes !== undefined) demand(readCuc(buffer, 0, sizes) >= CCSDS_EPOCH_MS, 'no time');
      },
    );
  });

  it('are read as CSP packets of both versions, or refused with a reason', () => {
    fuzz(
      { cases: 6_000 },
      fc.tuple(anyFrame, fc.constantFrom(1 as const, 2 as const)),
      ([bytes, version]) => {
        readCspHeader(version, bytes);
        checkReason(readCsp(version, bytes));
        checkReason(takeCrc(version, bytes));
      },
    );
  });

  it('as a message of telemetry are a batch or throw an error, nothing else', () => {
    const batch = Buffer.from(
      encodeBatch({ at: [1, 2], frames: [Buffer.from('c0ffee', 'hex'), Buffer.alloc(3)] }),
    );
    fuzz({ cases: 4_000 }, fc.oneof(anyBytes, mutatedBytes([batch])), (bytes) => {
      try {
        decodeBatch(bytes);
      } catch (error) {
        demand(error instanceof Error, 'thrown and no error');
      }
    });
  });
});
