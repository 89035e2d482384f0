import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CompiledCondition,
  compileCondition,
  compileExpression,
} from '../../mission/condition/compile.ts';
import { KEYS, PLATFORM, SCOPE } from '../mission/condition-platform.ts';
import { FUZZ_TEST_MS, fuzz } from './cases.ts';
import { demand } from './demand.ts';
import { mutated, noise } from './text.ts';

const WRITTEN = [
  'mode == $mode',
  'obc.mode == SAFE and battery[1].soc > 20 %',
  'not (obc.temperature within 2 K of obc.outside) or obc.on',
  'battery[$cell].voltage - voltage < 0.1 V stable for 10 s',
  'max(voltage, 30 s) - min(voltage, 30 s) > $floor',
  'obc.mode in [SAFE, NOMINAL] and age(obc.mode) < 5 s',
  'rate(obc.counter, 10 s) > 0 1/s and obc.counter changes',
  'radio.rssi > radio.noise + 3 dB and (obc.3v3 * 2) / 3 >= 2.2 V and stable for 1 min',
  'delta(soc) < -1 % or count(obc.ready, 1 min) > 3',
];

const term: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...KEYS,
    'voltage',
    'soc',
    '$mode',
    '$cell',
    '$level',
    '$floor',
    '$armed',
    '$tag',
    '$nobody',
  ),
  fc.constantFrom('SAFE', 'true', 'false', '"ok"', '0x1F', 'battery[$cell].voltage', 'nothing.here'),
  fc
    .tuple(
      fc.oneof(fc.nat(300), fc.double({ min: 0, max: 1e9, noNaN: true })),
      fc.constantFrom('V', 'mV', 's', 'ms', '%', 'degC', 'dB', 'min', 'mA', ''),
    )
    .map(([number, unit]) => `${number} ${unit}`.trim()),
);

/** Sentences of the grammar: they parse, and mostly have something wrong with kinds and units. */
const { sentence } = fc.letrec<{ sentence: string; number: string }>((tie) => ({
  sentence: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc
      .tuple(tie('number'), fc.constantFrom('<', '<=', '==', '!=', '>', '>='), tie('number'))
      .map((all) => all.join(' ')),
    tie('number').map((text) => `${text} changes`),
    fc.tuple(tie('number'), tie('number'), tie('number')).map(([a, b, c]) => `${a} within ${b} of ${c}`),
    fc
      .tuple(tie('number'), fc.array(term, { minLength: 1, maxLength: 3 }))
      .map(([a, list]) => `${a} in [${list.join(', ')}]`),
    fc
      .tuple(tie('sentence'), fc.constantFrom('and', 'or'), tie('sentence'))
      .map((all) => `(${all.join(' ')})`),
    tie('sentence').map((text) => `not (${text})`),
    fc.tuple(tie('sentence'), term).map(([text, time]) => `(${text}) stable for ${time}`),
  ),
  number: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    term,
    fc
      .tuple(tie('number'), fc.constantFrom('+', '-', '*', '/'), tie('number'))
      .map((all) => `(${all.join(' ')})`),
    fc
      .tuple(
        fc.constantFrom('rate', 'delta', 'min', 'max', 'mean', 'avg', 'abs', 'age', 'count', 'sum'),
        fc.array(tie('number'), { minLength: 1, maxLength: 3 }),
      )
      .map(([name, args]) => `${name}(${args.join(', ')})`),
  ),
}));

interface Fed {
  readonly key: string;
  readonly value: number | string | null;
  readonly afterMs: number;
}

const fed: fc.Arbitrary<Fed> = fc.record({
  key: fc.constantFrom(...KEYS),
  value: fc.oneof(fc.double(), fc.integer({ min: -3, max: 300 }), fc.constant(null), noise),
  afterMs: fc.oneof(fc.nat(2_000), fc.integer({ min: -5_000, max: 120_000 })),
});

const BINDINGS = {
  instance: '1',
  names: { mode: 'SAFE', cell: '2', level: 3, floor: 100, armed: true, tag: 'c0ffee' },
};

/** Follows it: each truth is one of three, and a deadline lies in the future. */
function follow(condition: CompiledCondition, samples: readonly Fed[]): void {
  const evaluation = condition.open(BINDINGS);
  let now = 1_000_000;
  for (const { key, value, afterMs } of samples) {
    now = Math.max(0, now + afterMs);
    const ordinal = PLATFORM.ordinal(key)!;
    if (evaluation.reads.includes(ordinal)) evaluation.feed(ordinal, value, now);
    const truth: unknown = evaluation.truth(now);
    demand(truth === true || truth === false || truth === null, 'a fourth truth');
    const deadline = evaluation.deadline(now);
    demand(deadline === undefined || deadline >= now, 'a deadline in the past');
  }
}

function check(text: string, samples: readonly Fed[]): void {
  const condition = compileCondition(text, SCOPE);
  const expression = compileExpression(text, SCOPE, { type: 'f64', unit: 'V', enumeration: undefined });
  for (const refused of [condition, expression]) {
    if (refused.ok) continue;
    for (const { message, offset } of refused.faults) {
      demand(message !== '', 'a refusal without a reason');
      demand(offset >= 0 && offset <= text.length, 'a fault outside the text');
    }
  }
  if (condition.ok) follow(condition.value, samples);
  if (expression.ok) {
    const value = expression.value.open(BINDINGS).value(0);
    demand(value === null || Number.isFinite(value), 'a value that is no number');
  }
}

const samples = fc.array(fed, { maxLength: 8 });

describe('any text as a condition', { timeout: FUZZ_TEST_MS }, () => {
  it('noise and damaged conditions compile or are refused with a reason and a place in the text', () => {
    const text = fc.oneof(noise, mutated(WRITTEN), mutated(WRITTEN.map((one) => `${one} and `.repeat(9))));
    fuzz({ cases: 5_000 }, fc.tuple(text, samples), ([each, fedSamples]) => check(each, fedSamples));
  });

  it('sentences of the grammar compile or are refused, and those that compile follow any samples', () => {
    let compiled = 0;
    fuzz({ cases: 3_000 }, fc.tuple(sentence, samples), ([each, fedSamples]) => {
      if (compileCondition(each, SCOPE).ok) compiled += 1;
      check(each, fedSamples);
    });
    expect(compiled).toBeGreaterThan(0);
  });

  it('sound conditions follow any samples in any order', () => {
    const sound = WRITTEN.filter((text) => compileCondition(text, SCOPE).ok);
    expect(sound.length).toBeGreaterThan(4);
    const long = fc.array(fed, { maxLength: 60 });
    fuzz({ cases: 1_500 }, fc.tuple(fc.constantFrom(...sound), long), ([text, each]) => check(text, each));
  });

  it('what is nested or repeated without end is refused before it reaches the stack', () => {
    const around = fc.constantFrom(
      '(',
      'not ',
      '-',
      'min(',
      'a[',
      '[',
      'not(',
      '"',
      'obc.',
      '1 + ',
      'a in [',
      'stable for ',
    );
    fuzz(
      { cases: 400 },
      fc.tuple(fc.array(around, { minLength: 1, maxLength: 3 }), fc.nat(3_000)),
      ([parts, times]) => {
        check(parts.join('').repeat(times), []);
      },
    );
  });
});
