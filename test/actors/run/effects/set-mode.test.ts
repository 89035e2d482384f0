import { beforeEach, describe, expect, it } from 'vitest';
import { createSetMode } from '../../../../actors/run/effects/set-mode.ts';
import type { RunAtHand } from '../../../../actors/run/services.ts';
import { buckets } from '../../../../contract/bus/buckets.ts';
import type { Bucket } from '../../../../ports/bus.ts';
import { type EffectWorld, effectWorld, RUN, START } from './effect-world.ts';

const OTHER_RUN = '01J5ZK3M8QW7V9XH2C4T6R8YZZ';
let world: EffectWorld;
let modes: Bucket;

beforeEach(async () => {
  world = await effectWorld();
  modes = world.bus.bucket(buckets.modes);
});

async function finished<Value>(work: Promise<Value>): Promise<Value> {
  await world.settle();
  return work;
}

async function stored(): Promise<{ mode: object; revision: number } | undefined> {
  const entry = await finished(modes.get('sat1'));
  return entry && { mode: JSON.parse(Buffer.from(entry.value).toString()), revision: entry.revision };
}

const write = (mode: string, run?: string) =>
  finished(
    modes.overwrite('sat1', Buffer.from(JSON.stringify({ mode, since: '2026-02-01T12:00:00Z', run }))),
  );

const setMode = (mode: string, target = 'sat1', at: Partial<RunAtHand> = {}) =>
  world.begin(createSetMode(world.services), { type: 'effect.set-mode', ticket: 9, target, mode }, at);

describe('the mode a run sets', () => {
  it('MC-MODE-005 is kept with when it was set, by whom and by which run', async () => {
    await world.passes(1_000);
    const { seen } = setMode('safe');
    await world.settle();
    expect(seen.event).toEqual({ type: 'done', at: START + 1_000, ticket: 9 });
    const mode = { mode: 'safe', since: '2026-03-01T12:00:01.000Z', by: 'ana', run: RUN };
    expect((await stored())?.mode).toEqual(mode);
  });

  it('takes the place of what others and earlier steps have set', async () => {
    await write('nominal', OTHER_RUN);
    setMode('safe');
    await world.settle();
    expect((await stored())?.mode).toMatchObject({ mode: 'safe', run: RUN });
    setMode('nominal');
    await world.settle();
    expect((await stored())?.mode).toMatchObject({ mode: 'nominal', run: RUN });
  });

  it('is not set twice when the run asks again after a crash (set-mode.D1)', async () => {
    setMode('safe');
    await world.settle();
    const first = await stored();
    await world.passes(5_000);
    const { seen } = setMode('safe');
    await world.settle();
    expect(seen.event?.type).toBe('done');
    expect(await stored()).toEqual(first);
  });

  it('is set over a person who writes at the same moment', async () => {
    disturbOnce(() => write('nominal'));
    const { seen } = setMode('safe');
    await world.passes(20, 1);
    expect(seen.event?.type).toBe('done');
    expect((await stored())?.mode).toMatchObject({ mode: 'safe' });
  });

  it('never takes back what a successor of this executor has set meanwhile (set-mode.D2)', async () => {
    let holds = true;
    disturbOnce(async () => {
      holds = false;
      await write('nominal', RUN);
    });
    const { seen } = setMode('safe', 'sat1', { holds: () => holds });
    await world.passes(2_000);
    expect(seen.over).toBe(false);
    expect((await stored())?.mode).toMatchObject({ mode: 'nominal' });
  });

  it('is set over that of an earlier step where the bus is away between looking and writing', async () => {
    await write('nominal', RUN);
    disturbOnce(async () => {
      world.server.turn(false);
    });
    const { seen } = setMode('safe');
    await world.passes(20_000);
    world.server.turn(true);
    await world.passes(4_000);
    expect(seen.event).toMatchObject({ type: 'done' });
    expect((await stored())?.mode).toMatchObject({ mode: 'safe', run: RUN });
  });

  it.each([
    ['a successor of this executor', RUN],
    ['another run', OTHER_RUN],
    ['a person', undefined],
  ])('set-mode.D2 is not set over %s by one that slept before it looked', async (_, run) => {
    await write('nominal', run);
    const { seen, abort } = setMode('safe', 'sat1', { holds: () => false });
    await world.passes(2_000);
    expect((await stored())?.mode).toMatchObject({ mode: 'nominal' });
    expect(seen.over).toBe(false);
    abort.abort();
    await world.settle();
    expect(seen).toEqual({ event: undefined, over: true });
  });

  it('is set once the executor holds the run again', async () => {
    let holds = false;
    const { seen } = setMode('safe', 'sat1', { holds: () => holds });
    await world.passes(2_000);
    expect(await stored()).toBeUndefined();
    holds = true;
    await world.passes(2_000);
    expect(seen.event?.type).toBe('done');
    expect((await stored())?.mode).toMatchObject({ mode: 'safe', run: RUN });
  });

  it('is refused when the topology does not declare it', async () => {
    const unknown = setMode('turbo').seen;
    const none = setMode('safe', 'sat2').seen;
    await world.settle();
    expect(unknown.event).toMatchObject({
      type: 'failed',
      reason: 'the topology declares no mode turbo for sat1',
    });
    expect(none.event).toMatchObject({ type: 'failed' });
    expect(await stored()).toBeUndefined();
  });

  it('waits for a bus that is away', async () => {
    world.server.turn(false);
    const { seen } = setMode('safe');
    await world.passes(20_000);
    expect(seen.over).toBe(false);
    world.server.turn(true);
    await world.passes(2_000);
    expect(seen.event?.type).toBe('done');
  });

  it('is not set any more once nobody waits', async () => {
    const begun: { abort?: AbortController } = {};
    disturbOnce(async () => begun.abort?.abort());
    const { seen, abort } = setMode('safe');
    begun.abort = abort;
    await world.passes(20, 1);
    expect(seen).toEqual({ event: undefined, over: true });
    expect(await stored()).toBeUndefined();
  });
});

/** Something else happens between the first reading and the writing. */
function disturbOnce(happens: () => Promise<unknown>): void {
  const open = world.bus.bucket.bind(world.bus);
  world.bus.bucket = (definition) => {
    const bucket = open(definition);
    const get = async (key: string) => {
      const entry = await bucket.get(key);
      world.bus.bucket = open;
      await happens();
      return entry;
    };
    return { ...bucketOf(bucket), get };
  };
}

function bucketOf(bucket: Bucket): Bucket {
  return {
    get: (key) => bucket.get(key),
    put: (...asked) => bucket.put(...asked),
    overwrite: (...asked) => bucket.overwrite(...asked),
    remove: (...asked) => bucket.remove(...asked),
    watch: (...asked) => bucket.watch(...asked),
    list: (...asked) => bucket.list(...asked),
    position: () => bucket.position(),
  };
}
