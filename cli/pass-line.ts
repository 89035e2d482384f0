/**
 * Predicted passes as a table: a line each, by AOS. Pure but for the zone, as `pass-look.ts`. Nothing is said by colour
 * alone.
 */

import type { PredictedPass, Prediction } from '../mission/orbit/predict.ts';
import { dayAndTime, dressed, lasting, type PassLook, type Tone } from './pass-look.ts';

const HEAD = ['TARGET', 'STATION', 'AOS', 'HIGHEST', 'LOS', 'LASTS', 'MAX', 'AZIMUTH', 'PASS'] as const;
/** Numbers stand below each other at their ends. */
const RIGHT: ReadonlySet<string> = new Set(['LASTS', 'MAX']);
/** From there on a link is good for nearly any antenna; shown bright. */
const HIGH_DEG = 30;
const LOW_DEG = 10;

/** The table with its head, or one line that there are no passes. */
export function passLines({ targets }: Prediction, look: PassLook): string[] {
  const passes = targets.flatMap((each) => each.passes).toSorted((a, b) => a.aosMs - b.aosMs);
  if (passes.length === 0) return ['no passes'];
  const rows = [HEAD as readonly string[], ...passes.map((each) => cellsOf(each, look.local))];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row, index) => {
    const cells = row.map((cell, column) =>
      RIGHT.has(HEAD[column]!) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
    );
    return dressed(cells.join('  ').trimEnd(), toneOf(passes[index - 1]), look);
  });
}

function cellsOf(pass: PredictedPass, local: boolean): string[] {
  const { id, target, station, aosMs, culminationMs, losMs, maxElevationDeg } = pass;
  const [day, aos] = dayAndTime(aosMs, local);
  return [
    target,
    station,
    `${day} ${aos}`,
    dayAndTime(culminationMs, local)[1],
    dayAndTime(losMs, local)[1],
    lasting(losMs - aosMs),
    `${maxElevationDeg.toFixed(1)}°`,
    `${azimuth(pass.aosAzimuthDeg)} → ${azimuth(pass.losAzimuthDeg)}`,
    id,
  ];
}

function azimuth(deg: number): string {
  return `${String(Math.round(deg) % 360).padStart(3, '0')}°`;
}

function toneOf(pass: PredictedPass | undefined): Tone | undefined {
  if (pass === undefined || pass.maxElevationDeg < LOW_DEG) return 'dim';
  return pass.maxElevationDeg >= HIGH_DEG ? 'bright' : undefined;
}
