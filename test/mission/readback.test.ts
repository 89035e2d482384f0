/** When a sample says the value of a parameter (section 2.5, `matches`). */

import { expect, it } from 'vitest';
import { createCalibration, createStep } from '../../mission/calibration.ts';
import type { CalibrationConfiguration } from '../../mission/configuration.ts';
import type { MeasureDefinition, Parameter } from '../../mission/platform.ts';
import { asReadback, readsAs } from '../../mission/readback.ts';

const measure = (type: string, more: Partial<MeasureDefinition> = {}): MeasureDefinition => ({
  name: 'x',
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
const calibrated = (calibration: CalibrationConfiguration) => {
  const step = createStep(calibration);
  return measure('f64', { calibrate: createCalibration(calibration), ...(step !== undefined && { step }) });
};
const linear = calibrated({ polynomial: [-40, 0.01] });
const table = calibrated({
  points: [
    [0, 0],
    [10, 1],
    [20, 11],
  ],
});
const curve = calibrated({ polynomial: [0, 1, 0.5] });
const fround = Math.fround(0.1);

it.each<[string, MeasureDefinition, number | boolean | string | null, number | boolean | string, boolean]>([
  ['an f32 as an f32', measure('f32'), fround, 0.1, true],
  ['an f64 that an f32 carried', measure('f64'), fround, 0.1, true],
  ['its neighbour', measure('f32'), Math.fround(fround + 2 ** -26), 0.1, false],
  ['what the arithmetic of units leaves', measure('f64'), 0.3, 0.1 + 0.2, true],
  ['a count', measure('u16'), 60, 60, true],
  ['the next count', measure('u16'), 61, 60, false],
  ['a count of what lies between two', measure('u16'), 1_500, 1_500.5, true],
  ['a count that no double holds', measure('u64'), '9007199254740993', '9007199254740993', true],
  ['another such', measure('u64'), '9007199254740993', '9007199254740992', false],
  ['the step below', linear, 7.4, 7.404, true],
  ['the step above', linear, 7.41, 7.404, true],
  ['the next step', linear, 7.42, 7.404, false],
  ['a whole step away', linear, -1.99, -2, false],
  ['a fine piece of a table', table, 0.5, 0.55, true],
  ['a whole step of it', table, 0.5, 0.6, false],
  ['a coarse piece of a table', table, 5, 5.9, true],
  ['past its ends, where nothing is known', table, 12, 12.05, false],
  ['a curve, exactly', curve, 1.5, 1.5, true],
  ['a curve, nearly', curve, 1.5, 1.6, false],
  ['bytes in either case', measure('bytes'), '00ff', '0x00FF', true],
  ['text', measure('string'), 'On', 'on', false],
  ['a boolean', measure('bool'), true, true, true],
  ['unknown', measure('f64'), null, 0, false],
])('readback.B1 B2 MC-PAR-016 %s', (_what, definition, shown, wanted, says) => {
  expect(readsAs(definition, shown, wanted)).toBe(says);
});

it('readback.B3 MC-PAR-016 compares in the unit of the measure what is in the unit of the parameter', () => {
  const parameter = (unit: string | undefined) => ({ unit }) as Parameter;
  const seconds = measure('u16', { unit: 's' });
  expect(asReadback(2, parameter('min'), seconds)).toBe(120);
  expect(asReadback(273.15, parameter('K'), measure('f64', { unit: 'degC' }))).toBe(0);
  expect(asReadback(7, parameter(undefined), measure('u8'))).toBe(7);
  expect(asReadback('NOMINAL', parameter(undefined), measure('Mode'))).toBe('NOMINAL');
});
