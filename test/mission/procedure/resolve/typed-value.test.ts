/** Input values: each form of section 2.3, as it is taken and as it is refused. */

import { describe, expect, it } from 'vitest';
import { faultsOf, program, reportedAt, STORED, UNKNOWN_UPLOAD } from '../run-mission.ts';

const taken = (name: string, value: string | number | boolean): unknown =>
  program('typed', { inputs: { [name]: value } }).inputs[name];
/** The message of the refusal, which must be the only one. */
function refusal(name: string, value: string | number | boolean): string {
  const part = { inputs: { [name]: value } };
  expect(reportedAt('typed', part)).toEqual([`run::invalid-input /inputs/${name}`]);
  return faultsOf('typed', part)[0]?.message ?? '';
}

describe('a number', () => {
  it('MC-RUN-006 with a unit is a quantity, converted to the unit of the input', () => {
    expect(taken('period', '2 min')).toBe(120);
    expect(taken('period', '90000 ms')).toBe(90);
    expect(refusal('period', '2 V')).toContain('"2 V" is a voltage');
  });

  it('MC-RUN-014 with a unit is refused when it is given without', () => {
    expect(refusal('period', 120)).toBe('input "period": 120 has no unit');
    expect(refusal('period', '120')).toBe('input "period": "120" has no unit');
    expect(faultsOf('typed', { inputs: { period: 120 } })[0]?.help).toBe(
      'write a quantity in s, like "10 s"',
    );
  });

  it('MC-RUN-007 without a unit is a plain number', () => {
    expect(taken('ratio', 0.25)).toBe(0.25);
    expect(refusal('ratio', '0.25')).toContain('"0.25" is text');
    expect(refusal('ratio', true)).toContain('true is not a number');
    expect(refusal('ratio', 1e39)).toContain('does not fit f32');
  });

  it('MC-RUN-008 of an integer type is whole and within its bounds', () => {
    expect([taken('small', -128), taken('small', 127)]).toEqual([-128, 127]);
    expect(refusal('small', 128)).toContain('128 does not fit i8');
    expect(refusal('small', 1.5)).toContain('1.5 is no integer');
    expect(refusal('period', '1500 ms')).toContain('is no integer');
    expect(taken('big', '18446744073709551615')).toBe('18446744073709551615');
    expect(refusal('big', '18446744073709551616')).toContain('does not fit u64');
  });

  it('MC-ERR-065 stays inside the range of the input', () => {
    expect(taken('percent', 100)).toBe(100);
    expect(refusal('percent', 100.5)).toContain('outside its range');
  });
});

describe('another value', () => {
  it('MC-RUN-009 of a bool is true or false', () => {
    expect([taken('on', true), taken('on', false)]).toEqual([true, false]);
    for (const value of ['true', 1, 0]) expect(refusal('on', value)).toContain('is not a boolean');
  });

  it('MC-RUN-010 of an enum is one of its values', () => {
    expect(taken('mode', 'NOMINAL')).toBe('NOMINAL');
    expect(refusal('mode', 1)).toContain('1 is no value of Mode');
    expect(refusal('mode', 'nominal')).toContain('"nominal" is no value of Mode');
  });

  it('MC-RUN-011 of bytes is hexadecimal with or without 0x', () => {
    expect([taken('data', '0x00FF'), taken('data', '00ff')]).toEqual(['00ff', '00ff']);
    expect(refusal('data', '0x0')).toContain('not hexadecimal');
    expect(refusal('data', 12)).toContain('not hexadecimal');
  });

  it('of text is text', () => {
    expect(taken('text', '10 V')).toBe('10 V');
    expect(refusal('text', 5)).toContain('is not text');
  });

  it('of an instance is one that the component has', () => {
    expect([taken('cell', '2'), taken('cell', 2)]).toEqual(['2', '2']);
    expect(refusal('cell', '3')).toBe('input "cell": "3" is not an instance of battery');
    expect(refusal('cell', true)).toContain('true is not an instance');
  });

  it('MC-RUN-012 of a file identifier is a whole number from 0', () => {
    expect([taken('image', 0), taken('image', 4_294_967_296)]).toEqual([0, 4_294_967_296]);
    for (const value of [-1, 0.5, 'x', true])
      expect(refusal('image', value)).toContain('is not a file identifier');
  });

  it('MC-RUN-013 of a file is the SHA-256 of stored content, in lower case', () => {
    expect(taken('patch', STORED.toUpperCase())).toBe(STORED);
    expect(refusal('patch', 'ab')).toContain('is not a SHA-256');
    expect(refusal('patch', 7)).toContain('is not a SHA-256');
  });

  it('MC-RUN-015 of a file whose content is not stored is refused', () => {
    expect(refusal('patch', UNKNOWN_UPLOAD)).toBe(
      `input "patch": no content is stored under ${UNKNOWN_UPLOAD}`,
    );
  });
});

it('MC-RUN-005 takes the default of an input that is left out, null where it is the default', () => {
  expect(program('typed').inputs).toEqual({
    period: 60,
    small: 0,
    ratio: 0.5,
    big: 0,
    percent: 1,
    on: false,
    mode: 'SAFE',
    data: '00',
    text: 'a',
    cell: '1',
    image: null,
    patch: null,
  });
});
