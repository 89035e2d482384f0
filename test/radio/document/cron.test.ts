/** Firings of schedules, case by case and against a walk through every minute. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cron, nextFiring, parseCron } from '../../../radio/document/cron.ts';
import { faultsOf, valid } from './demo-bench.ts';

const at = (text: string) => Date.parse(text.length === 16 ? `${text}:00Z` : text);
const next = (cron: string, after: string) => {
  const firing = nextFiring(valid(parseCron(cron)), at(after));
  return firing === undefined ? 'never' : new Date(firing).toISOString().slice(0, 16);
};

describe('the next firing', () => {
  it.each([
    ['every minute', '* * * * *', '2026-11-21T20:00', '2026-11-21T20:01'],
    ['within a minute', '* * * * *', '2026-11-21T20:00:59.999Z', '2026-11-21T20:01'],
    ['just before a minute', '30 2 * * *', '2026-11-21T02:29:59.999Z', '2026-11-21T02:30'],
    ['never at the time itself', '30 2 * * *', '2026-11-21T02:30', '2026-11-22T02:30'],
    ['every day', '0 2 * * *', '2026-11-21T20:00', '2026-11-22T02:00'],
    ['over the end of a year', '0 0 1 1 *', '2026-11-21T20:00', '2027-01-01T00:00'],
    ['a step', '*/15 * * * *', '2026-11-21T20:31', '2026-11-21T20:45'],
    ['a step that does not divide the hour', '*/25 * * * *', '2026-11-21T20:50', '2026-11-21T21:00'],
    ['a range with a step', '10-40/10 9-17 * * *', '2026-11-21T17:40', '2026-11-22T09:10'],
    ['a list', '5,35,50 */6 * * *', '2026-11-21T18:36', '2026-11-21T18:50'],
    ['a weekday by number', '0 9 * * 1', '2026-11-21T20:00', '2026-11-23T09:00'],
    ['a weekday by name', '0 9 * * Mon', '2026-11-21T20:00', '2026-11-23T09:00'],
    ['weekdays by names', '0 9 * * mon-fri', '2026-11-20T09:00', '2026-11-23T09:00'],
    ['Sunday as 0', '0 9 * * 0', '2026-11-21T20:00', '2026-11-22T09:00'],
    ['Sunday as 7', '0 9 * * 7', '2026-11-21T20:00', '2026-11-22T09:00'],
    ['Friday to Sunday', '0 9 * * 5-7', '2026-11-21T20:00', '2026-11-22T09:00'],
    ['a month by name', '0 0 1 FEB *', '2026-11-21T20:00', '2027-02-01T00:00'],
    ['months as a range of names', '0 0 1 mar-apr *', '2026-04-02T00:00', '2027-03-01T00:00'],
    ['the last day of long months only', '0 0 31 * *', '2026-01-31T00:00', '2026-03-31T00:00'],
    ['29 February', '0 0 29 2 *', '2026-11-21T20:00', '2028-02-29T00:00'],
    ['29 February over 2100', '0 0 29 2 *', '2096-02-29T00:00', '2104-02-29T00:00'],
    ['either day field: the month is first', '0 0 13 * 5', '2026-11-07T00:00', '2026-11-13T00:00'],
    ['either day field: the week is first', '0 0 13 * 5', '2026-11-13T00:00', '2026-11-20T00:00'],
    ['a day field that begins with *: both', '0 0 */2 * 1', '2026-11-21T00:00', '2026-11-23T00:00'],
    ['29 February on a Monday, both', '0 0 29 2 */7', '2026-01-01T00:00', '2032-02-29T00:00'],
    ['before the epoch', '0 0 1 1 *', '1969-06-01T00:00', '1970-01-01T00:00'],
    ['names and blanks around', '  0   0 1 Jan *  ', '2026-11-21T20:00', '2027-01-01T00:00'],
  ])('of %s (%s)', (_, cron, after, expected) => {
    expect(next(cron, after)).toBe(expected);
  });

  it('is what a walk through every minute finds (document/cron.C1)', () => {
    const field = (least: number, most: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min: least, max: most }).map(String),
        fc
          .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
          .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
        fc.integer({ min: 1, max: 9 }).map((step) => `*/${step}`),
      );
    const fields = fc.tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 7));
    fc.assert(
      fc.property(fields, fc.integer({ min: 0, max: 100_000_000 }), (texts, minutes) => {
        const parsed = parseCron(texts.join(' '));
        if (!parsed.ok) return;
        const after = at('2024-01-01T00:00') + minutes * 60_000;
        const firing = nextFiring(parsed.value, after) ?? Number.POSITIVE_INFINITY;
        expect(firing % 60_000).toBe(0);
        // Of distant ones the last days before them are walked.
        const from = Math.max(after, firing - 3 * 86_400_000);
        expect(walked(parsed.value, from, firing)).toBe(firing);
      }),
      { numRuns: 150 },
    );
  });
});

/** The first minute behind a time that fits, by the rule of crontab(5), up to a bound. */
function walked(cron: Cron, after: number, until: number): number | undefined {
  for (let time = (Math.floor(after / 60_000) + 1) * 60_000; time <= until; time += 60_000) {
    const date = new Date(time);
    const [ofMonth, ofWeek] = [cron.days.has(date.getUTCDate()), cron.weekdays.has(date.getUTCDay())];
    const isDay = cron.eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
    const isTime = cron.hours.has(date.getUTCHours()) && cron.minutes.has(date.getUTCMinutes());
    if (isDay && isTime && cron.months.has(date.getUTCMonth() + 1)) return time;
  }
  return undefined;
}

describe('a schedule', () => {
  it.each([
    ['', /^has 0 fields; five are needed/],
    ['0 2 * *', /^has 4 fields/],
    ['0 0 2 * * *', /^has 6 fields/],
    ['@daily', /^has 1 fields/],
    ['60 * * * *', /^minute: "60" is not a number from 0 to 59/],
    ['* 24 * * *', /^hour: "24"/],
    ['* * 0 * *', /^day of month: "0"/],
    ['* * * 13 *', /^month: "13" is not a number from 1 to 12 or a name like feb/],
    ['* * * * 8', /^day of week: "8"/],
    ['* * * * moon', /^day of week: "moon"/],
    ['5/10 * * * *', /^minute: 5\/10 steps from one value; write a range, like 5-59\/10/],
    ['*/0 * * * *', /^minute: \*\/0 has a step of 0/],
    ['30-10 * * * *', /^minute: 30-10 runs backwards/],
    ['1-2-3 * * * *', /^minute: "1"/],
    ['1, * * * *', /^minute: "" is not a value/],
    ['-5 * * * *', /^minute: "" is not a number/],
    ['1.5 * * * *', /^minute: "1.5"/],
    ['0 0 31 2 *', /^never fires/],
    ['0 0 30 feb *', /^never fires/],
  ])('is refused for what is wrong: %s', (text, fault) => {
    expect(faultsOf(parseCron(text))).toEqual([expect.stringMatching(fault)]);
  });

  it('is refused with every field that is wrong', () => {
    expect(faultsOf(parseCron('60 24 * 0 9'))).toHaveLength(4);
  });

  it('is refused or fires, whatever the text', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9*/,a-z -]{0,20}$/));
    fc.assert(
      fc.property(text, (cron) => {
        const parsed = parseCron(cron);
        if (parsed.ok) expect(nextFiring(parsed.value, 0)).toBeGreaterThan(0);
        else expect(parsed.faults.every((fault) => fault.length > 0)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
