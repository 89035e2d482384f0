/**
 * A place in the past as clients hand it back (contract/history.H2): text without a meaning to them.
 *
 * C1. It is read without trust: whoever makes one up gets another page of what he may read, and no cost beyond it.
 */

import type { Cursor } from '../../contract/history.ts';
import { isInstant } from '../../contract/instant.ts';
import { HISTORY_CURSOR_GIVEN } from '../../contract/limits/archive.ts';

const FORM = /^(-?\d{1,16}(?:\.\d{1,24})?)_(\d{1,16})_(\d{1,6})$/;

export const CURSOR_CHARACTERS = 72;

export function cursorText({ time, position, given }: Cursor): string {
  return `${time}_${position}_${given}`;
}

export function readCursor(text: string): Cursor | undefined {
  const [, at, where, count] = FORM.exec(text) ?? [];
  const [time, position, given] = [Number(at), Number(where), Number(count)];
  if (!isInstant(time) || !Number.isSafeInteger(position) || given > HISTORY_CURSOR_GIVEN) return undefined;
  return { time, position, given };
}
