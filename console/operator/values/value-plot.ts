/**
 * The plot of up to eight measures over time: a line each, the range of its samples behind it, its limits, what is
 * lost hatched, deferred samples dashed. One axis for each unit.
 */

import uPlot from 'uplot';
import type { CatalogueMeasure } from '../data/catalogue.ts';
import type { Happening } from './happenings.ts';
import { columnsOf, type Track } from './plot-data.ts';
import { paintGaps, paintHappenings, paintLimits, paintRanges } from './plot-painting.ts';
import type { TimeRange } from './plot-time.ts';

const HEIGHT = 320;
const LEAST_WIDTH = 280;
const EDGE = 0.08;
/**
 * Steps of the axis in s, from the longest; what stands at each, and below it where a longer unit changes. UTC, 24
 * hours.
 */
const AXIS_TIMES: uPlot.Axis.DynamicValues | (string | number | null)[][] = [
  [31_536_000, '{YYYY}', null, null, null, null, null, null, 1],
  [86_400, '{MM}-{DD}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [0.001, '{ss}.{fff}', '\n{MM}-{DD} {HH}:{mm}', null, '\n{MM}-{DD} {HH}:{mm}', null, '\n{HH}:{mm}', null, 1],
];
const FONT = '12px system-ui, sans-serif';

export interface PlotPicture {
  readonly tracks: readonly Track[];
  readonly range: TimeRange;
  readonly gaps: readonly (readonly [number, number])[];
  readonly happenings: readonly Happening[];
  /** The axes reach as far as the limits. */
  readonly withLimits: boolean;
  readonly limitsOf: (name: string) => CatalogueMeasure | undefined;
  /** Place of a measure among the colours. */
  readonly colourOf: (name: string) => string;
}

export class ValuePlot {
  /** The element that holds it; a template has it as a child. */
  readonly element = document.createElement('div');
  readonly #selected: (from: number, to: number) => void;
  #plot: uPlot | undefined;
  #shape = '';
  #picture: PlotPicture | undefined;

  /** `selected`: a person has drawn over a part of time, ms since 1970. */
  constructor(selected: (from: number, to: number) => void) {
    this.#selected = selected;
    this.element.className = 'plot';
  }

  draw(picture: PlotPicture): void {
    this.#picture = picture;
    const { times, values } = columnsOf(picture.tracks);
    const data = [times, ...values] as uPlot.AlignedData;
    const width = Math.max(LEAST_WIDTH, this.element.clientWidth);
    const text = getComputedStyle(this.element).color;
    const shape = JSON.stringify([
      width,
      text,
      picture.tracks.map(({ name, unit, isDeferred }) => [name, unit, isDeferred]),
    ]);
    if (shape !== this.#shape) this.#build(shape, width, text, data);
    else this.#plot!.setData(data, true);
  }

  /** The time in ms at a place of the plot, from its left edge; undefined before anything is drawn. */
  timeAt(x: number): number | undefined {
    return this.#plot === undefined
      ? undefined
      : this.#plot.posToVal(x - this.#plot.bbox.left / devicePixelRatio, 'x') * 1000;
  }

  destroy(): void {
    this.#plot?.destroy();
    this.#plot = undefined;
    this.#shape = '';
  }

  #build(shape: string, width: number, text: string, data: uPlot.AlignedData): void {
    this.destroy();
    this.#shape = shape;
    const { tracks } = this.#picture!;
    const units = [...new Set(tracks.map(({ unit }) => unit))];
    const line = getComputedStyle(this.element).getPropertyValue('--line').trim();
    const axis = { stroke: text, font: FONT, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    this.#plot = new uPlot(
      {
        width,
        height: HEIGHT,
        legend: { show: false },
        cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        scales: {
          x: { time: true, range: () => this.#span() },
          ...Object.fromEntries(
            units.map((unit) => [
              unit || 'number',
              { range: (_: uPlot, low: number, high: number) => this.#reach(unit, low, high) },
            ]),
          ),
        },
        axes: [
          { ...axis, space: 90, values: AXIS_TIMES },
          ...units.map((unit, index) => ({
            ...axis,
            scale: unit || 'number',
            side: (index % 2 === 0 ? 3 : 1) as uPlot.Axis.Side,
            grid: index === 0 ? axis.grid : { show: false },
            label: unit || 'number',
            labelFont: FONT,
            labelSize: 16,
            size: 58,
          })),
        ],
        series: [{}, ...tracks.map((track) => this.#series(track))],
        hooks: {
          drawClear: [(plot) => paintGaps(plot, this.#picture!.gaps, text)],
          draw: [(plot) => this.#paint(plot)],
          setSelect: [(plot) => this.#select(plot)],
        },
      },
      data,
      this.element,
    );
  }

  #series({ name, unit, isDeferred }: Track): uPlot.Series {
    const stroke = this.#picture!.colourOf(name);
    return {
      label: name,
      scale: unit || 'number',
      stroke,
      width: isDeferred ? 1 : 1.5,
      ...(isDeferred && { dash: [5, 4], points: { show: true, size: 5, fill: 'transparent' } }),
    };
  }

  #span(): [number, number] {
    const { from, to } = this.#picture!.range;
    return [from / 1000, to / 1000];
  }

  /** A little more than what is drawn; with the limits of the measures where they are asked for. */
  #reach(unit: string, low: number, high: number): [number, number] {
    const { tracks, limitsOf, withLimits } = this.#picture!;
    const own = tracks.filter((track) => track.unit === unit);
    const limits = withLimits
      ? own.flatMap(({ name }) => [...(limitsOf(name)?.soft ?? []), ...(limitsOf(name)?.hard ?? [])])
      : [];
    const all = [low, high, ...limits].filter(
      (value) => typeof value === 'number' && Number.isFinite(value),
    ) as number[];
    if (all.length === 0) return [0, 1];
    const [least, most] = [Math.min(...all), Math.max(...all)];
    const edge = (most - least || Math.abs(most) || 1) * EDGE;
    return [least - edge, most + edge];
  }

  #paint(plot: uPlot): void {
    const { tracks, limitsOf, colourOf, happenings } = this.#picture!;
    paintHappenings(plot, happenings, getComputedStyle(this.element));
    for (const track of tracks) {
      paintRanges(plot, track, colourOf(track.name));
      if (!track.isDeferred) paintLimits(plot, track, limitsOf(track.name), colourOf(track.name));
    }
  }

  #select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4) return;
    const [from, to] = [plot.posToVal(left, 'x') * 1000, plot.posToVal(left + width, 'x') * 1000];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#selected(from, to);
  }
}
