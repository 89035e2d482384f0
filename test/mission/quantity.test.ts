/**
 * Quantities as people write them (quantity.Q1 to Q3), and the unit table against two libraries on the units they
 * share.
 */

import fc from 'fast-check';
import Qty from 'js-quantities';
import oracle from 'unitmath/es/UnitMath.js';
import { describe, expect, it } from 'vitest';
import {
  convert,
  formatDuration,
  formatQuantity,
  parseDuration,
  parseQuantity,
  readQuantity,
} from '../../mission/quantity.ts';
import { converts, findUnit } from '../../mission/unit.ts';

/** Ours, then what js-quantities and unitmath call it where they have it. */
const SHARED: readonly (readonly (readonly [ours: string, qty: string, unitmath: string])[])[] = [
  [
    ['V', 'V', 'V'],
    ['mV', 'mV', 'mV'],
    ['kV', 'kV', 'kV'],
  ],
  [
    ['A', 'A', 'A'],
    ['mA', 'mA', 'mA'],
    ['nA', 'nA', 'nA'],
  ],
  [
    ['W', 'W', 'W'],
    ['mW', 'mW', 'mW'],
    ['MW', 'MW', 'MW'],
  ],
  [
    ['J', 'J', 'J'],
    ['kJ', 'kJ', 'kJ'],
    ['Wh', 'Wh', 'Wh'],
  ],
  [
    ['s', 's', 's'],
    ['ms', 'ms', 'ms'],
    ['us', 'us', 'us'],
    ['min', 'min', 'minute'],
    ['h', 'h', 'hour'],
    ['d', 'd', 'day'],
  ],
  [
    ['Hz', 'Hz', 'Hz'],
    ['kHz', 'kHz', 'kHz'],
    ['GHz', 'GHz', 'GHz'],
  ],
  [
    ['m', 'm', 'm'],
    ['mm', 'mm', 'mm'],
    ['cm', 'cm', 'cm'],
    ['km', 'km', 'km'],
  ],
  [
    ['m/s', 'm/s', 'm/s'],
    ['km/s', 'km/s', 'km/s'],
    ['km/h', 'km/h', 'km/hour'],
  ],
  [
    ['deg', 'deg', 'deg'],
    ['rad', 'rad', 'rad'],
  ],
  [
    ['deg/s', 'deg/s', 'deg/s'],
    ['rad/s', 'rad/s', 'rad/s'],
  ],
  [
    ['Pa', 'Pa', 'Pa'],
    ['hPa', 'hPa', 'hPa'],
    ['bar', 'bar', 'bar'],
    ['kPa', 'kPa', 'kPa'],
  ],
  [
    ['T', 'T', 'T'],
    ['nT', 'nT', 'nT'],
    ['mT', 'mT', 'mT'],
  ],
  [
    ['B', 'B', 'B'],
    ['kB', 'kB', 'kB'],
    ['MB', 'MB', 'MB'],
  ],
];

const pairs = SHARED.flatMap((units) => units.flatMap((from) => units.map((to) => [from, to] as const)));
/** Values with up to nine digits, three behind the point: what people write. */
const number = fc.integer({ min: -1e9, max: 1e9 }).map((thousandths) => thousandths / 1000);

function close(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
}

describe('quantities', () => {
  it.each([
    ['7.2 V', 7.2, 'V', 'voltage'],
    ['-30 deg', -30, 'deg', 'angle'],
    ['9.6 kbit/s', 9.6, 'kbit/s', 'bit rate'],
    ['1e-3 s', 1e-3, 's', 'time'],
    ['5 °C', 5, '°C', 'temperature'],
    ['50 %', 50, '%', 'ratio'],
    ['-100 dBm', -100, 'dBm', 'power level'],
    ['4 KiB', 4, 'KiB', 'data'],
    ['0.1 degC/min', 0.1, 'degC/min', 'compound quantity'],
  ])('MC-GEN-003 accepts %s', (text, value, unit, dimension) => {
    expect(parseQuantity(text)).toEqual({ ok: true, value: { value, unit, dimension } });
  });

  it('MC-GEN-003 emits a quantity that it reads back as the same value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const read = readQuantity(formatQuantity(value, 'mV'), 'mV');
        expect(read.ok && read.value + 0).toBe(value + 0);
      }),
    );
  });

  it.each([
    '7.2V',
    '7,2 V',
    '7.2  V',
    ' 7.2 V',
    '7.2 V ',
    '+3 V',
    '.5 V',
    '5. V',
    '5',
    '',
    'V',
    '1/2 V',
    'NaN V',
    '7 2 V',
    '0x10 V',
  ])('MC-GEN-003 refuses "%s", which is not a number, one space and a unit', (text) => {
    const read = parseQuantity(text);
    expect(read.ok || read.faults[0].message).toBe(`"${text}" is not a quantity`);
    expect(read.ok || read.faults[0].help).toContain('a number, one space and a unit');
  });

  it('refuses a number that no double holds and a text without end', () => {
    expect(parseQuantity('1e999 V').ok).toBe(false);
    expect(parseQuantity('1e9999999999 V').ok).toBe(false);
    expect(readQuantity('1e308 kV', 'mV').ok).toBe(false);
    const long = parseQuantity(`${'1'.repeat(100_000)} V`);
    expect(long.ok || long.faults[0].message.length).toBeLessThan(120);
  });

  it('quantity.Q3 names what would fit when the unit is unknown, of another dimension or in the wrong case', () => {
    expect(parseQuantity('7.2 v')).toMatchObject({
      faults: [{ message: 'unknown unit "v"', help: 'case matters; write V' }],
    });
    expect(readQuantity('5 A', 'V')).toMatchObject({
      faults: [
        { message: '"5 A" is a current, not a voltage', help: expect.stringContaining('V, uV, µV, mV, kV') },
      ],
    });
    expect(readQuantity('5 foo', 'deg')).toMatchObject({
      faults: [
        { message: 'unknown unit "foo"', help: expect.stringMatching(/^an angle is written in deg, .*rad/) },
      ],
    });
    expect(readQuantity('5 V', 'volt')).toMatchObject({ faults: [{ message: 'unknown unit "volt"' }] });
    expect(readQuantity('5', 'mA')).toMatchObject({ faults: [{ help: expect.stringContaining('"5 mA"') }] });
  });
});

describe('conversion', () => {
  it.each([
    ['10 min', 's', 600],
    ['4.35 m', 'cm', 435],
    ['1.1 km', 'm', 1100],
    ['0.07 h', 'min', 4.2],
    ['1e-9 MW', 'mW', 1],
    ['68 degF', 'degC', 20],
    ['20 degC', 'K', 293.15],
    ['0 K', 'degC', -273.15],
    ['33.8 °C', 'degC', 33.8],
    ['1 KiB', 'bit', 8192],
    ['1 kB', 'B', 1000],
    ['9600 bps', 'kbit/s', 9.6],
    ['60 rpm', 'deg/s', 360],
    ['1 Ah', 'C', 3600],
    ['180 deg', 'rad', Math.PI],
    ['1 V/s', 'mV/min', 60_000],
  ])('quantity.Q1 %s are exactly so many %s', (text, unit, value) => {
    expect(readQuantity(text, unit)).toEqual({ ok: true, value });
  });

  it('quantity.Q2 a difference of temperatures has no offset', () => {
    expect(readQuantity('3.6 degF', 'degC', { difference: true })).toEqual({ ok: true, value: 2 });
    expect(readQuantity('2 K', 'degC', { difference: true })).toEqual({ ok: true, value: 2 });
    expect(readQuantity('2 K', 'degC')).toEqual({ ok: true, value: -271.15 });
    expect(convert(9, 'degF', 'K', { difference: true })).toBe(5);
  });

  it('quantity.Q2 a difference of power levels is reported in dB', () => {
    expect(readQuantity('3 dB', 'dBm', { difference: true })).toEqual({ ok: true, value: 3 });
    expect(readQuantity('3 dBm', 'dBm', { difference: true }).ok).toBe(false);
    expect(readQuantity('3 dB', 'dBm').ok).toBe(false);
  });

  it('keeps what is no number, and stops at units that do not measure the same', () => {
    expect(convert(Number.NaN, 'V', 'mV')).toBeNaN();
    expect(() => convert(1, 'V', 'A')).toThrow(/units V and A/);
    expect(() => convert(1, 'V', 'x')).toThrow(/"x" is a unit/);
  });

  it('there and back is the same value to the last digit but one', () => {
    fc.assert(
      fc.property(fc.constantFrom(...pairs), number, ([[from], [to]], value) => {
        expect(close(convert(convert(value, from, to), to, from), value)).toBe(true);
      }),
    );
  });

  it('agrees with js-quantities on the units both know', () => {
    fc.assert(
      fc.property(fc.constantFrom(...pairs), number, ([from, to], value) => {
        const theirs = Qty(`${value} ${from[1]}`).to(to[1]).scalar;
        expect(close(convert(value, from[0], to[0]), theirs), `${value} ${from[0]} in ${to[0]}`).toBe(true);
      }),
    );
  });

  it('agrees with unitmath on the units both know', () => {
    fc.assert(
      fc.property(fc.constantFrom(...pairs), number, ([from, to], value) => {
        const theirs = oracle(`${value} ${from[2]}`).to(to[2]).getValue();
        expect(close(convert(value, from[0], to[0]), theirs), `${value} ${from[0]} in ${to[0]}`).toBe(true);
      }),
    );
  });

  it('agrees with js-quantities on absolute temperatures', () => {
    const scales = [
      ['degC', 'tempC'],
      ['K', 'tempK'],
      ['degF', 'tempF'],
    ] as const;
    const above = fc.integer({ min: 1, max: 5000 });
    fc.assert(
      fc.property(fc.constantFrom(...scales), fc.constantFrom(...scales), above, (from, to, value) => {
        const theirs = Qty(`${value} ${from[1]}`).to(to[1]).scalar;
        expect(convert(value, from[0], to[0])).toBeCloseTo(theirs, 8);
      }),
    );
  });
});

describe('the unit table', () => {
  it('unit.U1 knows a unit in its own case only', () => {
    expect(
      ['v', 'HZ', 'mw', 'Deg', 'PA', 'kb', 'KB', 'S', ''].filter((name) => findUnit(name) !== undefined),
    ).toEqual([]);
    expect(convert(1, 'MW', 'mW')).toBe(1e9);
  });

  it('unit.U2 an absolute temperature is no difference, and a level no decibel', () => {
    const [kelvin, level] = [findUnit('K')!, findUnit('dBm')!];
    expect(converts(kelvin, kelvin.difference)).toBe(false);
    expect(converts(level, findUnit('dB')!)).toBe(false);
    expect(converts(level.difference, findUnit('dB')!)).toBe(true);
  });

  it('unit.U3 takes any unit per s, min, h or d, and no other quotient', () => {
    expect(['V/s', 'K/h', '%/d', 'dB/min', 'm/s/s'].every((name) => findUnit(name) !== undefined)).toBe(true);
    expect(
      ['V/m', 'dBm/s', '/s', 'V/', 'x/s', 's/ms'].filter((name) => findUnit(name) !== undefined),
    ).toEqual([]);
  });
});

describe('durations', () => {
  it.each([
    ['90 s', 90_000],
    ['10 min', 600_000],
    ['8 h', 28_800_000],
    ['0.1 s', 100],
    ['1.5 h', 5_400_000],
    ['250 ms', 250],
    ['90 d', 7_776_000_000],
    ['0 s', 0],
  ])('MC-GEN-004 reads %s as %i ms', (text, ms) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: ms });
  });

  it.each(['10 V', '10', '10s', '10 minutes', '10 m', '-1 s'])('MC-GEN-004 refuses %s', (text) => {
    expect(parseDuration(text).ok).toBe(false);
  });

  it('takes a negative duration where that is reported to be of use', () => {
    expect(parseDuration('-30 s', { negative: true })).toEqual({ ok: true, value: -30_000 });
  });

  it('MC-GEN-004 writes a duration in the largest of h, min and s that divides it', () => {
    expect([28_800_000, 600_000, 90_000, 100, 0].map(formatDuration)).toEqual([
      '8 h',
      '10 min',
      '90 s',
      '0.1 s',
      '0 s',
    ]);
  });
});
