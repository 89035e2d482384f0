import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { buckets, objectStores } from '../../../contract/bus/buckets.ts';
import { CLOCK_SKEW_MS } from '../../../contract/limits/membership.ts';
import { createdTransfer } from '../../../machines/transfer/step.ts';
import { transferInput } from '../../machines/transfer/records.ts';
import { altered } from '../../simulation/planted/plant.ts';
import { withBucket } from '../../simulation/planted/run-defects.ts';
import { seededBytes, TransferWorld } from './world.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const OTHER = '01J5ZK3M8QW7V9XH2C4T6R8YAD';
const CONTENT = seededBytes(5_000);
const CHECKSUM = crc32(CONTENT).toString(16).padStart(8, '0');
const KEY = 'sat1.7.1.up';
const EXCLUSIVE = { run: RUN, mode: 'exclusive' } as const;

async function* piecesOf(content: Buffer): AsyncIterable<Uint8Array> {
  yield content;
}

/** What was written, put together. */
function onBoard(world: TransferWorld): Buffer {
  const memory = Buffer.alloc(CONTENT.length);
  for (const [offset, bytes] of world.written.get('7') ?? []) bytes.copy(memory, offset);
  return memory;
}

describe('an upload', () => {
  it('MC-UPL-005 MC-UPL-006 MC-UPL-008 MC-UPL-009 is written under the lease of its run, COMPLETE when it is on board, VERIFIED at the next listing', async () => {
    const world = await TransferWorld.start();
    const manager = await world.manager('one');
    await world.hold(EXCLUSIVE);
    world.answer = (_, n) => (n % 5 === 1 ? 'failed' : n % 5 === 3 ? 'refused' : 'chunk');
    await world.upload('7', CONTENT, RUN);
    await world.until('sat1.7.1.up', 'COMPLETE');
    expect(onBoard(world).equals(CONTENT)).toBe(true);
    expect(world.requests.every(({ submission, length }) => submission.run === RUN && length <= 200)).toBe(
      true,
    );
    await world.run(30_000);
    expect(world.stored('sat1.7.1.up')?.state).toBe('COMPLETE');
    await world.say({ file: '7', size: 5_000, generation: 1, checksum: CHECKSUM });
    await world.until('sat1.7.1.up', 'VERIFIED');
    await world.run(1_000);
    expect(world.open()).toEqual([]);
    expect(manager.failures).toEqual([]);
  });

  it('MC-UPL-006 is CORRUPTED when what is listed is something else', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.hold(EXCLUSIVE);
    await world.upload('7', CONTENT, RUN);
    await world.until('sat1.7.1.up', 'COMPLETE');
    await world.run(CLOCK_SKEW_MS + 1);
    await world.say({ file: '7', size: 5_000, generation: 1, checksum: 'deadbeef' });
    expect((await world.until('sat1.7.1.up', 'CORRUPTED')).reason).toBe(
      `crc32 is ${CHECKSUM}, listed is deadbeef`,
    );
  });

  it('MC-UPL-006 transfer/upload-check.U2 is not CORRUPTED by a listing of before its end that comes late', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.hold(EXCLUSIVE);
    await world.upload('7', CONTENT, RUN);
    const before = world.now;
    await world.until('sat1.7.1.up', 'COMPLETE');
    await world.say({ file: '7', size: 4_000, generation: 1, checksum: '0000beef' }, before);
    await world.run(30_000);
    await world.say({ file: '7', size: 4_800, generation: 1, checksum: 'deadbeef' }, before + 1);
    await world.run(5_000);
    expect(world.stored('sat1.7.1.up')?.state).toBe('COMPLETE');
    await world.say({ file: '7', size: 5_000, generation: 1, checksum: CHECKSUM }, before + 2);
    await world.until('sat1.7.1.up', 'VERIFIED');
  });

  it('MC-UPL-006 transfer/upload-check.U2 is CORRUPTED when two listings in a row say the same other checksum, whatever the clock on board', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.hold(EXCLUSIVE);
    await world.upload('7', CONTENT, RUN);
    await world.until('sat1.7.1.up', 'COMPLETE');
    await world.say({ file: '7', size: 5_000, generation: 1, checksum: 'deadbeef' }, 1_000);
    await world.run(5_000);
    expect(world.stored('sat1.7.1.up')?.state).toBe('COMPLETE');
    await world.say({ file: '7', size: 5_000, generation: 1, checksum: 'deadbeef' }, 6_000);
    await world.until('sat1.7.1.up', 'CORRUPTED');
  });

  it('MC-UPL-006 transfer/upload-check.U2 is not CORRUPTED by one late listing that is received twice', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.hold(EXCLUSIVE);
    await world.upload('7', CONTENT, RUN);
    const before = world.now;
    await world.until('sat1.7.1.up', 'COMPLETE');
    await world.say({ file: '7', size: 4_000, generation: 1, checksum: '0000beef' }, before);
    await world.run(30_000);
    await world.say({ file: '7', size: 4_000, generation: 1, checksum: '0000beef' }, before);
    await world.run(5_000);
    expect(world.stored('sat1.7.1.up')?.state).toBe('COMPLETE');
    await world.say({ file: '7', size: 5_000, generation: 1, checksum: CHECKSUM }, before + 2);
    await world.until('sat1.7.1.up', 'VERIFIED');
  });

  it('MC-GEN-022 MC-UPL-006 is not judged by the listing of a later generation, and says so', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.hold(EXCLUSIVE);
    await world.upload('7', CONTENT, RUN);
    await world.until('sat1.7.1.up', 'COMPLETE');
    await world.say({ file: '7', size: 5_000, generation: 2, checksum: 'deadbeef' });
    await world.run(2_000);
    const { state, reason } = world.stored('sat1.7.1.up')!;
    expect([state, reason]).toEqual(['COMPLETE', 'on board is generation 2: it was never verified']);
    expect(world.open()).toEqual([]);
  });

  it('MC-GEN-022 transfer/upload-check.U3 is judged no more once a later generation was listed, under the next leader as well', async () => {
    const world = await TransferWorld.start();
    const manager = await world.manager('one');
    await world.hold(EXCLUSIVE);
    await world.upload('7', CONTENT, RUN);
    await world.until(KEY, 'COMPLETE');
    manager.kill();
    await world.say({ file: '7', size: 5_000, generation: 2, checksum: 'deadbeef' }, 2_000);
    await world.say({ file: '7', size: 5_000, generation: 1, checksum: CHECKSUM }, 1_000);
    expect(world.open()).toEqual([KEY]);
    await world.manager('two');
    await world.run(5_000);
    expect(world.open()).toEqual([]);
    await world.say({ file: '7', size: 5_000, generation: 1, checksum: CHECKSUM }, 3_000);
    await world.run(5_000);
    expect(world.stored(KEY)).toMatchObject({ state: 'COMPLETE', actor: { unverifiable: true } });
  });

  it('transfer/transfer.T3 that an earlier version left waiting for a listing is over as well, and keeps no hindrance', async () => {
    const world = await TransferWorld.start();
    const manager = await world.manager('one');
    await world.hold(EXCLUSIVE);
    await world.upload('7', CONTENT, RUN);
    const { actor, ...record } = await world.until(KEY, 'COMPLETE');
    manager.kill();
    const reason = 'on board is generation 2: it was never verified';
    const before = { ...record, reason, actor: { ...actor, hindrance: reason } };
    const bucket = world.outside.bucket(buckets.transfers);
    await world.finish(bucket.overwrite(KEY, Buffer.from(JSON.stringify(before))));
    await world.say({ file: '7', size: 5_000, generation: 2, checksum: 'deadbeef' });
    await world.manager('two');
    await world.run(5_000);
    expect(world.open()).toEqual([]);
    expect(world.stored(KEY)).toMatchObject({ state: 'COMPLETE', reason });
    expect(world.stored(KEY)?.actor).not.toHaveProperty('hindrance');
  });

  it('MC-XFER-042 MC-UPL-009 transfer/chunked.Q6 what was written late counts, though its request was forgotten', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.hold(EXCLUSIVE);
    world.answer = (_, n) => (n < 25 ? 'queued' : 'silent');
    await world.upload('7', CONTENT, RUN);
    await world.run(59_000);
    expect(world.requests.length).toBe(25);
    await world.run(10_000);
    // Asked again as forgotten, and one alone: the others may still be in front of the link.
    expect(world.requests.length).toBe(26);
    expect((await world.until('sat1.7.1.up', 'COMPLETE', 30_000)).received).toEqual([[0, 5_000]]);
  });

  it('MC-UPL-009 waits, with the reason, for content that the store has lost, and goes on when it is stored again', async () => {
    const world = await TransferWorld.start();
    const manager = await world.manager('one');
    await world.hold(EXCLUSIVE);
    const source = createHash('sha256').update(CONTENT).digest('hex');
    const uploads = world.outside.objects(objectStores.uploads);
    await world.upload('7', CONTENT, RUN);
    await world.finish(uploads.remove(source));
    await world.run(60_000);
    const { state, reason } = world.stored('sat1.7.1.up')!;
    expect([state, reason]).toEqual([
      'REQUESTED',
      expect.stringContaining(`content ${source} is not stored`),
    ]);
    await world.finish(uploads.put(source, piecesOf(CONTENT)));
    await world.until('sat1.7.1.up', 'COMPLETE');
    expect(onBoard(world).equals(CONTENT)).toBe(true);
    expect(manager.failures).toEqual([]);
  });

  it('MC-UPL-009 transfer/chunked.Q4 nothing is written by who leads no more, also where its content is slow to be read', async () => {
    const world = await TransferWorld.start();
    let isReading = false;
    const manager = await world.manager('one', (bus) =>
      altered(bus, {
        objects: (definition) => {
          const objects = bus.objects(definition);
          const read: typeof objects.read = async (...of) => {
            isReading = true;
            await new Promise<void>((resolve) => void world.clock.setTimeout(resolve, 2_000));
            return objects.read(...of);
          };
          return { ...objects, read };
        },
      }),
    );
    await world.hold(EXCLUSIVE);
    await world.upload('7', CONTENT, RUN);
    for (let n = 0; !isReading && n < 100; n += 1) await world.run(100);
    manager.resign();
    await world.run(10_000);
    expect([isReading, world.requests]).toEqual([true, []]);
  });

  it('MC-UPL-009 transfer/service.S8 is written whole where it takes the place of one before while its leader begins with that', async () => {
    const world = await TransferWorld.start();
    await world.hold(EXCLUSIVE);
    await world.upload('7', CONTENT, RUN);
    const other = seededBytes(6_100, 2);
    const source = createHash('sha256').update(other).digest('hex');
    await world.finish(world.outside.objects(objectStores.uploads).put(source, piecesOf(other)));
    const record = { generation: 1, direction: 'upload', size: other.length, source } as const;
    const taken = createdTransfer(transferInput(record, RUN, world.now));
    let reads = 0;
    const manager = await world.manager('one', (bus) =>
      withBucket(bus, buckets.transfers.name, (bucket) => ({
        get: async (key) => {
          reads += 1;
          // Behind the reading of the index, before that of the cell.
          if (reads === 2) await bucket.overwrite(key, Buffer.from(JSON.stringify(taken)));
          return bucket.get(key);
        },
      })),
    );
    await world.until(KEY, 'COMPLETE');
    const memory = Buffer.alloc(other.length);
    for (const [offset, part] of world.written.get('7') ?? []) part.copy(memory, offset);
    expect(memory.equals(other)).toBe(true);
    expect(manager.log.said.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('MC-UPL-009 A-09 nothing is written without the lease, the record says so, and it goes on where it was', async () => {
    const world = await TransferWorld.start();
    const manager = await world.manager('one');
    await world.hold(EXCLUSIVE);
    world.answer = (_, n) => (n < 12 ? 'chunk' : 'silent');
    await world.upload('7', CONTENT, RUN);
    await world.run(12_000);
    await world.hold();
    await world.run(65_000);
    const asked = world.requests.length;
    const { reason, received } = world.stored('sat1.7.1.up')!;
    expect(reason).toBe(`run ${RUN} does not hold sat1`);
    expect(received).toEqual([[0, 2_400]]);
    await world.run(10_000);
    expect(world.requests.length).toBe(asked);
    await manager.stop();
    await world.manager('two');
    await world.hold(EXCLUSIVE);
    world.answer = () => 'chunk';
    const stored = await world.until('sat1.7.1.up', 'COMPLETE');
    expect(stored.reason).toBeUndefined();
    expect(onBoard(world).equals(CONTENT)).toBe(true);
    const again = world.requests.slice(asked);
    expect(Math.min(...again.map(({ offset }) => offset))).toBe(2_400);
  });
});

describe('a download on a target that is held', () => {
  it('MC-XFER-064 A-09 waits while another run holds it, and goes on behind', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.hold({ run: OTHER, mode: 'exclusive' });
    await world.list('7', CONTENT);
    await world.download('7', 0, RUN);
    await world.run(10_000);
    expect(world.requests).toEqual([]);
    await world.hold();
    await world.until('sat1.7.1', 'VERIFIED');
    expect(world.requests.every(({ submission }) => submission.run === undefined)).toBe(true);
  });

  it('MC-XFER-064 A-09 goes on under the lease of the run that asked for it', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.hold(EXCLUSIVE);
    await world.list('7', CONTENT);
    await world.list('8', CONTENT);
    await world.download('7', 0, RUN);
    await world.download('8');
    await world.until('sat1.7.1', 'VERIFIED');
    await world.run(5_000);
    expect(
      world.requests.every(({ submission }) => submission.run === RUN && submission.instance === '7'),
    ).toBe(true);
    expect(world.stored('sat1.8.1')?.state).toBe('REQUESTED');
  });
});
