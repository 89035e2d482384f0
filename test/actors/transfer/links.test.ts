/** How fast the link of a target is taken to be, from what gateways report, passes say and gateways announce. */

import { describe, expect, it } from 'vitest';
import { Links } from '../../../actors/transfer/links.ts';
import type { Link, Mission } from '../../../mission/mission.ts';
import { type CurrentPasses, NO_PASSES } from '../../../mission/pass/serving-gateway.ts';
import { bytesUnder } from '../../../mission/transfer/pipeline.ts';
import { bookOf, storedPass } from '../../support/passes.ts';
import { MISSION } from '../run/effects/effect-world.ts';

const START = 1_700_000_000_000;

/** The mission with this announced of its gateway, in bit/s; its link goes where its tags and passes say. */
function announcing(rate: number | undefined): Mission {
  const gateway = MISSION.gateways.get('sim-1')!;
  const settings = { ...gateway.settings, ...(rate !== undefined && { link_rate: rate }) };
  const target = MISSION.targets.get('sat1')!;
  const link = target.links.get('uhf')!;
  const parameters = (): LinkParameters => {
    return { ...link.parameters(undefined), gateway: undefined, tags: ['uhf'] };
  };
  const links = new Map([['uhf', { ...link, parameters }]]);
  return {
    ...MISSION,
    gateways: new Map([['sim-1', { ...gateway, tags: ['uhf', 'kiruna'], settings }]]),
    targets: new Map([['sat1', { ...target, links }]]),
  };
}

type LinkParameters = ReturnType<Link['parameters']>;

interface World {
  readonly announced?: number;
  readonly passes?: CurrentPasses;
}

function world({ announced, passes = NO_PASSES }: World = {}) {
  let now = START;
  let take: (data: Uint8Array) => void = () => undefined;
  const bus = {
    subscribe: (_: string, handler: (message: { data: Uint8Array }) => void) => {
      take = (data) => handler({ data });
      return { stop: async () => undefined };
    },
  };
  const links = new Links({ bus: bus as never, clock: { now: () => now } as never, passes });
  const mission = announcing(announced);
  return {
    passes: (ms: number) => {
      now += ms;
    },
    reports: (bitsPerSecond?: number, state = 'up') => {
      const downlink = { bytes_per_second: (bitsPerSecond ?? 0) / 8 };
      take(Buffer.from(JSON.stringify({ gateway: 'sim-1', link: { state }, downlink })));
    },
    found: () => {
      const found = links.of(mission, mission.targets.get('sat1')!);
      return 'reason' in found ? found.reason : found.rate('downlink');
    },
  };
}

/** A pass of sat1 over Kiruna that has begun. */
const inPass = (more: object): CurrentPasses =>
  bookOf([{ ...storedPass(START - 60_000, START + 600_000), ...more }]);

describe('the rate of a link', () => {
  it('MC-XFER-050 is first what its gateway measured in the last 15 s, unless that is under a quarter of the next', () => {
    const { passes, reports, found } = world({ announced: 40_000 });
    reports(20_000);
    expect(found()).toEqual({ rate: 20_000, source: 'measured' });
    reports(9_000);
    expect(found()).toEqual({ rate: 40_000, source: 'gateway' });
    reports(10_000);
    passes(14_999);
    expect(found()).toEqual({ rate: 10_000, source: 'measured' });
    passes(1);
    expect(found()).toBe('gateway sim-1 is not up');
  });

  it('MC-XFER-051 is second that of the pass in progress, and none in a pass that only receives', () => {
    const rated = world({ announced: 40_000, passes: inPass({ rates: { downlink: '19.2 kbit/s' } }) });
    rated.reports();
    expect(rated.found()).toEqual({ rate: 19_200, source: 'pass' });
    rated.reports(4_800);
    expect(rated.found()).toEqual({ rate: 4_800, source: 'measured' });
    rated.passes(600_000);
    rated.reports();
    expect(rated.found()).toEqual({ rate: 40_000, source: 'gateway' });
    const deaf = world({ passes: inPass({ uplink: false }) });
    deaf.reports();
    expect(deaf.found()).toBe('pass p only receives');
  });

  it('MC-XFER-052 is third what the gateway announces, and MC-XFER-053 last 64 kbit/s', () => {
    const announced = world({ announced: 9_600 });
    announced.reports();
    expect(announced.found()).toEqual({ rate: 9_600, source: 'gateway' });
    const silent = world();
    silent.reports();
    expect(silent.found()).toEqual({ rate: 64_000, source: 'default' });
    // Two seconds of it are what may be asked at once.
    expect(bytesUnder(64_000)).toBe(15_999);
  });

  it('MC-XFER-037 is none while the gateway says that it is down, or says nothing', () => {
    const { reports, found } = world();
    expect(found()).toBe('gateway sim-1 is not up');
    reports(1_000, 'down');
    expect(found()).toBe('gateway sim-1 is not up');
  });
});
