/** The timeline on its canvas: its axis, its lanes and now; what is in a lane is in `bar-painting.ts`. */

import { type Colours, NAMES, paintBar, type TimelinePicture } from './bar-painting.ts';
import { barsOf, type Lane, xOf } from './timeline-layout.ts';
import { ticksOf } from './timeline-range.ts';

export const AXIS = 24;
export const LANE = 38;
const BAR_TOP = 7;
const FONT = '12px system-ui, sans-serif';
const TICK_WIDTH = 74;

/** `top`: dots that the lanes are scrolled by; `height` of the canvas. */
export function paintTimeline(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  colours: Colours,
  top: number,
  height: number,
): void {
  const { sight, lanes } = picture;
  context.clearRect(0, 0, NAMES + sight.width, height);
  context.font = FONT;
  context.textBaseline = 'middle';
  const first = Math.floor(top / LANE);
  const last = Math.min(lanes.length, Math.ceil((top + height - AXIS) / LANE));
  for (let index = first; index < last; index += 1)
    paintLane(context, picture, colours, lanes[index]!, AXIS + index * LANE - top);
  paintAxis(context, picture, colours, height);
}

function paintAxis(
  context: CanvasRenderingContext2D,
  { sight, now }: TimelinePicture,
  colours: Colours,
  height: number,
): void {
  context.fillStyle = colours.panel;
  context.fillRect(0, 0, NAMES + sight.width, AXIS);
  context.textAlign = 'center';
  for (const { at, text, isDay } of ticksOf(sight, Math.max(2, Math.floor(sight.width / TICK_WIDTH)))) {
    const x = NAMES + Math.round(xOf(at, sight));
    context.fillStyle = colours.line;
    context.globalAlpha = isDay ? 1 : 0.5;
    context.fillRect(x, AXIS - 4, 1, height);
    context.globalAlpha = 1;
    context.fillStyle = isDay ? colours.text : colours.muted;
    const half = context.measureText(text).width / 2;
    // One at the end of the axis stays within it.
    context.fillText(text, Math.min(x, NAMES + sight.width - half), AXIS / 2);
  }
  if (now < sight.from || now > sight.to) return;
  context.fillStyle = colours.bad;
  context.fillRect(NAMES + Math.round(xOf(now, sight)), AXIS - 6, 2, height);
}

function paintLane(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  colours: Colours,
  lane: Lane,
  y: number,
): void {
  const { sight } = picture;
  context.fillStyle = colours.line;
  context.fillRect(0, y + LANE - 1, NAMES + sight.width, 1);
  context.save();
  context.beginPath();
  context.rect(NAMES, y, sight.width, LANE);
  context.clip();
  for (const bar of barsOf(lane, sight)) paintBar(context, picture, colours, bar, y + BAR_TOP);
  context.restore();
  context.fillStyle = colours.text;
  context.textAlign = 'left';
  context.fillText(lane.name, 6, y + LANE / 2, NAMES - 12);
}
