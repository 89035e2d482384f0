/** The radio channel and the rate of a simulated gateway in a topology: what compiles, and every fault of what does not. */

import { describe, expect, it } from 'vitest';
import { compiled, faultsOf, platform, topology } from './documents.ts';

const documents = (settings: object, more: object = {}) => [
  platform({ components: { obc: { measures: { n: { type: 'u8' } } } } }),
  topology({ gateways: { sim: { simulated: true, settings, ...more } } }),
];
const said = (settings: object, more?: object): string[] =>
  faultsOf(documents(settings, more)).map(({ path, message }) => `${path}: ${message}`);

const BAD = { loss: 0.1, duplication: 0, reordering: 1, delay: '300 ms' };

describe('the channel of a simulated gateway', () => {
  it('compiles each way, both ways and without', () => {
    for (const channel of [{}, { up: {} }, { down: BAD }, { up: BAD, down: { delay: '1 min' } }]) {
      const { configuration } = compiled(documents({ seed: 1, channel }, { rate: '1 Mbit/s' }));
      expect(configuration.topology.gateways[0]?.settings).toEqual({ seed: 1, channel, link_rate: 1e6 });
    }
  });

  it.each<[string, unknown, RegExp]>([
    ['what is no mapping', 0.1, /^gateways\.sim\.settings\.channel: /],
    ['another way', { sideways: {} }, /^gateways\.sim\.settings\.channel\.?.*sideways/],
    ['another property', { up: { jitter: '1 s' } }, /channel\.up.*jitter/],
    ['more than everything', { up: { loss: 1.1 } }, /^gateways\.sim\.settings\.channel\.up\.loss: /],
    ['less than nothing', { down: { duplication: -0.1 } }, /channel\.down\.duplication: /],
    ['a share in text', { down: { reordering: '5 %' } }, /channel\.down\.reordering: /],
    ['a delay without a unit', { up: { delay: 300 } }, /channel\.up\.delay: /],
    ['a delay that is none', { up: { delay: 'long' } }, /channel\.up\.delay: /],
    ['a negative delay', { up: { delay: '-1 s' } }, /channel\.up\.delay: .*negative/],
    ['a delay beyond the Moon', { up: { delay: '61 s' } }, /channel\.up\.delay: "61 s" is longer than 60 s$/],
  ])('is refused with %s, where it stands', (_, channel, fault) => {
    expect(said({ channel })).toEqual([expect.stringMatching(fault)]);
  });

  it('of a gateway that is not simulated is a setting like any other', () => {
    compiled(documents({ channel: 7 }, { simulated: false }));
  });
});

it.each(['0 bit/s', '-1 kbit/s'])('a gateway with a rate of %s is refused', (rate) => {
  expect(said({}, { rate })).toEqual(['gateways.sim.rate: a rate is above zero']);
});
