import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../ports/clock.ts';
import { errno, type IioBuffer } from '../../../radio/iio/context.ts';
import { byteRatio } from '../../../radio/modulation.ts';
import { createStub } from '../../../radio/stub/stub.ts';
import { settled } from '../../support/manual-clock.ts';
import {
  BLOCK,
  drained,
  getRegister,
  type LinkUnderTest,
  openCapture,
  openOutput,
  passed,
  payload,
  phy,
  placeOf,
  type Rig,
  ratioFrom,
  setRegister,
  tune,
  tuned,
} from './rig.ts';

const failing = (number: number) => expect.objectContaining({ errno: number });
/** Bytes of the queues that come before the first that is received. */
const STALE_LEAST = 2 * BLOCK;
const STALE_MOST = 5 * BLOCK;

async function ratioOf(
  link: LinkUnderTest,
  blocks: number,
  options = {},
): Promise<{ ratio: number; rig: Rig }> {
  const rig = await tuned(link, options);
  const sent = payload(blocks);
  const captured = await passed(rig, sent);
  return { ratio: ratioFrom(sent, captured, placeOf(sent, captured)), rig };
}

async function isRefused(reading: Promise<unknown>, { clock }: Rig, ms = 10_000): Promise<unknown> {
  const refused = reading.then(
    () => undefined,
    (error: unknown) => error,
  );
  await clock.run(ms, ms);
  return refused;
}

describe('blocks', () => {
  it('come back byte for byte, behind what lay in the queues', async () => {
    const rig = await tuned();
    const sent = payload(12);
    const captured = await passed(rig, sent);
    const place = placeOf(sent, captured);
    expect(place).toBeGreaterThanOrEqual(STALE_LEAST);
    expect(place).toBeLessThan(STALE_MOST);
    expect(captured.length % BLOCK).toBe(0);
    expect(captured.length - place).toBeGreaterThan(11 * BLOCK);
    expect(ratioFrom(sent, captured, place)).toBe(1);
  });

  it('of two blocks sent the first is captured whole', async () => {
    const rig = await tuned();
    const sent = payload(2);
    const captured = await passed(rig, sent);
    const place = placeOf(sent, captured);
    expect(captured.length - place).toBeGreaterThanOrEqual(BLOCK);
    expect(Buffer.from(captured).indexOf(sent.subarray(0, BLOCK))).toBe(place);
  });

  it('begin at another place each time the ring is armed, aligned to eight bytes', async () => {
    const rig = await tuned();
    const sent = payload(6);
    const places: number[] = [];
    for (let arming = 0; arming < 8; arming += 1) places.push(placeOf(sent, await passed(rig, sent)) % BLOCK);
    expect(places.every((place) => place % 8 === 0)).toBe(true);
    expect(new Set(places).size).toBeGreaterThan(6);
  });

  it('what lies in the queues is of before, or chance, and never zeros', async () => {
    const rig = await tuned();
    const first = payload(4);
    const before = await passed(rig, first);
    expect(before.subarray(0, STALE_LEAST).filter((byte) => byte === 0).length).toBeLessThan(100);
    const again = await passed(rig, payload(8).subarray(4 * BLOCK));
    expect(Buffer.from(again).indexOf(first.subarray(3 * BLOCK, 4 * BLOCK))).toBe(0);
  });

  it.each([
    ['bpsk', 9600, 2_112_000, 55, 3413.3],
    ['qpsk', 1_000_000, 4_000_000, 1, 16.384],
  ] as const)(
    '%s at %d Bd takes one every %d ms',
    async (modulation, baud, sampleRate, interpolation, blockMs) => {
      const rig = await tuned({ modulation, sampleRate, interpolation });
      expect(rig.board.truth()).toMatchObject({ baud, blockMs: expect.closeTo(blockMs, 1) });
      rig.clock.advance(1000);
      const capture = await openCapture(rig.board);
      await (await openOutput(rig.board)).write(payload(1), 0);
      rig.clock.advance(2 * blockMs - 1);
      expect(await drained(capture, rig.clock)).toHaveLength(0);
      rig.clock.advance(2);
      expect((await drained(capture, rig.clock)).length).toBeGreaterThan(0);
    },
  );

  it('nothing is received without a block on the air, nor before it is complete', async () => {
    const rig = await tuned();
    const capture = await openCapture(rig.board);
    expect(await isRefused(capture.read(BLOCK, 1000), rig)).toEqual(failing(errno.ETIMEDOUT));
    const output = await openOutput(rig.board);
    await output.write(payload(1).subarray(0, BLOCK - 1), 0);
    expect(await isRefused(capture.read(BLOCK, 1000), rig)).toEqual(failing(errno.ETIMEDOUT));
    await output.write(new Uint8Array(1), 0);
    rig.clock.advance(100);
    expect((await drained(capture, rig.clock)).length).toBeGreaterThan(0);
  });

  it('with egress closed they wait, and what is closed over them is dropped', async () => {
    const rig = await tuned();
    await setRegister(rig.board, 'control', 0);
    const capture = await openCapture(rig.board);
    const output = await openOutput(rig.board);
    await output.write(payload(1), 0);
    expect(await isRefused(capture.read(BLOCK, 1000), rig)).toEqual(failing(errno.ETIMEDOUT));
    await output.close();
    await setRegister(rig.board, 'control', 4);
    expect(await isRefused(capture.read(BLOCK, 1000), rig)).toEqual(failing(errno.ETIMEDOUT));
  });

  it('a ring that is full makes the writer wait, and refuses it when its time is over', async () => {
    const rig = await tuned();
    await setRegister(rig.board, 'control', 0);
    const output = await openOutput(rig.board);
    await output.write(payload(64), 0);
    expect(await isRefused(output.write(payload(1), 500), rig)).toEqual(failing(errno.ETIMEDOUT));
    const writing = output.write(payload(1), 1e6);
    await setRegister(rig.board, 'control', 4);
    rig.clock.advance(20);
    await writing;
  });

  it('a cyclic transfer repeats until it is closed', async () => {
    const rig = await tuned();
    const capture = await openCapture(rig.board);
    const output = await openOutput(rig.board, true);
    const sent = payload(3).subarray(0, 10_000);
    await output.write(sent, 0);
    await expect(output.write(sent, 0)).rejects.toEqual(failing(errno.EBUSY));
    rig.clock.advance(40 * 16.384);
    const captured = Buffer.concat(await drained(capture, rig.clock));
    const first = captured.indexOf(sent);
    expect(captured.subarray(first + 10_000, first + 20_000).equals(sent)).toBe(true);
    await output.close();
    rig.clock.advance(100);
    await drained(capture, rig.clock);
    expect(await isRefused(capture.read(BLOCK, 1000), rig)).toEqual(failing(errno.ETIMEDOUT));
  });

  it('a read takes any number of bytes, and what it had in vain stays for the next', async () => {
    const rig = await tuned();
    const sent = payload(8);
    const stream = await passed(rig, sent);
    const again = await tuned();
    const capture = await openCapture(again.board);
    await (await openOutput(again.board)).write(sent, 0);
    again.clock.advance(200);
    expect(await isRefused(capture.read(1_000_000, 10), again)).toEqual(failing(errno.ETIMEDOUT));
    const parts = [await capture.read(100, 0), await capture.read(2 * BLOCK, 0), await capture.read(1, 0)];
    expect(Buffer.concat(parts)).toEqual(Buffer.from(stream.subarray(0, 101 + 2 * BLOCK)));
  });
});

describe('bit errors', () => {
  it.each([
    ['qpsk', 40, 64],
    ['qpsk', 42, 32],
    ['qpsk', 44, 32],
    ['bpsk', 46, 32],
    ['8psk', 34, 32],
    ['dbpsk', 44, 32],
  ] as const)(
    '%s at %d dB leaves the byte ratio of its error rate',
    async (modulation, attenuationDb, blocks) => {
      const { ratio, rig } = await ratioOf({ modulation, attenuationDb }, blocks);
      const { bitErrorRate, carrier } = rig.board.truth();
      expect(carrier).toBe(true);
      expect(bitErrorRate).toBeGreaterThan(1e-6);
      expect(Math.abs(ratio / byteRatio(bitErrorRate) - 1)).toBeLessThan(0.02);
    },
  );

  it('at 40 and 44 dB the ratios are 0.998 and 0.897', async () => {
    expect((await ratioOf({ attenuationDb: 40 }, 64)).ratio).toBeCloseTo(0.998, 2);
    expect((await ratioOf({ attenuationDb: 44 }, 64)).ratio).toBeCloseTo(0.897, 2);
  });

  it('Reed-Solomon gives every byte back, counts what it corrected, and breaks down over its cliff', async () => {
    const clean = await ratioOf({ attenuationDb: 41, coding: 2 }, 64);
    expect(clean.ratio).toBe(1);
    expect(await getRegister(clean.rig.board, 'corrected')).toBeGreaterThan(100);
    expect(await getRegister(clean.rig.board, 'uncorrectable')).toBe(0);
    await setRegister(clean.rig.board, 'corrected', 1);
    expect(await getRegister(clean.rig.board, 'corrected')).toBe(0);
    const broken = await ratioOf({ attenuationDb: 45, coding: 2 }, 32);
    const { bitErrorRate } = broken.rig.board.truth();
    expect(await getRegister(broken.rig.board, 'uncorrectable')).toBeGreaterThan(100);
    expect(Math.abs(broken.ratio / byteRatio(bitErrorRate) - 1)).toBeLessThan(0.02);
  });

  it('the convolutional code repairs what is lost without it', async () => {
    expect((await ratioOf({ attenuationDb: 42 }, 32)).ratio).toBeLessThan(0.99);
    expect((await ratioOf({ attenuationDb: 42, coding: 1 }, 32)).ratio).toBe(1);
  });

  it.each(['device', 'pl'])(
    'there is none in the %s loopback, whatever gains and oscillators are',
    async (kind) => {
      const rig = await tuned({ attenuationDb: 89, rxGainDb: 0 });
      await phy(rig.board, 'altvoltage0', true, 'frequency', '437000000');
      if (kind === 'pl') await setRegister(rig.board, 'loopback', 1);
      else await rig.board.write({ device: 'ad9361-phy', of: 'debug', name: 'loopback' }, '1');
      rig.clock.advance(10);
      const sent = payload(16);
      const captured = await passed(rig, sent);
      expect(ratioFrom(sent, captured, placeOf(sent, captured))).toBe(1);
    },
  );

  it('without frames bytes still come, and they are chance', async () => {
    const rig = await tuned({ attenuationDb: 48 });
    const captured = await passed(rig, payload(32));
    expect(rig.board.truth().carrier).toBe(false);
    expect(captured.length).toBeGreaterThanOrEqual(31 * BLOCK);
    expect(placeOf(payload(4), captured)).toBe(-1);
    const counts = new Array<number>(256).fill(0);
    for (const byte of captured) counts[byte]! += 1;
    const expected = captured.length / 256;
    const square = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    expect(square).toBeLessThan(400);
  });

  it.each(['bpsk', 'qpsk', '8psk'] as const)(
    '%s without sync word and differential coding may come back turned, over a cable only',
    async (modulation) => {
      const outcomes = new Set<string>();
      for (let seed = 0; seed < 12; seed += 1) {
        const rig = await tuned({ modulation, syncWord: 0 }, { seed });
        const sent = payload(3);
        const captured = Buffer.from(await passed(rig, sent));
        const isClean = captured.indexOf(sent.subarray(BLOCK, BLOCK + 64)) !== -1;
        expect(isClean).toBe(rig.board.truth().phase === 0);
        outcomes.add(isClean ? 'clean' : 'turned');
        await setRegister(rig.board, 'loopback', 1);
        expect(rig.board.truth().phase).toBe(0);
      }
      expect(outcomes).toEqual(new Set(['clean', 'turned']));
    },
  );

  it('the same seed and the same commands give the same bytes, another seed gives others', async () => {
    const run = async (seed: number) => passed(await tuned({ attenuationDb: 44 }, { seed }), payload(16));
    const [first, second, other] = [await run(1), await run(1), await run(2)];
    expect(Buffer.from(first).equals(second)).toBe(true);
    expect(Buffer.from(first).equals(other)).toBe(false);
  });
});

describe('faults of the datapath', () => {
  it('a slip loses one byte at the beginning of its block', async () => {
    const rig = await tuned({}, { faults: { slipAtBlock: 9 } });
    const sent = payload(12);
    const captured = await passed(rig, sent);
    const place = placeOf(sent, captured);
    const slip = 9 * BLOCK;
    expect(ratioFrom(sent.subarray(0, slip - place), captured, place)).toBe(1);
    expect(ratioFrom(sent.subarray(slip - place + 1), captured, slip)).toBe(1);
  });

  it('a block that finds no room is lost as a whole and counted until cleared', async () => {
    const rig = await tuned({}, { faults: { overflowAtBlock: 8 } });
    const captured = await passed(rig, payload(12));
    expect(await getRegister(rig.board, 'overflow')).toBe(1);
    await setRegister(rig.board, 'overflow', 1);
    expect(await getRegister(rig.board, 'overflow')).toBe(0);
    const whole = await passed(await tuned(), payload(12));
    expect(whole.length - captured.length).toBe(BLOCK);
  });

  it('a ring that nobody reads overflows', async () => {
    const rig = await tuned();
    const capture = await openCapture(rig.board);
    await (await openOutput(rig.board, true)).write(payload(1), 0);
    rig.clock.advance(80 * 16.384);
    expect(await drained(capture, rig.clock)).toHaveLength(64);
    expect(await getRegister(rig.board, 'overflow')).toBeGreaterThan(15);
  });

  it.each([
    ['a stream loses its place', 0, 1],
    ['slots keep theirs', 1, 0],
  ])('a block that comes late is counted, and %s', async (_, framing, lost) => {
    const rig = await tuned({ framing });
    const capture = await openCapture(rig.board);
    const output = await openOutput(rig.board);
    const sent = payload(8);
    await output.write(sent.subarray(0, 4 * BLOCK), 0);
    rig.clock.advance(4.5 * 16.384);
    await output.write(sent.subarray(4 * BLOCK), 0);
    rig.clock.advance(200);
    expect(await getRegister(rig.board, 'underflow')).toBe(1);
    const captured = Buffer.concat(await drained(capture, rig.clock));
    const place = placeOf(sent, captured);
    const tail = sent.subarray(6 * BLOCK, 7 * BLOCK - 8);
    expect(captured.indexOf(tail)).toBe(place + 6 * BLOCK - lost);
    await setRegister(rig.board, 'underflow', 1);
    rig.clock.advance(100);
    await output.write(payload(1), 0);
    rig.clock.advance(100);
    expect(await getRegister(rig.board, 'underflow')).toBe(0);
  });

  it('while a CLEAR bit is held nothing is received; clearing the DMA begins the ring again', async () => {
    const rig = await tuned();
    const capture = await openCapture(rig.board);
    const output = await openOutput(rig.board);
    await output.write(payload(2), 0);
    rig.clock.advance(100);
    await setRegister(rig.board, 'clear', 4);
    await output.write(payload(2), 0);
    rig.clock.advance(100);
    await setRegister(rig.board, 'clear', 0);
    expect(await drained(capture, rig.clock)).toHaveLength(0);
    rig.clock.advance(10);
    const sent = payload(6);
    await output.write(sent, 0);
    rig.clock.advance(200);
    const captured = Buffer.concat(await drained(capture, rig.clock));
    expect(placeOf(sent, captured)).toBeGreaterThanOrEqual(STALE_LEAST);
  });

  it('the frame counter moves on chance as on frames, and a reset begins it again', async () => {
    const rig = await tuned({ attenuationDb: 60 });
    const before = await getRegister(rig.board, 'frameCount');
    await passed(rig, payload(4));
    expect((await getRegister(rig.board, 'frameCount')) - before).toBe(64);
    await setRegister(rig.board, 'control', 4 | 2);
    await setRegister(rig.board, 'control', 4);
    expect(await getRegister(rig.board, 'frameCount')).toBe(0);
  });

  it('transfers that stall time out and go on when repaired', async () => {
    const rig = await tuned({}, { faults: { stalled: { receive: true } } });
    const capture = await openCapture(rig.board);
    const output = await openOutput(rig.board);
    await output.write(payload(4), 0);
    expect(await isRefused(capture.read(BLOCK, 1000), rig)).toEqual(failing(errno.ETIMEDOUT));
    const reading = capture.read(BLOCK, 1000);
    rig.board.inject({ stalled: undefined });
    expect(await reading).toHaveLength(BLOCK);
    rig.board.inject({ stalled: { transmit: true } });
    await output.write(payload(60), 0);
    expect(await isRefused(output.write(payload(8), 1000), rig)).toEqual(failing(errno.ETIMEDOUT));
  });

  it('an attribute or a register that fails says so, and the rest answers', async () => {
    const rig = await tuned(
      {},
      {
        faults: { attributes: { 'ad9361-phy ensm_mode': errno.EIO }, deadRegisters: ['status'] },
      },
    );
    const mode = { device: 'ad9361-phy', of: 'device', name: 'ensm_mode' } as const;
    await expect(rig.board.read(mode)).rejects.toEqual(failing(errno.EIO));
    await expect(getRegister(rig.board, 'status')).rejects.toThrow(/STATUS does not answer/);
    expect(await getRegister(rig.board, 'interpolation')).toBe(1);
    rig.board.inject({ attributes: undefined, deadRegisters: undefined });
    expect([await rig.board.read(mode), await getRegister(rig.board, 'status')]).toEqual(['fdd', 15]);
  });

  it('a lost board refuses everything, reports it once, and sets no timer any more', async () => {
    const rig = await tuned();
    const capture = await openCapture(rig.board);
    const output = await openOutput(rig.board);
    await output.write(payload(8), 0);
    const reading = isRefused(capture.read(1_000_000, 1000), rig, 1);
    rig.board.lose('the plug was pulled');
    expect(await reading).toEqual(failing(errno.ENODEV));
    expect(await rig.board.lost).toEqual(
      expect.objectContaining({ message: expect.stringContaining('the plug was pulled') }),
    );
    await expect(output.write(payload(1), 0)).rejects.toEqual(failing(errno.ENODEV));
    await expect(openCapture(rig.board)).rejects.toEqual(failing(errno.ENODEV));
    await expect(getRegister(rig.board, 'id')).rejects.toEqual(failing(errno.ENODEV));
    await Promise.all([capture.close(), output.close(), rig.board.close()]);
    expect(rig.clock.waiting).toBe(0);
  });
});

describe('time', () => {
  it('what a late timer left is done by the settings of its time', async () => {
    let now = 0;
    const clock: Clock = {
      now: () => now,
      monotonic: () => now,
      setTimeout: () => ({ timer: 0 }),
      clearTimeout: () => {},
    };
    const board = createStub({ seed: 7, clock });
    await tune(board);
    await setRegister(board, 'control', 4);
    now = 10;
    const capture: IioBuffer = await openCapture(board);
    await (await openOutput(board)).write(payload(8), 0);
    now = 10 + 8.5 * 16.384;
    await setRegister(board, 'control', 0);
    const captured = Buffer.concat([await capture.read(STALE_LEAST + 6 * BLOCK, 0)]);
    await settled();
    expect(ratioFrom(payload(8), captured, placeOf(payload(8), captured))).toBe(1);
  });

  it('a machine that slept for a day does not owe the blocks of that day', async () => {
    let now = 0;
    const clock: Clock = {
      now: () => now,
      monotonic: () => now,
      setTimeout: () => ({ timer: 0 }),
      clearTimeout: () => {},
    };
    const board = createStub({ seed: 7, clock });
    await tune(board);
    await setRegister(board, 'control', 4);
    now = 10;
    const capture = await openCapture(board);
    const sent = payload(1);
    await (await openOutput(board, true)).write(sent, 0);
    now += 24 * 3_600_000;
    expect(await getRegister(board, 'overflow')).toBeGreaterThan(100);
    expect(await getRegister(board, 'overflow')).toBeLessThan(300);
    const captured = Buffer.concat([await capture.read(64 * BLOCK, 0)]);
    expect(captured.indexOf(sent)).toBeGreaterThanOrEqual(STALE_LEAST);
    now += 5 * 16.384;
    expect(Buffer.from(await capture.read(4 * BLOCK, 0)).indexOf(sent)).not.toBe(-1);
  });

  it('stub/datapath.W5 a block that is on its way when a machine falls asleep arrives when it wakes', async () => {
    let now = 0;
    const clock: Clock = {
      now: () => now,
      monotonic: () => now,
      setTimeout: () => ({ timer: 0 }),
      clearTimeout: () => {},
    };
    const board = createStub({ seed: 7, clock });
    await tune(board);
    await setRegister(board, 'control', 4);
    now = 10;
    const capture = await openCapture(board);
    const sent = payload(5);
    const output = await openOutput(board);
    await output.write(sent.subarray(0, BLOCK), 0);
    now += 1.5 * 16.384;
    expect(await getRegister(board, 'overflow')).toBe(0);
    now += 24 * 3_600_000;
    await output.write(sent.subarray(BLOCK), 0);
    now += 6 * 16.384;
    expect(await getRegister(board, 'overflow')).toBe(0);
    const captured = await Promise.race([capture.read(STALE_MOST + BLOCK, 0), settled()]);
    expect(Buffer.from(captured ?? []).indexOf(sent.subarray(0, BLOCK))).toBeGreaterThanOrEqual(STALE_LEAST);
  });

  it('a clock that is set back an hour stops nothing', async () => {
    let now = 10_000_000;
    const clock: Clock = {
      now: () => now,
      monotonic: () => now,
      setTimeout: () => ({ timer: 0 }),
      clearTimeout: () => {},
    };
    const board = createStub({ seed: 7, clock });
    await tune(board);
    await setRegister(board, 'control', 4);
    const capture = await openCapture(board);
    now += 10;
    const sent = payload(4);
    await (await openOutput(board)).write(sent, 0);
    now -= 3_600_000;
    expect(board.truth().frameSync).toBe(true);
    now += 6 * 16.384;
    expect(board.truth().frameSync).toBe(true);
    const captured = Buffer.from(await capture.read(STALE_LEAST + 3 * BLOCK, 0));
    expect(captured.indexOf(sent.subarray(0, 64))).toBeGreaterThanOrEqual(STALE_LEAST);
  });

  it('a block that egress is closed over is lost, and no byte of another', async () => {
    const rig = await tuned();
    const capture = await openCapture(rig.board);
    await (await openOutput(rig.board)).write(payload(4), 0);
    rig.clock.advance(1.5 * 16.384);
    await setRegister(rig.board, 'control', 0);
    rig.clock.advance(100);
    await setRegister(rig.board, 'control', 4);
    rig.clock.advance(100);
    const captured = Buffer.concat(await drained(capture, rig.clock));
    const place = placeOf(payload(4), captured);
    expect(captured.indexOf(payload(4).subarray(2 * BLOCK, 2 * BLOCK + 64))).toBe(-1);
    expect(place).toBeGreaterThanOrEqual(STALE_LEAST);
  });
});
