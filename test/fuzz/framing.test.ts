import fc from 'fast-check';
import { describe, it } from 'vitest';
import { createFramer } from '../../links/framing/framing.ts';
import type { FramingConfiguration } from '../../mission/endpoint.ts';
import { KissReader } from '../../protocol/kiss.ts';
import { PacketSplitter } from '../../protocol/packet-splitter.ts';
import { FUZZ_TEST_MS, fuzz } from './cases.ts';
import { demand } from './demand.ts';
import { anyFrame } from './shipped.ts';

const FRAMINGS: readonly FramingConfiguration[] = [
  { kind: 'space-packet', maxBytes: 100 },
  { kind: 'space-packet', maxBytes: 65_542, apids: [0x73, 11] },
  { kind: 'line', maxBytes: 20, ending: 'lf' },
  { kind: 'line', maxBytes: 20, ending: 'crlf' },
  { kind: 'kiss', maxBytes: 60 },
  { ...marker(), length: { kind: 'fixed', bytes: 6 }, contiguous: true, keep: false },
  {
    ...marker(),
    length: { kind: 'field', at: 1, bytes: 2, endian: 'big', add: 3 },
    contiguous: false,
    keep: true,
  },
  {
    ...marker(),
    length: { kind: 'field', at: 0, bytes: 4, endian: 'little', add: 4 },
    contiguous: false,
    keep: false,
  },
];

function marker() {
  return { kind: 'marker', marker: '1acf', maxBytes: 60 } as const;
}

/** Streams in which every framing finds something. */
const stream = fc
  .array(
    fc.oneof(
      anyFrame,
      fc
        .constantFrom('1acf', '1acf000400', 'c000', 'c0', '0d0a', '0a', 'db', '1a')
        .map((hex) => Buffer.from(hex, 'hex')),
    ),
    { maxLength: 8 },
  )
  .map((parts) => Buffer.concat(parts));

function cutAt(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const length of lengths) {
    pieces.push(bytes.subarray(from, from + length));
    from += length;
  }
  return [...pieces, bytes.subarray(from)];
}

describe('any stream of bytes', { timeout: FUZZ_TEST_MS }, () => {
  it('is cut into the same frames however they arrive, and everything kept or skipped is accounted for (kiss.K1, K2)', () => {
    const cuts = fc.array(fc.nat(60), { maxLength: 4 });
    fuzz({ cases: 4_000 }, fc.tuple(stream, cuts, fc.constantFrom(...FRAMINGS)), ([bytes, at, framing]) => {
      const whole = createFramer(framing);
      const pieces = createFramer(framing);
      const expected = whole.push(bytes).map((frame) => frame.toString('hex'));
      const found = cutAt(bytes, at).flatMap((piece) =>
        pieces.push(piece).map((frame) => frame.toString('hex')),
      );
      demand(
        expected.join() === found.join(),
        () => `${expected.join()} in one piece, ${found.join()} in several`,
      );
      demand(
        whole.reset() === pieces.reset() && whole.skipped === pieces.skipped,
        'counts that depend on the pieces',
      );
    });
  });

  it('is split into packets and unpacked from KISS without a throw', () => {
    fuzz({ cases: 4_000 }, fc.tuple(stream, fc.array(fc.nat(60), { maxLength: 4 })), ([bytes, at]) => {
      const splitter = new PacketSplitter();
      const kiss = new KissReader();
      let taken = 0;
      for (const piece of cutAt(bytes, at)) {
        for (const packet of splitter.push(piece)) taken += packet.length;
        for (const content of kiss.push(piece)) demand(content.length <= bytes.length, 'more than came');
      }
      for (const packet of splitter.end()) taken += packet.length;
      demand(taken + splitter.skipped === bytes.length, 'bytes that are in no packet and not counted');
    });
  });
});
