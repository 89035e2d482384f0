/**
 * The sample buffers of the converter cores: what a tool reads is the modelled air, and what it writes leaves by the
 * settings of the part.
 */

import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { Phy } from '../../../radio/board/phy.ts';
import { coreRegister, coreStatus } from '../../../radio/board/registers.ts';
import { errno, type IioBuffer } from '../../../radio/iio/context.ts';
import { MODEL } from '../../../radio/stub/constants.ts';
import { periodogram } from '../../../radio/stub/periodogram.ts';
import { spectrum } from '../../../radio/stub/waves.ts';
import { phy, type Rig, rig, setRegister, tune, tuned } from './rig.ts';

const RX = 'cf-ad9361-lpc';
const TX = 'cf-ad9361-dds-core-lpc';
const FIRST = 0b0011;
const ALL = 0b1111;
const RATE = 4_000_000;
const COUNT = 4096;

/** Complex samples of the first pair in a block of `channels` channels, full scale 1. */
interface Iq {
  readonly i: Float64Array;
  readonly q: Float64Array;
}

function iqOf(bytes: Uint8Array, channels = 2, pair = 0): Iq {
  const values = new Int16Array(bytes.slice().buffer);
  const count = values.length / channels;
  const pick = (part: number) =>
    Float64Array.from({ length: count }, (_, at) => values[at * channels + 2 * pair + part]! / 2047);
  return { i: pick(0), q: pick(1) };
}

/** A tone of one amplitude, at so many hertz, as a tool writes it. */
function tone(count: number, hertz: number, amplitude: number, channels = 2): Uint8Array {
  const values = new Int16Array(count * channels);
  for (let at = 0; at < count; at += 1) {
    const angle = (2 * Math.PI * hertz * at) / RATE;
    values[at * channels] = Math.round(amplitude * 32_767 * Math.cos(angle));
    values[at * channels + 1] = Math.round(amplitude * 32_767 * Math.sin(angle));
  }
  return new Uint8Array(values.buffer);
}

/** Samples under a window, so that a strong bin does not hide a weak one. */
function windowed({ i, q }: Iq): Iq {
  const weight = (at: number) => (1 - Math.cos((2 * Math.PI * at) / i.length)) * Math.sqrt(2 / 3);
  return { i: i.map((value, at) => value * weight(at)), q: q.map((value, at) => value * weight(at)) };
}

/** Power in dB over full scale at one frequency, of one bin of so many samples. */
function powerAt({ i, q }: Iq, hertz: number): number {
  let re = 0;
  let im = 0;
  for (let at = 0; at < i.length; at += 1) {
    const angle = (-2 * Math.PI * hertz * at) / RATE;
    re += i[at]! * Math.cos(angle) - q[at]! * Math.sin(angle);
    im += i[at]! * Math.sin(angle) + q[at]! * Math.cos(angle);
  }
  return 10 * Math.log10((re ** 2 + im ** 2) / i.length ** 2 + 1e-20);
}

function meanPower({ i, q }: Iq): number {
  return 10 * Math.log10(i.reduce((sum, value, at) => sum + value ** 2 + q[at]! ** 2, 0) / i.length + 1e-20);
}

/** Reads samples, moving the clock on. */
async function read({ clock }: Rig, buffer: IioBuffer, count: number, channels = 2): Promise<Uint8Array> {
  const reading = buffer.read(count * channels * 2, 10_000);
  let done = false;
  void reading.then(
    () => (done = true),
    () => (done = true),
  );
  for (let turns = 0; !done && turns < 80_000; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(0.25);
  }
  return reading;
}

const opened = ({ board }: Rig, samples = COUNT, mask = FIRST, more = {}) =>
  board.open(RX, { samples, mask, ...more });

/** What leaves while a tool repeats a tone, as it is received. */
async function receivedTone(made: Rig, hertz: number, amplitude = 0.5): Promise<Iq> {
  const tx = await made.board.open(TX, { samples: COUNT, mask: FIRST, cyclic: true });
  await tx.write(tone(COUNT, hertz, amplitude), 0);
  const rx = await opened(made);
  await read(made, rx, COUNT);
  const iq = iqOf(await read(made, rx, COUNT));
  await rx.close();
  await tx.close();
  return iq;
}

/** A whole number of periods in the samples that are looked at. */
const HERTZ = RATE / 8;

describe('RB-GEN-001 samples that a tool reads', () => {
  it('are the modelled air: signal and floor as the spectrum shows them', async () => {
    for (const link of [{}, { attenuationDb: 40 }, { rxGainDb: 20 }]) {
      const made = await tuned(link);
      const truth = made.board.truth();
      const bins = 64;
      const shown = spectrum(truth, { bins, averages: 1000 }, seededRandom(1));
      const rx = await opened(made, 8192);
      const sums = new Float64Array(bins);
      const iq = iqOf(await read(made, rx, 8192));
      for (let from = 0; from + bins <= iq.i.length; from += bins) {
        const part = { i: iq.i.subarray(from, from + bins), q: iq.q.subarray(from, from + bins) };
        for (let bin = 0; bin < bins; bin += 1)
          sums[bin]! += 10 ** (powerAt(windowed(part), ((bin - bins / 2) / bins) * RATE) / 10);
      }
      const found = [...sums].map((sum) => 10 * Math.log10(sum / (iq.i.length / bins)));
      const mean = (values: ArrayLike<number>, from: number, to: number) =>
        Array.from({ length: to - from }, (_, at) => values[from + at]!).reduce((a, b) => a + b) /
        (to - from);
      // The middle of the signal, and the floor beside it.
      expect(Math.abs(mean(found, 30, 35) - mean(shown, 30, 35))).toBeLessThan(1);
      expect(Math.abs(mean(found, 8, 12) - mean(shown, 8, 12))).toBeLessThan(1);
    }
  });

  it('are the same however they are read, and others for another seed', async () => {
    const whole = async (seed: number, sizes: readonly number[]) => {
      const made = await tuned({}, { seed });
      const rx = await opened(made, 8192, ALL);
      const parts: Uint8Array[] = [];
      for (const size of sizes) parts.push(await read(made, rx, size, 4));
      return Buffer.concat(parts);
    };
    const one = await whole(7, [8192]);
    expect(Buffer.compare(one, await whole(7, [100, 4000, 4092]))).toBe(0);
    expect(Buffer.compare(one, await whole(8, [8192]))).not.toBe(0);
  });

  it('carry the channels that were asked for', async () => {
    const made = await tuned();
    const rx = await opened(made, COUNT, ALL);
    const bytes = await read(made, rx, COUNT, 4);
    await rx.close();
    const first = meanPower(iqOf(bytes, 4, 0));
    // No cable leads to the second receiver.
    expect(first - meanPower(iqOf(bytes, 4, 1))).toBeGreaterThan(10);
    const second = await opened(made, COUNT, 0b1100);
    expect(meanPower(iqOf(await read(made, second, COUNT)))).toBeLessThan(first - 10);
  });

  it('come at the sample rate, none ahead of its time; none while the port stands still', async () => {
    const made = await tuned();
    const rx = await opened(made, 40_000);
    let done = false;
    const early = rx.read(40_000 * 4, 10_000).then(
      () => (done = true),
      (error) => error.errno,
    );
    made.clock.advance(9.9);
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toBe(false);
    await made.board.write({ device: 'ad9361-phy', of: 'device', name: 'ensm_mode' }, 'alert');
    await expect(read(made, rx, 40_000)).rejects.toMatchObject({ errno: errno.ETIMEDOUT });
    expect(await early).toBe(errno.ETIMEDOUT);
  });

  it('are lost in whole blocks by a reader that falls behind, and the core shows it until it is cleared', async () => {
    const made = await tuned();
    const access = { device: RX, of: 'debug', name: 'direct_reg_access' } as const;
    const status = async () => {
      await made.board.write(access, `0x${coreRegister.status.toString(16)}`);
      return Number(await made.board.read(access));
    };
    const rx = await opened(made, 1000, FIRST, { blocks: 2 });
    await read(made, rx, 1000);
    expect(await status()).toBe(0);
    made.clock.advance(100);
    await read(made, rx, 1000);
    expect(await status()).toBe(coreStatus.receiveOverflow);
    await made.board.write(access, `0x${coreRegister.status.toString(16)} ${coreStatus.receiveOverflow}`);
    expect(await status()).toBe(0);
  });

  it('a block beyond what the driver has is refused, and so is one that is no whole sample', async () => {
    const made = await tuned();
    await expect(opened(made, MODEL.driverBlockBytes)).rejects.toMatchObject({ errno: errno.ENOMEM });
    const rx = await opened(made);
    await expect(rx.read(6, 10)).rejects.toMatchObject({ errno: errno.EINVAL });
    await expect(opened(made)).rejects.toMatchObject({ errno: errno.EBUSY });
    await rx.close();
    await expect(rx.read(4, 10)).rejects.toMatchObject({ errno: errno.EBADF });
  });
});

describe('RB-GEN-001 samples that a tool writes', () => {
  it('arrive by the budget of the link', async () => {
    const made = await tuned();
    const { levelDbfs } = made.board.truth().budget;
    const iq = await receivedTone(made, HERTZ);
    expect(powerAt(iq, HERTZ)).toBeCloseTo(levelDbfs - 6.02, 0);
    // The half of it that is 10 dB lower at the transmitter is 10 dB lower here.
    await phy(made.board, 'voltage0', true, 'hardwaregain', '-20');
    expect(powerAt(await receivedTone(made, HERTZ), HERTZ)).toBeCloseTo(levelDbfs - 16.02, 0);
  });

  it('move with the oscillators, and stay away where these are too far apart', async () => {
    const made = await tuned();
    await phy(made.board, 'altvoltage1', true, 'frequency', String(2_400_000_000 + HERTZ));
    expect(powerAt(await receivedTone(made, HERTZ), 2 * HERTZ)).toBeGreaterThan(-40);
    await phy(made.board, 'altvoltage1', true, 'frequency', '2450000000');
    expect(powerAt(await receivedTone(made, HERTZ), 2 * HERTZ)).toBeLessThan(-70);
  });

  const silent: readonly (readonly [string, (made: Rig) => Promise<void>])[] = [
    ['its transmitter muted', ({ board }) => phy(board, 'voltage0', true, 'hardwaregain', '-89.75')],
    [
      'the oscillator of the transmitter powered down',
      ({ board }) => phy(board, 'altvoltage1', true, 'powerdown', '1'),
    ],
    [
      'the oscillator of the receiver powered down',
      ({ board }) => phy(board, 'altvoltage0', true, 'powerdown', '1'),
    ],
  ];
  it.each(silent)('do not arrive with %s', async (_, quiet) => {
    const made = await tuned();
    expect(powerAt(await receivedTone(made, HERTZ), HERTZ)).toBeGreaterThan(-40);
    await quiet(made);
    expect(powerAt(await receivedTone(made, HERTZ), HERTZ)).toBeLessThan(-70);
  });

  it('leave instead of what the modem sends: its locks are gone meanwhile, and its egress is none of theirs', async () => {
    const made = await tuned();
    await setRegister(made.board, 'control', 0);
    const tx = await made.board.open(TX, { samples: COUNT, mask: FIRST, cyclic: true });
    await tx.write(tone(COUNT, HERTZ, 0.5), 0);
    expect(made.board.truth()).toMatchObject({ source: 'samples', transmitting: false });
    expect(await new Phy(made.board).playsSamples()).toBe(true);
    await setRegister(made.board, 'control', 4);
    made.clock.advance(1000);
    expect(made.board.truth()).toMatchObject({ transmitting: true, timing: false });
    await tx.close();
    made.clock.advance(1000);
    expect(await new Phy(made.board).playsSamples()).toBe(false);
    expect(made.board.truth()).toMatchObject({ source: 'modem', timing: true });
  });

  it('leave no more once the core is given back to the modem, though the tool goes on writing', async () => {
    const made = await tuned();
    const tx = await made.board.open(TX, { samples: COUNT, mask: FIRST });
    await new Phy(made.board).takeBack();
    expect(made.board.truth()).toMatchObject({ source: 'modem' });
    await tx.write(tone(COUNT, HERTZ, 0.5), 0);
    expect(made.board.truth()).toMatchObject({ source: 'modem' });
  });

  it('come back bit by bit in the loopback of the part, both channels', async () => {
    const made = await tuned();
    await made.board.write({ device: 'ad9361-phy', of: 'debug', name: 'loopback' }, '1');
    const values = Int16Array.from({ length: COUNT * 4 }, (_, at) => ((at * 7919) % 4096) * 16 - 32_768);
    const rx = await opened(made, COUNT, ALL);
    const tx = await made.board.open(TX, { samples: COUNT, mask: ALL, cyclic: true });
    await tx.write(new Uint8Array(values.buffer), 0);
    const got = new Int16Array((await read(made, rx, COUNT, 4)).buffer);
    const place = got.findIndex(
      (_, at) => at % 4 === 0 && got[at] === values[0]! >> 4 && got[at + 1] === values[1]! >> 4,
    );
    expect(place).toBeGreaterThanOrEqual(0);
    for (let at = 0; at < got.length - place; at += 1)
      expect(got[place + at]).toBe(values[at % values.length]! >> 4);
  });

  it('follow one another without a gap while they are fed, wait for room, and one that finds none is refused', async () => {
    const made = await tuned();
    await made.board.write({ device: 'ad9361-phy', of: 'debug', name: 'loopback' }, '1');
    const rx = await opened(made, 4000);
    const tx = await made.board.open(TX, { samples: 1000, mask: FIRST, blocks: 2 });
    const ramp = (from: number) => {
      const values = new Int16Array(2000);
      for (let at = 0; at < 1000; at += 1) values[2 * at] = (from + at) * 16;
      return new Uint8Array(values.buffer);
    };
    await tx.write(ramp(1), 0);
    await tx.write(ramp(1001), 0);
    await expect(tx.read(4, 10)).rejects.toMatchObject({ errno: errno.EPERM });
    const late = tx.write(ramp(0), 0.1);
    late.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    made.clock.advance(0.1);
    await expect(late).rejects.toMatchObject({ errno: errno.ETIMEDOUT });
    const third = tx.write(ramp(2001), 1000);
    const { i } = iqOf(await read(made, rx, 4000));
    await third;
    const steps = [...i].map((value) => Math.round(value * 2047));
    const begin = steps.indexOf(1);
    expect(begin).toBeGreaterThanOrEqual(0);
    for (let at = 0; at < 3000; at += 1)
      expect(((steps[begin + at] ?? 0) + 4096) % 4096).toBe((1 + at) % 4096);
  });

  it('a cyclic transfer is one, and ends with its buffer', async () => {
    const made = await tuned();
    const tx = await made.board.open(TX, { samples: COUNT, mask: FIRST, cyclic: true });
    await tx.write(tone(COUNT, HERTZ, 0.5), 0);
    await expect(tx.write(tone(COUNT, HERTZ, 0.5), 0)).rejects.toMatchObject({ errno: errno.EBUSY });
    await tx.close();
    await setRegister(made.board, 'control', 0);
    const rx = await opened(made);
    await read(made, rx, COUNT);
    expect(powerAt(iqOf(await read(made, rx, COUNT)), HERTZ)).toBeLessThan(-70);
  });

  it('stub.S3 a lost board ends what waits', async () => {
    const made = rig();
    await tune(made.board);
    const rx = await opened(made);
    const tx = await made.board.open(TX, { samples: 10, mask: FIRST, blocks: 1 });
    await tx.write(tone(10, HERTZ, 0.5), 0);
    const reading = rx.read(16, 10_000).catch((error) => error.errno);
    const writing = tx.write(tone(10, HERTZ, 0.5), 10_000).catch((error) => error.errno);
    made.board.lose('its plug was pulled');
    expect([errno.EBADF, errno.ENODEV]).toContain(await reading);
    expect([errno.EBADF, errno.ENODEV]).toContain(await writing);
    expect(made.clock.waiting).toBe(0);
  });
});

describe('the picture of samples that a tool writes', () => {
  it('shows them where they are, at their level, beside the floor of the receiver', async () => {
    const made = await tuned();
    const tx = await made.board.open(TX, { samples: COUNT, mask: FIRST, cyclic: true });
    await tx.write(tone(COUNT, HERTZ, 0.5), 0);
    made.clock.advance(10);
    const bins = 256;
    const shown = periodogram(made.board.received(8 * bins), bins);
    const peak = shown.indexOf(Math.max(...shown));
    expect((peak - bins / 2) * (RATE / bins)).toBe(HERTZ);
    const around = [...shown.subarray(peak - 2, peak + 3)].reduce((sum, db) => sum + 10 ** (db / 10), 0);
    expect(10 * Math.log10(around)).toBeCloseTo(made.board.truth().budget.levelDbfs - 6.02, 0);
    const floor = spectrum(
      { ...made.board.truth(), transmitting: false },
      { bins, averages: 1000 },
      seededRandom(1),
    );
    const quiet = (values: Float32Array) => values.subarray(16, 96).reduce((sum, db) => sum + db, 0) / 80;
    expect(Math.abs(quiet(shown) - quiet(floor))).toBeLessThan(2);
  });
});
