/**
 * What alarms say of samples: limits, named conditions, order of time, unknown, deferred, deadlines, a new catalogue.
 */

import { describe, expect, it } from 'vitest';
import type { AlarmWatch } from '../../../ports/alarm-watch.ts';
import { createAlarmWatch } from '../../../telemetry/alarms/alarm-watch.ts';
import { valuesOf } from '../platform.ts';
import { BOX, boxOf, COMPONENTS, shown, T0, watched } from './watched.ts';

const VOLTAGE = 'battery[1].voltage';
const volts = (...rows: [ground: number, volts: number][]) =>
  rows.map(([ground, value]) => ({ ground, raw: { [VOLTAGE]: value } }));

describe('limits', () => {
  it('MC-ALM-014 the alarm has the name of the measure: critical outside the hard limits, else warning outside the soft ones; only a change is an event (T2)', () => {
    const { apply, edges } = watched();
    apply(1, volts([0, 7], [1, 6.3], [2, 5.9], [3, 6.1], [4, 8], [5, 8.5], [6, 9.1], [7, 7]));
    expect(edges()).toEqual([
      'battery[1].voltage null @1+0 7',
      'battery[1].voltage warning @1+1 6.3',
      'battery[1].voltage critical @1+2 5.9',
      'battery[1].voltage warning @1+3 6.1',
      'battery[1].voltage null @1+4 8',
      'battery[1].voltage warning @1+5 8.5',
      'battery[1].voltage critical @1+6 9.1',
      'battery[1].voltage null @1+7 7',
    ]);
  });

  it('MC-ALM-014 the bounds are inside', () => {
    const { apply, edges } = watched();
    apply(1, volts([0, 6.4], [1, 8.4], [2, 6], [3, 9]));
    expect(edges()).toEqual(['battery[1].voltage null @1+0 6.4', 'battery[1].voltage warning @1+2 6']);
  });

  it('an open side and an absent interval bound nothing', () => {
    const { apply, edges } = watched();
    const temperatures = [-1e300, 60, 60.5].map((value, ground) => ({
      ground,
      raw: { 'battery[1].temperature': value },
    }));
    apply(1, temperatures);
    expect(edges()).toEqual([
      'battery[1].temperature null @1+0 -1e+300',
      'battery[1].temperature critical @1+2 60.5',
    ]);
  });

  it('MC-ALM-016 each instance has an alarm of its own', () => {
    const { apply, edges } = watched();
    apply(1, [{ ground: 0, raw: { 'battery[1].voltage': 5, 'battery[2].voltage': 7 } }]);
    apply(2, [{ ground: 1, raw: { 'battery[1].voltage': 5, 'battery[2].voltage': 5 } }]);
    expect(edges()).toEqual([
      'battery[1].voltage critical @1+0 5',
      'battery[2].voltage null @1+0 7',
      'battery[2].voltage critical @2+1 5',
    ]);
  });

  it('an integer that no double holds is compared and reported', () => {
    const { apply, edges } = watched();
    const charge = (ground: number, value: number | bigint) => ({
      ground,
      raw: { 'battery[1].charge': value },
    });
    apply(1, [charge(0, 3)]);
    apply(2, [charge(1, 2n ** 60n)]);
    apply(3, [charge(2, Number.NaN)]);
    expect(edges()).toEqual(['battery[1].charge warning @1+0 3', `battery[1].charge null @2+1 ${2 ** 60}`]);
  });

  it('stands as of the last sample known, also where no double holds it', () => {
    const { watch, apply } = watched();
    const charges = [20, 30n, 2n ** 60n, Number.NaN].map((value, ground) => ({
      ground,
      raw: { 'battery[1].charge': value },
    }));
    apply(1, charges);
    expect([...watch.standing()].map(shown)).toEqual([`battery[1].charge null @1+2 ${2 ** 60}`]);
    apply(2, [{ ground: 9, raw: { 'battery[1].charge': 40 } }]);
    expect([...watch.standing()].map(shown)).toEqual(['battery[1].charge null @2+9 40']);
  });

  it('MC-ALM-028 what is unknown changes nothing', () => {
    const { apply, edges } = watched();
    apply(1, volts([0, Number.NaN], [1, Number.POSITIVE_INFINITY]));
    expect(edges()).toEqual([]);
    apply(
      2,
      volts([2, 5], [3, Number.NaN], [4, Number.NEGATIVE_INFINITY], [5, 5.5], [6, Number.NaN], [7, 7]),
    );
    expect(edges()).toEqual(['battery[1].voltage critical @2+2 5', 'battery[1].voltage null @2+7 7']);
  });

  it('MC-ALM-029 deferred samples change nothing', () => {
    const { apply, edges, watch } = watched();
    apply(1, volts([0, 7]));
    edges();
    apply(2, volts([10, 5]), { deferred: true });
    expect(edges()).toEqual([]);
    // Older than the deferred one, so not the current value.
    apply(3, volts([5, 6.3]));
    expect(edges()).toEqual([]);
    apply(4, volts([11, 6.3]));
    expect(edges()).toEqual(['battery[1].voltage warning @4+11 6.3']);
    expect([...watch.standing()].map(shown)).toEqual(['battery[1].voltage warning @4+11 6.3']);
  });

  it('MC-ALM-029 what is derived from a deferred sample changes nothing', () => {
    const { watch, edges } = watched();
    const batch = valuesOf(BOX, volts([T0, 5]));
    watch.apply({ ...batch, blocks: batch.blocks.map((block) => ({ ...block, deferred: true })) }, 1);
    expect([edges(), [...watch.standing()]]).toEqual([[], []]);
  });

  it('MC-ALM-051 MC-VAL-016 alarm-watch.W2 a sample older than the last changes nothing, unknown ones count as the last', () => {
    const { apply, edges } = watched();
    apply(1, volts([10, 7]));
    apply(2, volts([9, 5]));
    apply(3, volts([20, Number.NaN]));
    apply(4, volts([15, 5]));
    apply(5, volts([20, 6.3]));
    expect(edges()).toEqual(['battery[1].voltage null @1+10 7', 'battery[1].voltage warning @5+20 6.3']);
  });

  it('alarm-watch.W2 rows count in the order of time, whatever the order of rows and blocks', () => {
    const { apply, applyBlocks, edges } = watched();
    apply(1, volts([3, 7], [1, 5], [2, 6.3]));
    expect(edges().map((edge) => edge.split(' ')[1])).toEqual(['critical', 'warning', 'null']);
    applyBlocks(2, [volts([10, 7], [30, 7]), volts([20, 5], [40, 5])]);
    expect(edges()).toEqual([
      'battery[1].voltage critical @2+20 5',
      'battery[1].voltage null @2+30 7',
      'battery[1].voltage critical @2+40 5',
    ]);
  });

  it('alarm-watch.W3 samples of one moment are one change', () => {
    const { applyBlocks, apply, edges } = watched();
    apply(1, volts([0, 7]));
    edges();
    applyBlocks(2, [volts([10, 5]), volts([10, 7])]);
    apply(3, volts([20, 5], [20, 7]));
    expect(edges()).toEqual([]);
    applyBlocks(4, [volts([30, 7]), volts([30, 5])]);
    expect(edges()).toEqual(['battery[1].voltage critical @4+30 5']);
  });

  it('a row without a moment is left out and does not stand in the way', () => {
    const { watch, apply, edges } = watched();
    const batch = valuesOf(BOX, volts([0, 5]));
    for (const ground of [Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
      watch.apply({ ...batch, blocks: [{ ...batch.blocks[0]!, ground: Float64Array.of(ground) }] }, 1);
    }
    apply(2, volts([1, 6.3]));
    expect(edges()).toEqual(['battery[1].voltage warning @2+1 6.3']);
  });
});

describe('named alarms', () => {
  const power = (ground: number, cell: number, load: number) => ({
    ground,
    raw: { 'battery[1].cell': cell, 'battery[1].load': load },
  });

  it('MC-ALM-015 the alarm has its name, its severity and what it runs', () => {
    const { watch, apply, edges } = watched();
    apply(1, [power(0, 7, 6), power(1, 6.1, 6)]);
    expect(edges()).toContain('battery[1].flat critical @1+1');
    expect([...watch.standing()].find(({ alarm }) => alarm === 'flat')).toEqual({
      component: 'battery',
      instance: '1',
      alarm: 'flat',
      severity: 'critical',
      onRaise: 'shed_load',
      evaluated: { position: 1, at: T0 + 1 },
    });
  });

  it('MC-ALM-016 is one for each instance, fed with the samples of its own', () => {
    const { apply, edges } = watched();
    apply(1, [{ ground: 0, raw: { 'battery[2].cell': 6.1, 'battery[2].load': 6 } }]);
    expect(edges()).toEqual(['battery[2].flat critical @1+0']);
  });

  it('MC-ALM-028 an unknown condition changes nothing', () => {
    const { apply, edges } = watched();
    apply(1, [{ ground: 0, raw: { 'battery[1].cell': 6.1 } }]);
    expect(edges()).toEqual([]);
    apply(2, [power(1, 6.1, 6), power(2, Number.NaN, 6), power(3, 6.1, 6), power(4, 7, 6)]);
    expect(edges()).toEqual(['battery[1].flat critical @2+1', 'battery[1].flat null @2+4']);
    const mode = (ground: number, value: number) => ({ ground, raw: { 'obc.mode': value } });
    apply(3, [mode(10, 1), mode(11, 7), mode(12, 2)]);
    expect(edges()).toEqual(['obc.unsafe warning @3+10', 'obc.unsafe null @3+12']);
  });

  it('MC-ALM-029 deferred samples turn no condition, however far they stand in time', () => {
    const { apply, edges } = watched();
    apply(1, [power(5, 6.1, 6)], { deferred: true });
    expect(edges()).toEqual([]);
  });

  it('alarm-watch.W3 samples of one moment in two blocks are one change', () => {
    const { apply, applyBlocks, edges } = watched();
    apply(1, [power(0, 6.1, 1)]);
    edges();
    // With the load alone it would hold for nothing.
    applyBlocks(2, [
      [{ ground: 10, raw: { 'battery[1].load': 6 } }],
      [{ ground: 10, raw: { 'battery[1].cell': 7 } }],
    ]);
    applyBlocks(3, [
      [{ ground: 20, raw: { 'battery[1].load': 7 } }],
      [{ ground: 20, raw: { 'battery[1].cell': 6 } }],
    ]);
    expect(edges()).toEqual(['battery[1].flat critical @3+20']);
  });

  it('alarm-watch.W3 MC-ALM-014 late samples of one message are one change: none of it is at the place of another', () => {
    const { apply, edges } = watched();
    const cell = (ground: number, value: number) => ({ ground, raw: { 'battery[1].cell': value } });
    apply(1, [{ ground: 100, raw: { 'battery[1].load': 6 } }]);
    apply(2, [cell(10, 6), cell(60, 7)]);
    expect(edges()).toEqual(['battery[1].flat null @2+100']);
    apply(3, [cell(70, 6), cell(80, 7), cell(90, 6), cell(110, 7)]);
    expect(edges()).toEqual(['battery[1].flat critical @3+100', 'battery[1].flat null @3+110']);
  });

  it('texts are read', () => {
    const { apply, edges } = watched();
    const label = (ground: number, text: string) => ({ ground, raw: { 'obc.label': text } });
    apply(1, [label(0, 'prime'), label(1, 'spare'), label(2, 'prime')]);
    expect(edges()).toEqual(['obc.renamed null @1+0', 'obc.renamed warning @1+1', 'obc.renamed null @1+2']);
  });

  it('changes speaks of the last sample only', () => {
    const { apply, edges } = watched();
    const resets = (ground: number, value: number) => ({ ground, raw: { 'obc.resets': value } });
    apply(1, [resets(0, 1), resets(10_000, 1), resets(20_000, 2), resets(30_000, 2)]);
    expect(edges().filter((edge) => edge.includes('reset '))).toEqual([
      'obc.reset null @1+0',
      'obc.reset warning @1+20000',
      'obc.reset null @1+30000',
    ]);
  });
});

describe('time', () => {
  const draining = (ground: number, current: number) => ({ ground, raw: { 'battery[1].current': current } });
  const resets = (ground: number) => ({ ground, raw: { 'obc.resets': 1 } });

  it('MC-ALM-052 a condition stable for a duration is raised after it without another sample', () => {
    const { apply, edges, pass, deadline } = watched();
    expect(deadline()).toBeUndefined();
    apply(1, [draining(0, -2)]);
    expect(edges().filter((edge) => edge.includes('draining warning'))).toEqual([]);
    expect(deadline()).toBe(10_000);
    pass(9_999);
    expect(edges()).toEqual([]);
    pass(12_345);
    expect(edges()).toEqual(['battery[1].draining warning @1+10000']);
    expect(deadline()).toBeUndefined();
  });

  it('MC-ALM-052 it is raised at the same place when nobody looked before the next sample', () => {
    const { apply, edges } = watched();
    apply(1, [draining(0, -2)]);
    apply(2, [{ ground: 500, raw: { 'obc.on': 1 } }]);
    apply(3, [draining(11_000, -2), draining(12_000, 0)]);
    expect(edges().filter((edge) => !edge.endsWith('null @1+0'))).toEqual([
      'battery[1].draining warning @1+10000',
      'battery[1].draining null @3+12000',
    ]);
  });

  it('MC-ALM-051 a window empties by itself', () => {
    const { apply, edges, pass, deadline } = watched();
    apply(1, [resets(0), resets(1_000), resets(2_000)]);
    expect(edges()).toContain('obc.restless warning @1+2000');
    expect(deadline()).toBe(5_000);
    pass(5_000);
    expect(edges()).toEqual(['obc.restless null @1+5000']);
  });

  it('MC-ALM-051 alarm-watch.W2 a sample that did not become the current value is in no window', () => {
    const { apply, edges } = watched();
    apply(1, [resets(1_000), resets(3_000)]);
    apply(2, [resets(2_000)]);
    expect(edges()).toEqual(['obc.restless null @1+1000', 'obc.reset null @1+1000']);
    apply(3, [resets(3_500)]);
    expect(edges()).toEqual(['obc.restless warning @3+3500']);
  });

  it('MC-ALM-051 C4 a current sample counts although another station dated it earlier', () => {
    const { watch, edges, apply } = watched();
    apply(1, [draining(10_000, -2)]);
    edges();
    const row = { ground: T0 + 9_000, onboard: T0 + 11_000, raw: { 'battery[1].current': 0, [VOLTAGE]: 5 } };
    watch.apply(valuesOf(BOX, [row]), 2);
    expect(edges()).toEqual(['battery[1].voltage critical @2+9000 5']);
    watch.pass(T0 + 60_000);
    expect(edges()).toEqual([]);
  });

  it('looking where nothing is due leaves no trace', () => {
    const { apply, edges, pass } = watched();
    apply(1, [draining(0, -2)]);
    edges();
    pass(9_000);
    apply(2, [draining(8_000, 0)]);
    pass(20_000);
    expect(edges()).toEqual([]);
  });

  it('samples matter as far back as the longest condition looks, and the cadence of slow telemetry', () => {
    expect(watched().watch.spanMs).toBe(70_000);
    const { alarms: _, ...quiet } = COMPONENTS.obc;
    expect(watched(boxOf({ obc: quiet })).watch.spanMs).toBe(0);
  });
});

describe('what was known before', () => {
  const known = (...samples: [key: string, value: number | string | null, ms: number][]) =>
    samples.map(([key, value, ms]) => ({ ordinal: BOX.ordinal(key)!, value, at: T0 + ms }));
  const standing = ({ watch }: { watch: AlarmWatch }): string[] => [...watch.standing()].map(shown);

  it('alarm-watch.W6 stands where there is no sample, and is reported to nobody', () => {
    const at = watched();
    at.watch.prime(
      known([VOLTAGE, 5, -900_000], ['battery[1].load', 6, -800_000], ['obc.mode', 1, -700_000]),
    );
    expect(at.edges()).toEqual([]);
    expect(standing(at)).toEqual([
      'battery[1].voltage critical @0+-900000 5',
      'obc.unsafe warning @0+-700000',
    ]);
    at.apply(1, [{ ground: 0, raw: { 'battery[1].cell': 6.1, [VOLTAGE]: 5 } }]);
    expect(at.edges()).toEqual(['battery[1].flat critical @1+0']);
  });

  it('alarm-watch.W6 gives way to every sample, also to one that is unknown', () => {
    const at = watched();
    at.apply(1, [{ ground: 0, raw: { [VOLTAGE]: 7, 'obc.mode': Number.NaN } }]);
    at.edges();
    at.watch.prime(known([VOLTAGE, 5, -1], ['obc.mode', 1, -1]));
    expect(standing(at)).toEqual(['battery[1].voltage null @1+0 7']);
    at.watch.prime(known(['obc.label', 'spare', -2]));
    at.watch.prime(known(['obc.label', 'prime', -1]));
    expect(standing(at)).toContain('obc.renamed warning @0+-2');
  });

  it('alarm-watch.W6 what was unknown last stays so', () => {
    const at = watched();
    at.watch.prime(known([VOLTAGE, null, 0], ['obc.mode', null, 0]));
    expect(standing(at)).toEqual([]);
    at.pass(60_000);
    expect(at.edges()).toEqual([]);
    at.apply(1, volts([1, 5]));
    expect(at.edges()).toEqual(['battery[1].voltage critical @1+1 5']);
  });

  it('alarm-watch.W6 a hold began with it, and a window forgets it', () => {
    const at = watched();
    at.watch.prime(known(['obc.resets', 3, -1_000], ['battery[1].current', -2, -4_000]));
    expect(standing(at)).not.toContain('obc.restless warning @0+-1000');
    expect(at.deadline()).toBe(4_000);
    at.pass(6_000);
    expect(at.edges()).toEqual(['battery[1].draining warning @0+6000']);
    at.apply(1, [
      { ground: 7_000, raw: { 'obc.resets': 3 } },
      { ground: 7_500, raw: { 'obc.resets': 3 } },
    ]);
    expect(at.edges()).not.toContain('obc.restless warning @1+7500');
  });

  it('alarm-watch.W6 whether it had changed is not known; the next sample is compared with it', () => {
    const at = watched();
    at.watch.prime(known(['obc.resets', 3, -1_000]));
    expect(standing(at).filter((each) => each.startsWith('obc.reset '))).toEqual([]);
    at.apply(1, [{ ground: 0, raw: { 'obc.resets': 4 } }]);
    expect(at.edges()).toContain('obc.reset warning @1+0');
  });
});

describe('a new catalogue', () => {
  const changed = (change: (components: typeof COMPONENTS) => void) => {
    const components = structuredClone(COMPONENTS);
    change(components);
    return boxOf({ aocs: { measures: { rate: { type: 'f64' } } }, ...components });
  };

  it('goes on from what is known: what stands is not reported again, what changes is', () => {
    const before = watched();
    before.apply(1, volts([0, 5]));
    const { apply, edges, watch } = watched(
      changed(() => undefined),
      before.watch,
    );
    expect([...watch.standing()].map(shown)).toEqual(['battery[1].voltage critical @1+0 5']);
    apply(2, volts([1, 5], [2, 7]));
    expect(edges()).toEqual(['battery[1].voltage null @2+2 7']);
  });

  it('where the limits are others, what is known is judged by them at once, and reported when it changes', () => {
    const before = watched();
    before.apply(1, volts([10, 5]));
    const wider = changed(({ battery }) => {
      battery.measures.voltage.limits = { soft: ['4 V', '8.4 V'], hard: ['3 V', '9 V'] };
    });
    const { apply, edges, watch } = watched(wider, before.watch, undefined, before.order);
    expect([...watch.standing()].map(shown)).toEqual(['battery[1].voltage null @1+10 5']);
    apply(2, volts([9, 2], [11, 5], [12, 3.5]));
    expect(edges()).toEqual(['battery[1].voltage warning @2+12 3.5']);
  });

  it('a measure that means something else begins again', () => {
    const before = watched();
    before.apply(1, volts([10, 5]));
    const other = changed(({ battery }) => {
      battery.measures.voltage.type = 'f32';
    });
    const { watch, apply, edges } = watched(other, before.watch);
    expect([...watch.standing()]).toEqual([]);
    apply(2, volts([9, 5]));
    expect(edges()).toEqual(['battery[1].voltage critical @2+9 5']);
  });

  it('is whole where everything goes on from the one before, and not where something is evaluated for the first time', () => {
    const before = watched();
    expect(before.watch.whole).toBe(false);
    const whole = (change: (components: typeof COMPONENTS) => void): boolean =>
      watched(changed(change), before.watch).watch.whole;
    expect(whole(() => undefined)).toBe(true);
    const wider = whole(({ battery }) => {
      battery.measures.voltage.limits = { soft: ['4 V', '8.4 V'], hard: ['3 V', '9 V'] };
    });
    expect(wider).toBe(true);
    const other = whole(({ obc }) => {
      obc.alarms.restless.when = 'count(resets, 6 s) > 2';
    });
    expect(other).toBe(false);
    const more = whole(({ battery }) => {
      Object.assign(battery.measures.cell, { limits: { soft: ['4 V', '8 V'] } });
    });
    expect(more).toBe(false);
  });

  it('named-alarms.N2 what is new goes on from one that has read what is stored, and what is kept from the one before', () => {
    const rows = [0, 1_000, 2_000].map((ground) => ({
      ground,
      raw: { 'obc.resets': 1, 'battery[1].current': -2, 'battery[1].cell': 3 },
    }));
    const before = watched();
    before.apply(1, [{ ground: -5_000, raw: { 'battery[1].current': -2 } }]);
    before.apply(2, rows);
    const next = changed(({ obc, battery }) => {
      obc.alarms.restless.when = 'count(resets, 6 s) > 2';
      Object.assign(battery.measures.cell, { limits: { soft: ['4 V', '8 V'] } });
    });
    const filled = watched(next);
    filled.apply(2, rows);
    const { watch, pass, edges } = watched(next, before.watch, filled.watch);
    expect([...watch.standing()].map(shown)).toEqual(
      expect.arrayContaining(['obc.restless warning @2+2000', 'battery[1].cell warning @2+2000 3']),
    );
    // Read back alone the hold would have begun with the first row.
    pass(5_000);
    expect(edges()).toEqual(['battery[1].draining warning @2+5000']);
  });

  it('named-alarms.N2 a hold goes on through it, twice', () => {
    const before = watched();
    before.apply(1, [{ ground: 0, raw: { 'battery[1].current': -2 } }]);
    const one = watched(
      changed(() => undefined),
      before.watch,
    );
    const two = watched(BOX, one.watch);
    expect(two.deadline()).toBe(10_000);
    two.apply(2, [{ ground: 5_000, raw: { 'battery[1].current': -2 } }]);
    two.pass(10_000);
    expect(two.edges()).toEqual(['battery[1].draining warning @2+10000']);
  });

  it('named-alarms.N2 another condition of the same name begins again', () => {
    const before = watched();
    before.apply(1, [{ ground: 0, raw: { 'battery[1].current': -2 } }]);
    const shorter = changed(({ battery }) => {
      battery.alarms.draining.when = 'current < -1 A and stable for 5 s';
    });
    const { apply, pass, deadline, edges } = watched(shorter, before.watch);
    expect(deadline()).toBeUndefined();
    apply(2, [{ ground: 1_000, raw: { 'battery[1].current': -2 } }]);
    pass(6_000);
    expect(edges()).toContain('battery[1].draining warning @2+6000');
  });

  it('another severity of the same condition stands at once', () => {
    const before = watched();
    const mode = [{ ground: 0, raw: { 'obc.mode': 1 } }];
    before.apply(1, mode);
    const graver = changed(({ obc }) => {
      obc.alarms.unsafe.severity = 'critical';
    });
    const { apply, edges, watch } = watched(graver, before.watch);
    expect([...watch.standing()].map(shown)).toEqual(['obc.unsafe critical @1+0']);
    apply(2, [{ ground: 1, raw: { 'obc.mode': 1 } }]);
    expect(edges()).toEqual([]);
  });

  it('alarm-watch.W1 a batch of the catalogue before is read by keys, one of an unknown catalogue is left out', () => {
    const next = changed(() => undefined);
    const reported: string[] = [];
    const watch = createAlarmWatch({
      platform: next,
      tell: (edge) => reported.push(shown(edge)),
      platformOf: (digest) => (digest === BOX.digest ? BOX : undefined),
    });
    expect(next.ordinal(VOLTAGE)).not.toBe(BOX.ordinal(VOLTAGE));
    const batch = valuesOf(BOX, [{ ground: T0, raw: { [VOLTAGE]: 5 } }]);
    watch.apply({ ...batch, platform: 'unknown' }, 1);
    watch.apply(batch, 2);
    expect(reported).toEqual(['battery[1].voltage critical @2+0 5']);
  });

  it('alarm-watch.W1 a batch that does not fit its catalogue is left out', () => {
    const { watch, edges } = watched();
    const batch = valuesOf(BOX, [{ ground: T0, raw: { [VOLTAGE]: 5 } }]);
    watch.apply({ ...batch, blocks: [{ ...batch.blocks[0]!, ordinals: Uint32Array.of(99_999) }] }, 1);
    expect(edges()).toEqual([]);
  });
});
