/** Which telecommands the lane lets leave while runs, and reactions, hold its target. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Holds, watchHolds } from '../../../actors/telecommand/holds.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import type { TargetHolds } from '../../../contract/target-holds.ts';
import type { Bucket, Bus, Entry } from '../../../ports/bus.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { UNREADABLE_HOLDS } from '../../support/unreadable-holds.ts';
import { until } from '../../support/until.ts';

let nats: TestNats;
let bus: Bus;
let holds: Holds;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  holds = await watchHolds(bus);
});
afterAll(async () => {
  await holds.stop();
  await nats.stop();
});

function put(target: string, entry: TargetHolds): Promise<number> {
  return bus.bucket(buckets.leases).overwrite(target, Buffer.from(JSON.stringify(entry)));
}

const BY = 'alarm a.obc._.hot';
const sent = (target: string, run: string, position = 5) => ({ target, run, position, changesState: true });

describe('a target whose hold cannot be read', () => {
  it.each(UNREADABLE_HOLDS)('MC-TC-062 target-holds.H1 is refused to everybody: %s', async (_, text) => {
    await bus.bucket(buckets.leases).overwrite('bad', Buffer.from(text));
    await put('good', { holders: [] });
    for (const run of [undefined, 'A'])
      for (const changesState of [false, true]) {
        const refused = async () => holds.refusal({ ...sent('bad', 'A'), run, changesState });
        // The watch of a direct telecommand may be a moment late.
        await until(async () => (await refused()) !== undefined);
        expect(await refused()).toContain('who holds bad is not known');
      }
    expect(await holds.unheld(sent('bad', 'A'))).toContain('who holds bad is not known');
    expect(await holds.refusal({ ...sent('good', 'A'), run: undefined })).toBeUndefined();
    await put('bad', { holders: [] });
    await until(async () => (await holds.refusal({ ...sent('bad', 'A'), run: undefined })) === undefined);
  });
});

describe('a telecommand of a run', () => {
  it('MC-REACT-017 does not leave once a reaction has taken the target, also when that is over', async () => {
    await put('a', { holders: [{ run: 'A', mode: 'exclusive' }] });
    expect(await holds.refusal(sent('a', 'A'))).toBeUndefined();
    const taken = [{ run: 'A', reaction: 'R', by: BY }];
    await put('a', { holders: [{ run: 'R', mode: 'exclusive', alarm: 'a.obc._.hot' }], taken });
    await until(async () => (await holds.refusal(sent('a', 'A'))) === 'a is held by run R');
    expect(await holds.unheld(sent('a', 'A'))).toBe(`a was taken from run A by ${BY}`);
    expect(await holds.refusal(sent('a', 'R'))).toBeUndefined();
    expect(await holds.unheld(sent('a', 'R'))).toBeUndefined();
    await put('a', { holders: [], taken });
    await until(async () => (await holds.refusal(sent('a', 'A'))) === `a was taken from run A by ${BY}`);
  });

  it('MC-REACT-017 leaves when its run has the target again, but for what it had submitted before', async () => {
    const taken = [{ run: 'A', reaction: 'R', by: BY, upTo: 5 }];
    await put('b', { holders: [{ run: 'A', mode: 'exclusive' }], taken });
    expect(await holds.refusal(sent('b', 'A', 5))).toContain('was taken');
    expect(await holds.refusal(sent('b', 'A', 6))).toBeUndefined();
  });

  it('A-71 does not leave once its run has given the target back, or is about to', async () => {
    for (const [holders, reason] of [
      [[], 'run A no longer holds d'],
      [[{ run: 'B', mode: 'shared' }], 'run A no longer holds d'],
      [[{ run: 'A', mode: 'shared', leaving: true }], 'run A is releasing d'],
      [[{ run: 'A', mode: 'shared', from: 5 }], 'has taken d again since'],
    ] as const) {
      await put('d', { holders });
      expect(await holds.unheld(sent('d', 'A')), reason).toContain(reason);
    }
    await put('d', { holders: [{ run: 'A', mode: 'shared', from: 4 }] });
    expect(await holds.unheld(sent('d', 'A'))).toBeUndefined();
    expect(await holds.unheld({ ...sent('d', 'A'), run: undefined })).toBeUndefined();
  });

  it('telecommand/holds.B1, B2 passes by what a watch shows, and is judged on the holds of now when it leaves', async () => {
    const inner = bus.bucket(buckets.leases);
    let reads = 0;
    let shows = (_target: string, _entry: Entry): void => undefined;
    const watching: Bucket = Object.assign(Object.create(inner) as Bucket, {
      get: (key: string) => {
        reads += 1;
        return inner.get(key);
      },
      watch: async (_filter: string, changed: typeof shows) => {
        shows = changed;
        return { ready: Promise.resolve(), stop: async () => undefined };
      },
    });
    const late = await watchHolds({ bucket: () => watching } as unknown as Bus);
    await put('c', { holders: [{ run: 'A', mode: 'exclusive' }] });
    shows('c', (await inner.get('c'))!);
    await put('c', { holders: [], taken: [{ run: 'A', reaction: 'R', by: BY }] });
    expect(await late.refusal(sent('c', 'A'))).toBeUndefined();
    expect(reads).toBe(0);
    expect(await late.unheld(sent('c', 'A'))).toContain('was taken');
    expect(await late.refusal(sent('c', 'A'))).toContain('was taken');
    await put('c', { holders: [{ run: 'A', mode: 'exclusive' }] });
    expect(await late.refusal(sent('c', 'A'))).toBeUndefined();
  });
});
