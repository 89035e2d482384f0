/** What a watch makes of a replay in a cluster: a copy that lags, a leader that catches up, and a store that went back. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AssetHandle } from '../../bus/asset.ts';
import type { JetStream } from '../../bus/jetstream.ts';
import { CATCH_UP_MS, Past } from '../../bus/past.ts';
import { type Known, View } from '../../bus/view.ts';
import { Outage } from '../../contract/outage.ts';
import type { Entry } from '../../ports/bus.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const stands = (lastSeq: number, replicas = 3) =>
  ({
    stream: 'KV_b',
    identity: 'once',
    lastSeq,
    messages: lastSeq,
    firstSeq: 1,
    firstAt: undefined,
    lastAt: undefined,
    madeAt: undefined,
    replicas,
    meanBytes: 100,
  }) as const;
const message = (text: string) => ({ subject: '$KV.b.k', data: Buffer.from(text) }) as never;
const position = (seq: number, at = seq) => ({ seq, at, delivery: seq, pending: 0 }) as never;

function opened(leader: () => Known | undefined = () => undefined) {
  const past = new Past({} as JetStream);
  const changes: [string, Entry | undefined][] = [];
  const view = new View('once', {
    past,
    newest: async () => leader(),
    changed: (key, entry) => changes.push([key, entry]),
  });
  return { past, view, changes };
}

describe('bus/view.H4 in a cluster', () => {
  it('a copy that lags behind its leader proves nothing: what it replays is skipped', async () => {
    const { past, view, changes } = opened(() => ({ seq: 9, at: 9 }));
    view.replay(stands(9));
    await view.take('k', message('nine'), position(9));
    view.reconcile();
    view.replay(stands(9));
    await view.take('k', message('four'), position(4));
    view.reconcile();
    expect(changes).toMatchObject([['k', { revision: 9 }]]);
    expect(past.lostUntil).toBeUndefined();
  });

  it('what was written meanwhile, and a copy does not have yet, comes when it has', async () => {
    const { past, view, changes } = opened(() => ({ seq: 12, at: 12 }));
    view.replay(stands(9));
    await view.take('k', message('nine'), position(9));
    view.reconcile();
    view.replay(stands(12));
    await view.take('k', message('four'), position(4));
    view.reconcile();
    await view.take('k', message('twelve'), position(12));
    expect(changes.map(([, entry]) => [entry?.revision, entry?.rewound])).toEqual([
      [9, undefined],
      [12, undefined],
    ]);
    expect(past.lostUntil).toBeUndefined();
  });

  it('what the leader has removed, and a copy still replays, is skipped', async () => {
    const { past, view, changes } = opened();
    view.replay(stands(9));
    await view.take('k', message('nine'), position(9));
    view.reconcile();
    view.replay(stands(12));
    await view.take('k', message('four'), position(4));
    view.reconcile();
    expect(changes).toHaveLength(1);
    expect(past.lostUntil).toBeUndefined();
  });

  it('past.H2 a leader that may be catching up is waited for', async () => {
    const { view } = opened();
    view.replay(stands(9));
    await view.take('k', message('nine'), position(9));
    view.reconcile();
    expect(() => view.replay(stands(7))).toThrow(Outage);
    vi.advanceTimersByTime(CATCH_UP_MS - 1);
    expect(() => view.replay(stands(7))).toThrow(Outage);
    expect(() => view.replay(stands(9))).not.toThrow();
  });

  it('past.H2 a leader that ends earlier for as long as that lost it: what it has is rewound, and is so once', async () => {
    const { past, view, changes } = opened(() => ({ seq: 4, at: 4 }));
    view.replay(stands(9));
    await view.take('k', message('nine'), position(9));
    view.reconcile();
    expect(() => view.replay(stands(4))).toThrow(Outage);
    vi.advanceTimersByTime(CATCH_UP_MS);
    for (const _ of [1, 2]) {
      view.replay(stands(4));
      await view.take('k', message('four'), position(4));
      view.reconcile();
    }
    expect(changes).toMatchObject([
      ['k', { revision: 9 }],
      ['k', { revision: 4, rewound: true }],
    ]);
    expect(past.lostUntil).toBe(9);
  });

  it('a store that went back and was filled again is found by what its leader has of the key', async () => {
    const { past, view, changes } = opened(() => ({ seq: 4, at: 4 }));
    view.replay(stands(9));
    await view.take('k', message('nine'), position(9));
    view.reconcile();
    view.replay(stands(20));
    await view.take('k', message('four'), position(4));
    expect(changes.at(-1)).toMatchObject(['k', { revision: 4, rewound: true }]);
    expect(past.lostUntil).toBe(9);
  });
});

it('bus/view.H1 on one server what is replayed with an earlier revision is rewound at once', () => {
  const { past, view, changes } = opened();
  view.replay(stands(9, 1));
  view.take('k', message('nine'), position(9));
  view.reconcile();
  view.replay(stands(4, 1));
  view.take('k', message('four'), position(4));
  expect(changes.at(-1)).toMatchObject(['k', { revision: 4, rewound: true }]);
  expect(past.lostUntil).toBe(9);
});

describe('bus/view.H5 what leaves by its age', () => {
  /** A store that begins with this message. */
  const from = (firstSeq: number, lastSeq: number) => ({
    ...stands(lastSeq, 1),
    firstSeq,
    messages: lastSeq + 1 - firstSeq,
  });

  function filled() {
    const { view, changes } = opened();
    view.replay(stands(4, 1));
    for (const seq of [1, 2, 3, 4]) void view.take(`k${seq}`, message('x'), position(seq));
    view.reconcile();
    changes.length = 0;
    return { view, changes };
  }

  it('is removed at the look behind the one that found it gone, and once', () => {
    const { view, changes } = filled();
    view.age(from(3, 4));
    expect(changes).toEqual([]);
    view.age(from(4, 4));
    expect(changes).toEqual([
      ['k1', undefined],
      ['k2', undefined],
    ]);
    view.age(from(4, 4));
    expect(changes.slice(2)).toEqual([['k3', undefined]]);
    view.age(from(4, 4));
    view.replay(from(4, 4));
    void view.take('k4', message('x'), position(4));
    view.reconcile();
    expect(changes).toHaveLength(3);
  });

  it('is removed where nothing is left, whatever an empty store says of its first message', () => {
    const { view, changes } = filled();
    for (const _ of [1, 2]) view.age({ ...stands(4, 1), messages: 0, firstSeq: 0 });
    expect(changes.map(([key]) => key)).toEqual(['k1', 'k2', 'k3', 'k4']);
  });

  it('is not what was written again, also where that comes behind the look', () => {
    const { view, changes } = filled();
    view.age(from(5, 5));
    void view.take('k4', message('again'), position(5));
    view.age(from(5, 5));
    expect(changes.map(([key, entry]) => [key, entry?.revision])).toEqual([
      ['k4', 5],
      ['k1', undefined],
      ['k2', undefined],
      ['k3', undefined],
    ]);
  });

  it.each([
    ['another store of the same name', { ...from(9, 9), identity: 'another' }],
    ['a store that lags or went back', { ...from(3, 3), lastSeq: 3 }],
  ])('is not found in %s', (_what, other) => {
    const { view, changes } = filled();
    view.age(from(4, 4));
    view.age(other);
    view.age(from(4, 4));
    expect(changes).toEqual([]);
  });

  it('is not found by a look before a replay, which finds what is gone itself', () => {
    const { view, changes } = filled();
    view.age(from(4, 4));
    view.replay(from(4, 6));
    view.age(from(4, 6));
    expect(changes).toEqual([]);
    for (const seq of [5, 6]) void view.take(`k${seq - 2}`, message('again'), position(seq));
    view.age(from(4, 6));
    view.reconcile();
    expect(changes.filter(([, entry]) => entry === undefined).map(([key]) => key)).toEqual(['k1', 'k2']);
  });
});

it('past.H2 what is asked of a leader that lags is no loss; what it lacks for long is one', async () => {
  let lastSeq = 5;
  const jetstream = {
    retrying: (_: unknown, attempt: (left: () => number) => unknown) => attempt(() => 1_000),
    ask: async () => ({ message: { subject: 's', seq: 9, data: '', time: new Date(9).toISOString() } }),
  } as unknown as JetStream;
  const past = new Past(jetstream);
  const asset = { look: async () => stands(lastSeq) } as unknown as AssetHandle;
  const asked = () => past.stillHolds(asset, { seq: 9, at: 9 });
  await expect(asked()).rejects.toThrow(Outage);
  lastSeq = 9;
  expect(await asked()).toBe(true);
  expect(past.lostUntil).toBeUndefined();
  lastSeq = 5;
  await expect(asked()).rejects.toThrow(Outage);
  vi.advanceTimersByTime(CATCH_UP_MS);
  expect(await asked()).toBe(false);
  expect(past.lostUntil).toBe(9);
});

it('past.H2 waiting for one position is not begun again by a question about an earlier one', () => {
  const { past } = opened();
  expect(() => past.reaches(stands(7), 9)).toThrow(Outage);
  vi.advanceTimersByTime(CATCH_UP_MS - 1);
  expect(past.reaches(stands(7), 6)).toBe(true);
  vi.advanceTimersByTime(1);
  expect(past.reaches(stands(7), 9)).toBe(false);
});
