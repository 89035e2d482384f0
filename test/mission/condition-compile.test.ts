/**
 * What a condition may mean: names, units and kinds, checked when the mission is compiled (checker.G1,
 * condition/compile.D1).
 */

import { describe, expect, it } from 'vitest';
import { compileCondition, compileExpression } from '../../mission/condition/compile.ts';
import type { ConditionScope } from '../../mission/condition/scope.ts';
import { compiled, derived, followed, KEYS, OBC_MODE, PLATFORM, SCOPE } from './condition-platform.ts';

function faults(text: string, scope: ConditionScope = SCOPE): string[] {
  const result = compileCondition(text, scope);
  return result.ok
    ? []
    : result.faults.map(({ offset, message, help }) => `${offset}: ${message} | ${help ?? ''}`);
}

/** One fault, beginning like this (so that its offset counts). */
function expectOne(found: readonly string[], beginning: string): void {
  expect(found.map((fault) => fault.slice(0, beginning.length))).toEqual([beginning]);
}

describe('references', () => {
  it.each([
    ['voltage > 1 V', ['battery[2].voltage']],
    ['battery.voltage > 1 V', ['battery[2].voltage']],
    ['battery[1].voltage > 1 V', ['battery[1].voltage']],
    ['obc.counter changes', ['obc.counter']],
    ['obc.3v3 > 1 V', ['obc.3v3']],
    ['battery[$cell].voltage > 1 V', ['battery[1].voltage']],
    ['battery[1].voltage > battery[$cell].voltage', ['battery[1].voltage']],
    ['obc.on and (voltage > 1 V or obc.counter > 3)', ['obc.counter', 'obc.on', 'battery[2].voltage']],
    ['$level > 3 dB', []],
  ])('%s reads what it names', (text, keys) => {
    const evaluation = compiled(text).open({ instance: '2', names: { cell: '1', level: 4 } });
    expect(evaluation.reads.map((ordinal) => KEYS[ordinal])).toEqual(keys);
  });

  it.each([
    ['volts > 1 V', '0: "volts" is no measure | battery has: voltage, current, soc'],
    ['obc.modus == SAFE', '0: obc has no measure "modus" | it has: mode, spare,'],
    ['eps.x > 1 V', '0: no component "eps" | there are: obc, battery, radio, files'],
    ['battery[3].voltage > 1 V', '0: battery has no instance "3" | there are: 1, 2'],
    ['obc[1].counter > 1', '0: obc has no instances | write obc alone'],
    ['obc.counter[1] > 1', '0: "counter" is a measure and has no instances'],
    ['sat.obc.counter > 1', '0: not a reference to a measure | write component.measure'],
    ['battery[$pack].voltage > 1 V', '0: nothing is named $pack | there are: $mode, $cell'],
    [
      'battery[$level].voltage > 1 V',
      '0: $level is not an instance of battery | declare it as an instance of battery',
    ],
    ['battery[$wheel].voltage > 1 V', '0: $wheel is not an instance of battery'],
    ['files[one].transfer == 1', '0: files has no instance "one" | there are: any file identifier'],
    ['files[$cell].transfer == 1', '0: $cell is not an instance of files | declare it as a file_id'],
    ['$lvl > 3 dB', '0: nothing is named $lvl | there are: $mode'],
  ])('refuses %s', (text, fault) => {
    expectOne(faults(text), fault);
  });

  it('asks for the instance of another component, and for a component where there is no own one', () => {
    const obc = { ...SCOPE, own: 'obc' };
    expect(faults('battery.voltage > 1 V', obc)).toEqual([
      '0: battery needs an instance | write battery[…] with: 1, 2',
    ]);
    expect(faults('counter > 1', obc)).toEqual([]);
    expect(faults('counter > 1', { platform: PLATFORM })).toEqual([
      '0: "counter" is no measure | write component.measure',
    ]);
    expect(faults('$x > 1', { platform: PLATFORM })).toEqual([
      '0: nothing is named $x | no names exist here',
    ]);
  });

  it('a file that is not in the directory is unknown, not a defect', () => {
    const evaluation = compiled('files[$image].transfer == 1').open({ names: { image: 12 } });
    expect(evaluation.reads).toEqual([]);
    expect(evaluation.truth(0)).toBe(null);
  });

  it('condition/condition.N3 opens only with every name and instance bound', () => {
    expect(() => compiled('voltage > 1 V').open({})).toThrow('N3');
    expect(() => compiled('$level > 1 dB').open({})).toThrow('N3');
    expect(() => compiled('obc.mode == $mode').open({ names: { mode: 'LOST' } })).toThrow('N3');
    expect(() => compiled('battery[$cell].voltage > 1 V').open({ names: { cell: '9' } })).toThrow('N3');
  });

  describe('with roles', () => {
    const roles: ConditionScope = {
      roles: new Map([
        ['sat', PLATFORM],
        [
          'chaser',
          { components: PLATFORM.components, ordinal: (key) => 1000 + (PLATFORM.ordinal(key) ?? 0) },
        ],
      ]),
      names: SCOPE.names,
    };

    it('scope.R2 each reference is of the platform of its role', () => {
      const evaluation = compiled('sat.obc.counter > chaser.obc.counter', roles).open({});
      const counter = KEYS.indexOf('obc.counter');
      expect(evaluation.reads).toEqual([counter, 1000 + counter]);
      evaluation.feed(counter, 2, 0);
      evaluation.feed(1000 + counter, 1, 0);
      expect(evaluation.truth(0)).toBe(true);
    });

    it.each([
      ['obc.counter > 1', '0: no role "obc" | there are: sat, chaser'],
      ['sat.counter > 1', '0: not a reference to a measure | write role.component.measure'],
      ['sat.battery.voltage > 1 V', '0: battery needs an instance'],
      ['counter > 1', '0: "counter" is no measure'],
      ['sat[1].obc.counter > 1', '0: not a reference to a measure'],
    ])('scope.R2 refuses %s', (text, fault) => {
      expectOne(faults(text, roles), fault);
    });
  });
});

describe('units', () => {
  it.each([
    'voltage < 6800 mV',
    'voltage * current > 5 W',
    'voltage * current * 60 s > 1 J',
    'current * 1 h < 2 Ah',
    'voltage / battery[2].voltage > 0.9',
    '2 * soc > 50 %',
    'soc - battery[2].soc < 5 %',
    'rate(voltage, 60 s) < -0.1 V/min',
    'rate(obc.temperature, 60 s) < 1 degF/min',
    'rate(obc.counter, 60 s) < 2 Hz',
    'delta(obc.temperature, 60 s) < 3 K',
    'obc.temperature + 5 K > 20 degC',
    '5 K + obc.temperature > 20 degC',
    'obc.temperature - 20 degC > 5 K',
    'obc.temperature - 5 K > 20 degC',
    'obc.temperature - obc.outside > 5 K',
    'obc.temperature + (obc.outside - obc.temperature) / 2 > 5 degC',
    'obc.temperature + delta(obc.outside, 60 s) > 5 degC',
    'delta(obc.temperature, 60 s) - 5 K > 1 K',
    'obc.temperature within 2 K of 20 degC',
    'obc.temperature within 3.6 degF of obc.outside',
    'obc.temperature in [20 degC, 293 K]',
    '20 degC < obc.temperature',
    'radio.rssi - radio.noise > 10 dB',
    'radio.rssi - -100 dBm > 10 dB',
    'radio.rssi + 3 dB > -100 dBm',
    'radio.rssi within 3 dB of -100 dBm',
    'radio.rssi - $level > -100 dBm',
    'radio.rate * 10 s > 1 kB',
    'voltage > $floor',
    'age(voltage) > obc.limit',
    'abs(obc.temperature - 20 degC) < 5 K',
    'obc.counter > -3',
    '1 V < 2000 mV',
  ])('fit in %s', (text) => {
    expect(faults(text)).toEqual([]);
  });

  it.each([
    [
      'voltage < 6.8',
      '8: a voltage in V cannot be compared with a plain number | a voltage is written in V, uV',
    ],
    ['voltage < 3 A', '8: a voltage in V cannot be compared with a current in A | a voltage is written in V'],
    ['voltage < 3 v', '10: unknown unit "v" | case matters; write V'],
    ['voltage < 3 volt', '10: unknown unit "volt"'],
    [
      'obc.counter > 3 V',
      '12: a plain number cannot be compared with a voltage in V | write a number without unit',
    ],
    [
      'voltage + current > 3 V',
      '8: a current in mA cannot be added to a voltage in V | both sides must measure the same',
    ],
    ['voltage - 3 > 3 V', '8: a plain number cannot be taken from a voltage in V'],
    [
      'voltage * current > 5 V',
      '18: a power in V*mA cannot be compared with a voltage in V | a power is written in W',
    ],
    ['soc > 0.5', '4: a ratio in % cannot be compared with a plain number | a ratio is written in %'],
    [
      'obc.temperature + obc.outside > 3 K',
      '16: a temperature in degF cannot be added to a temperature in degC | for a mean',
    ],
    ['obc.temperature * 2 > 3 K', '0: a temperature in degC is absolute'],
    ['-obc.temperature < 3 degC', '0: a temperature in degC is absolute'],
    ['abs(obc.temperature) < 3 K', '4: a temperature in degC is absolute'],
    [
      'obc.temperature within 2 V of 20 degC',
      '23: a voltage in V cannot be compared with a temperature difference',
    ],
    [
      'obc.temperature within 2 K of 20 V',
      '16: a temperature in degC cannot be compared with a voltage in V',
    ],
    ['obc.temperature within -2 K of 20 degC', '23: the tolerance is negative'],
    [
      'delta(obc.temperature, 60 s) > 5',
      '29: a temperature difference in degC cannot be compared with a plain number',
    ],
    ['radio.rssi + radio.noise > 3 dBm', '11: a power level in dBm cannot be added to a power level in dBm'],
    ['radio.rssi > -100 dB', '11: a power level in dBm cannot be compared with a level difference in dB'],
    [
      'radio.rssi within 3 dBm of -100 dBm',
      '18: a power level in dBm cannot be compared with a level difference',
    ],
    ['radio.rssi * 2 > 3 dBm', '0: a power level in dBm is absolute'],
    ['1 / 0 > 2', '2: the result is not a number'],
    ['voltage > 1e999 V', '10: 1e999 is too large'],
  ])('do not fit in %s', (text, fault) => {
    expectOne(faults(text), fault);
  });
});

describe('kinds', () => {
  it.each([
    'obc.mode == SAFE',
    'SAFE == obc.mode',
    'obc.mode == "SAFE"',
    'obc.mode in [SAFE, NOMINAL]',
    'obc.mode == $mode',
    'obc.mode != obc.spare',
    'obc.on',
    'not obc.on and obc.on == true',
    'obc.on != obc.ready',
    '$armed',
    '(voltage > 3 V) == obc.on',
    'obc.label == "hot"',
    'obc.label in ["hot", "cold"]',
    'obc.key == "0xBEEF"',
    'obc.key == $tag',
    'obc.mode changes or obc.label changes or obc.on changes',
    'valid(voltage) and valid(obc.label) and valid(obc.on) and valid(obc.mode)',
    'count(obc.label, 60 s) > 3',
    'true',
  ])('fit in %s', (text) => {
    expect(faults(text)).toEqual([]);
  });

  it.each([
    ['voltage', '0: a condition is expected, this is a voltage in V | compare it'],
    ['obc.on and voltage', '11: a condition is expected, this is a voltage in V'],
    ['not obc.mode', '4: a condition is expected, this is a value of ObcMode'],
    ['SAFE', '0: "SAFE" is no measure'],
    ['obc.mode == SAVE', '12: "SAVE" is no value of ObcMode | it has: BOOT, SAFE, NOMINAL'],
    ['obc.mode == "safe"', '12: "safe" is no value of ObcMode'],
    ['obc.mode == 1', '9: a value of ObcMode cannot be compared with a plain number'],
    ['obc.mode < SAFE', '9: a value of ObcMode has no order | compare it with == or !='],
    ['obc.mode == obc.channel', '9: a value of ObcMode cannot be compared with a value of Channel'],
    ['voltage == LOW', '11: "LOW" is no measure'],
    ['obc.on == 1', '7: true or false cannot be compared with a plain number'],
    ['obc.label < "a"', '10: a text has no order'],
    ['obc.label == 3', '10: a text cannot be compared with a plain number'],
    ['obc.on + 1 > 2', '0: a number is expected, this is true or false'],
    ['voltage changes + 1', '16: unexpected "+"'],
    ['(voltage + 1 V) changes', '16: only a measure changes'],
    ['LOW changes', '0: "LOW" is no measure'],
    ['LOW in [A, B]', '0: "LOW" is no measure'],
    ['avg(obc.on, 60 s) > 1', '4: avg is of a number, this is true or false'],
    [
      'avg(voltage * 2, 60 s) > 1 V',
      '12: avg is of a measure, this is a voltage in V | name a derived measure',
    ],
    ['avg(voltage) > 1 V', '0: avg takes a measure and a window | write avg(measure, 60 s)'],
    ['avg(voltage, 60) > 1 V', '13: a duration is expected, this is a plain number'],
    ['avg(voltage, 0 s) > 1 V', '13: the duration is not positive'],
    ['avg(voltage, obc.limit) > 1 V', '13: a duration is expected'],
    [
      'median(voltage, 60 s) > 1 V',
      '0: no function "median" | there are: avg, min, max, delta, rate, count, age, valid, abs',
    ],
    ['toString(voltage) > 1 V', '0: no function "toString"'],
    ['age(voltage, 60 s) > 1 s', '0: age takes a measure and nothing else'],
    ['age(voltage) + 3 s > 60 s', '0: an age must be alon'],
    ['age(voltage) == 60 s', '13: an age is never equal'],
    ['age(voltage) > age(current)', '13: two ages cannot be compared'],
    ['age(voltage) > 60', '13: an age is compared with a duration, this is a plain number'],
    ['valid(LOW)', '6: "LOW" is no measure'],
    ['obc.on stable for 3', '18: a duration is expected'],
    ['obc.on stable for -3 s', '18: the duration is not positive'],
    ['obc.on stable for 3 V', '18: a duration is expected, this is a voltage in V'],
  ])('do not fit in %s', (text, fault) => {
    expectOne(faults(text), fault);
  });
});

describe('faults', () => {
  it('condition/compile.D1 all of one condition are reported at once, in the order of the text', () => {
    const found = faults('(voltage + 3 A) > 1 V and foo.x > 1 or $y < 3 and obc.mode in [SAFE, ONE, TWO]');
    expect(found.map((fault) => fault.split(' | ')[0])).toEqual([
      '9: a current in A cannot be added to a voltage in V',
      '26: no component "foo"',
      '39: nothing is named $y',
      '69: "ONE" is no value of ObcMode',
      '74: "TWO" is no value of ObcMode',
    ]);
  });

  it('checker.G1 a part with a fault is reported no other', () => {
    expect(faults('abs(foo.x + 3 A) > 1 V stable for 3 s')).toHaveLength(1);
    expect(faults('foo in [A, B, C]')).toHaveLength(1);
  });
});

describe('derived measures', () => {
  it('are expressed in the unit of the measure', () => {
    const power = derived('voltage * current', { unit: 'W' });
    power.feed('voltage', 8, 0);
    power.feed('current', 500, 0);
    expect(power.value(0)).toBe(4);
  });

  it('may be booleans and values of an enumeration', () => {
    const low = derived('voltage < 6 V', { type: 'bool' });
    expect(low.value(0)).toBe(null);
    low.feed('voltage', 5, 0);
    expect(low.value(0)).toBe(1);
    low.feed('voltage', 7, 1);
    expect(low.value(1)).toBe(0);
    const mode = derived('obc.mode', { type: 'ObcMode', enumeration: OBC_MODE });
    mode.feed('obc.mode', 2, 0);
    expect(mode.value(0)).toBe(2);
  });

  it('are unknown while an input is, and where they divide by zero', () => {
    const ratio = derived('voltage / battery[2].voltage');
    ratio.feed('voltage', 8, 0);
    expect(ratio.value(0)).toBe(null);
    ratio.feed('battery[2].voltage', 4, 0);
    expect(ratio.value(0)).toBe(2);
    ratio.feed('battery[2].voltage', 0, 1);
    expect(ratio.value(1)).toBe(null);
    ratio.feed('battery[2].voltage', null, 2);
    expect(ratio.value(2)).toBe(null);
  });

  it('have the ground time of their oldest input', () => {
    const sum = derived('voltage + battery[2].voltage', { unit: 'V' });
    sum.feed('voltage', 8, 1000);
    expect(sum.groundTimeMs(1000)).toBe(undefined);
    sum.feed('battery[2].voltage', 8, 3000);
    expect(sum.groundTimeMs(3000)).toBe(1000);
    sum.feed('voltage', 8, 4000);
    expect(sum.groundTimeMs(4000)).toBe(3000);
  });

  it('become null when their window runs empty', () => {
    const mean = derived('avg(voltage, 60 s)', { unit: 'mV' });
    mean.feed('voltage', 8, 0);
    expect(mean.value(59_999)).toBe(8000);
    expect(mean.deadline(0)).toBe(60_000);
    expect(mean.value(60_000)).toBe(null);
  });

  it('say whether they look at history', () => {
    expect(derived('voltage * 2', { unit: 'V' }).temporal).toBe(false);
    expect(derived('avg(voltage, 60 s)', { unit: 'V' }).temporal).toBe(true);
    expect(derived('voltage > 3 V stable for 3 s', { type: 'bool' }).temporal).toBe(true);
    expect(derived('age(voltage) > 3 s', { type: 'bool' }).temporal).toBe(true);
    expect(compiled('voltage changes').temporal).toBe(true);
    expect(compiled('voltage > 3 V').temporal).toBe(false);
  });

  it.each([
    ['voltage * current', 'f64', 'V', 'the measure is in V, this is a power in V*mA'],
    ['voltage', 'f64', undefined, 'the measure is f64, this is a voltage in V'],
    ['voltage', 'bool', undefined, 'the measure is bool, this is a voltage in V'],
    ['obc.on', 'f64', undefined, 'the measure is f64, this is true or false'],
    ['obc.label', 'string', undefined, 'the measure is string, this is a text'],
    ['age(voltage)', 'f64', 's', 'the measure is in s, this is a time in ms'],
    ['voltage +', 'f64', 'V', 'the condition ends too early'],
  ])('refuse %s for a measure of type %s in %s', (text, type, unit, message) => {
    const result = compileExpression(text, SCOPE, { type, unit, enumeration: undefined });
    expect(result.ok || result.faults[0].message).toBe(message);
  });
});

describe('numbers', () => {
  it('converts literals exactly and measures as well as doubles can', () => {
    const close = followed('voltage == 7100 mV');
    close.feed('voltage', 7.1, 0);
    expect(close.truth(0)).toBe(true);
    const power = followed('voltage * current >= 5 W');
    power.feed('voltage', 10, 0);
    power.feed('current', 500, 0);
    expect(power.truth(0)).toBe(true);
  });

  it.each([
    ['obc.temperature within 2 K of 20 degC', 'obc.temperature', 22, true],
    ['obc.temperature within 2 K of 20 degC', 'obc.temperature', 22.1, false],
    ['obc.temperature within 3.6 degF of 293.15 K', 'obc.temperature', 18, true],
    ['voltage within 0.1 V of 7.2 V', 'voltage', 7.1, true],
    ['voltage within 0.1 V of 7.2 V', 'voltage', 7.3, true],
    ['voltage within 0.1 V of 7.2 V', 'voltage', 7.31, false],
    ['obc.temperature - 20 degC > 5 K', 'obc.temperature', 25.5, true],
    ['obc.temperature - 5 K > 20 degC', 'obc.temperature', 25.5, true],
    ['obc.temperature - 5 K > 20 degC', 'obc.temperature', 24, false],
    ['obc.temperature + 9 degF > 20 degC', 'obc.temperature', 15.5, true],
    ['20 degC < obc.temperature', 'obc.temperature', 21, true],
    ['obc.outside > 20 degC', 'obc.outside', 68.1, true],
    ['radio.rssi - -100 dBm > 10 dB', 'radio.rssi', -89, true],
    ['radio.rate * 10 s >= 1 kB', 'radio.rate', 0.8, true],
    ['obc.counter == 0x1F', 'obc.counter', 31, true],
    ['-(obc.counter) == -5', 'obc.counter', 5, true],
    ['abs(3 - obc.counter) == 2', 'obc.counter', 5, true],
    ['obc.counter / 2 == 2.5', 'obc.counter', 5, true],
    ['7 - 2 - obc.counter == 0', 'obc.counter', 5, true],
    ['obc.counter in [1, 2 + 3, 9]', 'obc.counter', 5, true],
    ['obc.counter in [1, 9]', 'obc.counter', 5, false],
    ['obc.counter != 5', 'obc.counter', 5, false],
    ['obc.counter >= 5 and obc.counter <= 5', 'obc.counter', 5, true],
    ['obc.big >= 1e19', 'obc.big', '18446744073709551615', true],
    ['obc.mode in [SAFE, NOMINAL]', 'obc.mode', 2, true],
    ['obc.mode in [SAFE, NOMINAL]', 'obc.mode', 0, false],
    ['obc.label == "hot"', 'obc.label', 'hot', true],
    ['obc.label != "hot"', 'obc.label', 'hot', false],
    ['obc.key == "0xBEef"', 'obc.key', 'beef', true],
    ['obc.on', 'obc.on', 1, true],
    ['obc.on == false', 'obc.on', 1, false],
  ])('%s is with %s = %s: %s', (text, key, value, truth) => {
    const evaluation = followed(text);
    expect(evaluation.truth(0)).toBe(null);
    evaluation.feed(key, value, 0);
    expect(evaluation.truth(0)).toBe(truth);
  });

  it('compares with the values its names are bound to', () => {
    const names = { mode: 'SAFE', floor: 6500, armed: true, tag: 'BEEF', level: 3 };
    const evaluation = followed('obc.mode == $mode and voltage > $floor and $armed and obc.key == $tag', {
      names,
    });
    evaluation.feed('obc.mode', 1, 0);
    evaluation.feed('voltage', 6.6, 0);
    evaluation.feed('obc.key', 'beef', 0);
    expect(evaluation.truth(0)).toBe(true);
    evaluation.feed('voltage', 6.4, 1);
    expect(evaluation.truth(1)).toBe(false);
  });
});
