/** Which value of a parameter counts (section 2.5). */

import { expect, it } from 'vitest';
import type { ParameterValues, Target } from '../../../../mission/mission.ts';
import {
  isManaged,
  type ParameterPlace,
  parameterName,
  parameterValue,
} from '../../../../mission/parameter-values.ts';
import { mission } from '../run-mission.ts';

const parameter = mission.platforms.get('box@1.0.0')!.components.get('battery')!.parameters[0]!;
const place = (instance: string | undefined): ParameterPlace => ({
  component: 'battery',
  instance,
  parameter,
});

function target(parameters: Readonly<Record<string, Partial<ParameterValues>>>): Target {
  const each = Object.entries(parameters);
  return {
    ...mission.targets.get('sat1')!,
    parameters: each.map(([key, values]) => ({ key, values: {}, environments: {}, ...values })),
  };
}

const own = { values: { safe: 1 }, environments: { bench: { safe: 2 } } };
const common = { values: { safe: 3, nominal: 5 }, environments: { bench: { safe: 4 } } };
const both = target({ 'battery.heater_on': common, 'battery[1].heater_on': own });
const valueIn = (of: Target, instance: string | undefined, mode = 'safe', environment?: string): unknown =>
  parameterValue(of, place(instance), mode, environment);

it('MC-PAR-012 takes the override of the key with instance, then the value of the target', () => {
  expect(valueIn(both, '1', 'safe', 'bench')).toBe(2);
  expect(valueIn(both, '1', 'safe', 'lab')).toBe(1);
  expect(valueIn(both, '1')).toBe(1);
});

it('MC-PAR-013 takes the key without instance for an instance without its own value, the override first', () => {
  expect(valueIn(both, '2', 'safe', 'bench')).toBe(4);
  expect(valueIn(both, '2', 'safe', 'lab')).toBe(3);
  expect(valueIn(both, '1', 'nominal', 'bench')).toBe(5);
});

it('MC-PAR-014 leaves an instance with its own value in the same mode to itself, whatever overrides the other key', () => {
  const plain = target({ 'battery.heater_on': common, 'battery[1].heater_on': { values: { safe: 1 } } });
  expect(valueIn(plain, '1', 'safe', 'bench')).toBe(1);
});

it('has no value where neither key has one', () => {
  expect(valueIn(both, '1', 'low')).toBeUndefined();
  expect(valueIn(both, '1', 'constructor', 'constructor')).toBeUndefined();
  expect(valueIn(target({}), undefined)).toBeUndefined();
});

it('is managed by the modes of a target that gives it any value', () => {
  expect(isManaged(both, place('2'))).toBe(true);
  expect(isManaged(target({ 'battery[1].heater_on': own }), place('2'))).toBe(false);
  expect(isManaged(target({ 'battery.heater_on': { environments: { lab: { safe: 1 } } } }), place('2'))).toBe(
    true,
  );
  expect(isManaged(target({ 'battery.heater_on': { environments: { lab: {} } } }), place('2'))).toBe(false);
});

it('is named with its instance', () => {
  expect([parameterName(place('2')), parameterName(place(undefined))]).toEqual([
    'battery[2].heater_on',
    'battery.heater_on',
  ]);
});
