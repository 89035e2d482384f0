/** Framing by KISS: whole frames out of a stream however it is cut, and back in step after anything. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFramer } from '../../../links/framing/framing.ts';
import { KissReader, writeKiss } from '../../../protocol/kiss.ts';

const kiss = (maxBytes = 200) => createFramer({ kind: 'kiss', maxBytes });
const hex = (frames: readonly Buffer[]): string[] => frames.map((frame) => frame.toString('hex'));
const content = fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from(bytes));

describe('framing by kiss', () => {
  it('gives every frame whole, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(content), fc.array(fc.nat(12)), (contents, cuts) => {
        const stream = Buffer.concat(contents.map(writeKiss));
        const framer = kiss();
        const frames: Buffer[] = [];
        let at = 0;
        for (const length of [...cuts, stream.length]) {
          frames.push(...framer.push(stream.subarray(at, at + length)));
          at += length;
        }
        expect(hex(frames)).toEqual(contents.map((each) => writeKiss(each).toString('hex')));
        expect(framer.skipped).toBe(0);
      }),
    );
  });

  it('gives the same frames of any bytes however they are cut, and never throws', () => {
    const tricky = fc.array(fc.constantFrom(0xc0, 0xdb, 0x00, 0x41), { maxLength: 60 });
    fc.assert(
      fc.property(tricky, fc.nat(60), (bytes, place) => {
        const stream = Buffer.from(bytes);
        const framer = kiss(12);
        const cut = [...framer.push(stream.subarray(0, place)), ...framer.push(stream.subarray(place))];
        expect(hex(cut)).toEqual(hex(kiss(12).push(stream)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('kiss-framer.B1 passes over a frame that is too long, counted, and is in step at the next', () => {
    const framer = kiss(16);
    const sound = writeKiss(Buffer.from('sound'));
    expect(framer.push(Buffer.concat([writeKiss(Buffer.alloc(40, 1)), sound]))).toEqual([sound]);
    expect(framer.skipped).toBe(41);
    for (let n = 0; n < 100; n += 1) framer.push(Buffer.alloc(1_000, 1));
    expect(framer.reset()).toBe(0);
  });

  it('kiss-framer.B2 takes one C0 between two frames for both', () => {
    const frames = kiss().push(Buffer.from('c00041c00042c0', 'hex'));
    expect(hex(frames)).toEqual(['c00041c0', 'c00042c0']);
    expect(frames.flatMap((frame) => new KissReader().push(frame))).toEqual([
      Buffer.from('A'),
      Buffer.from('B'),
    ]);
  });

  it('counts what came before the first C0 and what the end cut off', () => {
    const framer = kiss();
    framer.push(Buffer.from('0102c0000304', 'hex'));
    expect(framer.reset()).toBe(3);
    expect(framer.skipped).toBe(5);
  });

  it('sends KISS frames as they are, and nothing else', () => {
    const frame = writeKiss(Buffer.from('up'));
    expect(kiss().wrap(frame)).toEqual({ ok: true, value: frame });
    expect(kiss().wrap(Buffer.from('up'))).toMatchObject({ faults: [expect.stringContaining('kiss: true')] });
  });
});
