/** KISS frames against those of libcsp, in both directions, however the stream is cut and whatever is in it. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FRAME_BYTES } from '../../contract/limits/link.ts';
import { appendCrc, takeCrc, writeCspHeader } from '../../protocol/csp.ts';
import { KissReader, writeKiss } from '../../protocol/kiss.ts';
import { cspVectors } from './csp-vectors.ts';

const frames = cspVectors.filter(({ group }) => group === 'csp-kiss');
const anyContent = fc.uint8Array({ minLength: 1, maxLength: 30 }).map((bytes) => Buffer.from(bytes));
/** Many of the bytes that mean something. */
const awkward = fc
  .array(fc.constantFrom(0xc0, 0xdb, 0xdc, 0xdd, 0x00, 0x01), { minLength: 1, maxLength: 30 })
  .map((bytes) => Buffer.from(bytes));

function readAll(chunks: readonly Uint8Array[]): { contents: string[]; damaged: number } {
  const reader = new KissReader();
  const contents = chunks.flatMap((chunk) => reader.push(chunk)).map((each) => each.toString('hex'));
  reader.end();
  return { contents, damaged: reader.damaged };
}

describe('frames of libcsp', () => {
  it('has vectors', () => expect(frames).toHaveLength(2));

  it.each(frames)('$id is written byte for byte', ({ version, header, data, bytes }) => {
    const packet = Buffer.concat([writeCspHeader(version, header), data]);
    expect(writeKiss(appendCrc(version, packet)).toString('hex')).toBe(bytes.toString('hex'));
  });

  it.each(frames)('$id is read', ({ version, header, data, bytes }) => {
    const [content, ...more] = new KissReader().push(bytes);
    expect(more).toEqual([]);
    const packet = Buffer.concat([writeCspHeader(version, header), data]);
    expect(takeCrc(version, content!)).toEqual({ ok: true, value: packet });
  });
});

describe('a stream', () => {
  it('gives the same contents however it is cut (kiss.K1)', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyContent, awkward)), fc.array(fc.nat(9)), (contents, cuts) => {
        const stream = Buffer.concat(contents.map(writeKiss));
        const chunks: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) {
          chunks.push(stream.subarray(at, at + cut));
          at += cut;
        }
        chunks.push(stream.subarray(at));
        expect(readAll(chunks)).toEqual({
          contents: contents.map((each) => each.toString('hex')),
          damaged: 0,
        });
      }),
      { numRuns: 1_000 },
    );
  });

  it('is in step again at the next C0 after any damage, and gives nothing of a damaged frame (kiss.K2)', () => {
    const sound = writeKiss(Buffer.from('sound'));
    const received = (noise: string) => readAll([Buffer.from(noise, 'hex'), sound, sound]);
    const twice = [Buffer.from('sound').toString('hex'), Buffer.from('sound').toString('hex')];
    // Bytes before the first frame; an escape of nothing; one cut by an end; a frame of a modem; an empty frame.
    expect(received('0102db05')).toEqual({ contents: twice, damaged: 0 });
    expect(received('c00001db0203c0')).toEqual({ contents: twice, damaged: 1 });
    expect(received('c00001dbc0')).toEqual({ contents: twice, damaged: 1 });
    expect(received('c00601c0')).toEqual({ contents: twice, damaged: 1 });
    expect(received('c000c0')).toEqual({ contents: twice, damaged: 1 });
  });

  it('counts a frame cut off by its end', () => {
    expect(readAll([Buffer.from('c0000102', 'hex')])).toEqual({ contents: [], damaged: 1 });
  });

  it('keeps no more of a frame without end than the longest frame has (kiss.K3)', () => {
    const reader = new KissReader();
    reader.push(Buffer.from('c000', 'hex'));
    for (let n = 0; n < 20; n += 1) reader.push(Buffer.alloc(10_000, 1));
    expect(reader.damaged).toBe(1);
    expect(reader.push(writeKiss(Buffer.from('after')))).toEqual([Buffer.from('after')]);
    const longest = Buffer.alloc(FRAME_BYTES, 2);
    expect(reader.push(writeKiss(longest))).toEqual([longest]);
  });

  it('of any bytes never makes reading throw', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.uint8Array({ maxLength: 30 }), awkward)), (chunks) => {
        readAll(chunks);
      }),
      { numRuns: 2_000 },
    );
  });
});
