/** What is written of open transfers that the bus lost, and by whom; the rest is in `lost-transfers.test.ts`. */

import { beforeEach, expect, it } from 'vitest';
import { LostTransfers } from '../../../actors/transfer/lost-transfers.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { TRANSFER_LOOK_MS } from '../../../contract/limits/transfer.ts';
import type { StoredTransfer } from '../../../contract/transfer.ts';
import { MemoryBus } from '../../links/memory-bus.ts';
import { settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { storedTransfer } from '../../support/transfers.ts';

const OPEN = storedTransfer({ state: 'REQUESTED' });
const OVER = storedTransfer({ state: 'SUPERSEDED' });
const KEYS = ['sat1.1.1', 'sat1.2.1', 'sat1.3.1'];

let bus: MemoryBus;
let records: Map<string, StoredTransfer>;
let holds: () => boolean;
const failures: unknown[] = [];
const again: string[] = [];

beforeEach(() => {
  bus = new MemoryBus();
  records = new Map(KEYS.map((key) => [key, OPEN]));
  holds = () => true;
  failures.length = 0;
  again.length = 0;
});

function lostTransfers(): LostTransfers {
  const membersOf = (key: string) => {
    const record = records.get(key);
    return record && { key, record };
  };
  const open = { get: membersOf, values: () => [...records.keys()].map((key) => membersOf(key)).values() };
  return new LostTransfers({
    bus,
    log: keptLog(),
    open: open as never,
    again: (key) => void again.push(key),
    holds: () => holds(),
    failed: (error) => void failures.push(error),
  });
}

const written = (): string[] => [...bus.bucket(buckets.transfers).entries.keys()].sort();

it('lost-transfers.B1 all of what is open here is written, of what is missing one', async () => {
  expect(lostTransfers().missing(KEYS[1]!)).toBe(true);
  await settled();
  expect([written(), again.toSorted(), failures]).toEqual([KEYS, KEYS, []]);
});

it('lost-transfers.B1 what is over by the time of the write, or not known here, is not written', async () => {
  const lost = lostTransfers();
  expect(lost.missing('sat1.9.1')).toBe(false);
  expect(lost.missing(KEYS[0]!)).toBe(true);
  for (const key of KEYS) records.set(key, OVER);
  await settled();
  expect([written(), again, failures]).toEqual([[], [], []]);
  expect(lost.missing(KEYS[0]!)).toBe(false);
});

it('lost-transfers.B1 who leads no more by the time of the write writes nothing', async () => {
  const lost = lostTransfers();
  expect(lost.missing(KEYS[0]!)).toBe(true);
  holds = () => false;
  await settled();
  expect([written(), again]).toEqual([[], []]);
  expect(lost.missing(KEYS[0]!)).toBe(false);
});

it('lost-transfers.B2 looks at one in each second, in turn, and writes nothing of what is there', async () => {
  const looked: string[] = [];
  for (const definition of [buckets.transfers, buckets.openTransfers]) {
    const bucket = bus.bucket(definition);
    for (const key of KEYS) await bucket.overwrite(key, Buffer.from('{}'));
    const get = bucket.get.bind(bucket);
    bucket.get = (key) => {
      if (definition === buckets.transfers) looked.push(key);
      return get(key);
    };
  }
  const lost = lostTransfers();
  for (let ms = 0; ms < 6 * TRANSFER_LOOK_MS; ms += TRANSFER_LOOK_MS / 4) {
    lost.tick(ms);
    await settled();
  }
  expect(looked.toSorted()).toEqual([...KEYS, ...KEYS].toSorted());
  expect([bus.bucket(buckets.transfers).puts, again]).toEqual([0, []]);
});

const broken = (): never => {
  throw new Error('defect');
};

it.each([
  ['an outage is no failure', () => ({ connected: false }), 0],
  ['anything else is one', () => ({ bucket: broken }), 1],
])('lost-transfers.B3 %s', async (_, change, failed) => {
  Object.assign(bus, change());
  const lost = lostTransfers();
  lost.missing(KEYS[0]!);
  await settled();
  expect(failures).toHaveLength(failed);
});

it('lost-transfers.B3 what is under way is waited for at the end, and nothing follows', async () => {
  const lost = lostTransfers();
  lost.missing(KEYS[0]!);
  await lost.stop();
  const before = written();
  await settled();
  expect(written()).toEqual(before);
});
