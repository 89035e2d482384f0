/** A small platform for the tests of conditions, its measures fed by key. */

import { expect } from 'vitest';
import {
  type CompiledCondition,
  compileCondition,
  compileExpression,
} from '../../mission/condition/compile.ts';
import type { Bindings, Feed } from '../../mission/condition/condition.ts';
import type {
  ConditionScope,
  ScopeComponent,
  ScopeMeasure,
  ScopePlatform,
} from '../../mission/condition/scope.ts';
import type { Enumeration } from '../../mission/platform.ts';

export const OBC_MODE = enumeration('ObcMode', ['BOOT', 'SAFE', 'NOMINAL']);
const CHANNEL = enumeration('Channel', ['payload', 'heater']);

const COMPONENTS: readonly ScopeComponent[] = [
  component('obc', [], {
    mode: ['ObcMode', undefined, OBC_MODE],
    spare: ['ObcMode', undefined, OBC_MODE],
    channel: ['Channel', undefined, CHANNEL],
    counter: ['u16'],
    expected: ['u16'],
    big: ['u64'],
    temperature: ['f64', 'degC'],
    outside: ['f64', 'degF'],
    label: ['string'],
    key: ['bytes'],
    on: ['bool'],
    ready: ['bool'],
    '3v3': ['f64', 'V'],
    limit: ['f64', 'min'],
  }),
  component('battery', ['1', '2'], {
    voltage: ['f64', 'V'],
    current: ['f64', 'mA'],
    soc: ['f64', '%'],
  }),
  component('radio', [], { rssi: ['f64', 'dBm'], noise: ['f64', 'dBm'], rate: ['f64', 'kbit/s'] }),
  { ...component('files', [], { transfer: ['u8'] }), files: true },
];

export const KEYS: readonly string[] = COMPONENTS.flatMap(({ name, instances, measures }) =>
  (instances.length === 0 ? [name] : instances.map((instance) => `${name}[${instance}]`)).flatMap((of) =>
    measures.map((measure) => `${of}.${measure.name}`),
  ),
);

export const PLATFORM: ScopePlatform = {
  components: new Map(COMPONENTS.map((one) => [one.name, one])),
  ordinal: (key) => (KEYS.includes(key) ? KEYS.indexOf(key) : undefined),
};

export const SCOPE: ConditionScope = {
  platform: PLATFORM,
  own: 'battery',
  names: new Map([
    ['mode', { type: 'ObcMode', enumeration: OBC_MODE }],
    ['cell', { type: 'instance', of: 'battery' }],
    ['wheel', { type: 'instance', of: 'wheels' }],
    ['image', { type: 'file_id' }],
    ['level', { type: 'f64', unit: 'dB' }],
    ['floor', { type: 'f64', unit: 'mV' }],
    ['armed', { type: 'bool' }],
    ['tag', { type: 'bytes' }],
  ]),
};

/** The condition compiled; fails the test when it is refused. */
export function compiled(text: string, scope = SCOPE): CompiledCondition {
  const result = compileCondition(text, scope);
  if (!result.ok) expect.fail(`${text}: ${JSON.stringify(result.faults)}`);
  return result.value;
}

export interface Followed {
  /** Feeds a sample at `at` (ms). */
  feed(key: string, value: number | string | null, at: number): void;
  prime(key: string, value: number | string | null, at: number): void;
  truth(now: number): true | false | null;
  deadline(now: number): number | undefined;
}

/** An evaluation whose samples are fed by key. Bare measures are those of battery 1. */
export function followed(text: string, bindings: Bindings = {}): Followed {
  const evaluation = compiled(text).open({ instance: '1', ...bindings });
  return { ...byKey(evaluation), truth: (now) => evaluation.truth(now) };
}

/** A derived measure of battery 1 whose samples are fed by key. */
export function derived(text: string, measure: Partial<ScopeMeasure> = {}) {
  const result = compileExpression(text, SCOPE, {
    type: 'f64',
    unit: undefined,
    enumeration: undefined,
    ...measure,
  });
  if (!result.ok) expect.fail(`${text}: ${JSON.stringify(result.faults)}`);
  const evaluation = result.value.open({ instance: '1' });
  return {
    ...byKey(evaluation),
    temporal: result.value.temporal,
    value: (now: number) => evaluation.value(now),
    groundTimeMs: (now: number) => evaluation.groundTimeMs(now),
  };
}

function byKey(evaluation: Feed) {
  return {
    feed: (key: string, value: number | string | null, at: number) =>
      evaluation.feed(ordinalOf(key), value, at),
    prime: (key: string, value: number | string | null, at: number) =>
      evaluation.prime(ordinalOf(key), value, at),
    deadline: (now: number) => evaluation.deadline(now),
  };
}

function ordinalOf(key: string): number {
  const ordinal = PLATFORM.ordinal(key.includes('.') ? key : `battery[1].${key}`);
  if (ordinal === undefined) throw new Error(`no measure ${key}`);
  return ordinal;
}

function component(
  name: string,
  instances: readonly string[],
  measures: Record<string, [type: string, unit?: string | undefined, enumeration?: Enumeration]>,
): ScopeComponent {
  const list = Object.entries(measures).map(([measure, [type, unit, of]]) => ({
    name: measure,
    type,
    unit,
    enumeration: of,
  }));
  return { name, instances, files: false, measures: list };
}

function enumeration(name: string, names: readonly string[]): Enumeration {
  return {
    name,
    names,
    nameOf: (number) => names[number],
    numberOf: (value) => (names.includes(value) ? names.indexOf(value) : undefined),
  };
}
