/** Followers that are read for together, over many orders of events: each message once and in order, whoever brings it. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { subject } from '../../contract/bus/subjects.ts';
import type { FollowFrom } from '../../ports/bus.ts';
import { FollowingWorld } from './stream-follower-world.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const SUBJECTS = ['sat1', 'sat2', 'sat3'].map((target) => subject.tcSubmit(target));
const SEEDS = Number(process.env.FOLLOWING_SEEDS ?? 150);

interface Followed {
  readonly filter: string;
  from(): number;
  readonly taken: number[];
  /** The last message said that there are more, and nobody has said otherwise since. */
  behind: boolean;
  caughtUp: number | undefined;
  wentBack: number;
  stop(): Promise<void>;
}

function fromOf(world: FollowingWorld): FollowFrom {
  const from = (['start', 'now', 'seq', 'time'] as const)[world.upTo(4)]!;
  if (from === 'seq') return { from, seq: 1 + world.upTo(world.lastSeq + 1) };
  return from === 'time' ? { from, at: 10 * world.upTo(world.lastSeq + 2) } : { from };
}

/** Whoever begins now has what is behind its beginning. */
async function followed(world: FollowingWorld, filter: string): Promise<Followed> {
  const begin = fromOf(world);
  const isSlow = world.chance(0.4);
  const failing = new Set<number>();
  let handling = 0;
  const one: Followed = {
    filter,
    from: () => 0,
    taken: [],
    behind: false,
    caughtUp: undefined,
    wentBack: 0,
    stop: async () => undefined,
  };
  const take = (seq: number, pending: number): void => {
    one.taken.push(seq);
    one.behind = pending > 0;
  };
  const handle = ({ seq, pending }: { readonly seq: number; readonly pending: number }) => {
    expect(handling, 'one message at a time').toBe(0);
    if (world.chance(0.05) && !failing.has(seq)) {
      failing.add(seq);
      throw new Error('this time not');
    }
    if (!isSlow || world.chance(0.5)) return take(seq, pending);
    handling += 1;
    return world.later().then(() => {
      handling -= 1;
      if (world.chance(0.05) && !failing.has(seq)) {
        failing.add(seq);
        throw new Error('this time not');
      }
      take(seq, pending);
    });
  };
  const beginning = world.follow({
    filter,
    from: begin,
    handle,
    together: true,
    wentBack: () => {
      one.wentBack += 1;
      one.taken.length = 0;
    },
    atHead: () => {
      expect(handling, 'at the head while a message is handled').toBe(0);
      one.behind = false;
    },
  });
  let follower: Awaited<typeof beginning> | undefined;
  void beginning.then((it) => {
    follower = it;
    it.caughtUp.then((seq) => {
      one.caughtUp = seq;
    });
  });
  while (follower === undefined) await world.step();
  const from = begin.from === 'seq' ? begin.seq : begin.from === 'time' ? Math.ceil(begin.at / 10) : 1;
  // Where a server that lags says that the stream ends.
  const ends = begin.from === 'now';
  return Object.assign(one, { from: () => (ends ? (one.caughtUp ?? 0) + 1 : from), stop: follower.stop });
}

async function lived(world: FollowingWorld, steps: number): Promise<Followed[]> {
  for (let n = world.upTo(6); n > 0; n -= 1) world.store(SUBJECTS[world.upTo(3)]!);
  const all: Followed[] = [];
  for (let n = 0; n < steps; n += 1) {
    if (all.length < 5 && world.chance(0.1)) all.push(await followed(world, SUBJECTS[world.upTo(3)]!));
    if (world.chance(0.12)) world.store(SUBJECTS[world.upTo(3)]!);
    if (world.chance(0.01)) world.loseConsumers();
    await world.step();
  }
  return all;
}

describe.each([1, 3])('with %i servers', (servers) => {
  it('stream-follower.G1 stream-follower.G2 stream-follower.G3 stream-follower.G4 stream-tail.Y1 stream-tail.Y2 stream-tail.Y4 each takes every message of its subject once and in order', async () => {
    const brought = { alone: 0, together: 0 };
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const world = new FollowingWorld(seed * servers, servers);
      const elections = servers === 1 ? 0 : 3;
      const all: Followed[] = [];
      for (let n = 0; n <= elections; n += 1) {
        all.push(...(await lived(world, 120)));
        if (n === elections) break;
        world.elect();
        for (let waited = world.upTo(40); waited > 0; waited -= 1) await world.step();
        world.catchUp();
      }
      await world.settle();
      for (const { filter, from, taken, behind, caughtUp } of all) {
        expect(taken, `seed ${seed} ${filter} from ${from()}`).toEqual(world.positionsOf(filter, from()));
        expect(behind, `seed ${seed}: nobody said that nothing is left`).toBe(false);
        expect(caughtUp, `seed ${seed}: caught up`).toBeTypeOf('number');
      }
      await Promise.all(all.map((one) => one.stop()));
      brought.alone += world.delivered.alone;
      brought.together += world.delivered.together;
    }
    expect(brought.together).toBeGreaterThan(brought.alone / 4);
  }, 120_000);
});

it('stream-tail.Y3 where the stream is made again each is informed once, and reads it from its beginning', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const world = new FollowingWorld(seed, 1);
    const all = await lived(world, 200);
    await world.settle();
    world.makeAnew();
    for (let n = 0; n < 20; n += 1) {
      world.store(SUBJECTS[world.upTo(3)]!);
      await world.step();
    }
    await world.settle();
    for (const { filter, taken, wentBack } of all) {
      expect(wentBack, `seed ${seed}`).toBe(1);
      expect(taken, `seed ${seed} ${filter}`).toEqual(world.positionsOf(filter));
    }
  }
}, 60_000);

it('stream-follower.G2 with nobody beside it, it reads by itself', async () => {
  const world = new FollowingWorld(3, 1);
  const one = await followed(world, SUBJECTS[0]!);
  world.store(SUBJECTS[0]!);
  await world.settle();
  expect([one.taken.length, world.delivered.together]).toEqual([1, 0]);
});
