/** What `transfers.retention` removes, when, and what it costs: on a real bus with a clock moved by hand. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { NatsBus } from '../../../bus/nats-bus.ts';
import { buckets, type ObjectsDefinition, objectStores } from '../../../contract/bus/buckets.ts';
import { AGED_REST_MS, AGEING_MS } from '../../../contract/limits/aged.ts';
import { contentObject, type StoredTransfer, transferKey } from '../../../contract/transfer.ts';
import { TransferBook } from '../../../messaging/transfer-book.ts';
import { TransfersOver } from '../../../messaging/transfers-over.ts';
import type { Mission } from '../../../mission/mission.ts';
import type { Bus } from '../../../ports/bus.ts';
import type { AgeingRounds } from '../../../supervision/reconciler/ageing-rounds.ts';
import { startContentAgeing } from '../../../supervision/reconciler/content-ageing.ts';
import { startTransferAgeing } from '../../../supervision/reconciler/transfer-ageing.ts';
import { loaded, platform, topology } from '../../mission/documents.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { quiet, startNats, type TestNats } from '../../support/nats.ts';
import { recordBytes, wholeTransfer } from '../../support/transfers.ts';
import { until } from '../../support/until.ts';
import { Missions } from '../../telemetry/platform.ts';

const DAY = 86_400_000;
/** At noon. */
const NOW = Math.floor(Date.now() / DAY) * DAY + DAY / 2;
const SHA256 = '0'.repeat(64);

const missionWith = (transfers: object): Mission =>
  loaded([
    platform(),
    topology(),
    { file: 'config.yaml', text: stringify({ config: 'settings', ...transfers }) },
  ]);
const WEEK = missionWith({ transfers: { retention: '7 d' } });
const YEAR = missionWith({});

let nats: TestNats;
let bus: NatsBus;
let clock: ManualClock;
let missions: Missions;
let removed: string[];
let rounds: AgeingRounds[];
let mayLead: boolean;

beforeEach(async () => {
  nats = await startNats();
  bus = await nats.connected();
  clock = new ManualClock(NOW);
  missions = new Missions(WEEK);
  [removed, rounds, mayLead] = [[], [], true];
});
afterEach(async () => {
  await Promise.all(rounds.map((each) => each.stop()));
  await nats.stop();
});

/** A bus that notes what is removed of an object store. */
function noting(): Bus {
  const objects = (definition: ObjectsDefinition) => {
    const real = bus.objects(definition);
    const remove = (name: string): Promise<void> => {
      removed.push(name);
      return real.remove(name);
    };
    return { ...real, remove };
  };
  return new Proxy(bus, {
    get: (real, what) => {
      if (what === 'objects') return objects;
      const value = Reflect.get(real, what);
      return typeof value === 'function' ? value.bind(real) : value;
    },
  });
}

const worker = () => ({
  epoch: 1,
  holds: () => mayLead,
  failed: (error: unknown): void => expect.unreachable(String(error)),
  bus: noting(),
  clock,
  log: quiet,
  missions,
});

const starts = (): void => void rounds.push(startContentAgeing(worker()));

/** One that was verified so many days ago, with its content. */
async function stored(file_id: string, days: number, more: object = {}): Promise<StoredTransfer> {
  const updated_at = new Date(NOW - days * DAY).toISOString();
  const transfer = wholeTransfer(SHA256, { file_id, size: 3, updated_at, ...more });
  async function* bytes() {
    yield Buffer.from('abc');
  }
  await bus.objects(objectStores.files).replace(contentObject(transfer), bytes());
  return transfer;
}

async function over(file_id: string, days: number, more: object = {}): Promise<StoredTransfer> {
  const transfer = await stored(file_id, days, more);
  await new TransfersOver({ bus, log: quiet }).keep([transfer], NOW);
  return transfer;
}

const isThere = async (transfer: StoredTransfer): Promise<boolean> =>
  (await bus.objects(objectStores.files).size(contentObject(transfer))) !== undefined;

async function pass(count = 20): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    clock.advance(AGEING_MS);
    await settled();
  }
}

const gone = (...transfers: readonly StoredTransfer[]): Promise<unknown> =>
  until(async () => {
    await pass(1);
    return (await Promise.all(transfers.map(isThere))).every((each) => !each);
  });

describe('transfers.retention', () => {
  it('MC-XFER-044 content goes when its whole day is older, its record stays, and nothing is asked of the others', async () => {
    const [old, older, young, edge] = [
      await over('1', 9),
      await over('2', 30, { target: 'sat2', state: 'CORRUPTED' }),
      await over('3', 1),
      await over('4', 7),
    ];
    await over('5', 30, { direction: 'upload', source: SHA256 });
    starts();
    await gone(old, older);
    await pass();
    expect([await isThere(young), await isThere(edge)]).toEqual([true, true]);
    // Each once: a day that was looked at is not looked at again, and an upload has nothing here.
    expect(removed.sort()).toEqual([contentObject(old), contentObject(older)].sort());
    expect(await new TransfersOver({ bus, log: quiet }).find(old)).toEqual(old);
    clock.advance(DAY);
    await gone(edge);
    expect(await isThere(young)).toBe(true);
  });

  it('is a year where the configuration says nothing, and what it says later takes effect', async () => {
    missions.publish(YEAR);
    const old = await over('1', 300);
    starts();
    await pass(30);
    expect([await isThere(old), removed]).toEqual([true, []]);
    missions.publish(WEEK);
    await gone(old);
  });

  it('content-ageing.C1 what is moved to a day that was looked at loses its content before it leaves', async () => {
    const first = await over('1', 20);
    starts();
    await gone(first);
    const late = await stored('2', 20);
    const young = await stored('3', 3);
    for (const each of [late, young])
      await bus.bucket(buckets.transfers).put(transferKey(each), recordBytes(each), 0);
    const transfers = new TransferBook({ bus, clock, log: quiet });
    rounds.push(startTransferAgeing({ ...worker(), transfers }));
    await until(() => transfers.transfers().length === 2);
    await until(async () => {
      await pass(1);
      return (await new TransfersOver({ bus, log: quiet }).find(late)) !== undefined;
    });
    clock.advance(2 * AGED_REST_MS);
    await until(async () => {
      await pass(1);
      return (await bus.bucket(buckets.transfers).list('>')).length === 0;
    });
    expect([await isThere(late), await isThere(young)]).toEqual([false, true]);
    await transfers.stop();
  });

  it.each(['', 'garbage', 'null'])(
    'transfer-days.E3 goes on where the day that was noted (%j) is none',
    async (noted) => {
      const old = await over('1', 20);
      await bus.bucket(buckets.transferDays).overwrite('content-removed', Buffer.from(noted));
      starts();
      await gone(old);
      await pass();
      const entry = await bus.bucket(buckets.transferDays).get('content-removed');
      expect(Buffer.from(entry!.value).toString()).toMatch(/^\d{8}$/);
    },
  );

  it('content-ageing.C2 nothing is removed by one that does not lead, and whoever leads then does it', async () => {
    const old = await over('1', 20);
    mayLead = false;
    starts();
    await pass(30);
    expect([await isThere(old), removed]).toEqual([true, []]);
    mayLead = true;
    await gone(old);
  });
});
