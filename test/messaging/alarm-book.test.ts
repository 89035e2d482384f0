import { beforeEach, describe, expect, it } from 'vitest';
import { ALARM_SEEN_MS } from '../../contract/limits/alarm.ts';
import { Outage } from '../../contract/outage.ts';
import { storedAlarmBytes } from '../../contract/stored-alarm.ts';
import { AlarmBook } from '../../messaging/alarm-book.ts';
import type { Bus, Entry } from '../../ports/bus.ts';
import { memoryLog } from '../http/fixture.ts';
import { ManualClock } from '../support/manual-clock.ts';

type Changed = (key: string, entry: Entry | undefined) => void;

/** A bucket whose watch is a moment behind it: nothing is handed over by itself. */
class LaggingBucket {
  readonly entries = new Map<string, Entry>();
  lists = 0;
  revision = 0;
  isAway = false;
  /** Keys that a copy which lags does not have. */
  readonly leftOut = new Set<string>();
  stopped = false;
  isComplete = Promise.resolve();
  #changed: Changed = () => undefined;
  #waiting: (readonly [string, Entry | undefined])[] = [];

  write(key: string, state: string | undefined, more: object = {}): void {
    this.revision += 1;
    const record = { previous: 'NORMAL', state, severity: 'warning', seq: 1, ...more };
    const stored = { record, epoch: 1, evaluated: { position: 1, at: 0 } };
    const value = state === undefined ? Buffer.from('{') : storedAlarmBytes(stored as never);
    const entry = { key, value, revision: this.revision, at: 0 };
    this.entries.set(key, entry);
    this.#waiting.push([key, entry]);
  }

  /** As people do it: the watch says of what, and not when. */
  remove(key: string): void {
    this.revision += 1;
    this.entries.delete(key);
    this.#waiting.push([key, undefined]);
  }

  /** The watch is handed what it has not seen. */
  handOver(): void {
    for (const [key, entry] of this.#waiting.splice(0)) this.#changed(key, entry);
  }

  /** The store is as it was at that revision; the watch notices when it is handed over. */
  goBack(to: number): void {
    this.revision = to;
    for (const [key, { revision }] of this.entries) {
      if (revision <= to) continue;
      this.entries.delete(key);
      this.#waiting.push([key, undefined]);
    }
  }

  async watch(_filter: string, changed: Changed): Promise<{ ready: Promise<void>; stop(): Promise<void> }> {
    this.#changed = changed;
    return {
      ready: this.isComplete.then(() => this.handOver()),
      stop: async () => {
        this.stopped = true;
      },
    };
  }

  async position(): Promise<number> {
    if (this.isAway) throw new Outage('bus.unavailable', 'away');
    return this.revision;
  }

  async get(key: string): Promise<Entry | undefined> {
    return this.entries.get(key);
  }

  async list(filter: string): Promise<Entry[]> {
    this.lists += 1;
    return [...this.entries.values()]
      .filter(({ key }) => !this.leftOut.has(key))
      .filter(({ key }) => filter === '>' || key.startsWith(filter.slice(0, -1)));
  }
}

let bucket: LaggingBucket;
let clock: ManualClock;
let log: ReturnType<typeof memoryLog>;
let book: AlarmBook;

beforeEach(() => {
  bucket = new LaggingBucket();
  clock = new ManualClock(Date.parse('2026-01-02T03:04:05.678Z'));
  log = memoryLog();
  const bus = { connected: true, onConnection: () => () => {}, bucket: () => bucket } as unknown as Bus;
  book = new AlarmBook({ bus, clock, log });
});

const keys = async (target?: string): Promise<string[]> => (await book.open(target)).map(({ key }) => key);

/** From the first list on it watches. */
async function watched(): Promise<void> {
  await keys();
  await clock.run(1);
  bucket.lists = 0;
}

describe('the alarms that are open', () => {
  it('MC-ALM-031 are those that are not normal, or shelved, in the order of their keys', async () => {
    const until = new Date(1).toISOString();
    bucket.write('sat2.obc._.b', 'ACTIVE_UNACK');
    bucket.write('sat1.obc._.c', 'NORMAL', { shelved_until: until });
    bucket.write('sat1.obc._.a', 'NORMAL');
    bucket.write('sat1.obc._.d', 'CLEARED_UNACK');
    const all = ['sat1.obc._.c', 'sat1.obc._.d', 'sat2.obc._.b'];
    expect([await keys(), await keys('sat1')]).toEqual([all, all.slice(0, 2)]);
    await watched();
    expect([await keys(), await keys('sat1')]).toEqual([all, all.slice(0, 2)]);
    bucket.write('sat2.obc._.b', 'NORMAL');
    bucket.write('sat1.obc._.a', 'ACTIVE_UNACK');
    bucket.handOver();
    expect(await keys()).toEqual(['sat1.obc._.a', 'sat1.obc._.c', 'sat1.obc._.d']);
    expect((await book.recorded()).map(({ key }) => key)).toHaveLength(4);
    expect((await book.recorded('sat2')).map(({ key }) => key)).toEqual(['sat2.obc._.b']);
  });

  it('alarm-book.K5 are read once for all who ask while they are read, and none of these is given what was read before', async () => {
    bucket.write('sat1.obc._.a', 'NORMAL');
    const first = book.recorded();
    bucket.write('sat1.obc._.b', 'NORMAL');
    const later = Array.from({ length: 10 }, () => book.recorded());
    expect((await first).length).toBeGreaterThan(0);
    for (const listed of await Promise.all(later))
      expect(listed.map(({ key }) => key)).toEqual(['sat1.obc._.a', 'sat1.obc._.b']);
    expect(bucket.lists).toBe(2);
  });

  it('alarm-book.K3 are not read from the bucket once they are watched', async () => {
    for (let n = 0; n < 1_000; n += 1) bucket.write(`sat1.obc._.a${n}`, n === 7 ? 'ACTIVE_ACK' : 'NORMAL');
    await watched();
    for (let n = 0; n < 3; n += 1) expect(await keys()).toEqual(['sat1.obc._.a7']);
    expect(bucket.lists).toBe(0);
  });

  it('alarm-book.K2 are read from the bucket until every record was seen', async () => {
    bucket.isComplete = new Promise(() => {});
    bucket.write('sat1.obc._.a', 'ACTIVE_UNACK');
    await watched();
    expect([await keys(), bucket.lists]).toEqual([['sat1.obc._.a'], 1]);
  });

  it('alarm-book.K2 wait for what the bus has already', async () => {
    await watched();
    bucket.write('sat1.obc._.a', 'ACTIVE_UNACK');
    const listed = keys();
    await clock.run(ALARM_SEEN_MS / 2, 10);
    bucket.handOver();
    expect([await listed, bucket.lists]).toEqual([['sat1.obc._.a'], 0]);
  });

  it('alarm-book.K2 are read from the bucket where the watch does not come by', async () => {
    await watched();
    bucket.write('sat1.obc._.a', 'ACTIVE_UNACK');
    const listed = keys();
    await clock.run(2 * ALARM_SEEN_MS, 10);
    expect([await listed, bucket.lists]).toEqual([['sat1.obc._.a'], 1]);
  });

  it('alarm-book.K2 are read from the bucket while the watch has more than a store that went back', async () => {
    bucket.write('sat1.obc._.a', 'ACTIVE_UNACK');
    bucket.write('sat1.obc._.b', 'ACTIVE_UNACK');
    await watched();
    bucket.goBack(1);
    expect([await keys(), bucket.lists]).toEqual([['sat1.obc._.a'], 1]);
    bucket.handOver();
    bucket.write('sat1.obc._.c', 'ACTIVE_UNACK');
    bucket.handOver();
    expect([await keys(), bucket.lists]).toEqual([['sat1.obc._.a', 'sat1.obc._.c'], 1]);
  });

  it.each([true, false])(
    'alarm-book.K4 are read once behind a removal (the watch says so: %s)',
    async (isSaid) => {
      bucket.write('sat1.obc._.a', 'ACTIVE_UNACK');
      bucket.write('sat1.obc._.b', 'ACTIVE_UNACK');
      await watched();
      bucket.remove('sat1.obc._.b');
      if (isSaid) bucket.handOver();
      const first = keys('sat1');
      await clock.run(2 * ALARM_SEEN_MS, 10);
      expect([await first, bucket.lists]).toEqual([['sat1.obc._.a'], 1]);
      for (let n = 0; n < 3; n += 1) expect([await keys(), bucket.lists]).toEqual([['sat1.obc._.a'], 1]);
      bucket.write('sat1.obc._.b', 'ACTIVE_UNACK');
      bucket.handOver();
      expect([await keys(), bucket.lists]).toEqual([['sat1.obc._.a', 'sat1.obc._.b'], 1]);
    },
  );

  it('alarm-book.K4 stay where only a copy that lags does not have them', async () => {
    bucket.write('sat1.obc._.a', 'ACTIVE_UNACK');
    await watched();
    bucket.write('sat1.obc._.b', 'ACTIVE_UNACK');
    for (const key of ['sat1.obc._.a', 'sat1.obc._.b']) bucket.leftOut.add(key);
    const listed = keys();
    await clock.run(2 * ALARM_SEEN_MS, 10);
    await listed;
    bucket.handOver();
    expect(await keys()).toEqual(['sat1.obc._.a', 'sat1.obc._.b']);
  });

  it('alarm-book.K4 are not taken for up to date by who slept while the watch had nothing', async () => {
    await watched();
    bucket.write('sat1.obc._.a', 'ACTIVE_UNACK');
    for (const lists of [1, 2]) {
      const listed = keys();
      await clock.run(2 * ALARM_SEEN_MS, 10);
      expect([await listed, bucket.lists]).toEqual([['sat1.obc._.a'], lists]);
      clock.advance(3_600_000);
    }
  });

  it('MC-GEN-017 are not answered while the bus is away', async () => {
    await watched();
    bucket.isAway = true;
    await expect(keys()).rejects.toBeInstanceOf(Outage);
  });

  it('alarm-book.K1 leave out what cannot be read, which the log reports', async () => {
    bucket.write('sat1.obc._.a', 'ACTIVE_UNACK');
    await watched();
    bucket.write('sat1.obc._.a', undefined);
    bucket.write('sat1.obc._.b', 'ACTIVE_UNACK');
    bucket.write('stray', 'ACTIVE_UNACK');
    bucket.handOver();
    expect(await keys()).toEqual(['sat1.obc._.b']);
    expect(log.lines.map(({ message, fields }) => [message, fields])).toEqual([
      ['malformed alarm record skipped', { alarm: 'sat1.obc._.a' }],
      ['malformed alarm record skipped', { alarm: 'stray' }],
    ]);
  });

  it('do not hold up who stops', async () => {
    await watched();
    bucket.write('sat1.obc._.a', 'ACTIVE_UNACK');
    const listed = keys();
    await clock.run(10);
    await book.stop();
    await clock.run(ALARM_SEEN_MS, 10);
    expect([await listed, bucket.stopped]).toEqual([['sat1.obc._.a'], true]);
  });

  it('alarm-book.K3 are not watched for who never asks', async () => {
    await book.stop();
    expect(bucket.stopped).toBe(false);
  });
});
