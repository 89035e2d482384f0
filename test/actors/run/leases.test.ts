import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldReason, Leases } from '../../../actors/run/leases.ts';
import { buckets } from '../../../contract/subject.ts';
import type { TargetHolds } from '../../../contract/telecommand.ts';
import type { Bus } from '../../../ports/bus.ts';
import { startNats, type TestNats } from '../../support/nats.ts';

let nats: TestNats;
let bus: Bus;
let leases: Leases;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  leases = new Leases(bus);
});
afterAll(() => nats.stop());

const exclusive = (target: string) => ({ target, mode: 'exclusive' }) as const;
const shared = (target: string) => ({ target, mode: 'shared' }) as const;

async function holders(target: string): Promise<string[]> {
  const entry = await bus.bucket(buckets.leases).get(target);
  if (entry === undefined) return [];
  return (JSON.parse(Buffer.from(entry.value).toString()) as TargetHolds).holders.map(
    ({ run, mode }) => `${run} ${mode}`,
  );
}

describe('the holds of runs', () => {
  it('MC-STM-032 shared holds coexist, an exclusive one excludes every other', async () => {
    expect(await leases.take('r1', [shared('a1')])).toEqual([]);
    expect(await leases.take('r2', [shared('a1')])).toEqual([]);
    const held = await leases.take('r3', [exclusive('a1')]);
    expect(heldReason(held)).toBe('a1 is held by run r1, run r2');
    await leases.release('r1', ['a1']);
    await leases.release('r2', ['a1']);
    expect(await leases.take('r3', [exclusive('a1')])).toEqual([]);
    expect(heldReason(await leases.take('r1', [shared('a1')]))).toBe('a1 is held by run r3');
    expect(await holders('a1')).toEqual(['r3 exclusive']);
  });

  it('takes all or none, and gives back only what it took', async () => {
    await leases.take('r1', [exclusive('b2')]);
    await leases.take('r2', [exclusive('b3')]);
    const held = await leases.take('r2', [exclusive('b1'), exclusive('b2'), exclusive('b3')]);
    expect(heldReason(held)).toBe('b2 is held by run r1');
    expect(await holders('b1')).toEqual([]);
    expect(await holders('b3')).toEqual(['r2 exclusive']);
  });

  it('is the same run however often it is asked, and whoever asks', async () => {
    await leases.take('r1', [exclusive('c1'), shared('c2')]);
    expect(await new Leases(bus).take('r1', [exclusive('c1'), shared('c2')])).toEqual([]);
    expect(await holders('c1')).toEqual(['r1 exclusive']);
    await leases.releaseAll('r1');
    expect([...(await holders('c1')), ...(await holders('c2'))]).toEqual([]);
  });

  it('a write that an owner of before has still under way changes nothing (B4)', async () => {
    const bucket = bus.bucket(buckets.leases);
    const late = async (change: () => Promise<unknown>): Promise<string> => {
      const { value, revision } = (await bucket.get('e1'))!;
      await change();
      return (await bucket.put('e1', value, revision)).outcome;
    };
    await leases.take('r1', [exclusive('e1')]);
    expect(await late(() => leases.take('r1', [exclusive('e1')]))).toBe('conflict');
    expect(await late(() => leases.release('r1', ['e1']))).toBe('conflict');
    expect(await late(() => leases.release('r1', ['e1']))).toBe('conflict');
    await leases.take('r1', [exclusive('e1')], () => false);
    expect(await holders('e1')).toEqual([]);
  });

  it('lets one of many that want the same targets at once have all of them', async () => {
    const wanted = ['d1', 'd2', 'd3'].map(exclusive);
    const runs = Array.from({ length: 6 }, (_, n) => `run${n}`);
    const held = await Promise.all(runs.map((run) => leases.take(run, wanted)));
    const winners = runs.filter((_, n) => held[n]!.length === 0);
    expect(winners).toHaveLength(1);
    for (const target of ['d1', 'd2', 'd3'])
      expect(await holders(target)).toEqual([`${winners[0]} exclusive`]);
  });
});
