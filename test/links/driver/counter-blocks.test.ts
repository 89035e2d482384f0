import { describe, expect, it } from 'vitest';
import { CounterBlocks } from '../../../links/driver/counter-blocks.ts';
import { MemoryBus } from '../memory-bus.ts';

const DRIVERS = { name: 'mcs_drivers', history: 1 };

/** The next count. */
async function next(counters: CounterBlocks, counter = 'sat1-115'): Promise<number> {
  const drawn = await counters.next(counter);
  if (!drawn.ok) throw new Error(drawn.faults[0]);
  return drawn.value;
}

async function draw(counters: CounterBlocks, times: number, counter = 'sat1-115'): Promise<number[]> {
  const drawn: number[] = [];
  for (let index = 0; index < times; index += 1) drawn.push(await next(counters, counter));
  return drawn;
}

describe('sequence counts', () => {
  it('counter-blocks.U1 differ between processes and between lives of a process', async () => {
    const bus = new MemoryBus();
    const [first, second] = [1, 2].map(() => new CounterBlocks(bus.bucket(DRIVERS), 'pus'));
    const drawn = [...(await draw(first!, 300)), ...(await draw(second!, 300))];
    const restarted = new CounterBlocks(bus.bucket(DRIVERS), 'pus');
    drawn.push(...(await draw(restarted, 300)));
    expect(new Set(drawn).size).toBe(900);
  });

  it('rise by one within a process and cost one write per block', async () => {
    const bus = new MemoryBus();
    const drawn = await draw(new CounterBlocks(bus.bucket(DRIVERS), 'pus'), 512);
    expect(drawn).toEqual(Array.from({ length: 512 }, (_, index) => index));
    expect(bus.bucket(DRIVERS).puts).toBe(2);
  });

  it('count each APID of each target for itself', async () => {
    const counters = new CounterBlocks(new MemoryBus().bucket(DRIVERS), 'pus');
    expect(await draw(counters, 2, 'sat1-115')).toEqual([0, 1]);
    expect(await draw(counters, 2, 'sat2-115')).toEqual([0, 1]);
  });

  it('counter-blocks.U2 wrap at 16,384', async () => {
    const counters = new CounterBlocks(new MemoryBus().bucket(DRIVERS), 'pus');
    const drawn = await draw(counters, 16_384 + 3);
    expect(new Set(drawn.slice(0, 16_384)).size).toBe(16_384);
    expect(Math.max(...drawn)).toBe(16_383);
    expect(drawn.slice(16_384)).toEqual([0, 1, 2]);
  });

  it('stay distinct when two processes reserve at the same moment', async () => {
    const bus = new MemoryBus();
    const bucket = bus.bucket(DRIVERS);
    const other = new CounterBlocks(bucket, 'pus');
    let stolen: Promise<number> | undefined;
    bucket.beforePut = () => {
      bucket.beforePut = () => undefined;
      stolen = next(other);
    };
    // Between the read and the write of the first, the other one reads and writes.
    const mine = new CounterBlocks(bucket, 'pus');
    const [a, b] = [await next(mine), await stolen];
    expect(a).not.toBe(b);
  });

  it.each(['{"next":', 'null', '{"next":"0"}', '{"next":7}', '{"next":16384}'])(
    'counter-blocks.U3 are not drawn where it is not known which were used: %s',
    async (text) => {
      const bucket = new MemoryBus().bucket(DRIVERS);
      await bucket.overwrite('pus.sat1-115', Buffer.from(text));
      const counters = new CounterBlocks(bucket, 'pus');
      for (const counter of ['sat1-115', 'sat1-115'])
        expect(await counters.next(counter)).toEqual({
          ok: false,
          faults: [expect.stringContaining('entry pus.sat1-115 of bucket mcs_drivers cannot be read')],
        });
      expect(await next(counters, 'sat2-115')).toBe(0);
      await bucket.overwrite('pus.sat1-115', Buffer.from('{"next":256}'));
      expect(await next(counters)).toBe(256);
    },
  );

  it('share one reservation between calls that come together', async () => {
    const bus = new MemoryBus();
    const counters = new CounterBlocks(bus.bucket(DRIVERS), 'pus');
    const drawn = await Promise.all(Array.from({ length: 100 }, () => next(counters)));
    expect(new Set(drawn).size).toBe(100);
    expect(bus.bucket(DRIVERS).puts).toBe(1);
  });

  it('are not drawn while the bus is away, and none is lost for it', async () => {
    const bus = new MemoryBus();
    const counters = new CounterBlocks(bus.bucket(DRIVERS), 'pus');
    bus.connected = false;
    await expect(counters.next('sat1-115')).rejects.toMatchObject({ code: 'bus.unavailable' });
    bus.connected = true;
    expect(await next(counters)).toBe(0);
  });

  it('give up with an outage when others win every time', async () => {
    const bucket = new MemoryBus().bucket(DRIVERS);
    bucket.beforePut = () => {
      void bucket.overwrite('pus.sat1-115', Buffer.from('{"next":256}'));
    };
    const counters = new CounterBlocks(bucket, 'pus');
    await expect(counters.next('sat1-115')).rejects.toMatchObject({ name: 'Outage' });
  });
});
