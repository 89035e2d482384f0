/** How far a transfer has come, in words and pictures. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProgressShown } from '../../cli/progress-shown.ts';
import { transferLine } from '../../cli/transfer-columns.ts';
import { bytesText, Progress, picture, progressLine, share } from '../../cli/transfer-progress.ts';
import { TransferTable } from '../../cli/transfer-watch.ts';
import { shownTransfer } from '../../contract/transfer.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { storedTransfer } from '../support/transfers.ts';

const partial = (received: [number, number][], size = 1_000) =>
  shownTransfer(storedTransfer({ state: 'PARTIAL', size, received, actor: {} }));

describe('progress', () => {
  it('transfer-progress.P1 is the rate of the last seconds and the time that is left, and nothing where nothing comes', () => {
    const progress = new Progress();
    progress.note(500, 0);
    expect(progress.text(10_000, 0)).toBe('');
    progress.note(2_500, 2_000);
    expect(progress.rate(2_000)).toBe(1_000);
    expect(progress.text(10_000, 2_000)).toBe('1.0 kB/s  0:08 left');
    expect(progress.rate(4_000)).toBe(500);
    expect(progress.text(10_000, 60_000)).toBe('');
    progress.note(10_000, 61_000);
    expect(progress.text(10_000, 61_000)).toBe('');
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [183_500, '183.5 kB'],
    [999_960, '1.0 MB'],
    [268_435_456, '268.4 MB'],
    [Number.MAX_SAFE_INTEGER, '9.0 PB'],
  ])('%d bytes are %s', (bytes, text) => expect(bytesText(bytes)).toBe(text));

  it('is whole where nothing is missing, and only there', () => {
    expect([share(0, 0), share(999, 1_000), share(1_000, 1_000), share(0, 5)]).toEqual([100, 99, 100, 0]);
  });

  it('transfer-progress.P2 draws what is there, as each byte by itself would', () => {
    const size = fc.integer({ min: 1, max: 60 });
    fc.assert(
      fc.property(
        size,
        fc.array(fc.boolean(), { maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (bytes, has, cells) => {
          const received: [number, number][] = [];
          for (let at = 0; at < bytes; at += 1) {
            if (has[at] !== true) continue;
            if (received.at(-1)?.[1] === at) received.at(-1)![1] = at + 1;
            else received.push([at, at + 1]);
          }
          const expected = Array.from({ length: cells }, (_, cell) => {
            let there = 0;
            for (let at = 0; at < bytes; at += 1) {
              const overlap =
                Math.min(at + 1, ((cell + 1) * bytes) / cells) - Math.max(at, (cell * bytes) / cells);
              if (has[at] === true && overlap > 0) there += overlap;
            }
            return there > bytes / cells - 1e-6 ? '#' : there > 1e-9 ? '+' : '.';
          }).join('');
          expect(picture({ received, size: bytes }, cells)).toBe(expected);
        },
      ),
    );
    expect(picture({ received: [], size: 0 }, 4)).toBe('####');
  });

  it('is one line that is never wider than the terminal, without control characters of a record', () => {
    const transfer = partial([[0, 500]]);
    const progress = new Progress();
    progress.note(0, 0);
    progress.note(500, 1_000);
    expect(progressLine(transfer, progress, 1_000, 120)).toBe(
      'sat1 file 7 generation 2  [################................]  PARTIAL  50 %  500 B of 1.0 kB  500 B/s  0:01 left',
    );
    const long = { ...transfer, reason: `store\u001b[2J ${'full '.repeat(40)}` };
    for (const width of [20, 80, 120]) {
      const line = progressLine(long, progress, 1_000, width);
      expect(line.length).toBeLessThan(width);
      expect(line).not.toMatch(/\p{Cc}/u);
    }
    expect(transferLine(transfer)).toBe('sat1 file 7 generation 2  download  PARTIAL  50 % (500 of 1000 B)');
  });
});

describe('what is drawn of it', () => {
  const drawn = (isTTY: boolean) => {
    const clock = new ManualClock(0);
    const written: string[] = [];
    const stream = { isTTY, columns: 100, write: (text: string) => void written.push(text) };
    return { clock, written, shown: new ProgressShown(stream, clock, false) };
  };

  it('progress-shown.S1 is drawn ten times a second at most, and each second where nothing comes', () => {
    const { clock, written, shown } = drawn(true);
    for (let n = 1; n <= 50; n += 1) {
      shown.progress(partial([[0, n]]));
      clock.advance(10);
    }
    expect(written.length).toBeGreaterThanOrEqual(5);
    expect(written.length).toBeLessThanOrEqual(6);
    const before = written.length;
    clock.advance(5_000);
    expect(written.length - before).toBeGreaterThanOrEqual(4);
    expect(written.length - before).toBeLessThanOrEqual(6);
    shown.end();
    const after = written.length;
    clock.advance(5_000);
    expect([written.length, written.at(-1)]).toEqual([after, '\r\u001b[2K']);
  });

  it('is a line for each state where there is no terminal', () => {
    const { clock, written, shown } = drawn(false);
    for (let n = 1; n <= 5; n += 1) shown.progress(partial([[0, n]]));
    shown.progress({ ...partial([[0, 1_000]]), state: 'COMPLETE' });
    clock.advance(5_000);
    expect(written.map((line) => line.split('  ')[2])).toEqual(['PARTIAL', 'COMPLETE']);
  });
});

describe('the live table', () => {
  it('is by priority, then by age, and begins again where the route does', () => {
    const table = new TransferTable(false);
    const look = { width: 200, colour: false };
    expect(table.lines(0, 9, 0, look)).toEqual([]);
    table.restarted();
    expect(table.lines(0, 9, 0, look)).toEqual(['no transfers']);
    table.take(partial([[0, 250]]));
    table.take({ ...partial([]), file_id: '9', priority: 5 });
    const [first, second] = table.lines(0, 9, Date.now(), look);
    expect(first).toMatch(/^PARTIAL +sat1 +9 .* 0 % /);
    expect(second).toMatch(/^PARTIAL +sat1 +7 .* 25 % +###\.{9} +1\.0 kB/);
    table.restarted();
    expect(table.size).toBe(0);
  });
});
