/** The watch over columns says what a naive evaluation says, for any limits, messages, orders and moments. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ScopePlatform } from '../../../mission/condition/scope.ts';
import type { NamedAlarm, Platform } from '../../../mission/platform.ts';
import type { AlarmEdge } from '../../../ports/alarm-watch.ts';
import { createAlarmWatch } from '../../../telemetry/alarms/alarm-watch.ts';
import { markBatch, SampleOrder } from '../../../telemetry/sample-order.ts';
import { compiled } from '../../mission/condition-platform.ts';
import { platformOf, type RowSketch, valuesOf } from '../platform.ts';
import { NaiveWatch } from './naive-watch.ts';
import { T0 } from './watched.ts';

const MEASURES = ['m0', 'm1', 'm2', 'm3'];
const CONDITIONS = [
  'm0 > 2 and m3 < 3',
  'm3 > 1 and stable for 7 ms',
  'm0 > 0 or m1 > 0 and stable for 12 ms',
  'count(m2, 9 ms) > 2',
  'avg(m3, 12 ms) > m0',
  'm1 changes',
  'age(m0) > 15 ms and age(m0) < 40 ms',
  'valid(m1)',
];

type Bound = number | null;
type Limits = readonly [Bound, Bound] | undefined;

const bound = fc.option(fc.integer({ min: -3, max: 4 }), { nil: null });
const limits: fc.Arbitrary<Limits> = fc.option(fc.tuple(bound, bound), { nil: undefined });
const value = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -4, max: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY) },
);
const row = fc.record({
  step: fc.oneof(fc.integer({ min: -6, max: 10 }), fc.constant(1)),
  values: fc.tuple(value, value, value, value),
});
const block = fc.record({
  measures: fc.subarray(MEASURES, { minLength: 1 }),
  rows: fc.array(row, { minLength: 1, maxLength: 6 }),
});
const message = fc.record({
  blocks: fc.array(block, { minLength: 1, maxLength: 3 }),
  deferred: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  /** How long after the last sample somebody looks; undefined: nobody does. */
  look: fc.option(fc.integer({ min: -3, max: 30 }), { nil: undefined }),
});

it('MC-ALM-014 MC-ALM-028 MC-ALM-029 MC-ALM-051 MC-ALM-052 the watch says what a naive evaluation says', () => {
  fc.assert(
    fc.property(
      fc.tuple(limits, limits, limits),
      fc.tuple(limits, limits, limits),
      fc.array(message, { maxLength: 12 }),
      (soft, hard, messages) => {
        const platform = boxOf(soft, hard);
        const reported: AlarmEdge[] = [];
        const watch = createAlarmWatch({ platform, tell: (edge) => reported.push(edge) });
        const naive = new NaiveWatch(platform);
        const order = new SampleOrder(platform);
        let newest = T0;
        messages.forEach(({ blocks, deferred, look }, index) => {
          const sketched = blocks.map(({ measures, rows }) => sketchOf(measures, rows, newest));
          const [first, ...others] = sketched.map((rows) => valuesOf(platform, rows, { deferred }));
          const batch = { ...first!, blocks: [first!, ...others].flatMap((each) => each.blocks) };
          watch.apply(markBatch(order, batch), index + 1);
          expectSame(reported.splice(0), naive.apply(batch, index + 1));
          newest = Math.max(newest, ...sketched.flat().map(({ ground }) => ground));
          if (look === undefined) return;
          watch.pass(newest + look);
          expectSame(reported.splice(0), naive.pass(newest + look));
        });
        expect(byAlarm([...watch.standing()])).toEqual(byAlarm(naive.standing()));
      },
    ),
    { numRuns: 120 },
  );
});

/** The same edges, and those of the watch in the order of their moments; edges of one moment in any order. */
function expectSame(announced: readonly AlarmEdge[], expected: readonly AlarmEdge[]): void {
  const moments = announced.map(({ evaluated }) => evaluated.at);
  // What is not behind the change before it would be taken for reported already.
  expect(new Set(announced.map(({ alarm, evaluated: { at } }) => `${alarm} ${at}`)).size).toBe(
    announced.length,
  );
  expect(moments).toEqual(moments.toSorted((one, other) => one - other));
  expect(byAlarm(announced)).toEqual(byAlarm(expected));
}

function byAlarm(edges: readonly AlarmEdge[]): AlarmEdge[] {
  return edges.toSorted(
    (one, other) =>
      Number(one.alarm > other.alarm) - Number(one.alarm < other.alarm) ||
      one.evaluated.at - other.evaluated.at,
  );
}

function sketchOf(
  measures: readonly string[],
  rows: readonly { step: number; values: readonly number[] }[],
  from: number,
): RowSketch[] {
  let ground = from;
  return rows.map(({ step, values }) => {
    ground += step;
    const raw = Object.fromEntries(measures.map((name) => [`c.${name}`, values[MEASURES.indexOf(name)]!]));
    return { ground, raw };
  });
}

function boxOf(soft: readonly Limits[], hard: readonly Limits[]): Platform {
  const sketches = MEASURES.map((name, index) => [
    `c.${name}`,
    { type: 'f64', soft: soft[index], hard: hard[index] },
  ]);
  const platform = platformOf(Object.fromEntries(sketches));
  return { ...platform, alarms: CONDITIONS.map((text, index) => alarmOf(text, `a${index}`, platform)) };
}

function alarmOf(text: string, name: string, platform: Platform): NamedAlarm {
  const measures = platform.measures.map(({ definition }) => definition);
  const component = { name: 'c', instances: [], files: false, measures };
  const scope: ScopePlatform = { components: new Map([['c', component]]), ordinal: platform.ordinal };
  const when = compiled(text, { platform: scope, own: 'c' });
  const { temporal, spanMs } = when;
  return {
    component: 'c',
    instances: [],
    name,
    when,
    temporal,
    spanMs,
    severity: 'warning',
    onRaise: undefined,
  };
}
