/**
 * When a campaign starts by itself: the five fields of cron, in UTC. RF Bench Service, section 2. As crontab(5) has it:
 * lists, ranges, steps, names of months and days, Sunday as 0 or 7; where both day fields are restricted one of them is
 * enough, and a field that begins with `*` restricts nothing.
 *
 * C1. A firing is always behind the time asked for, at a full minute; the same time gives the same firing.
 * C2. A schedule that never fires (31 February) is refused when it is read.
 */

import { accepted, type Result, refused, refusedAll } from '../../contract/result.ts';

export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0: Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Both day fields restrict: one of them is enough. */
  readonly eitherDay: boolean;
}

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly words?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Field[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of month', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12, words: MONTHS },
  { name: 'day of week', least: 0, most: 7, words: WEEKDAYS },
];
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** 29 February on a certain weekday comes once in 28 years, in 40 where a century lies between. */
const DAYS_SEARCHED = 41 * 366;
/** A beginning from which a search meets every kind of year. */
const MILLENNIUM = Date.UTC(2000, 0, 1);

/** The schedule of a text; refused with what is wrong with each field. */
export function parseCron(text: string): Result<Cron, string> {
  const texts = text.trim().split(/\s+/);
  if (texts.length !== FIELDS.length)
    return refused(
      `has ${text.trim() === '' ? 0 : texts.length} fields; five are needed: ${FIELDS.map(({ name }) => name).join(', ')}`,
    );
  const fields = FIELDS.map((field, index) => parseField(texts[index]!, field));
  const faults = fields.flatMap((field) => (field.ok ? [] : field.faults));
  if (faults.length > 0) return refusedAll(faults);
  const [minutes, hours, days, months, weekdays] = fields.map((field) =>
    field.ok ? field.value : new Set<number>(),
  );
  const cron: Cron = {
    minutes: minutes!,
    hours: hours!,
    days: days!,
    months: months!,
    weekdays: new Set([...weekdays!].map((day) => day % 7)),
    eitherDay: !texts[2]!.startsWith('*') && !texts[4]!.startsWith('*'),
  };
  return nextFiring(cron, MILLENNIUM) === undefined
    ? refused('never fires: there is no such day')
    : accepted(cron);
}

/** The first firing behind a time, in milliseconds since the epoch; undefined where there is none. */
export function nextFiring(cron: Cron, afterMs: number): number | undefined {
  const first = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
  const today = Math.floor(first / DAY_MS) * DAY_MS;
  for (let day = 0; day < DAYS_SEARCHED; day += 1) {
    const midnight = today + day * DAY_MS;
    const at = isDay(cron, new Date(midnight)) ? firstOfDay(cron, midnight, first) : undefined;
    if (at !== undefined) return at;
  }
  return undefined;
}

function isDay(cron: Cron, date: Date): boolean {
  if (!cron.months.has(date.getUTCMonth() + 1)) return false;
  const ofMonth = cron.days.has(date.getUTCDate());
  const ofWeek = cron.weekdays.has(date.getUTCDay());
  return cron.eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}

function firstOfDay(cron: Cron, midnight: number, from: number): number | undefined {
  for (const hour of [...cron.hours].sort((a, b) => a - b)) {
    for (const minute of [...cron.minutes].sort((a, b) => a - b)) {
      const at = midnight + (hour * 60 + minute) * MINUTE_MS;
      if (at >= from) return at;
    }
  }
  return undefined;
}

function parseField(text: string, field: Field): Result<Set<number>, string> {
  const values = new Set<number>();
  const faults: string[] = [];
  for (const item of text.split(',')) {
    const range = parseItem(item, field);
    if (typeof range === 'string') faults.push(`${field.name}: ${range}`);
    else for (let value = range.from; value <= range.to; value += range.step) values.add(value);
  }
  return faults.length === 0 ? accepted(values) : refusedAll(faults);
}

/** An asterisk, `5` or `1-5`; all but a single value may have a step, like `0-30/10`. */
function parseItem(item: string, field: Field): { from: number; to: number; step: number } | string {
  const [, span = '', step] = /^([^/]*)(?:\/(\d{1,4}))?$/.exec(item) ?? [];
  if (span === '') return `${JSON.stringify(item)} is not a value, a range or *`;
  const by = step === undefined ? 1 : Number(step);
  if (by < 1) return `${item} has a step of ${by}; the least is 1`;
  if (span === '*') return { from: field.least, to: field.most, step: by };
  const ends = span.split('-');
  const values = ends.map((end) => numberOf(end, field));
  const wrong = values.indexOf(undefined);
  if (wrong >= 0 || ends.length > 2)
    return `${JSON.stringify(ends[Math.max(0, wrong)])} is not ${expectedOf(field)}`;
  const [from, to] = [values[0]!, values.at(-1)!];
  if (step !== undefined && ends.length === 1)
    return `${item} steps from one value; write a range, like ${from}-${field.most}/${by}`;
  return from <= to ? { from, to, step: by } : `${span} runs backwards`;
}

function numberOf(text: string, { least, most, words = [] }: Field): number | undefined {
  const word = words.indexOf(text.toLowerCase());
  if (word >= 0) return least + word;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

function expectedOf({ least, most, words }: Field): string {
  const range = `a number from ${least} to ${most}`;
  return words === undefined ? range : `${range} or a name like ${words[1]}`;
}
