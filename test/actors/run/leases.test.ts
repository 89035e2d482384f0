import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldReason, Leases } from '../../../actors/run/leases.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { TAKEN_HOLDS } from '../../../contract/limits/alarm.ts';
import { Outage } from '../../../contract/outage.ts';
import type { TargetHolds } from '../../../contract/target-holds.ts';
import type { Bus } from '../../../ports/bus.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { UNREADABLE_HOLDS } from '../../support/unreadable-holds.ts';

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

describe('a target whose hold cannot be read', () => {
  it.each(UNREADABLE_HOLDS)(
    'run/leases.B7 is taken by nobody and stays as it stands: %s',
    async (_, text) => {
      const bucket = bus.bucket(buckets.leases);
      await bucket.overwrite('x1', Buffer.from(text));
      await leases.take('mine', [exclusive('x2')]);
      expect(heldReason(await leases.take('r1', [shared('x1'), exclusive('x3')]))).toContain(
        'who holds x1 is not known',
      );
      const reaction = { run: 'R', by: 'alarm a', alarm: 'a' };
      expect(heldReason([(await leases.seize(reaction, [exclusive('x1')]))!])).toContain(
        'who holds x1 is not known',
      );
      expect(await leases.inTheWay('R', [exclusive('x1')])).toEqual([]);
      await leases.leave('mine', ['x1', 'x2']);
      await leases.release('mine', ['x1']);
      await leases.releaseAll('mine');
      expect(Buffer.from((await bucket.get('x1'))!.value).toString()).toBe(text);
      for (const other of ['x2', 'x3']) expect(await holders(other)).toEqual([]);
    },
  );
});

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

  it('a write that an owner of before has still under way changes nothing (leases.B4)', async () => {
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
    const overtaken = leases.take('r1', [exclusive('e1')], { isOwner: () => false });
    await expect(overtaken).rejects.toThrow(Outage);
    expect(await holders('e1')).toEqual([]);
  });

  describe("leases.B8 a hold that is stored when its run is not its owner's any more", () => {
    /** The owner goes when the hold is stored, and `meanwhile` happens before anybody looks. */
    const takenLate = async (
      target: string,
      wanted: ReturnType<typeof exclusive | typeof shared>,
      meanwhile = async (): Promise<unknown> => undefined,
    ): Promise<string[]> => {
      let isOwner = true;
      const bucket = bus.bucket(buckets.leases);
      const slow = {
        ...bucket,
        get: bucket.get.bind(bucket),
        put: async (...of: Parameters<typeof bucket.put>) => {
          const written = await bucket.put(...of);
          if (isOwner) {
            isOwner = false;
            await meanwhile();
          }
          return written;
        },
      };
      const last = bus.last.bind(bus);
      const late = new Leases({ ...bus, last, bucket: () => slow } as unknown as Bus);
      const taking = late.take('r1', [wanted, exclusive(`${target}-behind`)], { isOwner: () => isOwner });
      await expect(taking).rejects.toThrow(Outage);
      expect(await holders(`${target}-behind`)).toEqual([]);
      return holders(target);
    };

    it('is taken back, and those of others stay', async () => {
      await leases.take('r2', [shared('g1')]);
      expect(await takenLate('g1', shared('g1'))).toEqual(['r2 shared']);
    });

    it('stays where the next owner has taken it meanwhile', async () => {
      const next = (): Promise<unknown> => new Leases(bus).take('r1', [exclusive('g2')]);
      expect(await takenLate('g2', exclusive('g2'), next)).toEqual(['r1 exclusive']);
    });

    it('stays where the run had it before', async () => {
      await leases.take('r1', [exclusive('g3')]);
      expect(await takenLate('g3', exclusive('g3'))).toEqual(['r1 exclusive']);
    });
  });

  it('run/leases.B4 an owner that slept takes nothing, marks nothing and gives nothing back, and learns so', async () => {
    await leases.take('r1', [exclusive('h1')]);
    await leases.take('r9', [exclusive('h3')]);
    const reaction = { run: 'R', by: 'alarm a', alarm: 'a' };
    const before = await bus.bucket(buckets.leases).list('*');
    const slept = () => false;
    const late = await Promise.allSettled([
      leases.take('r2', [exclusive('h2')], { isOwner: slept }),
      leases.take('r1', [exclusive('h1')], { isOwner: slept }),
      leases.seize(reaction, [exclusive('h3')], slept),
      leases.leave('r1', ['h1'], slept),
      leases.release('r1', ['h1'], slept),
    ]);
    for (const each of late) expect(each).toMatchObject({ status: 'rejected', reason: expect.any(Outage) });
    expect(await bus.bucket(buckets.leases).list('*')).toEqual(before);
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

describe('the hold of a reaction', () => {
  const reaction = (run: string, alarm = 'a1.obc._.hot') => ({ run, alarm, by: `alarm ${alarm}` });
  const entry = async (target: string): Promise<TargetHolds> =>
    JSON.parse(Buffer.from((await bus.bucket(buckets.leases).get(target))!.value).toString());

  it('MC-REACT-014 is taken from every run in one write that says from whom (leases.B5)', async () => {
    await leases.take('r1', [shared('f1')]);
    await leases.take('r2', [shared('f1')]);
    expect(await leases.seize(reaction('R1'), [shared('f1')])).toBeUndefined();
    expect(await leases.seize(reaction('R1'), [shared('f1')])).toBeUndefined();
    expect(await holders('f1')).toEqual(['R1 exclusive']);
    expect([...(await leases.takenBy('R1', [shared('f1')]))]).toEqual(['r1', 'r2']);
    expect((await entry('f1')).taken).toHaveLength(2);
  });

  it('MC-REACT-015 is not taken from another reaction: of many at once one has it', async () => {
    const runs = Array.from({ length: 6 }, (_, n) => `R${n}`);
    const held = await Promise.all(runs.map((run) => leases.seize(reaction(run), [exclusive('g1')])));
    const winners = runs.filter((_, n) => held[n] === undefined);
    expect(winners).toHaveLength(1);
    expect(await holders('g1')).toEqual([`${winners[0]} exclusive`]);
    const [other] = held.flatMap((each) => each ?? []);
    expect(heldReason([other!])).toBe(`g1 is held by run ${winners[0]}, the reaction to alarm a1.obc._.hot`);
  });

  it('MC-REACT-018 stays taken from a run that a new owner makes go on, and not from one that is resumed', async () => {
    await leases.take('r1', [exclusive('h1')]);
    await leases.seize(reaction('R1'), [exclusive('h1')]);
    const goOn = { isOwner: () => true, again: true };
    expect(await leases.take('r1', [exclusive('h1')], goOn)).toMatchObject([
      { target: 'h1', takenBy: 'alarm a1.obc._.hot' },
    ]);
    await leases.release('R1', ['h1']);
    const held = await leases.take('r1', [exclusive('h1')], goOn);
    expect(heldReason(held)).toBe('h1 was taken from it by alarm a1.obc._.hot');
    expect(await leases.take('r1', [exclusive('h1')])).toEqual([]);
    expect(await leases.take('r1', [exclusive('h1')], goOn)).toEqual([]);
    expect((await entry('h1')).taken).toMatchObject([{ run: 'r1', upTo: 0 }]);
    expect([...(await leases.takenBy('R1', [exclusive('h1')]))]).toEqual([]);
  });

  it('an owner that was overtaken takes nothing', async () => {
    await leases.take('r1', [exclusive('i1')]);
    const overtaken = leases.seize(reaction('R1'), [exclusive('i1')], () => false);
    await expect(overtaken).rejects.toThrow(Outage);
    expect(await holders('i1')).toEqual(['r1 exclusive']);
  });

  it('remembers only so many runs it was taken from', async () => {
    for (let n = 0; n < TAKEN_HOLDS + 3; n += 1) {
      await leases.take(`r${n}`, [exclusive('j1')]);
      await leases.seize(reaction(`R${n}`), [exclusive('j1')]);
      await leases.release(`R${n}`, ['j1']);
    }
    const { taken } = await entry('j1');
    expect(taken).toHaveLength(TAKEN_HOLDS);
    expect(taken?.at(-1)).toMatchObject({ run: `r${TAKEN_HOLDS + 2}` });
  });
});
