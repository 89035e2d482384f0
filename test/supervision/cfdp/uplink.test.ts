/** Which gateway takes PDUs of a link now, and whether any serves it. */

import { expect, it } from 'vitest';
import type { Links } from '../../../actors/transfer/links.ts';
import { uplinkOf } from '../../../supervision/cfdp/uplink.ts';
import { bookOf } from '../../support/passes.ts';
import { NOW, pass, stationMission } from '../../support/station-mission.ts';

const mission = stationMission();
const target = mission.targets.get('sat1')!;
const link = target.links.get('uhf')!;

/** Where transfers find the link so. */
function uplink(serving: string | { readonly reason: string }, passes = [pass(-5, 5)]) {
  const stated = () => ({ rate: 9_600 });
  const found = typeof serving === 'string' ? { gateway: serving, stated } : serving;
  const links = { of: () => found } as unknown as Pick<Links, 'of'>;
  const tools = { links, passes: bookOf(passes), clock: { now: () => NOW } };
  return uplinkOf(tools, mission, { target, link });
}

it('the gateway that serves the link takes them, at its rate', () => {
  expect(uplink('kiruna-1')).toEqual({ gateway: 'kiruna-1', rate: 9_600 });
});

it('one that serves it and cannot send says why', () => {
  for (const reason of ['pass p only receives', 'gateway kiruna-1 is not up'])
    expect(uplink({ reason })).toEqual({ reason });
});

it('where no gateway serves it, none takes them', () => {
  const reason = 'no gateway carries the tags';
  const over = [pass(-5, 5, { station: 'kourou' })];
  expect(uplink({ reason }, over)).toEqual({ reason, isServed: false });
});
