import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockBuilder } from '../../../contract/batch.ts';
import { FILE_DECODE_BATCH_BYTES } from '../../../contract/limits/transfer.ts';
import { type Account, type FileBatch, type FileReader, leftOut } from '../../../links/files/file-reader.ts';
import { demoReader, demoSource, hours, NOW, packet, samplesOf, WRITTEN } from './lttm-world.ts';

const FILE = hours(3);

/** Every batch of a file that is given in pieces of these sizes, the last again and again. */
function read(reader: FileReader, bytes: Buffer, sizes: readonly number[] = [4_096]): FileBatch[] {
  const batches: FileBatch[] = [];
  for (let [at, n] = [0, 0]; at < bytes.length; n += 1) {
    const size = sizes[Math.min(n, sizes.length - 1)]!;
    batches.push(...reader.push(bytes.subarray(at, at + size)));
    at += size;
  }
  const last = reader.end();
  return last === undefined ? batches : [...batches, last];
}

const total = (batches: readonly FileBatch[]): number =>
  batches.reduce((sum, { blocks }) => sum + blocks.reduce((of, { raw }) => of + raw.length, 0), 0);

describe('frames of a file', () => {
  it('MC-XFER-056 are read as the frames of the link are, at the time of the measurement', () => {
    const { driver, source } = demoSource();
    const live = { samples: new BlockBuilder(), files: { samples: [], chunks: [] }, reports: [] };
    const frames = Array.from({ length: 1_080 }, (_, n) => FILE.subarray(n * 35, (n + 1) * 35));
    for (const frame of frames) driver.read(frame, NOW, source, { ...live, fault: () => undefined });
    const batches = read(demoReader(), FILE);
    expect(batches.flatMap(samplesOf)).toEqual(samplesOf({ blocks: live.samples.take() }));
    expect(samplesOf(batches[0]!)[0]).toBe(`obc.mode=1 ${new Date(WRITTEN - 3 * 3_600_000).toISOString()}`);
    expect(batches.at(-1)!.account).toMatchObject({ frames: 1_080, samples: 5_400, unreadable: 0, empty: 0 });
    expect(
      batches.flatMap(({ blocks }) => blocks).every(({ ground }) => ground.every((at) => at === NOW)),
    ).toBe(true);
  });

  it('file-reader.L3 come in bounded batches that are the same however the file is cut, and behind any of them', () => {
    const whole = read(demoReader(), FILE);
    expect(whole.length).toBeGreaterThan(2);
    for (const { blocks } of whole)
      expect(blocks.reduce((sum, { onboard }) => sum + onboard.length, 0) * 35).toBeLessThan(
        FILE_DECODE_BATCH_BYTES + 35,
      );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 8 }), (sizes) => {
        expect(read(demoReader(), FILE, sizes)).toEqual(whole);
      }),
      { numRuns: 20 },
    );
    whole.forEach(({ account }, n) => {
      expect(read(demoReader({ from: account }), FILE)).toEqual(whole.slice(n + 1));
    });
  });

  it('file-reader.L4 of any bytes: nothing is thrown, every byte and frame is accounted for, what is sound is read', () => {
    const broken = fc.record({
      at: fc.integer({ min: 0, max: FILE.length - 1 }),
      bytes: fc.uint8Array({ minLength: 0, maxLength: 90 }),
      cut: fc.integer({ min: 0, max: 90 }),
    });
    fc.assert(
      fc.property(fc.array(broken, { maxLength: 4 }), (breaks) => {
        let bytes = FILE;
        for (const { at, bytes: noise, cut } of breaks)
          bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(noise), bytes.subarray(at + cut)]);
        const reader = demoReader();
        const batches = read(reader, bytes);
        const { frames, samples, unreadable, empty, undated } = reader.account;
        expect(samples).toBe(total(batches));
        expect(samples + undated).toBe(5 * (frames - unreadable - empty));
        // A break costs the frames it hits, and at most the longest frame that a length then seems to say.
        expect(samples).toBeGreaterThanOrEqual(5_400 - breaks.length * 5 * 20);
        const isSound = unreadable + empty + undated + reader.skipped === 0;
        expect(leftOut(reader.account, reader.skipped) === undefined).toBe(isSound);
        if (breaks.length === 0) expect(isSound).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('file-reader.L4 of noise alone gives nothing, and says how much that is', () => {
    const noise = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, n) => (n * n * 31 + (n >> 3)) & 0xff));
    const reader = demoReader();
    expect(total(read(reader, noise))).toBe(0);
    expect(leftOut(reader.account, reader.skipped, reader.firstFault)).toMatch(/bytes in no frame$/);
  });

  it('file-reader.L1 L2 without a time of their own, reports, listings and chunks are left out and counted', () => {
    const computer = (mode: number): Buffer => {
      const data = Buffer.alloc(13);
      data.writeUInt16BE(1, 0);
      data.writeUInt8(mode, 2);
      return data;
    };
    const report = packet(1, 7, Buffer.from('1873c001', 'hex'));
    const chunk = packet(8, 131, Buffer.from('00020001000000000102', 'hex'));
    const listing = packet(8, 130, Buffer.from('01000103000031380000000000010000', 'hex').subarray(0, 14));
    const broken = packet(3, 25, computer(1));
    broken[30]! ^= 0xff;
    const bytes = Buffer.concat([report, packet(3, 25, computer(2)), chunk, listing, broken]);
    const reader = demoReader();
    const batches = read(reader, bytes);
    expect(batches.flatMap(samplesOf)[0]).toMatch(/^obc.mode=2 /);
    expect(reader.account).toEqual({ frames: 5, samples: 5, unreadable: 1, empty: 3, undated: 0 });
    expect(leftOut(reader.account, reader.skipped, reader.firstFault)).toMatch(
      /^1 frame could not be read \(the first: .*\), 3 frames gave no sample$/,
    );

    const timeless = demoReader(withoutTimes());
    read(timeless, FILE);
    expect(timeless.account).toMatchObject({ frames: 1_080, samples: 0, undated: 5_400 });
    expect(leftOut(timeless.account, 0)).toBe('5400 samples without a time of their own');
  });
});

/** The driver of a spacecraft that says no times. */
function withoutTimes(): { driver: ReturnType<typeof demoSource>['driver']; from?: Account } {
  const { driver } = demoSource();
  return {
    driver: {
      read: (frame, ground, source, into) => {
        const timed = new BlockBuilder();
        driver.read(frame, ground, source, { ...into, samples: timed });
        for (const { ordinals, raw } of timed.take()) {
          const block = into.samples.row(ordinals, ground, Number.NaN);
          block.raw.set(raw, block.offset);
        }
      },
    },
  };
}
