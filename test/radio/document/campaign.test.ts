/** Campaigns: what can be run, and how everything else is refused. */

import { describe, expect, it } from 'vitest';
import { checkCampaign } from '../../../radio/document/campaign.ts';
import { sweepPoints } from '../../../radio/document/sweep.ts';
import { demoProfiles, faultsOf, valid } from './demo-bench.ts';

const context = { profiles: demoProfiles(), scenarios: new Set(['pl-proof', 'cabled-fade']) };
const proof = { id: 'proof', kind: 'scenario', scenario: 'pl-proof' };
const least = { name: 'least', steps: [proof] };
const check = (change: object) => checkCampaign({ ...least, ...change }, context);
const faults = (change: object) => faultsOf(check(change));
const sweep = (change: object) =>
  faults({
    steps: [
      {
        id: 'fall',
        kind: 'sweep',
        profile: 'qpsk-1m',
        measure: { blocks: 8 },
        vary: { tx_gain_db: { from: -30, to: -56, step: -2 } },
        ...change,
      },
    ],
  });

describe('a campaign', () => {
  it('RB-CAMP-025 is valid with a name and a step', () => {
    expect(valid(check({}))).toEqual(least);
  });

  it.each(['active', 'validate'])('RB-GEN-011 cannot be called %s', (name) => {
    expect(faults({ name })).toEqual([expect.stringMatching(/^name: ".*" is a word of the interface/)]);
  });

  it('is refused with every fault of its shape at once', () => {
    const steps = [
      { id: 'a', kind: 'dance' },
      { id: 'b', kind: 'scenario', scenario: 'pl-proof', retries: 6, mood: 1 },
      { id: 'c', kind: 'sweep', profile: 'qpsk-1m', vary: {}, measure: { blocks: 1, prbs: 11 } },
    ];
    expect(faults({ steps, stop_on: 'luck' }).map((fault) => fault.split(': ')[0])).toEqual(
      expect.arrayContaining([
        'steps[0].kind',
        'steps[1].retries',
        'steps[1].mood',
        'steps[2].vary',
        'stop_on',
      ]),
    );
    expect(faults({ steps: [] })).toEqual([expect.stringMatching(/^steps: has 0 items/)]);
  });

  it('names scenarios and profiles that there are', () => {
    const steps = [
      { ...proof, scenario: 'pl-prof' },
      { id: 'b', kind: 'profile', profile: 'x' },
    ];
    expect(faults({ steps })).toEqual([
      'steps[0].scenario: no scenario "pl-prof"; did you mean "pl-proof"?',
      expect.stringMatching(/^steps\[1\]\.profile: no profile "x"; profiles: /),
    ]);
  });

  it('needs earlier steps only (document/campaign.G1)', () => {
    const steps = [
      { ...proof, id: 'a', needs: ['b', 'a'] },
      { ...proof, id: 'b', needs: ['a', 'z'] },
      { ...proof, id: 'b' },
    ];
    expect(faults({ steps })).toEqual([
      'steps[2].id: "b" is given twice; give each a name of its own',
      'steps[0].needs[0]: step "b" is not earlier; there are no earlier steps',
      'steps[0].needs[1]: step "a" is not earlier; there are no earlier steps',
      expect.stringMatching(/^steps\[1\]\.needs\[1\]: no step "z"/),
    ]);
  });

  it('starts by itself at five fields of cron', () => {
    expect(faults({ cron: '0 2 * * *' })).toEqual([]);
    expect(faults({ cron: '60 2 * * 8' })).toEqual([
      expect.stringMatching(/^cron: minute: "60"/),
      expect.stringMatching(/^cron: day of week: "8"/),
    ]);
  });

  it('contradicts itself nowhere', () => {
    expect(faults({ board: { provider: 'stub', require: { mock: false } } })).toHaveLength(1);
    expect(faults({ board: { provider: 'any', require: { mock: false } } })).toEqual([]);
    expect(faults({ steps: [{ ...proof, retry_on: ['failed'] }] })).toEqual([
      expect.stringMatching(/^steps\[0\]\.retry_on: has no effect without retries/),
    ]);
  });

  it('has actions of the verbs of scenarios, with their bodies', () => {
    const action = (more: object) => faults({ steps: [{ id: 'a', kind: 'action', ...more }] });
    expect(action({ do: 'radio.gain', with: { tx_gain_db: -89 } })).toEqual([]);
    expect(action({ do: 'wait' })).toEqual([
      expect.stringMatching(/^steps\[0\]\.do: .* belongs in a scenario/),
    ]);
    expect(action({ do: 'radio.gian' })).toEqual([
      'steps[0].do: no verb "radio.gian"; did you mean "radio.gain"?',
    ]);
    expect(action({ do: 'toString' })).toHaveLength(1);
    expect(action({ do: 'radio.gain', with: { tx_gain_db: 9 } })).toEqual([
      expect.stringMatching(/^steps\[0\]\.with\.tx_gain_db: is 9/),
    ]);
  });
});

describe('a sweep', () => {
  it('goes through its points', () => {
    expect(sweepPoints({ from: -30, to: -35, step: -2 })).toEqual([-30, -32, -34]);
    expect(sweepPoints({ from: 0, to: 1, step: 0.1 })).toHaveLength(11);
    expect(sweepPoints({ from: 4, to: 4, step: 1 })).toEqual([4]);
    expect(sweep({})).toEqual([]);
  });

  it.each([
    [
      { vary: { tx_gain_db: { from: -30, to: -56, step: 2 } } },
      /^steps\[0\]\.vary\.tx_gain_db\.step: is 2, which leads/,
    ],
    [
      { vary: { tx_gain_db: { from: -30, to: -56, step: 0 } } },
      /\.step: is 0; that is more than 1000 points/,
    ],
    [
      { vary: { tx_gain_db: { from: 0, to: -80, step: -0.01 } } },
      /\.step: is -0\.01; that is more than 1000/,
    ],
    [{ vary: { tx_gain_db: { from: -80, to: -100, step: -5 } } }, /tx_gain_db: a point is -90; the range is/],
    [
      { vary: { tx_gain_db: { from: 0, to: -1, step: -0.3 } } },
      /tx_gain_db: a point is -0\.3; the steps are 0\.25/,
    ],
    [
      { vary: { rx_gain_db: { from: 70, to: 72, step: 1 } } },
      /rx_gain_db: a point is 72; the range is -3 to 71/,
    ],
    [
      { expect: { min_ratio_at: { '-31': 1 } } },
      /^steps\[0\]\.expect\.min_ratio_at\.-31: is not a point of the sweep/,
    ],
    [{ profile: 'x' }, /^steps\[0\]\.profile: no profile "x"/],
  ])('is refused where a point cannot be set: %#', (change, fault) => {
    expect(sweep(change)).toEqual([expect.stringMatching(fault)]);
  });
});
