/**
 * What listing the envelopes costs, whoever asks and however many there are; and entries that are not what they should
 * be.
 */

import { describe, expect, it } from 'vitest';
import { Outage } from '../../../contract/outage.ts';
import { StoredEntities } from '../../../http/inspect/stored.ts';
import { packr } from '../../../messaging/kept-envelopes.ts';
import type { Bus, Entry } from '../../../ports/bus.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';

const FIND = { limit: 10 };

/** A bucket of these entries, a listing of which takes so long. */
function bucketOf(entries: readonly object[], tookMs: () => number, fails = () => false) {
  const clock = new ManualClock(1_000_000);
  const made = entries.map((entry, n): Entry => {
    return { key: `telecommand.sat1.${n}`, value: packr.pack(entry), revision: n + 1, at: n };
  });
  const asked = { lists: 0 };
  const list = async (): Promise<Entry[]> => {
    asked.lists += 1;
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, tookMs()));
    if (fails()) throw new Outage('bus.timeout', 'not in time');
    return made;
  };
  const bus = { bucket: () => ({ list, get: async () => made[0] }) } as unknown as Bus;
  return { clock, asked, stored: new StoredEntities(bus, clock) };
}

const envelope = (id: string, more: object = {}) => ({
  kind: 'telecommand',
  id,
  version: 1,
  revision: 3,
  epoch: 17,
  timers: [],
  effects: [],
  snapshot: { value: 'ENCODED', context: {} },
  ...more,
});

describe('stored.B1 listing', () => {
  it.each([
    ['a quick one', 10, 1_000],
    ['one of two seconds', 2_000, 40_000],
    ['one of a minute', 60_000, 60_000],
  ])('takes a twentieth of the time at most: %s', async (_, tookMs, goodForMs) => {
    const { clock, asked, stored } = bucketOf([envelope('sat1.a')], () => tookMs);
    const ask = async (): Promise<void> => {
      void stored.find(FIND).catch(() => undefined);
      await settled();
    };
    // Everybody who asks meanwhile is given the same list.
    for (let n = 0; n < 50; n += 1) await ask();
    expect(asked.lists).toBe(1);
    clock.advance(tookMs);
    await settled();
    clock.advance(goodForMs - 1);
    for (let n = 0; n < 50; n += 1) await ask();
    expect(asked.lists).toBe(1);
    clock.advance(1);
    await ask();
    expect(asked.lists).toBe(2);
  });

  it('that fails is not tried again at once, and is tried again', async () => {
    let isAway = true;
    const { clock, asked, stored } = bucketOf(
      [envelope('sat1.a')],
      () => 2_500,
      () => isAway,
    );
    const first = stored.find(FIND);
    const refused = expect(first).rejects.toThrow('not in time');
    await settled();
    clock.advance(2_500);
    await refused;
    await expect(stored.find(FIND)).rejects.toThrow('not in time');
    expect(asked.lists).toBe(1);
    isAway = false;
    clock.advance(50_000);
    const later = stored.find(FIND);
    await settled();
    clock.advance(2_500);
    expect((await later).map(({ id }) => id)).toEqual(['sat1.a']);
  });
});

it('the states of a chart that is in several at once are shown side by side', async () => {
  const parallel = { snapshot: { value: { link: 'up', board: { idle: 'warm' } }, context: {} } };
  const { clock, stored } = bucketOf([envelope('sat1.a', parallel)], () => 1);
  const found = stored.find(FIND);
  await settled();
  clock.advance(1);
  expect((await found).map(({ state }) => state)).toEqual(['link.up board.idle.warm']);
});

describe('stored.B3 an entry that is not what it should be', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`) as object;

  it.each([
    ['timers that are no list', { timers: 5 }],
    ['a timer without an event', { timers: [{}] }],
    ['effects that are no list', { effects: 'x' }],
    ['an effect that is null', { effects: [null] }],
    ['an id that is no text', { id: 5 }],
    ['a state of a thousand levels', { snapshot: { value: deep } }],
    ['facts of another form', { covers: { position: 1 }, facts: { summary: 5 }, kind: 'run' }],
  ])('is left out, and the others are shown: %s', async (_, more) => {
    const { clock, stored } = bucketOf([envelope('sat1.bad', more), envelope('sat1.good')], () => 1);
    const found = stored.find(FIND);
    await settled();
    clock.advance(1);
    const ids = (await found).map(({ id }) => id);
    expect(ids).toContain('sat1.good');
    expect(ids.filter((id) => typeof id !== 'string')).toEqual([]);
    expect(await stored.of({ kind: 'telecommand', id: 'sat1.0' }).catch(() => 'threw')).not.toBe('threw');
  });
});
