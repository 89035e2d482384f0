/** Which links of a mission a gateway serves. */

import { expect, it } from 'vitest';
import { compiledFleet } from '../../benchmark/fleet.ts';
import { possibleBindings } from '../../links/bindings.ts';
import { load } from '../../mission/load.ts';
import type { Link, Mission } from '../../mission/mission.ts';
import { demoMission } from '../support/missions.ts';

it('bindings.B1 gives each gateway of a topology the links that name it', () => {
  const mission = demoMission();
  const served = [...mission.gateways.keys()].map((gateway) => [
    gateway,
    possibleBindings(mission, gateway).map(({ target, link }) => `${target.name}/${link.name}`),
  ]);
  expect(Object.fromEntries(served)).toMatchObject({
    'sim-1': ['sat1/uhf'],
    'sim-2': ['sat2/s-band'],
    'replay-1': ['noaa20/replay'],
  });
  expect(possibleBindings(mission, 'nobody')).toEqual([]);
});

it('looks at each link of a fleet a few times in all, not once for each of its gateways', async () => {
  const { configuration, revision } = await compiledFleet(60);
  const mission = load(configuration, revision);
  let looks = 0;
  const counted = (link: Link): Link => ({
    ...link,
    parameters: (environment) => {
      looks += 1;
      return link.parameters(environment);
    },
  });
  const targets = new Map(
    [...mission.targets].map(([name, target]) => [
      name,
      { ...target, links: new Map([...target.links].map(([id, link]) => [id, counted(link)])) },
    ]),
  );
  const fleet: Mission = { ...mission, targets };
  for (let round = 0; round < 3; round += 1)
    for (const gateway of fleet.gateways.keys()) expect(possibleBindings(fleet, gateway)).toHaveLength(1);
  expect(looks).toBeLessThan(10 * targets.size);
});
