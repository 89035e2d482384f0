/**
 * One sample, every consumer: what a column value means, and whether it is the current one, is the same for the values
 * route, for `requires`, verification, the judgements of runs, limits, named alarms and derived measures.
 */

import { describe, expect, it } from 'vitest';
import { watchCondition } from '../../../actors/run/condition-watch.ts';
import { ValueStream } from '../../../actors/run/value-stream.ts';
import { unmetRequirements } from '../../../actors/telecommand/requirement.ts';
import { Verifier } from '../../../actors/telecommand/verification.ts';
import { encodeBatch, type ValueBatch, type WideValue } from '../../../contract/batch.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { Condition } from '../../../mission/condition/condition.ts';
import type { Measure, Platform } from '../../../mission/platform.ts';
import type { AlarmEdge } from '../../../ports/alarm-watch.ts';
import { freshSince } from '../../../ports/target-values.ts';
import { createAlarmWatch } from '../../../telemetry/alarms/alarm-watch.ts';
import { calibrateBatch } from '../../../telemetry/calibration.ts';
import { Compute } from '../../../telemetry/compute/compute.ts';
import { CurrentValues } from '../../../telemetry/current-values.ts';
import { markBatch, SampleOrder } from '../../../telemetry/sample-order.ts';
import { targetValues } from '../../../telemetry/target-values.ts';
import { LogBus } from '../../actors/telecommand/log-bus.ts';
import { loadedPlatform } from '../../mission/documents.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { blockOf, type RowSketch } from '../platform.ts';

const T0 = Date.UTC(2026, 0, 1);
const LIMITS = { soft: [0, 10] };
const MEASURES = {
  mode: { type: 'Mode' },
  plain: { type: 'f64', limits: LIMITS },
  covered: { type: 'f64', calibration: { polynomial: [0, 1], covers: [0, 100] }, limits: LIMITS },
  uptime: { type: 'u64', calibration: { polynomial: [0, 0.001] }, limits: LIMITS },
  big: { type: 'u64', limits: LIMITS },
  on: { type: 'bool' },
  label: { type: 'string' },
  key: { type: 'bytes' },
};

interface Row {
  readonly measure: keyof typeof MEASURES;
  readonly raw: number | WideValue;
  /** A condition on it, and its truth; null: unknown. */
  readonly condition: string;
  readonly truth: boolean | null;
  /** As the values route shows it. */
  readonly shown: string;
}

const BIG = 2n ** 60n + 1n;
const ROWS: readonly Row[] = [
  { measure: 'mode', raw: 1, condition: 'mode != NOMINAL', truth: true, shown: '"SAFE"' },
  { measure: 'mode', raw: 2, condition: 'mode != NOMINAL', truth: false, shown: '"NOMINAL"' },
  { measure: 'mode', raw: 9, condition: 'mode != NOMINAL', truth: null, shown: 'null' },
  { measure: 'mode', raw: 1.5, condition: 'mode != NOMINAL', truth: null, shown: 'null' },
  { measure: 'mode', raw: Number.NaN, condition: 'mode != NOMINAL', truth: null, shown: 'null' },
  { measure: 'mode', raw: BIG, condition: 'mode != NOMINAL', truth: null, shown: 'null' },
  { measure: 'plain', raw: 3, condition: 'plain < 5', truth: true, shown: '3' },
  { measure: 'plain', raw: 0, condition: 'plain < 0', truth: false, shown: '0' },
  { measure: 'plain', raw: Number.NaN, condition: 'plain < 5', truth: null, shown: 'null' },
  { measure: 'plain', raw: Number.POSITIVE_INFINITY, condition: 'plain > 5', truth: null, shown: 'null' },
  { measure: 'plain', raw: Number.NEGATIVE_INFINITY, condition: 'plain < 5', truth: null, shown: 'null' },
  { measure: 'covered', raw: 50, condition: 'covered > 5', truth: true, shown: '50' },
  { measure: 'covered', raw: 200, condition: 'covered > 5', truth: null, shown: 'null' },
  { measure: 'uptime', raw: 5_000, condition: 'uptime > 4', truth: true, shown: '5' },
  { measure: 'uptime', raw: BIG, condition: 'uptime > 4', truth: null, shown: 'null' },
  { measure: 'big', raw: 7, condition: 'big > 8', truth: false, shown: '7' },
  { measure: 'big', raw: BIG, condition: 'big > 8', truth: true, shown: '1152921504606846977' },
  {
    measure: 'big',
    raw: '18446744073709551615',
    condition: 'big > 8',
    truth: true,
    shown: '18446744073709551615',
  },
  { measure: 'big', raw: 'many', condition: 'big > 8', truth: null, shown: 'null' },
  { measure: 'on', raw: 1, condition: 'on', truth: true, shown: 'true' },
  { measure: 'on', raw: 0, condition: 'on', truth: false, shown: 'false' },
  { measure: 'on', raw: Number.NaN, condition: 'on', truth: null, shown: 'null' },
  { measure: 'on', raw: Number.POSITIVE_INFINITY, condition: 'on', truth: null, shown: 'null' },
  { measure: 'label', raw: 'spare', condition: 'label != "prime"', truth: true, shown: '"spare"' },
  { measure: 'label', raw: 5, condition: 'label != "prime"', truth: null, shown: 'null' },
  { measure: 'label', raw: Number.NaN, condition: 'label != "prime"', truth: null, shown: 'null' },
  { measure: 'key', raw: '00ff', condition: 'key == "00ff"', truth: true, shown: '"00ff"' },
  { measure: 'key', raw: Number.NaN, condition: 'key == "00ff"', truth: null, shown: 'null' },
];

const NAMES = [...new Set(ROWS.map(({ condition }) => condition))];
const nameOf = (condition: string, negated: boolean): string =>
  `${negated ? 'not' : 'is'}_${NAMES.indexOf(condition)}`;
const textOf = (condition: string, negated: boolean): string => (negated ? `not (${condition})` : condition);

/** Each condition and its opposite, as an alarm and as a derived measure. */
const UNIT = 'unit';
const PLATFORM = platformOf();

function platformOf(): Platform {
  const all = NAMES.flatMap((condition) => [false, true].map((negated) => [condition, negated] as const));
  const derived = all.map(([text, negated]) => [
    `d_${nameOf(text, negated)}`,
    { type: 'bool', derived: textOf(text, negated) },
  ]);
  const alarms = all.map(([text, negated]) => [
    nameOf(text, negated),
    { when: textOf(text, negated), severity: 'warning' },
  ]);
  return loadedPlatform({
    enums: { Mode: { SAFE: 1, NOMINAL: 2 } },
    components: {
      [UNIT]: {
        measures: { ...MEASURES, ...Object.fromEntries(derived) },
        alarms: Object.fromEntries(alarms),
      },
    },
  });
}

// Consumers -----------------------------------------------------------------------------------------------------------

/** What a consumer finds in batches as the owner of the target publishes them: whether a condition holds. */
type Consumer = (condition: string, negated: boolean, batches: readonly ValueBatch[]) => Promise<boolean>;

const whenOf = (condition: string, negated: boolean): Condition =>
  PLATFORM.alarms.find(({ name }) => name === nameOf(condition, negated))!.when;

function valuesOf(batches: readonly ValueBatch[]): CurrentValues {
  const values = new CurrentValues(PLATFORM);
  for (const batch of batches) values.apply(batch);
  return values;
}

async function onBus(batches: readonly ValueBatch[]): Promise<LogBus> {
  const bus = new LogBus();
  bus.now = () => T0;
  for (const batch of batches) await bus.append(streams.values, subject.values('sat'), encodeBatch(batch));
  return bus;
}

const CONSUMERS: Record<string, Consumer> = {
  requires: async (condition, negated, batches) => {
    const values = valuesOf(batches);
    const that = whenOf(condition, negated);
    const sample = ({ ordinal }: Measure) => values.sample(ordinal);
    const situation = { platform: PLATFORM, instance: undefined, args: {}, sample, now: T0 };
    return unmetRequirements([{ that, maxAgeMs: 60_000 }], situation) === undefined;
  },
  'a check of a run': async (condition, negated, batches) => {
    const values = valuesOf(batches);
    const latest = targetValues({
      current: () => values,
      position: () => undefined,
      upToDate: async () => undefined,
    });
    const evaluation = whenOf(condition, negated).open({});
    for (const ordinal of evaluation.reads) {
      const found = latest.sample('sat', PLATFORM.measures[ordinal]!);
      const since = found === undefined ? 0 : freshSince(found);
      if (found !== undefined && T0 - since <= 60_000) evaluation.feed(ordinal, found.value, since);
    }
    return evaluation.truth(T0) === true;
  },
  'an expect of a run': async (condition, negated, batches) => {
    const [bus, clock, abort] = [await onBus(batches), new ManualClock(T0), new AbortController()];
    const evaluation = whenOf(condition, negated).open({});
    const reads = evaluation.reads.map((ordinal) => ({
      ordinal,
      target: 'sat',
      measure: PLATFORM.measures[ordinal]!,
    }));
    let holds = false;
    const reader = { bus, clock, log: keptLog(), target: 'sat' };
    const options = { ...reader, position: undefined, from: 0, signal: abort.signal };
    void watchCondition({
      judgement: { evaluation, reads, temporal: false, spanMs: 0 },
      clock,
      signal: abort.signal,
      since: T0 - 3_600_000,
      until: T0 + 60_000,
      afterwards: true,
      oldest: 0,
      open: (_target, watched, hear) =>
        new ValueStream({ ...options, watched, hear, platformOf: async () => PLATFORM }),
    }).then((verdict) => {
      holds = verdict?.ok === true;
    });
    await settled();
    abort.abort();
    return holds;
  },
  'expect: of a telecommand': (condition, negated, batches) =>
    verdictOf('expect', condition, negated, batches),
  'fail: of a telecommand': (condition, negated, batches) => verdictOf('fail', condition, negated, batches),
  'a named alarm': async (condition, negated, batches) => {
    const edges = standingOf(batches).filter(({ alarm }) => alarm === nameOf(condition, negated));
    return edges.some(({ severity }) => severity !== null);
  },
  'a derived measure': async (condition, negated, batches) => {
    const values = valuesOf(batches);
    return values.sample(PLATFORM.ordinal(`${UNIT}.d_${nameOf(condition, negated)}`)!)?.value === 1;
  },
};

async function verdictOf(
  kind: 'expect' | 'fail',
  condition: string,
  negated: boolean,
  batches: readonly ValueBatch[],
): Promise<boolean> {
  const [bus, clock] = [await onBus(batches), new ManualClock(T0)];
  const verifier = new Verifier({
    bus,
    clock,
    log: keptLog(),
    target: 'sat',
    platformOf: () => PLATFORM,
    sample: () => undefined,
  });
  const when = whenOf(condition, negated);
  const verify = {
    expect: kind === 'expect' ? when : undefined,
    fail: kind === 'fail' ? when : undefined,
    reports: kind === 'fail' ? ('completion' as const) : undefined,
    withinMs: 7_200_000,
  };
  const handed = { frames: 0, decoded: 0, values: 0 };
  const wanted = { verify, platform: PLATFORM, instance: undefined, args: {}, reference: 'ref', handed };
  let found = false;
  void verifier
    .verify({ ...wanted, sentAt: T0 - 3_600_000 }, new AbortController().signal)
    .then((verdict) => {
      found = verdict !== undefined;
    });
  await settled();
  const before = found;
  await verifier.stop();
  return before;
}

function standingOf(batches: readonly ValueBatch[]): readonly AlarmEdge[] {
  const watch = createAlarmWatch({ platform: PLATFORM, tell: () => undefined });
  for (const [n, batch] of batches.entries()) watch.apply(batch, n + 1);
  return [...watch.standing()];
}

/** As the owner of the target makes them of what was decoded; `deferred`: which of them were. */
function published(
  rows: readonly (readonly RowSketch[])[],
  deferred: readonly boolean[] = [],
): readonly ValueBatch[] {
  const [order, compute] = [new SampleOrder(PLATFORM), new Compute(PLATFORM)];
  return rows.map((sketches, n) => {
    const isDeferred = deferred[n] ?? false;
    const decoded = {
      platform: PLATFORM.digest,
      link: 'uhf',
      reports: [],
      blocks: [blockOf(PLATFORM, sketches)],
    };
    const samples = markBatch(order, calibrateBatch(decoded, PLATFORM, isDeferred));
    const derived = compute.apply(samples);
    const own = samples.blocks.length;
    return { ...derived, blocks: [...samples.blocks, ...order.mark(derived.blocks.slice(own), isDeferred)] };
  });
}

async function truthOf(consumer: Consumer, condition: string, batches: readonly ValueBatch[]) {
  if (await consumer(condition, false, batches)) return true;
  return (await consumer(condition, true, batches)) ? false : null;
}

const shownIn = (batches: readonly ValueBatch[], measure: string): string | undefined =>
  /"sample":\{"value":(.*?),"(raw|time)"/.exec(
    valuesOf(batches)
      .json(PLATFORM.ordinal(`${UNIT}.${measure}`)!)
      ?.toString() ?? '',
  )?.[1];

describe('MC-VAL-003 MC-TC-038 MC-ALM-028 a sample means the same to every consumer', () => {
  for (const { measure, raw, condition, truth, shown } of ROWS) {
    it(`${measure} ${String(raw)}: ${condition} is ${truth}`, async () => {
      const batches = published([[{ ground: T0, raw: { [`${UNIT}.${measure}`]: raw } }]]);
      expect(shownIn(batches, measure)).toBe(shown);
      const found: Record<string, boolean | null> = {};
      for (const [name, consumer] of Object.entries(CONSUMERS))
        found[name] = await truthOf(consumer, condition, batches);
      expect(found).toEqual(Object.fromEntries(Object.keys(CONSUMERS).map((name) => [name, truth])));
      if (!('limits' in MEASURES[measure])) return;
      const limited = standingOf(batches).some(({ alarm }) => alarm === measure);
      expect(limited, 'limits').toBe(shown !== 'null');
    });
  }
});

describe('MC-VAL-016 MC-TC-038 MC-ALM-051 one order for every consumer', () => {
  const MINUTE = 60_000;
  const at = (ground: number, plain: number, onboard?: number): RowSketch => ({
    ground: T0 + ground,
    ...(onboard !== undefined && { onboard: T0 + onboard }),
    raw: { [`${UNIT}.plain`]: plain },
  });
  const cases: Record<string, { rows: RowSketch[][]; shown: string; holds: boolean }> = {
    'a sample that comes late by the ground': {
      rows: [[at(0, 7)], [at(-65_000, 3)]],
      shown: '7',
      holds: false,
    },
    'a sample that was taken earlier on board': {
      rows: [[at(0, 7, 0)], [at(1_000, 3, -65_000)]],
      shown: '7',
      holds: false,
    },
    'a late one in the same message': {
      rows: [[at(0, 7, 0), at(1_000, 3, -65_000)]],
      shown: '7',
      holds: false,
    },
    'a later one of a station whose clock is behind': {
      rows: [[at(0, 7, 0)], [at(-2_000, 3, 500)]],
      shown: '3',
      holds: true,
    },
    'a clock on board set back by an hour': {
      rows: [[at(0, 7, 0)], [at(1_000, 3, -60 * MINUTE)]],
      shown: '3',
      holds: true,
    },
    'a clock on board set back by five minutes': {
      rows: [[at(0, 7, 0)], [at(1_000, 3, -5 * MINUTE)]],
      shown: '7',
      holds: false,
    },
    'rows out of order in one message': { rows: [[at(1_000, 3), at(0, 7)]], shown: '3', holds: true },
  };

  for (const [name, { rows, shown, holds }] of Object.entries(cases)) {
    it(name, async () => {
      const batches = published(rows);
      expect(shownIn(batches, 'plain')).toBe(shown);
      // What is fed to somebody is seen by the opposite: 7 holds for the one, 3 for the other.
      const present = {
        requires: holds,
        'a check of a run': holds,
        'a named alarm': holds,
        'a derived measure': holds,
      };
      for (const [consumer, wanted] of Object.entries(present))
        expect(await CONSUMERS[consumer]!('plain < 5', false, batches), consumer).toBe(wanted);
      // Of those that look at every sample since they began, none has seen what is not current.
      for (const consumer of ['an expect of a run', 'expect: of a telecommand', 'fail: of a telecommand'])
        expect(await CONSUMERS[consumer]!('plain < 5', false, batches), consumer).toBe(holds);
    });
  }
});

describe('MC-VAL-011 MC-VAL-016 MC-ALM-029 MC-XFER-058 MC-XFER-059 F-20 deferred samples, every consumer', () => {
  const HOUR = 3_600_000;
  const at = (ground: number, plain: number, onboard: number): RowSketch => ({
    ground: T0 + ground,
    onboard: T0 + onboard,
    raw: { [`${UNIT}.plain`]: plain },
  });
  interface Case {
    readonly rows: RowSketch[][];
    readonly deferred: boolean[];
    /** What is current, of the measure and of what is derived from it, and how it came. */
    readonly current: { readonly plain: number; readonly delivery: string; readonly derived: boolean };
    /** Of `plain < 5`: what may go by a deferred value that is fresh. */
    readonly judged: boolean;
    /** What goes by samples in real time alone. */
    readonly live: boolean;
  }
  const cases: Record<string, Case> = {
    'of the past, behind a newer one in real time: kept in the history, nothing else': {
      rows: [[at(-9_000, 7, -9_000)], [at(-1_000, 3, -HOUR), at(-1_000, 4, -HOUR + 10_000)]],
      deferred: [false, true],
      current: { plain: 7, delivery: 'realtime', derived: false },
      judged: false,
      live: false,
    },
    'of a measure that never came: current, and too old for whoever asks for a fresh one': {
      rows: [[at(-1_000, 3, -HOUR)]],
      deferred: [true],
      current: { plain: 3, delivery: 'deferred', derived: true },
      judged: false,
      live: false,
    },
    'measured a moment ago, behind an older one in real time': {
      rows: [[at(-50_000, 7, -50_000)], [at(-1_000, 3, -10_000)]],
      deferred: [false, true],
      current: { plain: 3, delivery: 'deferred', derived: true },
      judged: true,
      live: false,
    },
    'that is current, before one in real time': {
      rows: [[at(-9_000, 7, -HOUR)], [at(-1_000, 3, -1_000)]],
      deferred: [true, false],
      current: { plain: 3, delivery: 'realtime', derived: true },
      judged: true,
      live: true,
    },
    'that overtakes one in real time on its way to the owner': {
      rows: [[at(-1_000, 7, -HOUR)], [at(-4_000, 3, -4_000)]],
      deferred: [true, false],
      current: { plain: 3, delivery: 'realtime', derived: true },
      judged: true,
      live: true,
    },
  };

  for (const [name, { rows, deferred, current, judged, live }] of Object.entries(cases)) {
    it(name, async () => {
      const batches = published(rows, deferred);
      const values = valuesOf(batches);
      const derived = values.sample(PLATFORM.ordinal(`${UNIT}.d_${nameOf('plain < 5', false)}`)!);
      expect(values.sample(PLATFORM.ordinal(`${UNIT}.plain`)!)?.value).toBe(current.plain);
      expect(derived?.value).toBe(current.derived ? 1 : 0);
      for (const measure of ['plain', `d_${nameOf('plain < 5', false)}`])
        expect(
          JSON.parse(values.json(PLATFORM.ordinal(`${UNIT}.${measure}`)!)!.toString()).sample.delivery,
        ).toBe(current.delivery);
      const found: Record<string, boolean> = {};
      for (const [consumer, holds] of Object.entries(CONSUMERS))
        if (consumer !== 'a derived measure') found[consumer] = await holds('plain < 5', false, batches);
      expect(found).toEqual({
        requires: judged,
        'a check of a run': judged,
        'an expect of a run': live,
        'expect: of a telecommand': live,
        'fail: of a telecommand': live,
        'a named alarm': live,
      });
      // Every sample is published, whatever it is for: an archive takes it from there.
      expect(batches.flatMap(({ blocks }) => blocks).filter(hasPlain).length).toBe(rows.length);
    });
  }

  const hasPlain = ({ ordinals }: ValueBatch['blocks'][number]): boolean =>
    ordinals.includes(PLATFORM.ordinal(`${UNIT}.plain`)!);
});
