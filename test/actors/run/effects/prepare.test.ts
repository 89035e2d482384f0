import { beforeEach, describe, expect, it } from 'vitest';
import { createPrepare, createRelease } from '../../../../actors/run/effects/prepare.ts';
import { buckets } from '../../../../contract/bus/buckets.ts';
import { subject } from '../../../../contract/bus/subjects.ts';
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

describe('the targets of a run that begins', () => {
  it('messaging/mode-declaration.N2 have no mode announced any more when the run goes on', async () => {
    for (const about of [subject.driverVerb('pus', 'state'), subject.gatewayVerb('sim-1', 'state')])
      world.bus.serve(about, async () => Buffer.from('{}'));
    const safe = { mode: 'safe', since: '2026-02-01T12:00:00Z', by: 'ada' };
    const announced = { ...safe, announced: { ...safe, mode: 'nominal' } };
    void world.bus.bucket(buckets.modes).overwrite('sat1', Buffer.from(JSON.stringify(announced)));
    await world.settle();
    const program = { ...PROGRAM, leases: [{ target: 'sat1', mode: 'exclusive' as const }] };
    const prepare = createPrepare(world.services, () => false);
    const { seen } = world.begin(prepare, { type: 'effect.prepare', ticket: 1 }, { program });
    await world.passes(2_000);
    expect([seen.event, holders()]).toEqual([expect.objectContaining({ type: 'prepared' }), [RUN]]);
    const { name } = buckets.modes;
    const stands = world.server.bucket(buckets.modes).last(`$KV.${name}.sat1`);
    expect(Buffer.from(stands!.data).toString()).toBe(JSON.stringify(safe));
  });
});

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
