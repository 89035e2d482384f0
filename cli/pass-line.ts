/**
 * Predicted passes as a table: a line each, by AOS. Pure: the zone is that of the process where local time is asked
 * for.
 *
 * L1. What comes from files is text to show: no control character of it reaches the terminal.
 * L2. Nothing is said by colour alone; a line that does not fit the terminal is cut and shows that it is.
 */

import type { PredictedPass, Prediction } from '../mission/orbit/predict.ts';

export interface PassLook {
  readonly local: boolean;
  readonly colour: boolean;
  /** Columns of the terminal; absent: lines are never cut. */
  readonly width: number | undefined;
}

const HEAD = ['TARGET', 'STATION', 'AOS', 'HIGHEST', 'LOS', 'LASTS', 'MAX', 'AZIMUTH', 'PASS'] as const;
/** Numbers stand below each other at their ends. */
const RIGHT: ReadonlySet<string> = new Set(['LASTS', 'MAX']);
/** From there on a link is good for nearly any antenna; shown bright. */
const HIGH_DEG = 30;
const LOW_DEG = 10;
const ESCAPE = '\u001b';
const BRIGHT = '1';
const DIM = '2';
const S_MS = 1_000;
const MINUTE_MS = 60_000;

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
  const [day, aos] = timeOf(aosMs, local);
  return [
    target,
    station,
    `${day} ${aos}`,
    timeOf(culminationMs, local)[1],
    timeOf(losMs, local)[1],
    lasting(losMs - aosMs),
    `${maxElevationDeg.toFixed(1)}°`,
    `${azimuth(pass.aosAzimuthDeg)} → ${azimuth(pass.losAzimuthDeg)}`,
    id,
  ];
}

/** Day and time of day with its zone: `Z`, or the offset of the machine's zone at that time. */
function timeOf(timeMs: number, local: boolean): [day: string, time: string] {
  const rounded = Math.round(timeMs / S_MS) * S_MS;
  const offsetMin = local ? -new Date(rounded).getTimezoneOffset() : 0;
  const text = new Date(rounded + offsetMin * MINUTE_MS).toISOString();
  return [text.slice(0, 10), `${text.slice(11, 19)}${local ? offsetText(offsetMin) : 'Z'}`];
}

function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}

/** `12:57` minutes and seconds; with hours `8:04:31`. */
function lasting(ms: number): string {
  const seconds = Math.round(ms / S_MS);
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const tail = `${hours > 0 ? String(minutes).padStart(2, '0') : minutes}:${String(rest).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

function azimuth(deg: number): string {
  return `${String(Math.round(deg) % 360).padStart(3, '0')}°`;
}

function toneOf(pass: PredictedPass | undefined): string | undefined {
  if (pass === undefined || pass.maxElevationDeg < LOW_DEG) return DIM;
  return pass.maxElevationDeg >= HIGH_DEG ? BRIGHT : undefined;
}

/** L1, L2. */
function dressed(line: string, tone: string | undefined, { colour, width }: PassLook): string {
  const clean = line.replace(/\p{Cc}/gu, '.');
  const fits =
    width === undefined || clean.length <= width ? clean : `${clean.slice(0, Math.max(0, width - 1))}…`;
  return colour && tone !== undefined ? `${ESCAPE}[${tone}m${fits}${ESCAPE}[0m` : fits;
}
