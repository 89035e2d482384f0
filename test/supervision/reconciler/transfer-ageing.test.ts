/** Transfers that are long over leave those that every process holds, on a real bus with a clock moved by hand. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NatsBus } from '../../../bus/nats-bus.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { AGED_REST_MS, AGEING_MS } from '../../../contract/limits/aged.ts';
import { TRANSFER_LIVE_AFTER_END_MS } from '../../../contract/limits/transfer.ts';
import { type StoredTransfer, transferKey } from '../../../contract/transfer.ts';
import { TransferBook } from '../../../messaging/transfer-book.ts';
import { TransfersOver } from '../../../messaging/transfers-over.ts';
import type { AgeingRounds } from '../../../supervision/reconciler/ageing-rounds.ts';
import { startTransferAgeing } from '../../../supervision/reconciler/transfer-ageing.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { quiet, startNats, type TestNats } from '../../support/nats.ts';
import { recordBytes, storedTransfer } from '../../support/transfers.ts';
import { until } from '../../support/until.ts';
import { Missions } from '../../telemetry/platform.ts';

const NOW = Date.now();
const updated_at = new Date(NOW - TRANSFER_LIVE_AFTER_END_MS - 3_600_000).toISOString();

let nats: TestNats;
let bus: NatsBus;
let clock: ManualClock;
let book: TransferBook;
let ageing: AgeingRounds;
let holds = true;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  clock = new ManualClock(NOW);
  book = new TransferBook({ bus, clock, log: quiet });
  const failed = (error: unknown): void => expect.unreachable(String(error));
  const worker = { epoch: 1, holds: () => holds, failed };
  const missions = new Missions();
  ageing = startTransferAgeing({ ...worker, bus, clock, log: quiet, missions, transfers: book });
});
afterAll(async () => {
  await ageing.stop();
  await book.stop();
  await nats.stop();
});

const keys = async (): Promise<string[]> =>
  (await bus.bucket(buckets.transfers).list('>')).map(({ key }) => key).sort();

it('moves what is long over and nothing that is open, and nothing once the lead is lost', async () => {
  const all = [
    storedTransfer({ file_id: '1', state: 'VERIFIED', updated_at }),
    storedTransfer({ file_id: '2', state: 'SUPERSEDED', updated_at, target: 'sat2' }),
    storedTransfer({ file_id: '3', state: 'CORRUPTED', updated_at: new Date(NOW).toISOString() }),
    storedTransfer({ file_id: '4', state: 'PARTIAL', updated_at, received: [[0, 1]] }),
    storedTransfer({ file_id: '5', state: 'COMPLETE', updated_at }),
  ];
  for (const each of all) await bus.bucket(buckets.transfers).put(transferKey(each), recordBytes(each), 0);
  await until(() => book.transfers().length === all.length);
  const over = new TransfersOver({ bus, log: quiet });
  const kept = async (): Promise<string[]> => {
    const found: StoredTransfer[] = [];
    for await (const { transfers } of over.days(undefined, undefined)) found.push(...transfers);
    return found.map(transferKey).sort();
  };
  const round = async (): Promise<void> => {
    clock.advance(AGEING_MS);
    await settled();
  };
  holds = false;
  await until(async () => {
    await round();
    return (await kept()).length === 2;
  });
  clock.advance(AGED_REST_MS);
  for (let n = 0; n < 20; n += 1) await round();
  expect(await keys()).toHaveLength(all.length);
  holds = true;
  await until(async () => {
    await round();
    return (await keys()).length === 3;
  });
  expect([await kept(), await keys()]).toEqual([
    ['sat1.1.2', 'sat2.2.2'],
    ['sat1.3.2', 'sat1.4.2', 'sat1.5.2'],
  ]);
});
