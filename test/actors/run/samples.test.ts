import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedInWords, shownValue, valueInWords } from '../../../actors/run/samples.ts';
import { createEnumeration } from '../../../mission/enumeration.ts';
import type { MeasureDefinition } from '../../../mission/platform.ts';

const of = (type: string, more: Partial<MeasureDefinition> = {}): MeasureDefinition => ({
  name: 'm',
  description: undefined,
  type,
  enumeration: undefined,
  unit: undefined,
  soft: undefined,
  hard: undefined,
  derived: undefined,
  calibrate: undefined,
  ...more,
});

describe('values as a run shows them', () => {
  it('a number in words means the number, in the fewest digits (samples.S1)', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = valueInWords(of('f32'), number);
        expect(Math.fround(Number(text))).toBe(number === 0 ? 0 : number);
        // A whole number is shown whole.
        if (Number.isSafeInteger(number)) return;
        expect(
          text
            .replace(/e.*$/, '')
            .replace(/[^\d]/g, '')
            .replace(/^0+|0+$/g, '').length,
        ).toBeLessThanOrEqual(9);
      }),
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const shown = Number(valueInWords(of('f64'), number));
        expect(Math.abs(shown - number)).toBeLessThanOrEqual(Math.abs(number) * 1e-7);
        if (Math.fround(number) !== number)
          expect(Math.abs(shown - number)).toBeLessThanOrEqual(Math.abs(number) * 1e-14);
      }),
    );
    fc.assert(
      fc.property(fc.maxSafeInteger(), (number) => {
        expect(Number(valueInWords(of('i64'), number))).toBe(number);
        expect(Number(namedInWords(number, undefined))).toBe(number);
      }),
    );
  });

  it('arithmetic leaves no trace', () => {
    const volts = of('f64', { unit: 'V', calibrate: (raw) => raw * 0.001 });
    expect(valueInWords(volts, 7421 * 0.001)).toBe('7.421 V');
    expect(valueInWords(volts, 0.1 + 0.2)).toBe('0.3 V');
    expect(valueInWords(of('f32', { unit: 'degC' }), Math.fround(-12.3))).toBe('-12.3 degC');
  });

  it('what the API shows as null is unknown: no value, no such enum value, no number', () => {
    const mode = of('Mode', { enumeration: createEnumeration('Mode', [['SAFE', 1]]) });
    expect([shownValue(mode, 1), shownValue(mode, 2), shownValue(mode, null)]).toEqual(['SAFE', null, null]);
    expect(shownValue(of('f64'), Number.POSITIVE_INFINITY)).toBeNull();
    expect(shownValue(of('string'), 5)).toBeNull();
    expect(valueInWords(mode, 2)).toBe('unknown');
    expect(namedInWords(null, 'dB')).toBe('unknown');
  });

  it('a whole number that no double holds stays exact', () => {
    expect(shownValue(of('u64'), '18446744073709551615')).toBe('18446744073709551615');
    expect(shownValue(of('u64'), '42')).toBe(42);
  });
});
