/** Holds against a bucket whose watch the test plays: what the cache may and may not decide. */

import { describe, expect, it } from 'vitest';
import type { TargetHolds } from '../../contract/target-holds.ts';
import { watchHolds } from '../../http/holds.ts';
import type { Bus, Entry } from '../../ports/bus.ts';
import { UNREADABLE_HOLDS as UNREADABLE } from '../support/unreadable-holds.ts';
import { until } from '../support/until.ts';
import { absentBus, memoryLog } from './fixture.ts';

function entry(holders: TargetHolds['holders']): Entry {
  return { key: 'sat1', value: Buffer.from(JSON.stringify({ holders })), revision: 1, at: 0 };
}

/** A bus with one bucket: `stored` is what a read finds, `tell` what the watch says. */
function leaseBus({ watchable = true } = {}) {
  const state = { stored: undefined as Entry | undefined, reads: 0, stopped: 0 };
  let tell: (key: string, value: Entry | undefined) => void = () => {};
  const bucket = {
    ...absentBus.bucket({ name: 'mcs_leases', history: 1 }),
    get: async () => {
      state.reads += 1;
      return state.stored;
    },
    watch: async (_filter: string, changed: typeof tell) => {
      if (!watchable) throw new Error('not now');
      tell = changed;
      const stop = async () => {
        state.stopped += 1;
      };
      return { ready: Promise.resolve(), stop };
    },
  };
  const bus: Bus = { ...absentBus, connected: true, bucket: () => bucket };
  return { bus, state, tell: (value: Entry | undefined) => tell('sat1', value) };
}

const exclusive = entry([{ run: 'R1', mode: 'exclusive' }]);
const shared = entry([{ run: 'R1', mode: 'shared' }]);

/** Holds whose watch is up: a free target costs no read. */
async function liveHolds(world: ReturnType<typeof leaseBus>) {
  const holds = watchHolds(world.bus, memoryLog());
  await until(() => holds.against('sat1', true) === undefined);
  world.state.reads = 0;
  return holds;
}

describe('holds of runs', () => {
  it('http/holds.H1 reads again before it refuses: a removal the watch has not reported yet frees the target', async () => {
    const world = leaseBus();
    const holds = await liveHolds(world);
    world.tell(exclusive);
    world.state.stored = undefined;
    expect(await holds.against('sat1', false)).toBeUndefined();
    expect(world.state.reads).toBe(1);
  });

  it('answers for a free target from the cache, without a read', async () => {
    const world = leaseBus();
    const holds = await liveHolds(world);
    expect(holds.against('sat1', true)).toBeUndefined();
    world.tell(shared);
    expect(holds.against('sat1', false)).toBeUndefined();
    expect(world.state.reads).toBe(0);
  });

  it('a shared hold refuses what changes the state, and what nobody checks again later', async () => {
    const world = leaseBus();
    const holds = await liveHolds(world);
    world.state.stored = shared;
    world.tell(shared);
    expect(await holds.against('sat1', true)).toBe('sat1 is held by run R1');
    expect(await holds.now('sat1')).toBe('sat1 is held by run R1');
    world.state.stored = undefined;
    expect(await holds.now('sat1')).toBeUndefined();
  });

  it('shows who holds a target as the watch says it, and reads while it is not up', async () => {
    const world = leaseBus();
    const holds = await liveHolds(world);
    world.tell(shared);
    expect(await holds.of('sat1')).toEqual({ holders: [{ run: 'R1', mode: 'shared' }] });
    world.tell(undefined);
    expect(await holds.of('sat1')).toEqual({ holders: [] });
    expect(await holds.of('sat2')).toEqual({ holders: [] });
    expect(world.state.reads).toBe(0);
    const blind = leaseBus({ watchable: false });
    blind.state.stored = exclusive;
    const reading = watchHolds(blind.bus, memoryLog());
    expect(await reading.of('sat1')).toEqual({ holders: [{ run: 'R1', mode: 'exclusive' }] });
    blind.state.stored = undefined;
    expect(await reading.of('sat1')).toEqual({ holders: [] });
  });

  it('reads each time while the watch is not up', async () => {
    const world = leaseBus({ watchable: false });
    world.state.stored = exclusive;
    const holds = watchHolds(world.bus, memoryLog());
    expect(await holds.against('sat1', false)).toBe('sat1 is held by run R1');
    world.state.stored = undefined;
    expect(await holds.against('sat1', false)).toBeUndefined();
  });

  it('names every holder when one of several refuses', async () => {
    const world = leaseBus();
    const holds = await liveHolds(world);
    const both = entry([
      { run: 'R1', mode: 'shared' },
      { run: 'R2', mode: 'exclusive' },
    ]);
    world.state.stored = both;
    world.tell(both);
    expect(await holds.against('sat1', false)).toBe('sat1 is held by run R1, run R2');
  });

  it.each(UNREADABLE)(
    'http/holds.H1 target-holds.H1 an entry that is %s refuses every telecommand, and mode',
    async (_, text) => {
      const world = leaseBus();
      const holds = await liveHolds(world);
      const malformed = { key: 'sat1', value: Buffer.from(text), revision: 2, at: 0 };
      world.tell(malformed);
      world.state.stored = malformed;
      for (const changesState of [false, true])
        expect(await holds.against('sat1', changesState)).toContain('cannot be read: `mcs bus check`');
      expect(await holds.now('sat1')).toContain('cannot be read');
      world.tell(shared);
      expect(holds.against('sat1', false)).toBeUndefined();
    },
  );

  it('stops its watch', async () => {
    const world = leaseBus();
    const holds = await liveHolds(world);
    await holds.stop();
    expect(world.state.stopped).toBe(1);
  });
});
