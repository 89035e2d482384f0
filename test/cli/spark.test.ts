/** Spark lines (spark.S1, S2), and lines of the past at any width (history-lines.L1, L2). */

import { describe, expect, it } from 'vitest';
import { historyLines, saidBeside } from '../../cli/history-lines.ts';
import { sparkLine } from '../../cli/spark.ts';
import type { HistoryBucket, HistoryBuckets } from '../../contract/history-view.ts';

const HOUR = Date.UTC(2026, 0, 2, 3);
const iso = (ms: number): string => new Date(ms).toISOString();
const time = { fromMs: HOUR, toMs: HOUR + 8_000 };

function bucket(
  second: number,
  value: number | string | null,
  more: Partial<HistoryBucket> = {},
): HistoryBucket {
  const at = iso(HOUR + second * 1_000);
  const number = typeof value === 'number' ? value : null;
  const numbers = { min: number, max: number, mean: number };
  return { time: at, n: 1, ...numbers, first_time: at, last_time: at, last: value, ...more };
}
const lost = (second: number): HistoryBucket => bucket(second, null, { n: 0, lost: true });

describe('a spark line', () => {
  it('spark.S1 goes from the smallest to the largest, with blanks for silence', () => {
    const rising = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => bucket(n, n));
    expect(sparkLine(rising, time, 8)).toBe('▁▂▃▄▅▆▇█');
    expect(sparkLine([bucket(0, 5), bucket(7, 5)], time, 8)).toBe('▅      ▅');
    expect(sparkLine([bucket(0, 'SAFE'), bucket(1, null)], time, 4)).toBe('-   ');
    expect(sparkLine([], time, 3)).toBe('   ');
  });

  it('spark.S2 never shows as silence what was lost, however narrow it is', () => {
    expect(sparkLine([bucket(0, 1), lost(1), lost(2), bucket(7, 2)], time, 8)).toBe('▁xx    █');
    expect(sparkLine([lost(3)], time, 1)).toBe('x');
    expect(sparkLine([bucket(-1, 1), bucket(9, 2)], time, 2)).toBe('▁█');
  });
});

const history: HistoryBuckets = {
  target: 'sat1',
  from: iso(HOUR),
  to: iso(HOUR + 8_000),
  delivery: 'realtime',
  width_ms: 1_000,
  measures: ['battery[1].voltage', 'a'.repeat(70)].map((name) => ({
    name,
    component: 'c',
    measure: 'm',
    in_catalogue: true,
    unit: 'V',
    buckets: [bucket(0, 7.123_456_789), lost(3), bucket(7, 8)],
  })),
  archive: { id: 'a1', pending: 0 },
  gaps: [],
  damaged: [],
  thinned: false,
};

describe('lines of the past', () => {
  const look = { colour: false, local: false };

  it.each([20, 40, 80, 140, 400])('history-lines.L1 fit a terminal of %i columns', (width) => {
    const lines = historyLines(history, { ...look, width });
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    expect(lines.join('\n')).toContain('x');
    expect(lines.join('\n')).toContain('sat1');
  });

  it('say minimum, maximum, last and number, with a line of its own where there is no room', () => {
    const [own] = historyLines(
      { ...history, measures: [history.measures[0]!] },
      { ...look, width: 80 },
    ).slice(2);
    expect(own).toMatch(/^battery\[1\]\.voltage {2}▁ +x+ +█ +7\.123457 +8 +8 +2 +V$/);
    expect(historyLines(history, { ...look, width: 80 })).toHaveLength(6);
    expect(historyLines(history, { ...look, width: undefined })).toHaveLength(4);
  });

  it('history-lines.L2 say what is missing, some of it one by one', () => {
    const gap = { from: iso(HOUR), to: iso(HOUR + 1_000), positions: [5, 9] as [number, number] };
    const said = saidBeside(
      {
        gaps: new Array(7).fill(gap),
        damaged: [{ positions: [1, 2], reason: 'it is torn' }],
        thinned: true,
        archive: { id: 'a1', pending: 3, trouble: 'the disk is full' },
      },
      false,
    );
    expect(said).toEqual([
      ...new Array(5).fill(
        'lost before it was archived: 5 messages of all targets, 2026-01-02 03:00:00Z to 2026-01-02 03:00:01Z',
      ),
      'and 2 further gaps (--json lists them)',
      'positions 1 to 2 cannot be read: it is torn',
      'samples of a part of this time are deleted by age: one-minute buckets are left',
      'the archive has 3 messages still to read: the newest samples are missing',
      'the archive writes nothing at the moment: the disk is full',
    ]);
  });
});
