import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { seededBytes, TransferWorld } from './world.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const OTHER = '01J5ZK3M8QW7V9XH2C4T6R8YAD';
const CONTENT = seededBytes(5_000);
const CHECKSUM = crc32(CONTENT).toString(16).padStart(8, '0');
const EXCLUSIVE = { run: RUN, mode: 'exclusive' } as const;

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
    await world.say({ file: '7', size: 5_000, generation: 1, checksum: 'deadbeef' });
    expect((await world.until('sat1.7.1.up', 'CORRUPTED')).reason).toBe(
      `crc32 is ${CHECKSUM}, listed is deadbeef`,
    );
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
