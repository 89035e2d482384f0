import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PacketSplitter } from '../../protocol/packet-splitter.ts';
import { writeSpacePacket } from '../../protocol/space-packet.ts';

function packetOf(apid: number, data: Uint8Array, sequenceCount = 0): Buffer {
  return writeSpacePacket(
    { type: 'telemetry', secondaryHeader: true, apid, sequenceFlags: 'unsegmented', sequenceCount },
    Buffer.from(data),
  );
}

const somePackets = fc.array(
  fc.uint8Array({ minLength: 1, maxLength: 60 }).map((data) => packetOf(0x73, data)),
  { minLength: 1, maxLength: 12 },
);

/** The stream in pieces that have nothing to do with its packets. */
function pieces(stream: Buffer, sizes: readonly number[]): Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0, index = 0; at < stream.length; index += 1) {
    const size = sizes[index % sizes.length]!;
    cut.push(stream.subarray(at, at + size));
    at += size;
  }
  return cut;
}

const accepts = ({ apid, sequenceFlags }: { apid: number; sequenceFlags: string }) =>
  apid === 0x73 && sequenceFlags === 'unsegmented';

describe('packet splitter', () => {
  it('gives the packets of a stream whatever its pieces are', () => {
    fc.assert(
      fc.property(
        somePackets,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (packets, sizes) => {
          const splitter = new PacketSplitter();
          const split = pieces(Buffer.concat(packets), sizes).flatMap((piece) => splitter.push(piece));
          expect([...split, ...splitter.end()]).toEqual(packets);
          expect(splitter.skipped).toBe(0);
        },
      ),
    );
  });

  it('packet-splitter.C1 accounts for every byte of any stream and never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), (parts) => {
        const splitter = new PacketSplitter();
        const packets = [...parts.flatMap((part) => splitter.push(part)), ...splitter.end()];
        const total = parts.reduce((sum, part) => sum + part.length, 0);
        expect(packets.reduce((sum, packet) => sum + packet.length, 0) + splitter.skipped).toBe(total);
      }),
    );
  });

  it('finds the next packet after damage', () => {
    const [first, second, third] = [1, 2, 3].map((value) => packetOf(0x73, Buffer.alloc(20, value), value));
    const noise = Buffer.from('ffeeddccbbaa99', 'hex');
    const splitter = new PacketSplitter({ accepts });
    const packets = splitter.push(Buffer.concat([first!, noise, second!, third!]));
    expect([...packets, ...splitter.end()]).toEqual([first, second, third]);
    expect(splitter.skipped).toBe(noise.length);
  });

  it('finds the next packet after a lost piece in the middle of one', () => {
    const packets = [1, 2, 3, 4].map((value) => packetOf(0x73, Buffer.alloc(30, 0xf0 + value), value));
    const [first, second, third, fourth] = packets as [Buffer, Buffer, Buffer, Buffer];
    const splitter = new PacketSplitter({ accepts, check: (packet) => packet.length === 36 && same(packet) });
    const stream = Buffer.concat([first, second.subarray(0, 20), third, fourth]);
    expect([...splitter.push(stream), ...splitter.end()]).toEqual([first, third, fourth]);
  });

  it('packet-splitter.C2 takes no lone header out of noise', () => {
    const lone = packetOf(0x73, Buffer.alloc(4));
    const splitter = new PacketSplitter({ accepts });
    const noise = Buffer.alloc(30, 0xff);
    expect([...splitter.push(Buffer.concat([noise, lone, noise])), ...splitter.end()]).toEqual([]);
    expect(splitter.skipped).toBe(60 + lone.length);
  });
});

function same(packet: Buffer): boolean {
  return packet.subarray(6).every((byte) => byte === packet[6]);
}
