/** A file of the simulated spacecraft through every role of the service, and a file that a run puts on board. */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileFolder } from '../../cli/mission-folder.ts';
import { buckets, objectStores } from '../../contract/bus/buckets.ts';
import {
  contentObject,
  readStoredTransfer,
  type StoredTransfer,
  type Transfer,
} from '../../contract/transfer.ts';
import { createUpload } from '../../messaging/transfer-writes.ts';
import { TransfersOver } from '../../messaging/transfers-over.ts';
import { load } from '../../mission/load.ts';
import type { Mission } from '../../mission/mission.ts';
import { realClock } from '../../supervision/clock.ts';
import { call } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { quiet } from '../support/nats.ts';
import { until } from '../support/until.ts';

interface Listed {
  readonly id: string;
  readonly size?: number;
  readonly checksum?: string;
  readonly generation?: number;
  readonly transfer?: string;
  readonly listed_at?: string;
}

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const PATIENTLY = { timeoutMs: 90_000 };
let cell: DemoCell;
let mission: Mission;

beforeAll(async () => {
  cell = await startDemoCell();
  const compiled = await compileFolder(DEMO);
  if (!compiled.ok) throw new Error('the demo');
  mission = load(compiled.value.configuration, compiled.value.revision);
}, 60_000);
afterAll(() => cell.stop());

async function directory(): Promise<readonly Listed[]> {
  const { body } = await call<{ files: Listed[] }>('GET', `${cell.api}/v1/targets/sat1/files`);
  return body.files ?? [];
}
const listed = async (id: string): Promise<Listed | undefined> =>
  (await directory()).find((file) => file.id === id);

async function refresh(): Promise<void> {
  const { status } = await call('POST', `${cell.api}/v1/targets/sat1/files/refresh`);
  expect(status).toBe(202);
}

async function stored(key: string): Promise<StoredTransfer | undefined> {
  const entry = await cell.bus.bucket(buckets.transfers).get(key);
  return entry && readStoredTransfer(key, entry.value);
}

/** What creates a transfer, with what is listed of the file now. */
async function tools(id: string) {
  const { size, checksum, generation } = (await listed(id)) ?? {};
  const file = () => (size === undefined ? undefined : { size, checksum, generation, listedAt: 0 });
  return {
    bus: cell.bus,
    clock: realClock,
    files: { file },
    over: new TransfersOver({ bus: cell.bus, log: quiet }),
  };
}

it('MC-XFER-013 MC-XFER-032 MC-XFER-036 MC-XFER-047 MC-XFER-054 F-18 a listed file comes down through gateway and driver, and its state is a measure', async () => {
  await refresh();
  await until(async () => (await listed('2'))?.size === 2_048, { ...PATIENTLY, what: 'the listing' });
  const made = await call<Transfer>('POST', `${cell.api}/v1/transfers`, { target: 'sat1', file_id: '2' });
  expect(made.status).toBe(201);
  await until(async () => (await listed('2'))?.transfer === 'VERIFIED', { ...PATIENTLY, what: 'VERIFIED' });
  const content = await cell.bus.objects(objectStores.files).read(contentObject(made.body));
  const parts: Uint8Array[] = [];
  for await (const piece of content!.pieces) parts.push(piece);
  const bytes = Buffer.concat(parts);
  expect(bytes.length).toBe(2_048);
  expect(crc32(bytes).toString(16).padStart(8, '0')).toBe((await listed('2'))?.checksum);
}, 240_000);

it('MC-UPL-006 MC-UPL-009 A-09 what a run uploads is written under its lease, and VERIFIED at the next listing', async () => {
  const content = Buffer.from('a patch for the camera, six hundred bytes of it. '.repeat(12));
  const source = createHash('sha256').update(content).digest('hex');
  async function* pieces() {
    yield content;
  }
  await cell.bus.objects(objectStores.uploads).put(source, pieces());
  const holds = Buffer.from(JSON.stringify({ holders: [{ run: RUN, mode: 'exclusive' }] }));
  await cell.bus.bucket(buckets.leases).overwrite('sat1', holds);
  const request = { target: 'sat1', file_id: '40', source };
  const made = await createUpload(request, { by: `run ${RUN}`, run: RUN }, mission, await tools('40'));
  if (!made.ok) throw new Error(JSON.stringify(made.faults));
  await until(async () => (await stored('sat1.40.1.up'))?.state === 'COMPLETE', {
    ...PATIENTLY,
    what: 'COMPLETE',
  });
  await cell.bus.bucket(buckets.leases).overwrite('sat1', Buffer.from('{"holders":[]}'));
  await refresh();
  await until(async () => (await stored('sat1.40.1.up'))?.state === 'VERIFIED', {
    ...PATIENTLY,
    what: 'VERIFIED',
  });
  const checksum = crc32(content).toString(16).padStart(8, '0');
  // The listing that verifies it reaches those who show directories by a way of its own.
  const shown = await until(
    async () => {
      const file = await listed('40');
      return file?.checksum === checksum && file;
    },
    { ...PATIENTLY, what: 'the file in the directory' },
  );
  expect(shown).toMatchObject({ size: content.length, generation: 1, checksum });
}, 300_000);
