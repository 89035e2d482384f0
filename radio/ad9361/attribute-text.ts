/**
 * Texts of IIO attributes as the AD9361 driver writes and reads them: `63.000000 dB`, `[70000000 1 6000000000]`, whole
 * numbers. Which attribute takes which text is for the board to know.
 */

const DECIBELS = /^([+-]?\d+(?:\.\d+)?)(?: ?dB)?$/;
const WHOLE = /^[+-]?\d+$/;
const RANGE = /^\[(-?[\d.]+) ([\d.]+) (-?[\d.]+)\]$/;

export interface AttributeRange {
  readonly least: number;
  readonly step: number;
  readonly most: number;
}

/** `63.000000 dB`. */
export function decibelText(decibels: number, digits = 6): string {
  // Not "-0.000000": the driver prints the sign of what it has in thousandths.
  return `${(decibels === 0 ? 0 : decibels).toFixed(digits)} dB`;
}

/** The number of dB, with or without its unit; undefined when it is none. */
export function parseDecibels(text: string): number | undefined {
  const found = DECIBELS.exec(text.trim());
  return found === null ? undefined : Number(found[1]);
}

/** A whole number within what a double holds exactly; undefined when it is none. */
export function parseWhole(text: string): number | undefined {
  const number = WHOLE.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** `[least step most]`, as an attribute `…_available` gives a range. */
export function rangeText({ least, step, most }: AttributeRange): string {
  return `[${least} ${step} ${most}]`;
}

export function parseRange(text: string): AttributeRange | undefined {
  const found = RANGE.exec(text.trim());
  if (found === null) return undefined;
  return { least: Number(found[1]), step: Number(found[2]), most: Number(found[3]) };
}
