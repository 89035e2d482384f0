/**
 * One pass on the canvas of the timeline, and the schedules in it with what is left before LOS.
 *
 * P1. Booked is filled, predicted is an outline; what is wrong has a sign beside its colour.
 */

import type { Schedule } from '../../../contract/schedule.ts';
import type { HeldPass } from '../data/held-pass.ts';
import { extentOf, SCHEDULE_LOOK } from './schedule-words.ts';
import { type Bar, type Lane, passName, type Sight, xOf } from './timeline-layout.ts';

/** Where the lanes begin: their names stand before it. */
export const NAMES = 96;
const BAR = 22;
/** Narrower bars have no words and show no schedules. */
const WORDS_FROM = 64;
const SCHEDULES_FROM = 10;

export interface TimelinePicture {
  readonly sight: Sight;
  readonly lanes: readonly Lane[];
  /** Schedules by `target/pass`. */
  readonly schedules: ReadonlyMap<string, readonly Schedule[]>;
  readonly selected: HeldPass | undefined;
  readonly now: number;
  /** What stands on a bar beside its elevation. */
  readonly words: (held: HeldPass) => string;
  /** Where a procedure that is dragged would start. */
  readonly dropped: { readonly held: HeldPass; readonly at: number } | undefined;
}

const NAMED_COLOURS = [
  'text',
  'muted',
  'line',
  'panel',
  'raised',
  'accent',
  'on-accent',
  'ok',
  'warn',
  'bad',
] as const;
export type Colours = Readonly<Record<(typeof NAMED_COLOURS)[number], string>>;

/** As the theme has them now. */
export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  return Object.fromEntries(
    NAMED_COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`)]),
  ) as Colours;
}

/** P1 */
export function paintBar(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  colours: Colours,
  bar: Bar,
  y: number,
): void {
  const { held } = bar;
  const { pass, gateway } = held.view;
  const x = NAMES + bar.x;
  const isBooked = pass.status === 'booked';
  context.fillStyle = isBooked ? colours.accent : colours.raised;
  context.fillRect(x, y, bar.width, BAR);
  if (bar.width > 4) {
    context.strokeStyle = isBooked ? colours.accent : colours.muted;
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, y + 0.5, bar.width - 1, BAR - 1);
  }
  if (bar.width >= WORDS_FROM) {
    const sign = gateway?.reason === undefined ? '' : '✗ ';
    context.fillStyle = isBooked ? colours['on-accent'] : colours.text;
    context.textAlign = 'left';
    context.fillText(`${sign}${picture.words(held)}`, x + 5, y + 7, bar.width - 8);
  }
  if (bar.width >= SCHEDULES_FROM && bar.more === 0)
    for (const schedule of picture.schedules.get(passName(pass.target, pass.id)) ?? [])
      paintSchedule(context, picture, colours, schedule, held, y);
  else if (bar.more > 0 || picture.schedules.has(passName(pass.target, pass.id)))
    paintDense(context, picture, colours, bar, y);
  paintMarks(context, picture, colours, bar, y);
}

/** The run from its start to its end at the latest, and a thin line for what is left before LOS. */
function paintSchedule(
  context: CanvasRenderingContext2D,
  { sight }: TimelinePicture,
  colours: Colours,
  schedule: Schedule,
  held: HeldPass,
  y: number,
): void {
  if (schedule.state === 'cancelled') return;
  const { start, end } = extentOf(schedule);
  const [x, width] = [
    NAMES + xOf(start, sight),
    Math.max(2, ((end - start) / (sight.to - sight.from)) * sight.width),
  ];
  const { sign, tone } = SCHEDULE_LOOK[schedule.state];
  context.fillStyle = colours[tone as 'ok'];
  context.fillRect(x, y + 13, width, 12);
  context.strokeStyle = colours.panel;
  context.strokeRect(x - 0.5, y + 12.5, width + 1, 13);
  const left = NAMES + xOf(held.los, sight) - x - width;
  if (left > 0) context.fillRect(x + width, y + 24, left, 2);
  if (width < 14) return;
  context.fillStyle = colours.panel;
  context.textAlign = 'center';
  context.fillText(sign, x + Math.min(width / 2, 12), y + 19);
}

/** Bars that are too narrow show that something is scheduled on them. */
function paintDense(
  context: CanvasRenderingContext2D,
  { schedules }: TimelinePicture,
  colours: Colours,
  { held, x, width }: Bar,
  y: number,
): void {
  const { pass } = held.view;
  const own = (schedules.get(passName(pass.target, pass.id)) ?? []).filter(
    ({ state }) => state !== 'cancelled',
  );
  if (own.length === 0) return;
  context.fillStyle = own.some(({ state }) => state === 'at_risk') ? colours.warn : colours.ok;
  context.fillRect(NAMES + x, y + BAR, width, 4);
}

function paintMarks(
  context: CanvasRenderingContext2D,
  { selected, dropped, sight }: TimelinePicture,
  colours: Colours,
  { held, x, width }: Bar,
  y: number,
): void {
  if (held === selected) {
    context.strokeStyle = colours.text;
    context.lineWidth = 2;
    context.strokeRect(NAMES + x - 2, y - 3, width + 4, BAR + 9);
    context.lineWidth = 1;
  }
  if (dropped?.held !== held) return;
  context.fillStyle = colours.text;
  context.fillRect(NAMES + xOf(dropped.at, sight), y - 5, 2, BAR + 10);
}
