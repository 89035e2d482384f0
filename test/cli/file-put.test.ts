/**
 * `mcs file put` as a person uses it, on a real bus and front end; the test is the executor and the transfer manager.
 */

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { file } from '../../cli/file.ts';
import { objectStores } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { RunFact } from '../../contract/run-event.ts';
import type { RunSubmission } from '../../contract/run-wire.ts';
import type { StoredTransfer } from '../../contract/transfer.ts';
import { TransfersOver } from '../../messaging/transfers-over.ts';
import { startTransferWorld, type TransferWorld } from '../http/transfer-world.ts';
import { demoMission } from '../support/missions.ts';
import { keptLog } from '../support/silent-log.ts';
import { storedTransfer } from '../support/transfers.ts';
import { until } from '../support/until.ts';

const CONTENT = Buffer.alloc(1_000, 'patch ');
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
let world: TransferWorld;
let folder: string;
let path: string;
let printed: { out: string; err: string };
let position = 0;

beforeAll(async () => {
  world = await startTransferWorld();
  world.missions.publish(demoMission());
  folder = await mkdtemp(join(tmpdir(), 'mcs-put-'));
  path = join(folder, 'patch');
  await writeFile(path, CONTENT);
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  printed = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed.err += String(text);
    return true;
  });
});
afterEach(() => void vi.restoreAllMocks());

const put = (...args: string[]): Promise<number> =>
  file(['put', ...args, '--api', world.url, '--user', 'ada']);
const putInBench = (id: string, ...args: string[]): Promise<number> =>
  put('sat1', id, path, '--environment', 'bench', ...args);

/** The run that was launched last, as its executor sees it. */
async function launched(): Promise<{ readonly run: string; say(...facts: RunFact[]): Promise<void> }> {
  const message = await until(async () => {
    const last = await world.bus.last(streams.runSubmissions, subject.runSubmit);
    return last !== undefined && last.seq > position ? last : undefined;
  });
  position = message.seq;
  const { run, ir, by } = JSON.parse(Buffer.from(message.data).toString()) as RunSubmission;
  let seq = 0;
  const say = async (...facts: RunFact[]): Promise<void> => {
    for (const fact of facts) {
      seq += 1;
      const event = { run, seq, at: new Date().toISOString(), ...fact };
      await world.bus.append(streams.runs, subject.runEvents(run), Buffer.from(JSON.stringify(event)));
    }
  };
  const targets = { sat: 'sat1' };
  const about = {
    procedure: 'put_file',
    library: 'ops@1.0.0',
    environment: 'bench',
    targets,
    ir,
    inputs: {},
  };
  await say({ event: 'started', ...about, ...(by !== undefined && { by }) });
  return { run, say };
}

function upload(run: string, more: Partial<StoredTransfer>): Promise<StoredTransfer> {
  return world.record(
    storedTransfer({
      target: 'sat1',
      generation: 1,
      direction: 'upload',
      source: SHA256,
      by: `run ${run}`,
      size: 1_000,
      ...more,
      actor: { run },
    }),
  );
}

describe('mcs file put', () => {
  it('MC-UPL-001 MC-UPL-005 stores the content, gives its hash to the run, and waits for both', async () => {
    const done = putInBench('1', '--json');
    const { run, say } = await launched();
    expect(await world.bus.objects(objectStores.uploads).size(SHA256)).toBe(1_000);
    await upload(run, { file_id: '1', state: 'PARTIAL', received: [[0, 200]] });
    await upload(run, { file_id: '1', state: 'VERIFIED', received: [[0, 1_000]] });
    await say({ event: 'finished', ok: true });
    expect(await done, printed.err).toBe(0);
    expect(JSON.parse(printed.out)).toMatchObject({
      run,
      sha256: SHA256,
      bytes: 1_000,
      transfer: { state: 'VERIFIED', by: `run ${run}`, source: SHA256 },
    });
  });

  it('answers nothing by itself, and says how a question is answered', async () => {
    const done = putInBench('2');
    const { run, say } = await launched();
    await say({ event: 'asked', path: 'write', prompt: 'Is the pass long enough?' });
    await until(() => printed.err.includes('Is the pass long enough?'));
    expect(printed.err).toContain(`answer: mcs run answer ${run} yes|no --question 2`);
    await say({ event: 'suspended', path: 'write', by: 'bob' });
    await until(() => printed.err.includes(`resume: mcs run resume ${run}`));
    await upload(run, { file_id: '2', state: 'PARTIAL', received: [[0, 200]] });
    await until(() => printed.err.includes('PARTIAL'));
    await say({ event: 'finished', ok: false, reason: 'aborted by bob' });
    expect(await done).toBe(1);
    expect(printed.err.split('\n').at(-2)).toBe(
      `run ${run} failed: aborted by bob; 200 B of 1.0 kB are on board; the same command continues`,
    );
  });

  it('MC-UPL-006 ends with 1 where it is corrupted or superseded, and with 0 where nothing lists it', async () => {
    const corrupted = putInBench('3');
    const first = await launched();
    await upload(first.run, { file_id: '3', state: 'CORRUPTED', reason: 'crc32 is 1, listed is 2' });
    expect(await corrupted).toBe(1);
    expect(printed.err).toContain(
      `CORRUPTED: crc32 is 1, listed is 2 (run ${first.run} continues: mcs run follow ${first.run})`,
    );
    const complete = putInBench('4');
    const second = await launched();
    await upload(second.run, { file_id: '4', state: 'COMPLETE', received: [[0, 1_000]] });
    await until(() => printed.err.includes('COMPLETE'));
    await second.say({ event: 'finished', ok: true });
    expect(await complete).toBe(0);
    expect(printed.err).toContain('COMPLETE  (verified by the next listing: mcs file refresh)');
  });

  it('follows the run that writes the same content already, also behind an interruption, and starts no other', async () => {
    const first = putInBench('5');
    const { run, say } = await launched();
    await upload(run, { file_id: '5', state: 'PARTIAL', received: [[0, 200]] });
    await until(() => printed.err.includes('PARTIAL'));
    process.emit('SIGINT');
    expect(await first).toBe(130);
    expect(printed.err).toContain(`mcs run follow ${run} shows its log, mcs run abort ${run} ends it`);
    const second = putInBench('5');
    await until(() => printed.err.includes(`run ${run} is writing this content already`));
    await upload(run, { file_id: '5', state: 'VERIFIED', received: [[0, 1_000]] });
    await say({ event: 'finished', ok: true });
    expect(await second, printed.err).toBe(0);
    expect((await world.bus.last(streams.runSubmissions, subject.runSubmit))?.seq).toBe(position);
  });

  it('MC-UPL-009 starts another run where the one before is over, and none where the content is on board', async () => {
    const first = putInBench('6');
    const one = await launched();
    await upload(one.run, { file_id: '6', state: 'PARTIAL', received: [[0, 200]] });
    await until(() => printed.err.includes('PARTIAL'));
    await one.say({ event: 'finished', ok: false, reason: 'no link' });
    expect(await first).toBe(1);
    const second = putInBench('6');
    const two = await launched();
    await upload(two.run, { file_id: '6', state: 'VERIFIED', received: [[0, 1_000]] });
    await two.say({ event: 'finished', ok: true });
    expect(await second, printed.err).toBe(0);
    printed.err = '';
    expect(await putInBench('6')).toBe(0);
    expect(printed.err).toContain('on board already, as generation 1 (--again writes it once more)');
    await upload(two.run, { file_id: '6', state: 'COMPLETE', received: [[0, 1_000]] });
    expect(await putInBench('6', '--again')).toBe(1);
    expect(printed.err).toContain('was not listed since');
    expect((await world.bus.last(streams.runSubmissions, subject.runSubmit))?.seq).toBe(position);
  });

  /** An upload that was over two days ago, of this content unless said. */
  async function uploadedLongAgo(file_id: string, source = SHA256): Promise<void> {
    const updated_at = new Date(Date.now() - 48 * 3_600_000).toISOString();
    const name = { target: 'sat1', file_id, generation: 3, direction: 'upload' } as const;
    const record = storedTransfer({ ...name, source, size: 1_000, state: 'VERIFIED', updated_at });
    await new TransfersOver({ bus: world.bus, log: keptLog() }).keep([record], Date.now());
    await world.list('sat1', { file: file_id, size: 1_000, generation: 3 });
  }

  it('file-put.P3 starts no run where the content has been on board for more than a day', async () => {
    await uploadedLongAgo('20');
    expect(await putInBench('20'), printed.err).toBe(0);
    expect(printed.err).toContain('on board already, as generation 3 (--again writes it once more)');
    expect(await putInBench('20', '--json')).toBe(0);
    expect(JSON.parse(printed.out)).toMatchObject({ sha256: SHA256, transfer: { generation: 3 } });
    expect((await world.bus.last(streams.runSubmissions, subject.runSubmit))?.seq).toBe(position);
  });

  it('file-put.P3 starts a run where the listed generation has other content', async () => {
    await uploadedLongAgo('21', 'ab'.repeat(32));
    const done = putInBench('21');
    const { run, say } = await launched();
    await upload(run, { file_id: '21', generation: 4, state: 'VERIFIED', received: [[0, 1_000]] });
    await say({ event: 'finished', ok: true });
    expect(await done, printed.err).toBe(0);
  });

  it.each(['23', '24'])(
    'file-put.P3 starts a run where a later generation is listed than the one that it has written (file %s)',
    async (file_id) => {
      const before = '01J5ZK3M8QW7V9XH2C4T6R8YAD';
      await upload(before, { file_id, generation: 3, state: 'COMPLETE', received: [[0, 1_000]] });
      await world.list('sat1', { file: file_id, size: 1_000, generation: 4 });
      const done = file_id === '23' ? putInBench(file_id) : putInBench(file_id, '--again');
      const { run, say } = await launched();
      await upload(run, { file_id, generation: 5, state: 'VERIFIED', received: [[0, 1_000]] });
      await say({ event: 'finished', ok: true });
      expect(await done, printed.err).toBe(0);
    },
  );

  it('file-put.P3 says nothing of what is on board, and starts nothing, where the directory cannot be read', async () => {
    await upload('01J5ZK3M8QW7V9XH2C4T6R8YAC', { file_id: '22', state: 'VERIFIED', received: [[0, 1_000]] });
    const { fetch } = globalThis;
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (...asked) => {
      if (!String(asked[0]).endsWith('/v1/targets/sat1/files')) return fetch(...asked);
      const errors = [{ code: 'api::unavailable', message: 'the bus is away' }];
      return Response.json({ errors }, { status: 503 });
    });
    expect(await putInBench('22')).toBe(1);
    expect(printed.err).toBe('api::unavailable: the bus is away\n');
    expect((await world.bus.last(streams.runSubmissions, subject.runSubmit))?.seq).toBe(position);
  });

  it('says what is missing before anything is stored or started', async () => {
    await writeFile(join(folder, 'other'), 'never stored');
    const other = createHash('sha256').update('never stored').digest('hex');
    expect(await put('sat1', '1', join(folder, 'other'))).toBe(1);
    expect(printed.err).toContain('sat1 is in bench, rehearsal: choose one with --environment');
    expect(await put('noaa20', '1', join(folder, 'other'))).toBe(1);
    expect(printed.err).toContain('no procedure of the libraries puts files on noaa20');
    expect(await put('sat1', '1', join(folder, 'other'), '--procedure', 'take_image')).toBe(1);
    expect(await put('sat9', '1', join(folder, 'other'))).toBe(1);
    expect(printed.err).toContain('api::unknown-target');
    expect(await put('sat1', '1', join(folder, 'nothing'))).toBe(1);
    expect(printed.err).toContain('nothing cannot be read: ENOENT');
    await writeFile(join(folder, 'empty'), '');
    expect(await put('sat1', '1', join(folder, 'empty'))).toBe(1);
    expect(printed.err).toContain('empty is empty');
    expect(await world.bus.objects(objectStores.uploads).size(other)).toBeUndefined();
    for (const args of [[], ['sat1'], ['sat1', '1'], ['sat1', 'x', path], ['sat1', '1', path, 'more']])
      expect(await put(...args)).toBe(2);
  });
});
