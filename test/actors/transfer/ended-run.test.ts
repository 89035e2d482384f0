import { crc32 } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { UPLOAD_ENDED_MS } from '../../../contract/limits/transfer.ts';
import { isOpenTransfer } from '../../../contract/transfer.ts';
import { isLongOver } from '../../../messaging/transfers-over.ts';
import { NO_GENERATION_MISSION } from '../run/effects/effect-world.ts';
import { type ManagerProcess, seededBytes, TransferWorld } from './world.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const NEXT = '01J5ZK3M8QW7V9XH2C4T6R8YAD';
const CONTENT = seededBytes(5_000);
const KEY = 'sat1.7.1.up';
const OVER = `run ${RUN} is over: another upload of the same content continues from here`;
let world: TransferWorld;
let manager: ManagerProcess;

/** Half of it is on board when its run is interrupted. */
beforeEach(async () => {
  world = await TransferWorld.start();
  manager = await world.manager('one');
  await world.hold({ run: RUN, mode: 'exclusive' });
  world.answer = (_, n) => (n < 12 ? 'chunk' : 'silent');
  await world.upload('7', CONTENT, RUN);
  await world.run(12_000);
  await world.hold();
});

/** What was written, put together. */
function onBoard(): Buffer {
  const memory = Buffer.alloc(CONTENT.length);
  for (const [offset, bytes] of world.written.get('7') ?? []) bytes.copy(memory, offset);
  return memory;
}

/** Another run uploads the same content, and holds the target. */
async function again(over?: Parameters<TransferWorld['upload']>[3]): Promise<void> {
  world.answer = () => 'chunk';
  await world.hold({ run: NEXT, mode: 'exclusive' });
  await world.upload('7', CONTENT, NEXT, over);
}

describe('MC-UPL-009 an upload whose run is over', () => {
  it('MC-XFER-005 says so, and is not shown as one whose run waits', async () => {
    await world.run(10_000);
    expect(world.stored(KEY)?.reason).toBe(`run ${RUN} does not hold sat1`);
    await world.end(RUN);
    await world.run(25_000);
    expect(world.stored(KEY)).toMatchObject({ state: 'PARTIAL', reason: OVER, received: [[0, 2_400]] });
    const asked = world.requests.length;
    await world.run(120_000);
    expect(world.requests.length).toBe(asked);
    expect(manager.failures).toEqual([]);
  });

  it('says so while its link is away as well', async () => {
    world.isLinkUp = false;
    await world.run(20_000);
    await world.end(RUN);
    await world.run(25_000);
    expect(world.stored(KEY)?.reason).toBe(OVER);
  });

  it('MC-XFER-029 is superseded by a newer generation', async () => {
    await world.end(RUN);
    await world.run(25_000);
    await world.say({ file: '7', size: 5_000, generation: 2, checksum: 'deadbeef' });
    await world.run(1_000);
    expect(world.stored(KEY)).toMatchObject({ state: 'SUPERSEDED', reason: 'new generation' });
    expect(world.open()).toEqual([]);
  });

  it('A-44 another run with the same content goes on with it from what is on board', async () => {
    await world.end(RUN);
    await world.run(25_000);
    const asked = world.requests.length;
    await again();
    const stored = await world.until(KEY, 'COMPLETE');
    expect(stored.reason).toBeUndefined();
    expect(stored.by).toBe(`run ${NEXT}`);
    expect(onBoard().equals(CONTENT)).toBe(true);
    expect(Math.min(...world.requests.slice(asked).map(({ offset }) => offset))).toBe(2_400);
    const checksum = crc32(CONTENT).toString(16).padStart(8, '0');
    await world.say({ file: '7', size: 5_000, generation: 1, checksum });
    await world.until(KEY, 'VERIFIED');
  });

  it('MC-UPL-010 transfer-writes.W6 another run goes on with it also where its half was listed meanwhile', async () => {
    await world.end(RUN);
    await world.run(25_000);
    await world.say({ file: '7', size: 2_400, generation: 1, checksum: '0000beef' });
    const asked = world.requests.length;
    await again();
    await world.until(KEY, 'COMPLETE');
    expect(Math.min(...world.requests.slice(asked).map(({ offset }) => offset))).toBe(2_400);
    expect(onBoard().equals(CONTENT)).toBe(true);
    const checksum = crc32(CONTENT).toString(16).padStart(8, '0');
    await world.say({ file: '7', size: 5_000, generation: 1, checksum });
    await world.until(KEY, 'VERIFIED');
    // What is on board whole is another file to whoever writes it again.
    await again();
    expect(world.open()).toEqual(['sat1.7.2.up']);
  });

  it('MC-UPL-010 transfer-writes.W6 other content begins the next generation then', async () => {
    await world.end(RUN);
    await world.run(25_000);
    await world.say({ file: '7', size: 2_400, generation: 1, checksum: '0000beef' });
    await world.hold({ run: NEXT, mode: 'exclusive' });
    const made = await world.upload('7', seededBytes(5_000, 2), NEXT);
    expect([made.generation, made.received]).toEqual([2, undefined]);
  });

  it('is kept open for a week, and costs nothing after that, nor a leader that starts then', async () => {
    await world.end(RUN);
    await world.run(25_000);
    await manager.stop();
    world.clock.advanceTo(world.now + UPLOAD_ENDED_MS / 2);
    const second = await world.manager('two');
    await world.run(1_000);
    expect(world.open()).toEqual([KEY]);
    await second.stop();
    world.clock.advanceTo(world.now + UPLOAD_ENDED_MS / 2);
    await world.manager('three');
    await world.run(1_000);
    expect(world.open()).toEqual([]);
    const stored = world.stored(KEY)!;
    expect(stored).toMatchObject({ state: 'PARTIAL', reason: OVER, received: [[0, 2_400]] });
    expect([isOpenTransfer(stored), isLongOver(stored, world.now + 2 * 24 * 3_600_000)]).toEqual([
      false,
      true,
    ]);
  });

  it('A-44 transfer-writes.W4 also another run long after that goes on with it, wherever its record is kept', async () => {
    await world.end(RUN);
    await world.run(25_000);
    await manager.stop();
    world.clock.advanceTo(world.now + UPLOAD_ENDED_MS);
    const second = await world.manager('two');
    await world.run(1_000);
    const closed = world.stored(KEY)!;
    expect(world.open()).toEqual([]);
    const bucket = world.outside.bucket(buckets.transfers);
    const entry = await world.finish(bucket.get(KEY));
    await world.finish(bucket.remove(KEY, entry!.revision));
    const asked = world.requests.length;
    await again({ find: async () => closed });
    await world.until(KEY, 'COMPLETE');
    expect(Math.min(...world.requests.slice(asked).map(({ offset }) => offset))).toBe(2_400);
    expect(second.failures).toEqual([]);
  });
});

describe('MC-UPL-010 transfer-writes.W6 where no write says its generation', () => {
  it('what was listed half written begins again from the start, as the next generation', async () => {
    world = await TransferWorld.start(NO_GENERATION_MISSION);
    await world.manager('one');
    await world.hold({ run: RUN, mode: 'exclusive' });
    world.answer = (_, n) => (n < 12 ? 'chunk' : 'silent');
    await world.upload('7', CONTENT, RUN);
    await world.run(12_000);
    await world.hold();
    await world.end(RUN);
    await world.run(25_000);
    expect(world.stored(KEY)).toMatchObject({ state: 'PARTIAL', received: [[0, 2_400]] });
    await world.say({ file: '7', size: 2_400, generation: 1, checksum: '0000beef' });
    await again();
    const stored = await world.until('sat1.7.2.up', 'COMPLETE');
    expect(stored.received).toEqual([[0, 5_000]]);
    expect(onBoard().equals(CONTENT)).toBe(true);
  });
});

describe('transfer/lease-watch.H3 a run that is not over', () => {
  it('is not taken for one while it holds the target, whatever its entry says', async () => {
    await world.hold({ run: RUN, mode: 'exclusive' });
    await world.end(RUN);
    world.answer = () => 'chunk';
    await world.until(KEY, 'COMPLETE');
  });

  it('only waits while it is suspended', async () => {
    await world.run(300_000);
    expect(world.stored(KEY)?.reason).toBe(`run ${RUN} does not hold sat1`);
    await world.hold({ run: RUN, mode: 'exclusive' });
    world.answer = () => 'chunk';
    expect((await world.until(KEY, 'COMPLETE')).reason).toBeUndefined();
  });
});
