import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SCHEDULE_OFFSET_MS_MOST } from '../../../contract/limits/schedule.ts';
import { formatDuration } from '../../../mission/quantity.ts';
import { fireTime, readStart } from '../../../mission/schedule/start.ts';

describe('the start of a schedule', () => {
  it.each<[string, number]>([
    ['aos', 0],
    [' aos ', 0],
    ['aos + 30 s', 30_000],
    ['aos+30s', 30_000],
    ['aos +30s', 30_000],
    ['aos+ 1.5 min', 90_000],
    ['  aos  +  0 s  ', 0],
    ['aos + 250 ms', 250],
    ['aos + 1e1 s', 10_000],
    ['aos + 1 h', 3_600_000],
  ])('MC-SCH-003 "%s" is %d ms behind AOS', (text, expected) => {
    expect(readStart(text)).toEqual({ ok: true, value: expected });
  });

  it.each([
    'los - 1 min',
    'los',
    'aos - 5 s',
    'aos + -5 s',
    '2026-01-02T03:04:05Z',
    'AOS',
    'aos 30 s',
    'aos +',
    'aos + 30',
    'aos + s',
    'aos + 5 V',
    'aos + 5 parsecs',
    'aos + 30 s + 5 s',
    'aos + 32 h h',
    '',
    '+ 30 s',
    'aos\n',
  ])('MC-SCH-004 "%s" is refused, with what to write', (text) => {
    const read = readStart(text);
    expect(read).toMatchObject({ ok: false, faults: [{ message: expect.any(String) }] });
  });

  it('MC-SCH-004 an offset that no pass has is refused, and the longest one is not', () => {
    const most = SCHEDULE_OFFSET_MS_MOST / 3_600_000;
    expect(readStart(`aos + ${most} h`)).toEqual({ ok: true, value: SCHEDULE_OFFSET_MS_MOST });
    const longer = readStart(`aos + ${most + 1} h`);
    expect(longer).toMatchObject({ ok: false, faults: [{ message: expect.stringContaining('behind AOS') }] });
    expect(readStart('aos + 1e300 h').ok).toBe(false);
  });

  it('MC-SCH-003 reads every duration as it is written, with and without its spaces', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: SCHEDULE_OFFSET_MS_MOST }), (ms) => {
        const spaced = `aos + ${formatDuration(ms)}`;
        const together = spaced.replaceAll(' ', '');
        expect([readStart(spaced), readStart(together)]).toEqual([
          { ok: true, value: ms },
          { ok: true, value: ms },
        ]);
      }),
    );
  });

  it('MC-SCH-052 is never earlier than it is due: a fraction of a millisecond is waited for', () => {
    expect(fireTime(1_000, 0)).toBe(1_000);
    expect(fireTime(1_000.25, 0.5)).toBe(1_001);
  });
});
