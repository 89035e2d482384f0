import { describe, expect, it } from 'vitest';
import { operandText, operandValue, sendValues } from '../../../actors/run/operands.ts';
import type { SendStatement } from '../../../contract/program.ts';
import { MISSION } from './effects/effect-world.ts';

const send = (telecommand: string, more: Partial<SendStatement>): SendStatement => {
  const [component, name] = telecommand.split('.');
  return {
    kind: 'send',
    target: 'sat1',
    link: 'uhf',
    component: component!,
    telecommand: name!,
    args: {},
    changesState: true,
    hazardous: false,
    retry: 0,
    ...more,
  };
};

describe('the value of an operand', () => {
  it('is what was resolved, or the answer of that name', () => {
    expect(operandValue({ value: 7 }, {})).toEqual({ ok: true, value: 7 });
    expect(operandValue({ name: 'level' }, { level: false })).toEqual({ ok: true, value: false });
    expect(operandText({ name: 'image' }, { image: 7 })).toEqual({ ok: true, value: '7' });
  });

  it('is converted to the unit of what takes it (operands.O1)', () => {
    expect(operandValue({ name: 'gap', unit: 'min' }, { gap: 2 }, 's')).toEqual({ ok: true, value: 120 });
    expect(operandValue({ name: 'gap', unit: 'min' }, { gap: 2 })).toEqual({ ok: true, value: 2 });
  });

  it('is refused when it was not given, or measures something else', () => {
    for (const answers of [{}, { gap: null }]) {
      expect(operandValue({ name: 'gap' }, answers)).toEqual({ ok: false, faults: ['$gap has no value'] });
    }
    const faults = ['$gap is in V, which cannot be told in s'];
    expect(operandValue({ name: 'gap', unit: 'V' }, { gap: 2 }, 's')).toEqual({ ok: false, faults });
    expect(operandValue({ name: 'toString' }, {}).ok).toBe(false);
  });
});

describe('the values of a telecommand', () => {
  it('are resolved ones as they are, answers converted, defaults where nothing is given', () => {
    const period = { period: { name: 'gap', unit: 'min' } };
    expect(sendValues(send('obc.set_watchdog', { args: period }), MISSION, { gap: 2 })).toEqual({
      ok: true,
      value: { args: { period: 120 } },
    });
    expect(sendValues(send('obc.set_watchdog', {}), MISSION, {})).toEqual({
      ok: true,
      value: { args: { period: 60 } },
    });
  });

  it('take an instance that is an answer', () => {
    const heater = send('battery.set_heater', {
      instance: { name: 'cell' },
      args: { on_below: { value: -5 } },
    });
    expect(sendValues(heater, MISSION, { cell: '2' })).toEqual({
      ok: true,
      value: { instance: '2', args: { on_below: -5 } },
    });
    expect(sendValues(heater, MISSION, { cell: '9' })).toMatchObject({
      faults: ['component battery has no instance "9"'],
    });
  });

  it('are refused, all at once, when an answer does not fit the catalogue (operands.O2)', () => {
    const heater = send('battery.set_heater', {
      instance: { name: 'cell' },
      args: { on_below: { name: 'limit', unit: 'degC' } },
    });
    const result = sendValues(heater, MISSION, { limit: 35 });
    expect(result).toMatchObject({ ok: false });
    expect(result.ok ? [] : result.faults).toEqual([
      expect.stringMatching(/"on_below".*outside its range.*-20 to 20 degC/),
      '$cell has no value',
    ]);
  });

  it('are refused once for an answer that is missing', () => {
    const result = sendValues(send('obc.set_watchdog', { args: { period: { name: 'gap' } } }), MISSION, {});
    expect(result).toEqual({ ok: false, faults: ['argument "period": $gap has no value'] });
  });

  it('are refused when the catalogue has no such telecommand', () => {
    expect(sendValues(send('obc.fly', {}), MISSION, {})).toMatchObject({
      faults: ['the catalogue of sat1 has no obc.fly'],
    });
  });
});
