/** Packets in streams and slots, and bytes in blocks. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_BYTES } from '../../../contract/bench/datapath.ts';
import { BlockAssembler } from '../../../radio/packet/blocks.ts';
import { framePackets } from '../../../radio/packet/framing.ts';

const place = { frameBytes: 256, pendingBytes: 0 } as const;
const bytes = (length: number, value = 1) => new Uint8Array(length).fill(value);
const slot = (slot_len: number, pad?: number) =>
  ({ mode: 'slot', slot_len, ...(pad !== undefined && { pad }) }) as const;

describe('stream framing', () => {
  it('RB-TX-005 packs end to end, and is the default', () => {
    const framed = framePackets([bytes(3, 1), bytes(2, 2)], { mode: 'stream' }, place);
    expect(framed).toEqual({
      ok: true,
      value: {
        bytes: Buffer.from('0101010202', 'hex'),
        usefulBytes: 5,
        wireBytes: 5,
        boundariesPreserved: false,
      },
    });
    expect(framePackets([bytes(3, 1), bytes(2, 2)], undefined, place)).toEqual(framed);
  });
});

describe('slot framing', () => {
  it('RB-TX-006 RB-TX-009 puts each packet at the beginning of a slot and fills the rest', () => {
    const framed = framePackets([bytes(3, 1), bytes(4, 2)], slot(4), { frameBytes: 4, pendingBytes: 8 });
    expect(framed).toEqual({
      ok: true,
      value: {
        bytes: Buffer.from('010101aa02020202', 'hex'),
        usefulBytes: 7,
        wireBytes: 8,
        boundariesPreserved: true,
      },
    });
    const padded = framePackets([bytes(3)], slot(4, 0), { frameBytes: 4, pendingBytes: 0 });
    expect(padded.ok && padded.value.bytes.at(-1)).toBe(0);
  });

  it.each([
    ['another length than the frames of the modem', slot(128), place, 'the modem cuts frames of 256 bytes'],
    [
      'a length that does not divide a block',
      slot(300),
      { ...place, frameBytes: 300 },
      'does not divide the 4096',
    ],
    ['a modem that cuts no slots', slot(256), { ...place, frameBytes: undefined }, 'the modem cuts no slots'],
    ['bytes of a stream in the way', slot(256), { ...place, pendingBytes: 100 }, 'flush first'],
  ] as const)('RB-TX-007 refuses %s', (_, framing, where, words) => {
    expect(framePackets([bytes(1)], framing, where)).toEqual({
      ok: false,
      faults: [
        { code: 'framing_misaligned', path: 'framing.slot_len', message: expect.stringContaining(words) },
      ],
    });
  });

  it('RB-TX-008 refuses each packet larger than its slot, by its index and the sizes', () => {
    const framed = framePackets([bytes(256), bytes(257), bytes(1), bytes(4096)], slot(256), place);
    expect(framed).toEqual({
      ok: false,
      faults: [
        [1, 257],
        [3, 4096],
      ].map(([index, size]) => ({
        code: 'packet_too_large',
        path: `packets[${index}]`,
        message: `is ${size} bytes with its header and CRC; its slot has 256`,
      })),
    });
  });

  it('RB-TX-007 keeps every packet within one block, whatever the packets', () => {
    const lengths = fc.constantFrom(...Array.from({ length: 13 }, (_, power) => 2 ** power));
    fc.assert(
      fc.property(lengths, fc.array(fc.nat(10_000), { maxLength: 40 }), (length, sizes) => {
        const packets = sizes.map((size, index) => bytes(1 + (size % length), index + 1));
        const framed = framePackets(packets, slot(length, 0), { frameBytes: length, pendingBytes: 0 });
        if (!framed.ok) throw new Error('refused');
        expect(framed.value.wireBytes).toBe(packets.length * length);
        for (const [index, packet] of packets.entries()) {
          const at = index * length;
          expect(framed.value.bytes.subarray(at, at + packet.length).equals(packet)).toBe(true);
          expect(Math.floor(at / BLOCK_BYTES)).toBe(Math.floor((at + length - 1) / BLOCK_BYTES));
        }
      }),
    );
  });
});

describe('blocks', () => {
  it('are complete ones only; the rest waits for more or for a flush', () => {
    const assembler = new BlockAssembler();
    expect(assembler.push(bytes(BLOCK_BYTES - 1))).toEqual([]);
    expect(assembler.pendingBytes).toBe(BLOCK_BYTES - 1);
    expect(assembler.push(bytes(2 * BLOCK_BYTES + 3)).map(({ length }) => length)).toEqual([
      4096, 4096, 4096,
    ]);
    expect(assembler.pendingBytes).toBe(2);
    const { blocks, usefulBytes } = assembler.flush(2);
    expect(usefulBytes).toBe(2);
    expect(blocks.map((block) => block.subarray(0, 4).toString('hex'))).toEqual(['0101aaaa', 'aaaaaaaa']);
    expect(assembler.flush(2)).toEqual({ blocks: [], usefulBytes: 0 });
  });

  it('can forget what waits, and report how much', () => {
    const assembler = new BlockAssembler();
    assembler.push(bytes(10));
    expect(assembler.discard()).toBe(10);
    expect(assembler.pendingBytes).toBe(0);
  });

  it('hold every byte in its order, however it was pushed (blocks.B1)', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(6_000), { maxLength: 20 }), (sizes) => {
        const assembler = new BlockAssembler();
        const pushed = sizes.map((size, index) => Buffer.alloc(size, index + 1));
        const blocks = pushed.flatMap((each) => assembler.push(each));
        const waiting = assembler.pendingBytes;
        const all = Buffer.concat([...blocks, ...assembler.flush().blocks]);
        const expected = Buffer.concat(pushed);
        expect(all.subarray(0, expected.length).equals(expected)).toBe(true);
        expect(blocks.length * BLOCK_BYTES + waiting).toBe(expected.length);
        expect(all.length % BLOCK_BYTES).toBe(0);
      }),
    );
  });
});
