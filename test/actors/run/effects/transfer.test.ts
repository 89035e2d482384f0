import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTransfer } from '../../../../actors/run/effects/transfer.ts';
import { buckets, objectStores } from '../../../../contract/bus/buckets.ts';
import type { ProgramStatement } from '../../../../contract/program.ts';
import { readStoredTransfer, type StoredTransfer } from '../../../../contract/transfer.ts';
import type { Answers } from '../../../../machines/run/protocol.ts';
import { type EffectWorld, effectWorld, RUN } from './effect-world.ts';

type Statement = Extract<ProgramStatement, { kind: 'download' | 'upload' }>;

const DOWNLOAD: Statement = {
  kind: 'download',
  target: 'sat1',
  component: 'files',
  file: { value: 7 },
  priority: 5,
};
const UPLOAD: Statement = {
  kind: 'upload',
  target: 'sat1',
  component: 'files',
  file: { name: 'slot' },
  content: { name: 'patch' },
};
const CONTENT = Buffer.from('what goes up');
const HASH = createHash('sha256').update(CONTENT).digest('hex');
const LISTED = { file: '7', size: 1_000, generation: 3, file_type: 2, checksum: '0a0b0c0d' };
let world: EffectWorld;

beforeEach(async () => {
  world = await effectWorld();
});

const transfer = async (statement: Statement, answers: Answers = {}) => {
  const effect = { type: 'effect.transfer' as const, ticket: 2, path: 'fetch', statement, answers };
  const begun = world.begin(createTransfer(world.services), effect);
  await world.passes(100);
  return begun.seen;
};
const stored = (key: string): StoredTransfer | undefined => {
  const message = world.server.bucket(buckets.transfers).last(`$KV.${buckets.transfers.name}.${key}`);
  return message && readStoredTransfer(key, message.data);
};
const open = (): string[] =>
  world.server
    .bucket(buckets.openTransfers)
    .lasts()
    .map(({ subject }) => subject.split('.').slice(2).join('.'));

async function store(content: Uint8Array): Promise<void> {
  async function* pieces() {
    yield content;
  }
  const hash = createHash('sha256').update(content).digest('hex');
  void world.bus.objects(objectStores.uploads).put(hash, pieces());
  await world.passes(100);
}

describe('a transfer of a run', () => {
  it('MC-XFER-060 is created with the run as requester, and not waited for', async () => {
    await world.list('sat1', LISTED);
    const seen = await transfer(DOWNLOAD);
    expect(seen.event).toMatchObject({ type: 'done', ticket: 2 });
    expect(stored('sat1.7.3')).toMatchObject({
      direction: 'download',
      state: 'REQUESTED',
      size: 1_000,
      priority: 5,
      file_type: 2,
      checksum: '0a0b0c0d',
      by: `run ${RUN}`,
      actor: { run: RUN },
    });
    expect(open()).toEqual(['sat1.7.3']);
  });

  it('MC-UPL-005 MC-UPL-010 MC-XFER-007 names the content of an upload, and files given in answers', async () => {
    await store(CONTENT);
    const seen = await transfer(UPLOAD, { slot: 12, patch: HASH });
    expect(seen.event).toMatchObject({ type: 'done' });
    expect(stored('sat1.12.1.up')).toMatchObject({ direction: 'upload', source: HASH, size: CONTENT.length });
    await world.list('sat1', { file: '12', generation: 4, size: 1 });
    await transfer(UPLOAD, { slot: 12, patch: HASH });
    expect(stored('sat1.12.5.up')).toMatchObject({ generation: 5 });
  });

  it('MC-XFER-002 is a download or an upload, and a record of anything else is none', async () => {
    await world.list('sat1', LISTED);
    await store(CONTENT);
    await transfer(DOWNLOAD);
    await transfer(UPLOAD, { slot: 12, patch: HASH });
    const [down, up] = [stored('sat1.7.3')!, stored('sat1.12.1.up')!];
    expect([down.direction, up.direction]).toEqual(['download', 'upload']);
    const read = (key: string, record: object) =>
      readStoredTransfer(key, Buffer.from(JSON.stringify(record)));
    expect(read('sat1.7.3', down)).toEqual(down);
    expect(read('sat1.7.3', { ...down, direction: 'sideways' })).toBeUndefined();
    expect(read('sat1.7.3', { ...down, direction: 'upload' })).toBeUndefined();
    expect(read('sat1.7.3', { ...down, generation: '3' })).toBeUndefined();
  });

  it('MC-XFER-063 fails the step when the file is absent from the directory, and creates nothing', async () => {
    await world.list('sat1', { ...LISTED, file: '8' });
    const seen = await transfer(DOWNLOAD);
    expect(seen.event).toMatchObject({
      type: 'failed',
      reason: 'transfer::not-listed: file 7 of sat1 was never listed',
    });
    expect([stored('sat1.7.0'), stored('sat1.7.3'), open()]).toEqual([undefined, undefined, []]);
  });

  it.each([
    [
      'MC-XFER-063',
      'is not in the directory',
      DOWNLOAD,
      {},
      'transfer::not-listed: file 7 of sat1 was never listed',
    ],
    [
      'MC-UPL-005',
      'has no content',
      UPLOAD,
      { slot: 1, patch: HASH },
      `transfer::invalid: no content ${HASH} is stored: POST /v1/uploads stores it`,
    ],
    [
      'MC-XFER-009',
      'is of a target without a directory',
      { ...DOWNLOAD, target: 'probe' },
      {},
      'files::no-directory: the catalogue of probe has no on-board directory',
    ],
    [
      'MC-XFER-009',
      'is no file',
      { ...DOWNLOAD, file: { value: 'x' } },
      {},
      'transfer::invalid: "x" is not the identifier of a file: decimal digits',
    ],
    ['MC-XFER-062', 'was not answered', { ...DOWNLOAD, file: { name: 'image' } }, {}, '$image has no value'],
  ] as const)('%s fails the step when the file %s', async (_, __, statement, answers, reason) => {
    const seen = await transfer(statement, answers);
    expect(seen.event).toMatchObject({ type: 'failed', ticket: 2, reason });
    expect(open()).toEqual([]);
  });

  it('MC-XFER-019 MC-XFER-009 a size that was not listed is refused, a generation that was not counts as 0', async () => {
    await world.list('sat1', { file: '7', file_type: 2 }, { file: '8', size: 10 });
    const seen = await transfer(DOWNLOAD);
    expect(seen.event).toMatchObject({
      reason: 'transfer::invalid: the size of file 7 of sat1 was not listed',
    });
    await transfer({ ...DOWNLOAD, file: { value: 8 } });
    expect(stored('sat1.8.0')).toMatchObject({ generation: 0, size: 10 });
  });

  it('MC-XFER-013 MC-XFER-015 MC-XFER-016 MC-XFER-017 asked again it is the one that is there, until the file is rewritten', async () => {
    await world.list('sat1', LISTED);
    await transfer(DOWNLOAD);
    const before = stored('sat1.7.3');
    await transfer({ ...DOWNLOAD, priority: 9 });
    expect(stored('sat1.7.3')).toEqual(before);
    await world.list('sat1', { ...LISTED, generation: 4, size: 2_000 });
    await transfer(DOWNLOAD);
    expect(stored('sat1.7.4')).toMatchObject({ size: 2_000, state: 'REQUESTED' });
  });

  it('transfer-writes.W1 an upload of other content takes the place of the one before; of the same it goes on for the new run', async () => {
    const other = Buffer.from('something else');
    await store(CONTENT);
    await store(other);
    await transfer(UPLOAD, { slot: 12, patch: HASH });
    const again = createTransfer(world.services);
    const effect = { type: 'effect.transfer' as const, ticket: 3, path: 'b', statement: UPLOAD };
    world.begin(again, { ...effect, answers: { slot: 12, patch: HASH } }, { run: 'ANOTHER' });
    await world.passes(100);
    expect(stored('sat1.12.1.up')).toMatchObject({
      source: HASH,
      by: 'run ANOTHER',
      actor: { run: 'ANOTHER' },
    });
    const hash = createHash('sha256').update(other).digest('hex');
    await transfer(UPLOAD, { slot: 12, patch: hash });
    expect(stored('sat1.12.1.up')).toMatchObject({ source: hash, size: other.length, actor: { run: RUN } });
  });

  it('run/effects/transfer.F3 transfer-writes.W7 nothing is created by an executor that slept while its run went on elsewhere', async () => {
    const other = Buffer.from('something else');
    const hash = createHash('sha256').update(other).digest('hex');
    await store(CONTENT);
    await store(other);
    await transfer(UPLOAD, { slot: 12, patch: HASH });
    await transfer(UPLOAD, { slot: 12, patch: hash });
    const before = stored('sat1.12.1.up');
    let holds = false;
    const effect = { type: 'effect.transfer' as const, ticket: 3, path: 'b', statement: UPLOAD };
    const answers = { slot: 12, patch: HASH };
    const late = world.begin(createTransfer(world.services), { ...effect, answers }, { holds: () => holds });
    await world.passes(2_000);
    expect(stored('sat1.12.1.up')).toEqual(before);
    expect(late.seen.over).toBe(false);
    holds = true;
    await world.passes(2_000);
    expect(late.seen.event).toMatchObject({ type: 'done' });
    expect(stored('sat1.12.1.up')).toMatchObject({ source: HASH });
  });

  it('is created once the bus is back', async () => {
    await world.list('sat1', LISTED);
    world.server.turn(false);
    const seen = await transfer(DOWNLOAD);
    await world.passes(15_000, 250);
    expect(seen.over).toBe(false);
    world.server.turn(true);
    await world.passes(4_000, 100);
    expect(seen.event).toMatchObject({ type: 'done' });
  });
});
