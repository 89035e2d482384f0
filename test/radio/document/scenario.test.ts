/** Scenarios: what can be run and is worth it, and how everything else is refused. */

import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../../contract/bench/scenario.ts';
import { readsLink } from '../../../radio/document/assertion.ts';
import { checkScenario, readScenario } from '../../../radio/document/scenario.ts';
import { demoProfiles, demoTexts, faultsOf, valid } from './demo-bench.ts';

const profiles = demoProfiles();
const measure = { do: 'datapath.measure', with: { blocks: 8 }, save: 'm' };
const byteExact = {
  name: 'byte exact',
  source: 'measure',
  ref: 'm',
  field: 'verdict',
  op: '==',
  value: 'BytePerfect',
};
const least = {
  name: 'least',
  timeline: [{ at_ms: 0, id: 'measure', ...measure }],
  assertions: [byteExact],
};

const check = (change: object) => checkScenario({ ...least, ...change }, profiles);
const faults = (change: object) => faultsOf(check(change));
/** With steps before the measurement. */
const steps = (...more: readonly object[]) =>
  faults({
    timeline: [...more.map((step, index) => ({ at_ms: 0, id: `s${index}`, ...step })), ...least.timeline],
  });
/** With an assertion beside the one that reads the link. */
const assertion = (more: object, change: object = {}) =>
  faults({ assertions: [byteExact, { name: 'more', ...more }], ...change });

describe('a scenario', () => {
  it('is valid with as little as a measurement and what is asserted of it', () => {
    expect(valid(check({}))).toEqual(least);
  });

  it('is refused with every fault at once, each as path and reason', () => {
    const wrong = {
      name: 'x',
      colour: 'red',
      target: 'space',
      timeline: [{ at_ms: -1, id: 'a b', do: 'radio.explode' }],
      assertions: [{ name: 'a', source: 'guess' }, { name: 'b' }, { name: 'c', source: 'script', step: 's' }],
    };
    expect(faultsOf(checkScenario(wrong, profiles))).toEqual([
      expect.stringMatching(/^colour: unknown key "colour"/),
      expect.stringMatching(/^target: is "space"; one of air, device-loopback, pl-loopback/),
      expect.stringMatching(/^timeline\[0\]\.at_ms: is -1; the minimum is 0/),
      expect.stringMatching(/^timeline\[0\]\.id: is "a b"/),
      expect.stringMatching(/^timeline\[0\]\.do: is "radio\.explode"; one of profile\.apply, /),
      expect.stringMatching(
        /^assertions\[0\]\.source: is "guess"; one of measure, metric, event, frames, script/,
      ),
      expect.stringMatching(/^assertions\[1\]: the key "source" is missing/),
      expect.stringMatching(/^assertions\[2\]: the key "op" is missing/),
      expect.stringMatching(/^assertions\[2\]: the key "value" is missing/),
    ]);
  });

  it.each(['active', 'validate'])('RB-GEN-011 cannot be called %s', (name) => {
    expect(faults({ name })).toEqual([expect.stringMatching(/^name: ".*" is a word of the interface/)]);
  });

  it('RB-SCEN-014 uses a profile that there is', () => {
    expect(faults({ profile_ref: 'qpsk-1m' })).toEqual([]);
    expect(faults({ profile_ref: 'qpsk-1n' })).toEqual([
      'profile_ref: no profile "qpsk-1n"; did you mean "qpsk-1m"?',
    ]);
  });
});

describe('the timeline', () => {
  it('has steps of names of their own, in the order of time, within the run', () => {
    const timeline = [
      { at_ms: 10, id: 'a', ...measure },
      { at_ms: 5, id: 'a', ...measure },
      { at_ms: 600_000, id: 'b', do: 'wait', timeout_ms: 1 },
      { at_ms: 600_001, id: 'c', do: 'chain.recover' },
    ];
    expect(faults({ timeline })).toEqual([
      'timeline[1].id: "a" is given twice; give each a name of its own',
      'timeline[1].save: "m" is given twice; give each a name of its own',
      'timeline[1].at_ms: is 5; a step before is at 10; put the steps in order of time',
      'timeline[2].timeout_ms: ends at 600001 ms; the run ends at 600000; raise timeout_s of the scenario',
      'timeline[3].at_ms: ends at 600001 ms; the run ends at 600000; raise timeout_s of the scenario',
    ]);
    expect(
      faults({ timeline: timeline.slice(2, 3).concat(least.timeline as never), timeout_s: 601 }),
    ).toHaveLength(1);
  });

  it('waits for a metric that there is, with an end', () => {
    const until = { metric: 'rx.carrier_lock', op: '==', value: true };
    expect(steps({ do: 'wait', until, timeout_ms: 1000 }, { do: 'wait', timeout_ms: 5 })).toEqual([]);
    expect(steps({ do: 'wait', until })).toEqual(['timeline[0]: waits without end; write timeout_ms']);
    expect(steps({ do: 'chain.recover', until })).toEqual([
      'timeline[0].until: chain.recover waits for nothing; use wait',
    ]);
    const wait = (change: object) => steps({ do: 'wait', timeout_ms: 1000, until: { ...until, ...change } });
    expect(wait({ metric: 'rx.carier_lock' })).toEqual([
      'timeline[0].until.metric: no metric "rx.carier_lock"; did you mean "rx.carrier_lock"?',
    ]);
    expect(wait({ op: '<' })).toEqual([expect.stringMatching(/^timeline\[0\]\.until\.op: is </)]);
    expect(wait({ value: 1 })).toEqual(['timeline[0].until.value: is 1, not true or false']);
    expect(wait({ metric: 'rx.ebn0_db' })).toEqual(['timeline[0].until.value: is true, not a number']);
    expect(wait({ for_ms: 1001 })).toEqual([expect.stringMatching(/^timeline\[0\]\.until\.for_ms: is 1001/)]);
  });

  it('keeps measurements only', () => {
    expect(steps({ do: 'chain.recover', save: 'x' })).toEqual([
      expect.stringMatching(/^timeline\[0\]\.save: /),
    ]);
  });

  it.each([
    [{ do: 'profile.apply', with: { profile: 'qpsk' } }, /^timeline\[0\]\.with\.profile: no profile "qpsk"/],
    [{ do: 'profile.apply' }, /^timeline\[0\]\.with: names no profile/],
    [{ do: 'chain.condition', with: { target: 'sky' } }, /^timeline\[0\]\.with\.target: is "sky"/],
    [{ do: 'chain.recover', with: { hard: true } }, /^timeline\[0\]\.with\.hard: /],
    [{ do: 'radio.frequency' }, /^timeline\[0\]\.with: the key "center_frequency_hz" is missing/],
    [
      { do: 'radio.frequency', with: { center_frequency_hz: 60_000_000 } },
      /^timeline\[0\]\.with\.center_frequency_hz: the oscillator of rx is 60000000; the range is 70000000/,
    ],
    [{ do: 'radio.gain', with: {} }, /^timeline\[0\]\.with: sets no gain/],
    [
      { do: 'radio.gain', with: { tx_gain_db: 1 } },
      /^timeline\[0\]\.with\.tx_gain_db: is 1; the range is -89\.75 to 0/,
    ],
    [
      { do: 'radio.reset', with: { scope: 'moon' } },
      /^timeline\[0\]\.with\.scope: is "moon"; one of rx, tx, all/,
    ],
    [{ do: 'datapath.measure', with: { blocks: 0 } }, /^timeline\[0\]\.with\.blocks: is 0; the minimum is 1/],
    [
      { do: 'datapath.measure', with: { blocks: 1, payload_hex: '00', prbs: 9 } },
      /^timeline\[0\]\.with\.prbs: has no meaning beside payload_hex/,
    ],
    [
      { do: 'datapath.transmit', with: { packets: [{ protocol: 'raw', payload_hex: '' }] } },
      /^timeline\[0\]\.with\.packets\[0\]\.payload_hex: is empty/,
    ],
    [
      {
        do: 'datapath.transmit',
        with: { packets: [{ protocol: 'raw', payload_hex: '0000' }], framing: { mode: 'slot', slot_len: 1 } },
      },
      /^timeline\[0\]\.with\.packets\[0\]: is 2 bytes/,
    ],
  ])('has bodies that the routes would take: %#', (step, fault) => {
    expect(steps(step)).toEqual([expect.stringMatching(fault)]);
  });

  it('knows the band by what was applied and tuned before', () => {
    const gain = { do: 'radio.gain', with: { rx_gain_db: 72 } };
    const uhf = { do: 'profile.apply', with: { profile: 'dbpsk-9k6-uhf' } };
    const tune = { do: 'radio.frequency', with: { center_frequency_hz: 2_400_000_000 } };
    expect(steps(gain)).toEqual([]);
    expect(steps(uhf, gain)).toEqual([]);
    expect(steps(uhf, tune, gain)).toEqual([
      'timeline[2].with.rx_gain_db: is 72; the range is -3 to 71 dB at 2400000000 Hz',
    ]);
  });

  it('cuts slots as the profile does', () => {
    const transmit = (slot_len: number) => ({
      do: 'datapath.transmit',
      with: { packets: [{ protocol: 'raw', payload_hex: '00' }], framing: { mode: 'slot', slot_len } },
    });
    const applied = { do: 'profile.apply', with: { profile: 'qpsk-1m' } };
    expect(steps(applied, transmit(256))).toEqual([]);
    expect(steps(applied, transmit(128))).toEqual([
      expect.stringMatching(/^timeline\[1\]\.with\.framing\.slot_len: is 128; the modem cuts frames of 256/),
    ]);
  });

  it('has no gains in a loopback, where they mean nothing or radiate, but for silence', () => {
    const gain = (rx_gain_db: number | null, tx_gain_db: number | null) => ({
      do: 'radio.gain',
      with: { rx_gain_db, tx_gain_db },
    });
    const into = (target: string) => ({ do: 'chain.condition', with: { target } });
    expect(steps(into('pl-loopback'), gain(40, -10))).toEqual([
      expect.stringMatching(/^timeline\[1\]\.with\.rx_gain_db: means nothing in pl-loopback/),
      expect.stringMatching(/^timeline\[1\]\.with\.tx_gain_db: is -10, which radiates in pl-loopback/),
    ]);
    expect(steps(into('device-loopback'), gain(null, -89))).toEqual([]);
    expect(steps(into('pl-loopback'), into('air'), gain(40, -10))).toEqual([]);
    const timeline = [{ at_ms: 0, id: 'a', ...gain(40, null) }, ...least.timeline];
    expect(faults({ target: 'device-loopback', timeline })).toHaveLength(1);
    expect(faults({ target: 'air', timeline })).toEqual([]);
  });

  it('ends with actions that are checked likewise', () => {
    const on_end = [{ do: 'wait' }, { do: 'radio.gain', with: { tx_gain_db: 4 } }];
    expect(faults({ on_end })).toEqual([
      expect.stringMatching(/^on_end\[0\]\.do: /),
      expect.stringMatching(/^on_end\[1\]\.with\.tx_gain_db: is 4/),
    ]);
  });
});

describe('assertions', () => {
  const board = { name: 'cool', source: 'metric', metric: 'ad9361.temp_c', agg: 'max', op: '<', value: 70 };
  const sampler = { interval_ms: 250, metrics: ['ad9361.temp_c', 'rx.carrier_lock', 'rx.ebn0_db'] };

  it.each([
    ['there are none', []],
    ['they read the script', [{ name: 'done', source: 'script', step: 'measure', op: '==', value: 'done' }]],
    ['they read the board', [board]],
    [
      'they count events',
      [{ name: 'e', source: 'event', kind: 'dma.overflow', count: { op: '==', value: 0 } }],
    ],
  ])('read the link; refused where %s', (_, assertions) => {
    expect(faults({ assertions, sampler })).toEqual([
      expect.stringMatching(/^assertions: no assertion reads the link/),
    ]);
  });

  it.each([
    [byteExact],
    [{ name: 'f', source: 'frames', count: { op: '>', value: 0 } }],
    [{ ...board, metric: 'rx.ebn0_db', op: '>' }],
    [{ ...board, metric: 'rx.carrier_lock', agg: 'all', op: '==', value: true }],
  ])('that read the link are enough: %#', (only) => {
    expect(faults({ assertions: [only], sampler })).toEqual([]);
    expect(readsLink(only as Scenario['assertions'][0])).toBe(true);
  });

  it('have names of their own, and speak of what there is', () => {
    expect(faults({ assertions: [byteExact, byteExact] })).toEqual([
      'assertions[1].name: "byte exact" is given twice; give each a name of its own',
    ]);
    expect(assertion({ ...byteExact, name: 'more', ref: 'n' })).toEqual([
      'assertions[1].ref: no step saves "n"; saved: m',
    ]);
    expect(assertion({ source: 'script', step: 'measured', op: '==', value: 'done' })).toEqual([
      'assertions[1].step: no step "measured"; did you mean "measure"?',
    ]);
    expect(assertion({ ...board, name: 'more' })).toEqual([
      'assertions[1].metric: "ad9361.temp_c" is not sampled; add it to sampler.metrics',
    ]);
    expect(assertion({ ...board, name: 'more', metric: 'temp' }, { sampler })).toEqual([
      expect.stringMatching(/^assertions\[1\]\.metric: no metric "temp"/),
    ]);
  });

  it.each([
    [{ ...byteExact, op: '<' }, /\.op: is </],
    [
      { ...byteExact, value: 'Perfect' },
      /\.value: is "Perfect"; one of BytePerfect, Degraded, NoCorrelation fits/,
    ],
    [{ ...byteExact, field: 'overall_ratio' }, /\.value: is "BytePerfect", not a number/],
    [{ ...byteExact, field: 'rotation_slip', value: 0 }, /\.value: is 0, not true or false/],
    [{ ...board, metric: 'rx.carrier_lock', agg: 'mean', op: '==', value: true }, /\.agg: is mean/],
    [{ ...board, value: 'hot' }, /\.value: is "hot", not a number/],
    [{ source: 'frames', count: { op: '>=', value: 0 } }, /\.count: always holds/],
    [{ source: 'frames', count: { op: '<', value: 0 } }, /\.count: never holds/],
    [{ source: 'event', count: { op: '==', value: 0 } }, /: counts every event/],
  ])('compare what can be compared, and can fail: %#', (more, fault) => {
    expect(assertion({ ...more, name: 'more' }, { sampler })).toEqual([expect.stringMatching(fault)]);
  });

  it('have windows in which something can be', () => {
    const timeline = [
      { at_ms: 0, id: 'a', do: 'chain.recover' },
      { at_ms: 500, id: 'b', ...measure },
      { at_ms: 900, id: 'c', do: 'chain.recover' },
    ];
    const windowed = (window: unknown) =>
      assertion({ ...board, name: 'more', window }, { sampler, timeline });
    for (const window of [
      ['a', 'b'],
      ['b', 'b'],
      [0, 'c'],
      [100, 200],
      ['b', 501],
    ])
      expect(windowed(window)).toEqual([]);
    expect(windowed(['c', 'a'])).toEqual(['assertions[1].window: is empty: step "a" ends before c']);
    expect(windowed([200, 200])).toEqual(['assertions[1].window: is empty: from 200 to 200 ms']);
    expect(windowed(['b', 500])).toEqual(['assertions[1].window: is empty: from 500 to 500 ms']);
    expect(windowed([600_000, 'c'])).toEqual([
      expect.stringMatching(/^assertions\[1\]\.window\[0\]: is at 600000/),
    ]);
    expect(windowed(['x', 'c'])).toEqual([
      expect.stringMatching(/^assertions\[1\]\.window\[0\]: no step "x"/),
    ]);
    expect(windowed(['a'])).toEqual([expect.stringMatching(/^assertions\[1\]\.window: has 1 items/)]);
  });

  it('are of a sampler that samples what there is, once', () => {
    expect(faults({ sampler: { interval_ms: 250, metrics: ['rx.ratio', 'rx.ratio', 'rx.luck'] } })).toEqual([
      expect.stringMatching(/^sampler\.metrics\[1\]: "rx\.ratio" is given twice/),
      expect.stringMatching(/^sampler\.metrics\[2\]: no metric "rx\.luck"/),
    ]);
  });
});

it('YAML and JSON of a scenario are the same scenario', () => {
  const text = demoTexts('scenarios').get('cabled-fade')!;
  const scenario = valid(readScenario(text, profiles));
  expect(valid(readScenario(JSON.stringify(scenario), profiles))).toEqual(scenario);
});
