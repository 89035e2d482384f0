/**
 * The units a mission may use: one closed table (`unit-table.ts`), so that an error can always name what would fit.
 * Every unit has a dimension, a scale to the coherent unit of that dimension, and for absolute temperatures an offset.
 * Products and quotients of units serve the condition language. Mission Control Service, conventions (quantities).
 *
 * U1. Case matters: `mW` is not `MW`, and `v` is nothing.
 * U2. An absolute temperature or power level is another dimension than a difference of two of them: offsets exist on
 *     absolute temperatures only.
 * U3. A unit per `s`, `min`, `h` or `d` is a unit (`V/s`, `degC/min`): what `rate` gives has a way to be written.
 */

import { minus, over, plus, type Ratio, ratioOf, times, toNumber } from './unit-scale.ts';
import { DIMENSIONS, PREFIXES, type Row, TABLE } from './unit-table.ts';

export interface Unit {
  /** As written; empty for a plain number. */
  readonly name: string;
  /** In words, for messages: `voltage`. */
  readonly dimension: string;
  /** Exponents of the base units as text: units with equal powers measure the same. */
  readonly powers: string;
  readonly scale: Ratio;
  /** Added before scaling. */
  readonly offset: Ratio;
  /** The unit of a difference of two values; itself unless absolute. */
  readonly difference: Unit;
  /** Whether a quantity written in it may also mean a difference: `2 K`, never `2 dBm`. */
  readonly spansDifferences: boolean;
}

const ONE = ratioOf(1);
const ZERO = ratioOf(0);
const RATE_TIMES = ['s', 'min', 'h', 'd'];
const UNITS = expand();

/** A number without unit. */
export const PLAIN: Unit = relative('', 'plain number', zeroPowers(), ONE);

/** The unit of that name; undefined when the table has none (U1, U3). */
export function findUnit(name: string): Unit | undefined {
  return UNITS.get(name) ?? rateUnit(name);
}

/** The units of the table that measure the same as `unit`, in the order of the table. */
function unitsLike(unit: Unit): readonly string[] {
  return [...UNITS.values()].filter((other) => other.powers === unit.powers).map((other) => other.name);
}

/** "a voltage", "an angle": what a value in the unit is. */
export function kindOf({ dimension }: Unit): string {
  return `${/^[aeiou]/.test(dimension) ? 'an' : 'a'} ${dimension}`;
}

/** What a quantity in the unit may be written in, for the help of a fault. */
export function writtenIn(unit: Unit): string {
  const like = unitsLike(unit.dimension === 'temperature difference' ? (UNITS.get('K') ?? unit) : unit);
  const names = like.includes(unit.name) ? [unit.name, ...like] : like;
  return `${kindOf(unit)} is written in ${[...new Set(names.length > 0 ? names : [unit.name])].join(', ')}`;
}

/** Names that differ from an unknown one by case only; empty when there are none. */
export function unitsSpelledLike(name: string): readonly string[] {
  const lower = name.toLowerCase();
  return [...UNITS.keys()].filter((other) => other.toLowerCase() === lower);
}

/** Whether a value in `from` can be expressed in `to`. A plain number is no percentage. */
export function converts(from: Unit, to: Unit): boolean {
  if (from.powers !== to.powers) return false;
  return from === to || !((from === PLAIN && to.name === '%') || (to === PLAIN && from.name === '%'));
}

/** The value expressed in `to`, exactly; the units must convert. */
export function rescale(value: Ratio, from: Unit, to: Unit): Ratio {
  if (from.name === to.name) return value;
  return minus(over(times(plus(value, from.offset), from.scale), to.scale), to.offset);
}

/** `value * factor + shift` reports a value of `from` in `to`, where every nanosecond counts. */
export function linear(from: Unit, to: Unit): { readonly factor: number; readonly shift: number } {
  return {
    factor: toNumber(over(from.scale, to.scale)),
    shift: toNumber(rescale(ZERO, from, to)),
  };
}

/** The unit of a product of two values that are not absolute. */
export function productUnit(a: Unit, b: Unit): Unit {
  if (a === PLAIN) return b;
  if (b === PLAIN) return a;
  const powers = combine(a.powers, b.powers, 1);
  return relative(`${a.name}*${b.name}`, dimensionOf(powers), powers, times(a.scale, b.scale));
}

/** The unit of a quotient of two values that are not absolute. */
export function quotientUnit(a: Unit, b: Unit): Unit {
  if (b === PLAIN) return a;
  const powers = combine(a.powers, b.powers, -1);
  return relative(`${a.name || '1'}/${b.name}`, dimensionOf(powers), powers, over(a.scale, b.scale));
}

function expand(): ReadonlyMap<string, Unit> {
  const units = new Map<string, Unit>();
  for (const [name, row] of Object.entries(TABLE)) {
    units.set(name, tableUnit(name, row, 1));
    for (const prefix of row[2]?.split(' ').filter(Boolean) ?? []) {
      units.set(prefix + name, tableUnit(prefix + name, row, PREFIXES[prefix] ?? 1));
    }
  }
  return units;
}

function tableUnit(name: string, [dimension, scale, , offset = 0]: Row, prefix: number): Unit {
  const base = typeof scale === 'number' ? ratioOf(scale) : over(ratioOf(scale[0]), ratioOf(scale[1]));
  const exact = times(base, ratioOf(prefix));
  const powers = String(DIMENSIONS[dimension]);
  if (dimension === 'temperature') {
    const difference = relative(
      name,
      'temperature difference',
      String(DIMENSIONS['temperature difference']),
      exact,
    );
    return {
      name,
      dimension,
      powers,
      scale: exact,
      offset: ratioOf(offset),
      difference,
      spansDifferences: true,
    };
  }
  if (dimension === 'power level') {
    const difference = relative('dB', 'level difference', String(DIMENSIONS['level difference']), exact);
    return { name, dimension, powers, scale: exact, offset: ZERO, difference, spansDifferences: false };
  }
  return relative(name, dimension, powers, exact);
}

function relative(name: string, dimension: string, powers: string, scale: Ratio): Unit {
  const unit: Unit = {
    name,
    dimension,
    powers,
    scale,
    offset: ZERO,
    spansDifferences: true,
    get difference() {
      return unit;
    },
  };
  return unit;
}

function rateUnit(name: string): Unit | undefined {
  const slash = name.lastIndexOf('/');
  const of = UNITS.get(name.slice(0, slash));
  const time = name.slice(slash + 1);
  const per = UNITS.get(time);
  if (slash < 1 || of === undefined || per === undefined || !RATE_TIMES.includes(time)) return undefined;
  return of.spansDifferences ? quotientUnit(of.difference, per) : undefined;
}

function combine(a: string, b: string, sign: 1 | -1): string {
  const other = b.split(',');
  return String(a.split(',').map((power, index) => Number(power) + sign * Number(other[index])));
}

function dimensionOf(powers: string): string {
  const found = Object.entries(DIMENSIONS).find(([, known]) => String(known) === powers);
  return found?.[0] ?? 'compound quantity';
}

function zeroPowers(): string {
  return String(DIMENSIONS['ratio']);
}
