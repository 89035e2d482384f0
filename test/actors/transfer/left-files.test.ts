/** When it is known that no files are left. */

import { describe, expect, it } from 'vitest';
import { LeftFiles } from '../../../actors/transfer/left-files.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { FILE_DECODE_AGAIN_MS } from '../../../contract/limits/transfer.ts';
import { Outage } from '../../../contract/outage.ts';
import type { StoredTransfer } from '../../../contract/transfer.ts';
import type { Entry } from '../../../ports/bus.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';

const RECORD = { target: 'sat1', file_id: '7', generation: 1 } as unknown as StoredTransfer;
const ENTRY: Entry = { key: 'sat1.7.1', value: Buffer.from('{}'), revision: 1, at: 0 };

/** Files that were left in a bucket whose lists are answered one after the other as it is said. */
function world(...answers: (() => Promise<Entry[]>)[]) {
  let lists = 0;
  let now = 0;
  const failures: unknown[] = [];
  const bucket = {
    list: () => answers[lists++]?.() ?? Promise.resolve([]),
    overwrite: async () => 1,
    get: async () => undefined,
    remove: async () => ({ outcome: 'written' as const, revision: 2 }),
  };
  const left = new LeftFiles({
    bus: { bucket: () => bucket } as never,
    over: { find: async () => undefined },
    room: () => 1,
    holds: () => true,
    log: keptLog(),
    failed: (error) => failures.push(error),
  });
  const looks = async (times: number): Promise<number> => {
    for (let n = 0; n < times; n += 1) {
      now += FILE_DECODE_AGAIN_MS;
      left.tick(now);
      await settled();
    }
    return lists;
  };
  return { left, looks, failures };
}

const away = async (): Promise<never> => {
  throw new Outage('bus.unavailable', 'away');
};

describe('left-files.L3 files that were left', () => {
  it('are looked at again behind a look that the bus did not answer, and not any more when there are none', async () => {
    const { looks, failures } = world(away, away, async () => []);
    expect(await looks(2)).toBe(2);
    expect(await looks(3)).toBe(3);
    expect(failures).toEqual([]);
  });

  it('are looked at again behind a look that failed otherwise, which is reported', async () => {
    const { looks, failures } = world(async () => {
      throw new Error('broken');
    });
    expect(await looks(3)).toBe(2);
    expect(failures).toMatchObject([{ message: 'broken' }]);
  });

  it('are looked at again where one was left while they were listed', async () => {
    let answer: (entries: Entry[]) => void = () => undefined;
    const first = (): Promise<Entry[]> => new Promise((resolve) => (answer = resolve));
    const { left, looks } = world(first, async () => [ENTRY]);
    expect(await looks(1)).toBe(1);
    await left.leave(RECORD);
    answer([]);
    await settled();
    expect(await looks(1)).toBe(2);
    expect(await looks(1)).toBe(3);
    expect(await looks(2)).toBe(3);
  });
});

describe('left-files.L4 an entry that the bus lost while its file waits', () => {
  const names = ['7', '8', '9'].map((file) => `sat1.${file}.1`);

  /** Three files that are left, on the bus in memory. */
  async function leftOnBus() {
    const clock = new HeapClock(1_000_000);
    const server = new TwinServer({ now: () => clock.now(), choose: () => 0 });
    const clocks = { outside: clock, inside: clock };
    const log = keptLog();
    const bus = new TwinBus({ server, name: 'one', settleMs: 0, ...clocks, weather: fairWeather, log });
    const state = { holds: true, room: 0 };
    const failures: unknown[] = [];
    const left = new LeftFiles({
      bus,
      log,
      over: { find: async () => undefined },
      room: () => state.room,
      holds: () => state.holds,
      failed: (error) => failures.push(error),
    });
    const run = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 50) {
        clock.advance(50);
        left.tick(clock.now());
        await settled();
      }
    };
    const done = async <Value>(work: Promise<Value>): Promise<Value> => {
      await run(1_000);
      return work;
    };
    const bucket = bus.bucket(buckets.leftFiles);
    const keys = async (): Promise<string[]> => (await done(bucket.list('>'))).map(({ key }) => key).sort();
    const lose = async (key: string): Promise<void> => {
      const { revision } = (await done(bucket.get(key)))!;
      await done(bucket.remove(key, revision));
    };
    await run(100);
    for (const file of ['7', '8', '9'])
      await done(left.leave({ target: 'sat1', file_id: file, generation: 1 } as unknown as StoredTransfer));
    await run(FILE_DECODE_AGAIN_MS);
    return { run, keys, lose, state, log, failures };
  }

  it('is written again with the next look, and stays until its file is offered', async () => {
    const { run, keys, lose, state, log, failures } = await leftOnBus();
    for (const key of names) await lose(key);
    await run(FILE_DECODE_AGAIN_MS);
    expect(await keys()).toEqual(names);
    expect(log.said.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ bucket: 'mcs_left_files' }),
    );
    state.room = 3;
    await run(2 * FILE_DECODE_AGAIN_MS);
    expect(await keys()).toEqual([]);
    await run(2 * FILE_DECODE_AGAIN_MS);
    expect([await keys(), failures]).toEqual([[], []]);
  });

  it('is not written by who leads no more', async () => {
    const { run, keys, lose, state } = await leftOnBus();
    state.holds = false;
    for (const key of names) await lose(key);
    await run(2 * FILE_DECODE_AGAIN_MS);
    expect(await keys()).toEqual([]);
  });
});
