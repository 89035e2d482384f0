/** Which gateways have links with CFDP: those of the rest cost nothing. */

import { expect, it } from 'vitest';
import { cfdpGateways, cfdpLinksOf } from '../../../links/cfdp/cfdp-links.ts';
import { demoMission } from '../../support/missions.ts';
import { missionOf } from './gateway-world.ts';

const CFDP = { kind: 'space-packet', apid: 116, cfdp: { entity: 42, apid: 117 } };
const target = (link: object) => ({
  platform: 'box@1.0.0',
  environments: ['bench', 'orbit'],
  links: { s: { default: true, driver: 'pus', ...link } },
});
const of = (link: object, more: object = {}) =>
  missionOf({}, { environments: { bench: {}, orbit: {} }, targets: { sat: target(link) }, ...more });

it('a mission without CFDP has none', () => {
  expect([...cfdpGateways(of({ gateway: 'g', transport: { kind: 'space-packet', apid: 116 } }))]).toEqual([]);
  expect([
    ...cfdpGateways(
      of({ gateway: 'g', transport: CFDP, driver: 'other' }, { drivers: { other: { protocol: 'x' } } }),
    ),
  ]).toEqual([]);
});

it('the gateway that the link names, in any environment', () => {
  const gateways = { g: {}, h: {}, i: {} };
  const environments = { orbit: { gateway: 'h' } };
  const mission = of({ gateway: 'g', transport: CFDP, environments }, { gateways });
  expect([...cfdpGateways(mission)].sort()).toEqual(['g', 'h']);
  expect(cfdpLinksOf(mission, 'h').map(({ link }) => link.name)).toEqual(['s']);
  expect(cfdpLinksOf(mission, 'i')).toEqual([]);
});

it('every gateway that a pass could bind the default link to', () => {
  const gateways = { a: { tags: ['s-band'] }, b: { tags: ['s-band', 'kiruna'] }, c: { tags: ['uhf'] } };
  const stations = { kiruna: {} };
  const mission = of({ tags: ['s-band'], transport: CFDP }, { gateways, stations });
  expect([...cfdpGateways(mission)].sort()).toEqual(['a', 'b']);
});

it('MC-CFDP-001 links of a driver that speaks nothing else count too', () => {
  const drivers = { pus: { protocol: 'cfdp', entity: 1 } };
  const mission = of({ gateway: 'g', transport: { kind: 'cfdp', entity: 42 } }, { drivers });
  expect([...cfdpGateways(mission)]).toEqual(['g']);
});

it('the demo has as many as it says', () => {
  const mission = demoMission();
  for (const gateway of cfdpGateways(mission)) expect(cfdpLinksOf(mission, gateway)).not.toEqual([]);
});
