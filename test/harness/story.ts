/**
 * What happened to a driven chart so far, a line per step: the second half of every message of the harness, so that a
 * failed expectation reports how the chart got there.
 */

import { inspect } from 'node:util';

export interface Line {
  /** ms since 1970. */
  readonly at: number;
  /** The event, deadline or wait. */
  readonly what: string;
  readonly from: string | undefined;
  readonly to: string;
  readonly emitted: readonly object[];
  /** The chart had ended before: nothing was given to it. */
  readonly ignored?: boolean;
}

/** Lines shown at most: the last ones explain a failure, and a walk of thousands would bury them. */
const LINES_SHOWN = 30;
/** Characters of one value: enough for an event with its payload. */
const VALUE_CHARACTERS = 160;

/** An event, effect or record in one line. */
export function shown(item: object): string {
  const { type, ...rest } = item as { type?: unknown };
  const fields = Object.keys(rest).length === 0 ? '' : ` ${inspected(rest)}`;
  return shortened(typeof type === 'string' ? `${type}${fields}` : inspected(item));
}

function inspected(value: unknown): string {
  return inspect(value, { depth: 6, breakLength: Number.POSITIVE_INFINITY, sorted: true });
}

function shortened(text: string): string {
  return text.length <= VALUE_CHARACTERS ? text : `${text.slice(0, VALUE_CHARACTERS)}…`;
}

/** The story as text, times counted from its first line. */
export function storyText(lines: readonly Line[]): string {
  const start = lines[0]?.at ?? 0;
  const reported = lines.slice(-LINES_SHOWN).map((line) => lineText(line, start));
  const left = lines.length - reported.length;
  return ['The path so far:', ...(left > 0 ? [`  … ${left} steps before`] : []), ...reported].join('\n');
}

function lineText({ at, what, from, to, emitted, ignored }: Line, start: number): string {
  const move = ignored ? 'ignored: the chart has ended' : from === to ? `stays in ${to}` : `-> ${to}`;
  const head = `  +${(at - start) / 1000} s  ${what}  ${move}`;
  return [head, ...emitted.map((item) => `      emits ${shown(item)}`)].join('\n');
}

/** A list of expected or found things under a heading; says so when there are none. */
export function listed(heading: string, items: readonly (string | object)[]): string {
  const lines = items.map((item) => `  ${typeof item === 'string' ? item : shown(item)}`);
  return [`${heading}:`, ...(lines.length === 0 ? ['  nothing'] : lines)].join('\n');
}
