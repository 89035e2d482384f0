/** What a schedule says of itself beside its record: when it ends, what is left before LOS, what was validated. Pure. */

import type { Schedule, ScheduleState } from '../../../contract/schedule.ts';
import { duration } from '../../moment.ts';
import type { HeldPass } from '../data/held-pass.ts';

export const SCHEDULE_LOOK: Readonly<
  Record<ScheduleState, { readonly sign: string; readonly word: string; readonly tone: string }>
> = {
  scheduled: { sign: '◷', word: 'scheduled', tone: 'ok' },
  at_risk: { sign: '△', word: 'at risk', tone: 'warn' },
  fired: { sign: '▶', word: 'fired', tone: 'accent' },
  missed: { sign: '✗', word: 'missed', tone: 'bad' },
  cancelled: { sign: '○', word: 'cancelled', tone: '' },
};

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** ms of `95 s` and the like, as the service writes them; undefined for anything else. */
export function durationMs(text: string): number | undefined {
  const [, number = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/.exec(text) ?? [];
  const factor = UNITS[unit];
  return factor === undefined ? undefined : Number(number) * factor;
}

/** From its start to its end at the latest, ms since 1970. */
export function extentOf({ fire_at, max_duration }: Pick<Schedule, 'fire_at' | 'max_duration'>): {
  readonly start: number;
  readonly end: number;
} {
  const start = Date.parse(fire_at);
  return { start, end: start + (durationMs(max_duration) ?? 0) };
}

/** How long before LOS its run is over at the latest, ms; below 0: behind it. */
export function slackOf(schedule: Pick<Schedule, 'fire_at' | 'max_duration'>, { los }: HeldPass): number {
  return los - extentOf(schedule).end;
}

/** `over at the latest 4 min 20 s before LOS` */
export function slackWords(slack: number): string {
  return slack >= 0
    ? `over at the latest ${duration(slack)} before LOS`
    : `may last until ${duration(-slack)} after LOS`;
}

/** What can still start, and so be cancelled and validated. */
export function isOpenSchedule({ state }: Pick<Schedule, 'state'>): boolean {
  return state === 'scheduled' || state === 'at_risk';
}

export interface ComparedRow {
  readonly what: string;
  readonly validated: string;
  readonly now: string;
  readonly differs: boolean;
}

/** What was validated beside what is now; `pass` undefined: it is not known here. */
export function comparison(
  { validation: holding, fallen, pass, ir }: Schedule,
  held: HeldPass | undefined,
): ComparedRow[] {
  const validation = holding ?? fallen;
  const view = held?.view.pass;
  const time = (text: string | undefined): string =>
    text === undefined ? 'not known' : new Date(text).toISOString();
  const row = (what: string, validated: string | undefined, now: string): ComparedRow => ({
    what,
    validated: validated ?? '–',
    now,
    differs: validated !== undefined && validated !== now,
  });
  return [
    row('pass', validation?.pass, pass),
    row('AOS', validation && time(validation.aos), time(view?.aos)),
    row('LOS', validation && time(validation.los), time(view?.los)),
    row('resolved run', validation && shortHash(validation.ir), shortHash(ir)),
  ];
}

export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

/** An identifier that nobody of `taken` has: `health_check-sat1-kiruna-20260102T0304`. */
export function proposedId(procedure: string, pass: string, taken: ReadonlySet<string>): string {
  const plain = `${procedure}-${pass}`.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 120);
  if (!taken.has(plain)) return plain;
  for (let n = 2; ; n += 1) if (!taken.has(`${plain}-${n}`)) return `${plain}-${n}`;
}

/** `aos`, or `aos + 30 s`, of what was typed as its offset; a plain number is in seconds. */
export function startOf(offset: string): string {
  const text = offset.trim();
  if (text === '' || /^0(\.0+)?(\s*[a-z]+)?$/.test(text)) return 'aos';
  return `aos + ${/^\d+(\.\d+)?$/.test(text) ? `${text} s` : text}`;
}

/** The offset of a place in a pass, in whole seconds. */
export function offsetAt(at: number, { aos, los }: HeldPass): string {
  return `${Math.round((Math.min(los, Math.max(aos, at)) - aos) / 1000)} s`;
}
