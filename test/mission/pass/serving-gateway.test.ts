import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PassTimes } from '../../../mission/pass/pass-times.ts';
import {
  byPrecedence,
  gatewaysReceiving,
  servingDuring,
  servingGateway,
} from '../../../mission/pass/serving-gateway.ts';
import { bookOf, storedPass } from '../../support/passes.ts';
import { expected, NOW, pass, SITUATIONS, stationMission } from '../../support/station-mission.ts';

const linkOf = (mission: ReturnType<typeof stationMission>, name = 'uhf') => {
  const target = mission.targets.get('sat1')!;
  return { target, link: target.links.get(name)! };
};

describe('MC-PASS-050 the gateway of the default link', () => {
  it.each(SITUATIONS)('MC-PASS-051 MC-PASS-052 serving-gateway.W2 $name', (situation) => {
    const mission = stationMission(situation.own);
    const book = bookOf(situation.passes);
    for (const environment of ['bench', 'in_orbit']) {
      const { gateway } = servingGateway(mission, { ...linkOf(mission), environment }, book, NOW);
      expect(gateway?.name).toBe(expected(situation, environment));
    }
    const receiving = gatewaysReceiving(mission, mission.targets.get('sat1')!, book, NOW);
    expect([...receiving].sort()).toEqual([...situation.receiving].sort());
  });

  it('serving-gateway.W1 of no other link follows a pass', () => {
    const mission = stationMission();
    const served = { ...linkOf(mission, 'other'), environment: 'in_orbit' };
    expect(servingDuring(mission, served, [pass(-5, 5)]).gateway?.name).toBe('svalbard-1');
  });

  it('serving-gateway.W3 is none in orbit where no station of a pass has one, with every reason', () => {
    const mission = stationMission();
    const passes = [pass(-5, 5, { station: 'kourou' }), pass(-4, 5, { id: 'q', station: 'dubai' })];
    for (const environment of ['in_orbit', undefined])
      expect(servingGateway(mission, { ...linkOf(mission), environment }, bookOf(passes), NOW)).toEqual({
        gateway: undefined,
        reason:
          'pass p over kourou: no gateway carries the tags s-band, kourou; ' +
          'pass q over dubai: no gateway carries the tags s-band, dubai',
      });
  });
});

it('serving-gateway.W4 frames come from the gateway of the link itself too, where each environment has its own', () => {
  const mission = stationMission();
  const { target, link } = linkOf(mission);
  const parameters = (environment: string | undefined) => ({
    gateway: environment === undefined ? 'santiago-1' : 'kiruna-1',
    tags: [],
    rate: undefined,
  });
  const links = new Map([['uhf', { ...link, parameters }]]);
  const receiving = gatewaysReceiving(mission, { ...target, links }, bookOf([]), NOW);
  expect(receiving).toEqual(['santiago-1', 'kiruna-1']);
});

it('serving-gateway.W2 passes of one status and one AOS count in the order of their identifiers, however they are given', () => {
  const [one, other] = ['p1', 'p2'].map((id) => pass(-5, 5, { id }));
  for (const given of [
    [one!, other!],
    [other!, one!],
  ])
    expect(given.toSorted(byPrecedence).map(({ id }) => id)).toEqual(['p1', 'p2']);
});

it('pass-times.N1 answers as a look at every pass does, whatever changes and however the clock goes', () => {
  const spans = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    aos: fc.integer({ min: 0, max: 20 }),
    length: fc.integer({ min: 1, max: 8 }),
    status: fc.constantFrom('predicted', 'cancelled'),
  });
  const steps = fc.array(fc.oneof(spans, fc.integer({ min: -3, max: 30 })), { maxLength: 40 });
  fc.assert(
    fc.property(steps, fc.constantFrom(0, 2), (all, margin) => {
      const times = new PassTimes(margin);
      const passes = new Map<string, ReturnType<typeof storedPass>>();
      for (const step of all) {
        if (typeof step !== 'number') {
          const { id, aos, length, status } = step;
          passes.set(id, storedPass(aos, aos + length, { id, status }));
          times.changed('sat1');
          continue;
        }
        const known = [...passes.values()].filter(({ aos, los, status }) => {
          const [begin, end] = [Date.parse(aos) - margin, Date.parse(los) + margin];
          return status !== 'cancelled' && begin <= step && step < end;
        });
        expect(times.inProgress('sat1', () => passes.values(), step)).toEqual(known.sort(byPrecedence));
      }
    }),
  );
});
