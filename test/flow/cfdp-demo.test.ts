/**
 * Files of the demo's second spacecraft by CFDP through every role of the service, over a channel that loses a tenth
 * each way: down by the command of a person, and up under the lease of a run.
 */

import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { file } from '../../cli/file.ts';
import { compileFolder } from '../../cli/mission-folder.ts';
import { buckets, objectStores } from '../../contract/bus/buckets.ts';
import type { SimulatedFiles } from '../../contract/simulation.ts';
import { readStoredTransfer, type StoredTransfer } from '../../contract/transfer.ts';
import { createUpload } from '../../messaging/transfer-writes.ts';
import { TransfersOver } from '../../messaging/transfers-over.ts';
import { load } from '../../mission/load.ts';
import { realClock } from '../../supervision/clock.ts';
import { call } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { quiet } from '../support/nats.ts';
import { until } from '../support/until.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const PATIENTLY = { timeoutMs: 60_000 };
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
let cell: DemoCell;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-cfdp-demo-'));
  await cp(DEMO, folder, { recursive: true });
  const path = join(folder, 'topology.yaml');
  const text = await readFile(path, 'utf8');
  const lossy = text.replaceAll('{ delay: 100 ms }', '{ delay: 100 ms, loss: 0.1, duplication: 0.05 }');
  expect(lossy).not.toBe(text);
  await writeFile(path, lossy.replace('      channel:', '      seed: 11\n      channel:'));
  cell = await startDemoCell({ folder, memberTtlMs: 20_000 });
}, 60_000);
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true });
});
afterEach(() => void vi.restoreAllMocks());

/** What the simulation says it has, not over the link. */
async function onboard(id: string) {
  const { body } = await call<SimulatedFiles>('GET', `${cell.api}/v1/sim/sim-2/files`);
  return body.files?.find((each) => each.id === id);
}

/** Listings are telecommands: one that the channel loses is sent again. */
async function refreshed(isThere: () => Promise<boolean>): Promise<void> {
  const once = async (): Promise<boolean> => {
    await call('POST', `${cell.api}/v1/targets/sat2/files/refresh`);
    return until(isThere, { timeoutMs: 4_000 }).then(
      () => true,
      () => false,
    );
  };
  await until(once, { ...PATIENTLY, what: 'the listing' });
}

it('MC-CFDP-001 MC-CFDP-007 F-18 a file comes down by the command of a person, byte for byte what is on board', async () => {
  let err = '';
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
  const isListed = async (): Promise<boolean> =>
    JSON.stringify((await call('GET', `${cell.api}/v1/targets/sat2/files`)).body).includes('150000');
  await refreshed(isListed);
  const output = join(folder, 'image');
  const args = ['get', 'sat2', '2', '--output', output, '--api', cell.api, '--user', 'ada'];
  expect(await file(args), err).toBe(0);
  expect(err).toContain('VERIFIED');
  expect(hashOf(await readFile(output))).toBe((await onboard('2'))?.sha256);
}, 240_000);

it('MC-CFDP-008 MC-UPL-006 what a run uploads is on board whole, and VERIFIED at the next listing', async () => {
  const content = Buffer.from('a patch for the camera, sixty thousand bytes of it. '.repeat(1_200));
  const source = hashOf(content);
  async function* pieces() {
    yield content;
  }
  await cell.bus.objects(objectStores.uploads).put(source, pieces());
  const holds = Buffer.from(JSON.stringify({ holders: [{ run: RUN, mode: 'exclusive' }] }));
  await cell.bus.bucket(buckets.leases).overwrite('sat2', holds);
  const compiled = await compileFolder(folder);
  if (!compiled.ok) throw new Error('the demo');
  const mission = load(compiled.value.configuration, compiled.value.revision);
  const made = await createUpload(
    { target: 'sat2', file_id: '40', source },
    { by: `run ${RUN}`, run: RUN },
    mission,
    {
      bus: cell.bus,
      clock: realClock,
      files: { file: () => undefined },
      over: new TransfersOver({ bus: cell.bus, log: quiet }),
    },
  );
  if (!made.ok) throw new Error(JSON.stringify(made.faults));
  const stored = async (): Promise<StoredTransfer | undefined> => {
    const entry = await cell.bus.bucket(buckets.transfers).get('sat2.40.1.up');
    return entry && readStoredTransfer('sat2.40.1.up', entry.value);
  };
  await until(async () => (await stored())?.state === 'COMPLETE', { ...PATIENTLY, what: 'COMPLETE' });
  expect(await onboard('40')).toMatchObject({ size: content.length, generation: 1, sha256: source });
  await cell.bus.bucket(buckets.leases).overwrite('sat2', Buffer.from('{"holders":[]}'));
  await refreshed(async () => (await stored())?.state === 'VERIFIED');
}, 240_000);
