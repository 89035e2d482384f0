/**
 * Quantities as people write them: `<number> <unit>` with one space, a decimal point and a unit of the table in
 * `unit.ts`. Mission Control Service, conventions. Plain numbers are not quantities; whoever accepts them says so.
 *
 * Q1. A conversion is exact where the decimal allows it: `10 min` is 600 s.
 * Q2. A difference of temperatures has no offset: `2 K` are `2 degC` are `3.6 degF`.
 * Q3. A refusal names the text, what it is and what would fit.
 */

import { assert } from '../contract/assert.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import { converts, findUnit, kindOf, rescale, type Unit, unitsSpelledLike, writtenIn } from './unit.ts';
import { type Ratio, ratioOf, ratioOfText, toNumber } from './unit-scale.ts';

export interface Quantity {
  readonly value: number;
  readonly unit: string;
  readonly dimension: string;
}

export interface QuantityFault {
  readonly message: string;
  readonly help?: string;
}

export interface Reading {
  /** The quantity is a tolerance or a step, not an absolute value (Q2). */
  readonly difference?: boolean;
}

/** Longest text read as a quantity: far more digits than a double holds, and far less than a wall of text. */
const QUANTITY_CHARACTERS = 64;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const MS_PER_HOUR = 3_600_000;
const MS_PER_MINUTE = 60_000;
const MS_PER_SECOND = 1000;

/** The quantity as written; refuses another form, a number no double holds and an unknown unit. */
export function parseQuantity(text: string): Result<Quantity, QuantityFault> {
  const read = parsed(text, undefined);
  if (!read.ok) return read;
  const { ratio, unit } = read.value;
  return accepted({ value: toNumber(ratio), unit: unit.name, dimension: unit.dimension });
}

/**
 * The number in `unit` that the text means; refuses what `parseQuantity` does, another dimension and an unknown `unit`.
 */
export function readQuantity(
  text: string,
  unit: string,
  reading: Reading = {},
): Result<number, QuantityFault> {
  const target = findUnit(unit);
  if (target === undefined) return refused(unknownUnit(unit));
  const read = parsed(text, unit);
  if (!read.ok) return read;
  const value = rescaled(read.value.ratio, read.value.unit, target, reading.difference ?? false);
  if (value === undefined) return refused(misfit(text, read.value.unit, target, reading.difference ?? false));
  const number = toNumber(value);
  return Number.isFinite(number) ? accepted(number) : refused(tooLarge(text));
}

/** The duration in ms; refuses what is no time and, unless `negative` is allowed, what is below zero. */
export function parseDuration(
  text: string,
  { negative = false }: { readonly negative?: boolean } = {},
): Result<number, QuantityFault> {
  const read = readQuantity(text, 'ms');
  if (!read.ok || read.value >= 0 || negative) return read;
  return refused({
    message: `"${text}" is negative`,
    help: 'write a duration of zero or more, for example "10 s"',
  });
}

/** The value expressed in another unit; both must be in the table and measure the same. Not a number stays so. */
export function convert(value: number, from: string, to: string, reading: Reading = {}): number {
  if (!Number.isFinite(value)) return value;
  const converted = rescaled(ratioOf(value), known(from), known(to), reading.difference ?? false);
  assert(converted !== undefined, `units ${from} and ${to} measure the same`);
  return toNumber(converted);
}

/** `<number> <unit>`, the shortest decimal that means the value. */
export function formatQuantity(value: number, unit: string): string {
  return `${String(value)} ${unit}`;
}

/** `<n> h`, `<n> min` or `<n> s`: the largest of them that divides the duration. */
export function formatDuration(ms: number): string {
  if (ms !== 0 && ms % MS_PER_HOUR === 0) return formatQuantity(ms / MS_PER_HOUR, 'h');
  if (ms !== 0 && ms % MS_PER_MINUTE === 0) return formatQuantity(ms / MS_PER_MINUTE, 'min');
  return formatQuantity(ms / MS_PER_SECOND, 's');
}

/** The fault of a unit the table does not have, with the names that are near. */
export function unknownUnit(name: string): QuantityFault {
  const spelled = unitsSpelledLike(name);
  return {
    message: `unknown unit "${name}"`,
    help:
      spelled.length > 0
        ? `case matters; write ${spelled.join(' or ')}`
        : 'units are V, A, W, deg, s, min, h, Hz, m, degC, K, Pa, T, bit, B, bit/s, %, dB, dBm and the like',
  };
}

function parsed(
  text: string,
  wanted: string | undefined,
): Result<{ ratio: Ratio; unit: Unit }, QuantityFault> {
  const space = text.indexOf(' ');
  const number = text.slice(0, space === -1 ? text.length : space);
  const name = space === -1 ? '' : text.slice(space + 1);
  const form = NUMBER.test(number) && (name === '' || /^\S+$/.test(name));
  if (!form || text.length > QUANTITY_CHARACTERS || name === '') return refused(malformed(text, wanted));
  const unit = findUnit(name);
  if (unit === undefined) return refused(fitting(unknownUnit(name), wanted));
  const ratio = ratioOfText(number);
  if (ratio === undefined || !Number.isFinite(toNumber(ratio))) return refused(tooLarge(text));
  return accepted({ ratio, unit });
}

function rescaled(value: Ratio, from: Unit, to: Unit, difference: boolean): Ratio | undefined {
  const source = difference && from.spansDifferences ? from.difference : from;
  const target = difference ? to.difference : to;
  return converts(source, target) ? rescale(value, source, target) : undefined;
}

function known(name: string): Unit {
  const unit = findUnit(name);
  assert(unit !== undefined, `"${name}" is a unit of the table`);
  return unit;
}

function malformed(text: string, wanted: string | undefined): QuantityFault {
  const shown = text.length > QUANTITY_CHARACTERS ? `${text.slice(0, QUANTITY_CHARACTERS)}…` : text;
  return {
    message: `"${shown}" is not a quantity`,
    help: `write a number, one space and a unit, for example "${example(text, wanted)}"`,
  };
}

function example(text: string, wanted: string | undefined): string {
  const number = /^\s*(-?\d+(?:[.,]\d+)?)/.exec(text)?.[1]?.replace(',', '.') ?? '7.2';
  return `${number.slice(0, 20)} ${wanted ?? 'V'}`;
}

function fitting(fault: QuantityFault, wanted: string | undefined): QuantityFault {
  if (wanted === undefined) return fault;
  return { message: fault.message, help: writtenIn(known(wanted)) };
}

function misfit(text: string, from: Unit, to: Unit, difference: boolean): QuantityFault {
  const target = difference ? to.difference : to;
  return { message: `"${text}" is ${kindOf(from)}, not ${kindOf(target)}`, help: writtenIn(target) };
}

function tooLarge(text: string): QuantityFault {
  return { message: `"${text}" is too large`, help: 'write a number below 1e308' };
}
