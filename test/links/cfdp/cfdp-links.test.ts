/** Which gateways have links with CFDP, and which of them belong together: those of the rest cost nothing. */

import { expect, it } from 'vitest';
import { type CfdpGroup, cfdpGroupOf, cfdpGroups } from '../../../links/cfdp/cfdp-links.ts';
import type { Mission } from '../../../mission/mission.ts';
import { demoMission } from '../../support/missions.ts';
import { missionOf } from './group-world.ts';

const CFDP = { kind: 'space-packet', apid: 116, cfdp: { entity: 42, apid: 117 } };
const target = (link: object) => ({
  platform: 'box@1.0.0',
  environments: ['bench', 'orbit'],
  links: { s: { default: true, driver: 'pus', ...link } },
});
const of = (link: object, more: object = {}) =>
  missionOf({}, { environments: { bench: {}, orbit: {} }, targets: { sat: target(link) }, ...more });

const gatewaysOf = (mission: Mission): (readonly string[])[] =>
  [...cfdpGroups(mission).values()].map(({ gateways }) => gateways);
const linksOf = (group: CfdpGroup | undefined): string[] =>
  (group?.links ?? []).map(({ target: { name }, link }) => `${name} ${link.name}`);

it('a mission without CFDP has none', () => {
  expect(gatewaysOf(of({ gateway: 'g', transport: { kind: 'space-packet', apid: 116 } }))).toEqual([]);
  const drivers = { other: { protocol: 'x' } };
  expect(gatewaysOf(of({ gateway: 'g', transport: CFDP, driver: 'other' }, { drivers }))).toEqual([]);
});

it('the gateway that the link names, in any environment', () => {
  const gateways = { g: {}, h: {}, i: {} };
  const environments = { orbit: { gateway: 'h' } };
  const mission = of({ gateway: 'g', transport: CFDP, environments }, { gateways });
  expect(gatewaysOf(mission)).toEqual([['g', 'h']]);
  expect(linksOf(cfdpGroupOf(mission, 'h'))).toEqual(['sat s']);
  expect(cfdpGroupOf(mission, 'i')).toBeUndefined();
});

it('every gateway that a pass could bind the default link to', () => {
  const gateways = { a: { tags: ['s-band'] }, b: { tags: ['s-band', 'kiruna'] }, c: { tags: ['uhf'] } };
  const stations = { kiruna: {} };
  const mission = of({ tags: ['s-band'], transport: CFDP }, { gateways, stations });
  expect(gatewaysOf(mission)).toEqual([['a', 'b']]);
});

it('MC-CFDP-001 links of a driver that speaks nothing else count too', () => {
  const drivers = { pus: { protocol: 'cfdp', entity: 1 } };
  const mission = of({ gateway: 'g', transport: { kind: 'cfdp', entity: 42 } }, { drivers });
  expect(gatewaysOf(mission)).toEqual([['g']]);
});

it('cfdp-links.B2 gateways that may serve the same link are one group, also by way of others, called as the first of them', () => {
  const gateways = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, {}]));
  const over = (first: string, second: string, entity: number) =>
    target({
      gateway: first,
      transport: { ...CFDP, cfdp: { entity, apid: 117 } },
      environments: { orbit: { gateway: second } },
    });
  const targets = { x: over('d', 'c', 41), y: over('e', 'f', 42), z: over('b', 'd', 43) };
  const groups = cfdpGroups(of({}, { gateways, targets }));
  expect([...groups.values()].map(({ name, gateways: all }) => [name, all])).toEqual([
    ['b', ['b', 'c', 'd']],
    ['e', ['e', 'f']],
  ]);
  expect([...groups.values()].map(linksOf)).toEqual([['x s', 'z s'], ['y s']]);
});

it('each group of the demo has links, and each of its gateways is in one', () => {
  const mission = demoMission();
  expect(cfdpGroups(mission)).toBe(cfdpGroups(mission));
  for (const group of cfdpGroups(mission).values()) {
    expect(group.links).not.toEqual([]);
    for (const gateway of group.gateways) expect(cfdpGroupOf(mission, gateway)).toBe(group);
  }
});
