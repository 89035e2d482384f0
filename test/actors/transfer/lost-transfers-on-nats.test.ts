/** Buckets of transfers that are deleted or emptied under the leader, on a real bus. */

import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NatsBus } from '../../../bus/nats-bus.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { readStoredTransfer, type StoredTransfer } from '../../../contract/transfer.ts';
import { createDownload } from '../../../messaging/transfer-writes.ts';
import { NO_PASSES } from '../../../mission/pass/serving-gateway.ts';
import type { FileDirectory } from '../../../ports/file-directory.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { realClock } from '../../../supervision/clock.ts';
import type { Worker } from '../../../supervision/ownership/owned-worker.ts';
import type { Role, RoleContext } from '../../../supervision/role.ts';
import { startTransfers } from '../../../supervision/roles/transfers.ts';
import { deleteStream, emptyStream } from '../../support/lose-messages.ts';
import { TestMissions } from '../../support/missions.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';
import { MISSION } from '../run/effects/effect-world.ts';

const TRANSFERS = { name: `KV_${buckets.transfers.name}` };
const KEY = 'sat1.7.1';
const OPEN = { name: `KV_${buckets.openTransfers.name}` };

/** Every file is listed. */
const FILES: FileDirectory = {
  file: () => ({ size: 2_000, generation: 1, listedAt: 0 }),
  upToDate: async () => undefined,
  watch: () => () => undefined,
};

let nats: TestNats;
let bus: NatsBus;
let role: Role;
let leader: Worker;
let recorded: StoredTransfer | undefined;
const failures: unknown[] = [];

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  const log = keptLog();
  const context = {
    bus,
    clock: realClock,
    log,
    registry: new Registry(),
    missions: new TestMissions(MISSION),
    files: FILES,
    passes: NO_PASSES,
    random: seededRandom(1),
    instance: 'here',
    deadLetters: createDeadLetters(bus, log),
    failpoint: undefined,
    failed: (reason: string) => failures.push(reason),
  };
  role = await startTransfers(context as unknown as RoleContext);
  const failed = (error: unknown): void => void failures.push(error);
  leader = await role.leads![0]!.start({ epoch: 1, holds: () => true, failed });
  await waits();
}, 60_000);

afterAll(async () => {
  await leader.stop();
  await role.stop();
  await nats.stop();
});

const stored = async (): Promise<StoredTransfer | undefined> => {
  const entry = await bus.bucket(buckets.transfers).get(KEY);
  return entry && readStoredTransfer(KEY, entry.value);
};

/** No gateway reports: it says so after a few seconds, and writes nothing then. */
async function waits(): Promise<void> {
  const tools = { bus, clock: realClock, files: FILES, over: { find: async () => undefined } };
  const made = await createDownload({ target: 'sat1', file_id: '7' }, { by: 'ada' }, MISSION, tools);
  expect(made.ok).toBe(true);
  await until(async () => {
    recorded = await stored();
    return recorded?.reason !== undefined;
  });
}

it.each([
  ['bucket mcs_transfers is deleted', () => deleteStream(nats, TRANSFERS)],
  ['bucket mcs_transfers is emptied', () => emptyStream(nats, TRANSFERS)],
  ['bucket mcs_open_transfers is deleted', () => deleteStream(nats, OPEN)],
  ['both are deleted', () => Promise.all([deleteStream(nats, OPEN), deleteStream(nats, TRANSFERS)])],
])('lost-transfers.B1 B2 %s: the transfer that waits is there again as it was', async (_, lose) => {
  await lose();
  await until(async () => (await stored()) !== undefined && (await entered()));
  expect(await stored()).toEqual(recorded);
  expect(failures).toEqual([]);
});

async function entered(): Promise<boolean> {
  return (await bus.bucket(buckets.openTransfers).get(KEY)) !== undefined;
}
