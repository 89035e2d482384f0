/** Whether the links of a gateway can be sent over it now, and whether another one has them. */

import { expect, it } from 'vitest';
import type { Links } from '../../../actors/transfer/links.ts';
import { uplinkOf } from '../../../supervision/cfdp/uplink.ts';
import { bookOf } from '../../support/passes.ts';
import { NOW, pass, stationMission } from '../../support/station-mission.ts';

const mission = stationMission();
const target = mission.targets.get('sat1')!;
const link = target.links.get('uhf')!;

/** Over a gateway while that one serves the link. */
function uplink(gateway: string, serving: string | { readonly reason: string }, passes = [pass(-5, 5)]) {
  const stated = () => ({ rate: 9_600 });
  const found = typeof serving === 'string' ? { gateway: serving, stated } : serving;
  const links = { of: () => found } as unknown as Pick<Links, 'of'>;
  const tools = { links, passes: bookOf(passes), clock: { now: () => NOW } };
  return uplinkOf(gateway, tools, mission, { target, link });
}

it('a gateway that serves the link says its rate, or why it cannot send', () => {
  expect(uplink('kiruna-1', 'kiruna-1')).toEqual({ rate: 9_600 });
  const reason = 'pass p only receives';
  expect(uplink('kiruna-1', { reason })).toEqual({ reason });
});

it('a gateway that does not serve it says which one does, also where that one is not up', () => {
  const reason = 'gateway kiruna-1 serves the link now';
  expect(uplink('svalbard-1', 'kiruna-1')).toEqual({ reason, isServing: false });
  expect(uplink('svalbard-1', { reason: 'gateway kiruna-1 is not up' })).toEqual({
    reason,
    isServing: false,
  });
});

it('where no gateway serves it, none has it', () => {
  const reason = 'no gateway carries the tags';
  const over = [pass(-5, 5, { station: 'kourou' })];
  expect(uplink('kiruna-1', { reason }, over)).toEqual({ reason, isServing: false });
});
