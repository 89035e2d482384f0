/**
 * What tables of passes, schedules and rules have in common: times in the zone that was asked for, durations, and lines
 * that fit. Pure but for the zone, which is that of the process.
 *
 * L1. What comes from files and feeders is text to show: no control character of it reaches the terminal.
 * L2. A line that does not fit the terminal is cut and shows that it is.
 */

import { readInstant } from '../contract/instant.ts';
import { printable } from './printable.ts';

export interface PassLook {
  readonly local: boolean;
  readonly colour: boolean;
  /** Columns of the terminal; absent: lines are never cut. */
  readonly width: number | undefined;
}

export type Tone = 'bright' | 'dim' | 'red';

const CODES: Readonly<Record<Tone, string>> = { bright: '1', dim: '2', red: '31' };
const ESCAPE = '\u001b';
const S_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** A time without its zone would mean another one on another machine. */
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** ms since 1970 of a time with its zone, or of a day from 00:00 UTC; not a number for anything else. */
export function readTime(text: string): number {
  return TIME.test(text) ? Date.parse(text) : Number.NaN;
}

/** In UTC, as the service takes it; what is no time stays as it is, and the service says what is wrong with it. */
export function instantOf(text: string): string {
  const ms = readTime(text);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
}

/** Day and time of day to the second, with its zone: `Z`, or the offset of the machine's zone at that time. */
export function dayAndTime(timeMs: number, local: boolean): [day: string, time: string] {
  const rounded = Math.round(timeMs / S_MS) * S_MS;
  const offsetMin = local ? -new Date(rounded).getTimezoneOffset() : 0;
  const text = new Date(rounded + offsetMin * MINUTE_MS).toISOString();
  return [text.slice(0, 10), `${text.slice(11, 19)}${local ? offsetText(offsetMin) : 'Z'}`];
}

/** Day and time of a moment as the service writes it. */
export function momentText(moment: string, local: boolean): string {
  return dayAndTime(readInstant(moment) ?? Number.NaN, local).join(' ');
}

function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}

/** `12:57` minutes and seconds; with hours `8:04:31`. */
export function lasting(ms: number): string {
  const seconds = Math.round(ms / S_MS);
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const tail = `${hours > 0 ? String(minutes).padStart(2, '0') : minutes}:${String(rest).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

/** Time until something, never less than there is: as `lasting`, above a day `2d 4h`. */
export function remaining(ms: number): string {
  const leftMs = Math.ceil(ms / S_MS) * S_MS;
  if (leftMs < DAY_MS) return lasting(leftMs);
  return `${Math.floor(leftMs / DAY_MS)}d ${Math.floor((leftMs % DAY_MS) / HOUR_MS)}h`;
}

/** L1, L2 */
export function dressed(line: string, tone: Tone | undefined, look: Omit<PassLook, 'local'>): string {
  const { colour, width } = look;
  const clean = printable(line);
  const fits =
    width === undefined || clean.length <= width ? clean : `${clean.slice(0, Math.max(0, width - 1))}…`;
  return colour && tone !== undefined ? `${ESCAPE}[${CODES[tone]}m${fits}${ESCAPE}[0m` : fits;
}
