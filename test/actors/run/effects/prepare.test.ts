import { beforeEach, describe, expect, it } from 'vitest';
import { createRelease } from '../../../../actors/run/effects/prepare.ts';
import { buckets } from '../../../../contract/bus/buckets.ts';
import { readHolds } from '../../../../contract/target-holds.ts';
import { type EffectWorld, effectWorld, PROGRAM, RUN } from './effect-world.ts';

let world: EffectWorld;

beforeEach(async () => {
  world = await effectWorld();
});

const holders = () => {
  const { name } = buckets.leases;
  const message = world.server.bucket(buckets.leases).last(`$KV.${name}.sat1`);
  return readHolds(message?.data).holders.map(({ run }) => run);
};

describe('the targets of a run that is suspended', () => {
  it('run/leases.B4 are not given back by an executor that slept while another one resumed the run', async () => {
    const hold = { holders: [{ run: RUN, mode: 'exclusive' }] };
    void world.bus.bucket(buckets.leases).overwrite('sat1', Buffer.from(JSON.stringify(hold)));
    await world.settle();
    let holds = false;
    const program = { ...PROGRAM, leases: [{ target: 'sat1', mode: 'exclusive' as const }] };
    const effect = { type: 'effect.release', ticket: 4 } as const;
    const release = createRelease(world.services, () => []);
    const { seen } = world.begin(release, effect, { program, holds: () => holds });
    await world.passes(2_000);
    expect([holders(), seen.over]).toEqual([[RUN], false]);
    holds = true;
    await world.passes(2_000);
    expect([holders(), seen.event?.type]).toEqual([[], 'released']);
  });
});
