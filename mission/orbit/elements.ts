/**
 * Mean orbital elements of a satellite as SGP4 takes them, whatever they were written in. Sources: CCSDS 502.0-B (Orbit
 * Mean Elements Message), and the two-line element set of the same model.
 *
 * E1. Elements that leave a reader are finite and within the ranges of the model: what propagates them need not ask
 *     again.
 * E2. A fault names the line of the file, what is wrong and how to correct it.
 */

import { ERRORS_LISTED, NAME_CHARACTERS } from '../../contract/limits/request.ts';
import { accepted, type Result, refusedAll } from '../../contract/result.ts';

export interface OrbitalElements {
  /** As the source names the satellite; its catalogue number where the source gives no name. */
  readonly name: string;
  readonly catalogueNumber: number;
  /** UTC, ms since 1970, with its fraction. */
  readonly epochMs: number;
  readonly meanMotionRevPerDay: number;
  readonly eccentricity: number;
  readonly inclinationDeg: number;
  readonly ascendingNodeDeg: number;
  readonly argumentOfPerigeeDeg: number;
  readonly meanAnomalyDeg: number;
  /** BSTAR, per earth radius. */
  readonly dragPerEarthRadius: number;
}

export interface ElementsFault {
  /** From 1. */
  readonly line: number;
  readonly message: string;
  readonly help: string;
}

type ElementNumber = Exclude<keyof OrbitalElements, 'name'>;

/** What the model has an answer for: orbits of three weeks down to those that graze the ground. */
const RANGES: Readonly<Record<ElementNumber, { readonly least: number; readonly most: number }>> = {
  catalogueNumber: { least: 0, most: 999_999_999 },
  epochMs: { least: Date.UTC(1957, 0, 1), most: Date.UTC(2157, 0, 1) },
  meanMotionRevPerDay: { least: 0.04, most: 18 },
  eccentricity: { least: 0, most: 0.999 },
  inclinationDeg: { least: 0, most: 180 },
  ascendingNodeDeg: { least: -360, most: 360 },
  argumentOfPerigeeDeg: { least: -360, most: 360 },
  meanAnomalyDeg: { least: -360, most: 360 },
  dragPerEarthRadius: { least: -10, most: 10 },
};

/** Whether the number fits the element; `what` it may be where it does not. */
export function elementRange(
  element: ElementNumber,
  value: number,
): { readonly fits: boolean; readonly what: string } {
  const { least, most } = RANGES[element];
  const shown = (each: number): string =>
    element === 'epochMs' ? new Date(each).toISOString().slice(0, 10) : String(each);
  return { fits: value >= least && value <= most, what: `from ${shown(least)} to ${shown(most)}` };
}

/** The name as it can be shown and compared: one line, of a bounded length. */
export function satelliteName(text: string, catalogueNumber: number): string {
  const name = text
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, NAME_CHARACTERS);
  return name === '' ? String(catalogueNumber) : name;
}

/** Gathers the faults of a file; those past `ERRORS_LISTED` are only counted. */
export class ElementsFaults {
  readonly #listed: ElementsFault[] = [];
  #found = 0;

  get found(): number {
    return this.#found;
  }

  add(line: number, message: string, help: string): void {
    this.#found += 1;
    if (this.#listed.length < ERRORS_LISTED) this.#listed.push({ line, message, help });
  }

  /** The value, unless there is a fault. */
  or<Value>(value: Value): Result<Value, ElementsFault> {
    if (this.#found === 0) return accepted(value);
    const more = this.#found - this.#listed.length;
    const { line } = this.#listed.at(-1)!;
    const rest = { line, message: `and ${more} more faults`, help: 'correct those listed first' };
    return refusedAll(more === 0 ? this.#listed : [...this.#listed, rest]);
  }
}

/** A piece of the file as a message can repeat it. */
export function quoted(text: string): string {
  const most = 60;
  return JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text);
}
