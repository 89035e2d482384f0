/** Framing by space packet, line and sync marker: whatever the stream is and however it is cut. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFramer } from '../../../links/framing/framing.ts';
import type { FramingConfiguration, MarkerFramingConfiguration } from '../../../mission/endpoint.ts';
import { IDLE_APID, writeSpacePacket } from '../../../protocol/space-packet.ts';

const MARKER = '1acffc1d';
const marker = Buffer.from(MARKER, 'hex');
const base = { kind: 'marker', marker: MARKER, contiguous: false, keep: false } as const;
const fixed = (
  bytes: number,
  more: Partial<MarkerFramingConfiguration> = {},
): MarkerFramingConfiguration => ({
  ...base,
  maxBytes: bytes,
  length: { kind: 'fixed', bytes },
  ...more,
});
const field: MarkerFramingConfiguration = {
  ...base,
  maxBytes: 64,
  length: { kind: 'field', at: 1, bytes: 2, endian: 'big', add: 3 },
};
const packets = { kind: 'space-packet', maxBytes: 64, apids: [0x42] } as const;
const lines = { kind: 'line', maxBytes: 16, ending: 'lf' } as const;
const FRAMINGS: readonly Exclude<FramingConfiguration, { kind: 'kiss' }>[] = [
  packets,
  { kind: 'space-packet', maxBytes: 65_542 },
  lines,
  fixed(8),
  fixed(8, { contiguous: true, keep: true }),
  field,
];

function packet(data: Uint8Array, apid = 0x42): Buffer {
  const header = { type: 'telemetry', secondaryHeader: false, apid, sequenceCount: 0 } as const;
  return writeSpacePacket({ ...header, sequenceFlags: 'unsegmented' }, Buffer.from(data));
}

function fielded(data: Uint8Array): Buffer {
  const frame = Buffer.concat([Buffer.from([0xee, 0, 0]), data]);
  frame.writeUInt16BE(data.length, 1);
  return frame;
}

function framesOf(framing: FramingConfiguration, chunks: readonly Uint8Array[]) {
  const framer = createFramer(framing);
  const frames = chunks.flatMap((chunk) => framer.push(chunk)).map((frame) => frame.toString('hex'));
  return { frames, skipped: framer.skipped, rest: framer.reset() };
}

function cut(stream: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (stream.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => stream.subarray(start, at[index] ?? stream.length));
}

const bytes = (maxLength: number, minLength = 0) => fc.uint8Array({ minLength, maxLength });
/** Noise in which the beginnings of frames come up often. */
const tricky = fc
  .array(
    fc.oneof(
      bytes(12),
      fc.constantFrom(marker, marker.subarray(0, 2), Buffer.from('\r\n'), Buffer.from('\n')),
      bytes(20, 1).map((data) => packet(data)),
      bytes(8, 8).map((data) => Buffer.concat([marker, data])),
      bytes(20).map((data) => Buffer.concat([marker, fielded(data)])),
    ),
    { maxLength: 20 },
  )
  .map((parts) => Buffer.concat(parts));

describe.each(FRAMINGS.map((framing) => [framing.kind, JSON.stringify(framing), framing] as const))(
  'framing by %s %s',
  (_, __, framing) => {
    it('framer.K1 gives the same frames however the stream is cut', () => {
      fc.assert(
        fc.property(tricky, fc.array(fc.nat(1_000), { maxLength: 30 }), (stream, places) => {
          expect(framesOf(framing, cut(stream, places))).toEqual(framesOf(framing, [stream]));
        }),
        { numRuns: 300 },
      );
    });

    it('framer.K2 K3 no bytes make it throw, and each is in a frame, counted, kept or an ending', () => {
      fc.assert(
        fc.property(fc.oneof(tricky, bytes(200)), (stream) => {
          const { frames, skipped, rest } = framesOf(framing, [stream]);
          const framed = frames.reduce((sum, frame) => sum + frame.length / 2, 0);
          expect(framed + skipped + rest).toBeLessThanOrEqual(stream.length);
          const around = framing.kind === 'marker' && !framing.keep ? frames.length * marker.length : 0;
          if (framing.kind !== 'line') expect(framed + skipped + rest + around).toBe(stream.length);
        }),
        { numRuns: 300 },
      );
    });

    it('takes back what it wrapped', () => {
      const body = Buffer.alloc(8, 0x41);
      const frame =
        framing.kind === 'space-packet'
          ? packet(body)
          : framing.kind === 'line'
            ? body
            : framing.length.kind === 'field'
              ? fielded(body)
              : framing.keep
                ? Buffer.concat([marker, body])
                : body;
      const framer = createFramer(framing);
      const wrapped = framer.wrap(frame);
      if (!wrapped.ok) throw new Error(wrapped.faults[0]);
      // Behind a contiguous frame stands another one.
      expect(framer.push(Buffer.concat([wrapped.value, wrapped.value]))).toEqual([frame, frame]);
    });

    it('framer.K2 keeps no more than a frame and a chunk of an endless frame', () => {
      const framer = createFramer(framing);
      const endless = Buffer.concat([marker, Buffer.from([0x08, 0x42, 0, 0, 0xff, 0xff])]);
      framer.push(endless);
      for (let n = 0; n < 100; n += 1) framer.push(Buffer.alloc(1_000, 0x20));
      expect(framer.reset()).toBeLessThanOrEqual(framing.maxBytes + 1_000 + marker.length + 12);
    });
  },
);

describe('framer.K4 a stream that stands still', () => {
  const standing = (framing: FramingConfiguration, chunks: readonly Uint8Array[]) => {
    const framer = createFramer(framing);
    const frames = chunks.flatMap((chunk) => framer.push(chunk));
    const settled = framer.settle();
    return { frames, settled, skipped: framer.skipped, rest: framer.waiting };
  };
  const good = packet(Buffer.from('good'));
  /** A header of the link that promises more than comes. */
  const promise = packet(Buffer.alloc(50)).subarray(0, 6);

  it.each([
    ['noise', Buffer.from('1f00ff00aa', 'hex')],
    ['the beginning of a packet whose rest was lost', promise],
  ])('gives the packet behind %s, though nothing follows it', (_, noise) => {
    const { frames, settled, skipped, rest } = standing(packets, [noise, good]);
    expect([frames, settled, skipped, rest]).toEqual([[], [good], noise.length, 0]);
  });

  it('gives those before and between noise too', () => {
    const { settled } = standing(packets, [Buffer.concat([promise, good, Buffer.from([0xff]), good, good])]);
    expect(settled).toEqual([good, good]);
    const clean = standing(packets, [Buffer.concat([promise, good, good])]);
    expect(clean.settled).toEqual([good, good]);
  });

  it('leaves half a packet as it is: its rest is on its way', () => {
    const framer = createFramer(packets);
    const whole = packet(Buffer.alloc(40, 7));
    expect(framer.push(whole.subarray(0, 30))).toEqual([]);
    expect(framer.settle()).toEqual([]);
    expect(framer.push(whole.subarray(30))).toEqual([whole]);
    const zeros = packet(Buffer.alloc(40));
    const any = createFramer({ kind: 'space-packet', maxBytes: 65_542 });
    any.push(zeros.subarray(0, 30));
    expect(any.settle()).toEqual([]);
    expect(any.push(zeros.subarray(30))).toEqual([zeros]);
  });

  it.each([
    ['contiguous', fixed(8, { contiguous: true }), Buffer.from('noise'), Buffer.from('12345678')],
    [
      'with a length field that lies',
      field,
      Buffer.concat([marker, Buffer.from([0xee, 0, 60])]),
      fielded(Buffer.from('ok')),
    ],
  ])('gives the frame behind noise: markers, %s', (_, framing, noise, body) => {
    const { frames, settled, rest } = standing(framing, [noise, Buffer.concat([marker, body])]);
    expect([frames, settled, rest]).toEqual([[], [body], 0]);
  });

  it('gives every packet by the time it stands still, whatever noise and pauses are before it', () => {
    const noise = fc.oneof(
      bytes(12).map((each) => Buffer.from(each.map((byte) => byte | 0xe0))),
      fc.constant(promise),
    );
    const burst = fc.record({
      noise,
      data: bytes(10, 1),
      count: fc.integer({ min: 1, max: 3 }),
      cut: fc.array(fc.nat(99)),
    });
    fc.assert(
      fc.property(fc.array(burst, { minLength: 1, maxLength: 6 }), (bursts) => {
        const framer = createFramer(packets);
        for (const { noise: before, data, count, cut: places } of bursts) {
          const sent = Array.from({ length: count }, () => packet(data));
          const stream = Buffer.concat([before, ...sent]);
          const got = cut(stream, places).flatMap((chunk) => framer.push(chunk));
          got.push(...framer.settle());
          expect(got).toEqual(sent);
          expect(framer.waiting).toBe(0);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('costs a look at each byte at most, whatever waits', () => {
    const framer = createFramer({ kind: 'space-packet', maxBytes: 65_542, apids: [0] });
    framer.push(Buffer.from([0, 0, 0, 0, 0xff, 0xff]));
    framer.push(Buffer.alloc(60_000));
    framer.push(Buffer.from([0xff]));
    const began = process.cpuUsage();
    for (let n = 0; n < 5; n += 1) framer.settle();
    const { user, system } = process.cpuUsage(began);
    expect(user + system).toBeLessThan(2_000_000);
  });
});

describe('space packets', () => {
  it('finds the next packet after noise, knowing the APIDs of the link', () => {
    const [a, b, c] = [packet(Buffer.from('one')), packet(Buffer.from('two')), packet(Buffer.from('three'))];
    const noise = Buffer.from('1f00ff00aa', 'hex');
    const { frames, skipped } = framesOf(packets, [Buffer.concat([a, noise, b, c])]);
    expect(frames).toEqual([a, b, c].map((each) => each.toString('hex')));
    expect(skipped).toBe(noise.length);
  });

  it('packet-framer.Y1 idle packets are packets of every link, other APIDs and longer packets are none', () => {
    const idle = packet(Buffer.from([0]), IDLE_APID);
    const foreign = packet(Buffer.from([0]), 0x43);
    const long = packet(Buffer.alloc(100));
    const end = packet(Buffer.from('end'));
    const { frames } = framesOf(packets, [Buffer.concat([idle, foreign, long, end, idle])]);
    expect(frames).toEqual([idle, end, idle].map((each) => each.toString('hex')));
  });

  it('a stream that ends inside a packet gives nothing of it, and the next stream starts clean', () => {
    const framer = createFramer(packets);
    const half = packet(Buffer.alloc(40)).subarray(0, 30);
    expect(framer.push(half)).toEqual([]);
    expect(framer.reset()).toBe(30);
    expect(framer.skipped).toBe(30);
    const next = packet(Buffer.from('next'));
    expect(framer.push(next)).toEqual([next]);
  });
});

describe('lines', () => {
  const text = (stream: string) =>
    framesOf(lines, [Buffer.from(stream)]).frames.map((frame) => Buffer.from(frame, 'hex').toString());

  it('end with LF or CRLF, and empty ones are none', () => {
    expect(text('one\ntwo\r\n\n\r\nthree\nfour')).toEqual(['one', 'two', 'three']);
  });

  it('line-framer.A1 a line that is too long is skipped to its end, and counted', () => {
    expect(text(`${'x'.repeat(16)}\n${'y'.repeat(17)}\n${'z'.repeat(500)}\nok\n`)).toEqual([
      'x'.repeat(16),
      'ok',
    ]);
    expect(framesOf(lines, [Buffer.from(`${'z'.repeat(500)}\nok\n`)]).skipped).toBe(500);
  });

  it('line-framer.A2 a line to send gets its ending once, and a line break inside is refused', () => {
    const framer = createFramer({ ...lines, ending: 'crlf' });
    expect(framer.wrap(Buffer.from('PING'))).toEqual({ ok: true, value: Buffer.from('PING\r\n') });
    expect(framer.wrap(Buffer.from('PING\r\n'))).toEqual({ ok: true, value: Buffer.from('PING\r\n') });
    expect(framer.wrap(Buffer.from('PING\nREBOOT'))).toMatchObject({ ok: false });
    expect(framer.wrap(Buffer.from('PING\rREBOOT\n'))).toMatchObject({ ok: false });
  });
});

describe('sync markers', () => {
  const body = (text: string) => Buffer.from(text.padEnd(8, '.'));
  const marked = (...parts: Buffer[]) => Buffer.concat(parts.map((part) => Buffer.concat([marker, part])));

  it('marker-framer.M1 a marker inside data is data', () => {
    const inside = Buffer.concat([Buffer.from('ab'), marker, Buffer.from('cd')]);
    const { frames, skipped } = framesOf(fixed(8), [marked(inside, body('two'))]);
    expect(frames).toEqual([inside, body('two')].map((each) => each.toString('hex')));
    expect(skipped).toBe(0);
  });

  it('marker-framer.M1 framer.K1 the end of a frame begins no marker together with what follows', () => {
    const [first, second] = [Buffer.from('......\x1a\xcf', 'latin1'), Buffer.from([0xfc])];
    expect(framesOf(fixed(8), [marked(first), second])).toEqual(
      framesOf(fixed(8), [Buffer.concat([marked(first), second])]),
    );
    const ahead = Buffer.from('.......\x1a', 'latin1');
    expect(framesOf(fixed(8), [Buffer.concat([marked(ahead), Buffer.from([0xcf])])])).toMatchObject({
      skipped: 1,
      rest: 0,
    });
  });

  it('finds its way after noise, and counts it', () => {
    const noise = Buffer.from('nonsense');
    const { frames, skipped } = framesOf(fixed(8), [
      Buffer.concat([noise, marked(body('one')), noise, marked(body('two'))]),
    ]);
    expect(frames).toEqual([body('one'), body('two')].map((each) => each.toString('hex')));
    expect(skipped).toBe(2 * noise.length);
  });

  it('marker-framer.M2 out of step, a marker inside data is reported from a true one by what stands behind its frame', () => {
    const inside = Buffer.concat([Buffer.from('ab'), marker, Buffer.from('cd')]);
    // Begins in the middle of a frame that holds a marker.
    const stream = Buffer.concat([inside.subarray(1), marked(body('one'), body('two'), body('three'))]);
    const { frames } = framesOf(fixed(8, { contiguous: true }), [stream]);
    expect(frames).toEqual([body('one'), body('two'), body('three')].map((each) => each.toString('hex')));
  });

  it('marker-framer.M3 a length beyond the longest frame is noise', () => {
    const absurd = Buffer.concat([marker, Buffer.from([0xee, 0xff, 0xff])]);
    const good = fielded(Buffer.from('good'));
    const { frames, skipped } = framesOf(field, [Buffer.concat([absurd, marked(good)])]);
    expect(frames).toEqual([good.toString('hex')]);
    expect(skipped).toBe(absurd.length);
  });

  it('reads little-endian lengths', () => {
    const little: MarkerFramingConfiguration = {
      ...field,
      length: { kind: 'field', at: 0, bytes: 4, endian: 'little', add: 4 },
    };
    const frame = Buffer.from([3, 0, 0, 0, 7, 8, 9]);
    expect(framesOf(little, [marked(frame, frame)]).frames).toEqual(
      [frame, frame].map((each) => each.toString('hex')),
    );
  });

  it.each([
    ['of another length', fixed(8), Buffer.alloc(7)],
    ['without its length field', field, Buffer.alloc(1)],
    ['whose length field lies', field, Buffer.from([0xee, 0, 9, 1])],
    ['without the marker it should bring', fixed(8, { keep: true }), Buffer.alloc(12)],
  ])('refuses to send a frame %s', (_, framing, frame) => {
    expect(createFramer(framing).wrap(frame)).toMatchObject({ ok: false, faults: [expect.any(String)] });
  });
});
