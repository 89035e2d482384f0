import { describe, expect, it } from 'vitest';
import { buckets, objectStores } from '../../../contract/bus/buckets.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { DecodeFileCall, DecodeFileReply } from '../../../contract/file-decoding.ts';
import { partObject, type StoredTransfer } from '../../../contract/transfer.ts';
import type { Mission, Target } from '../../../mission/mission.ts';
import type { Bus } from '../../../ports/bus.ts';
import { altered } from '../../simulation/planted/plant.ts';
import { storedTransfer } from '../../support/transfers.ts';
import { MISSION } from '../run/effects/effect-world.ts';
import { START, seededBytes, TransferWorld } from './world.ts';

/** The catalogue with files of type 9 that a driver decodes, and what else is changed of it. */
function missionWith(transfer: object): Mission {
  const sat1 = MISSION.targets.get('sat1')!;
  const { files } = sat1.platform!;
  const types = [{ number: 9, name: 'archive', decode: true }];
  const platform = {
    ...sat1.platform!,
    files: { ...files!, types, transfer: { ...files!.transfer, ...transfer } },
  };
  const target: Target = { ...sat1, platform };
  return { ...MISSION, targets: new Map(MISSION.targets).set('sat1', target) };
}

/** The store of files takes its time where something is looked for or removed. */
function slowToRemove({ clock }: TransferWorld, bus: Bus): Bus {
  const slowly = async (): Promise<void> =>
    new Promise((resolve) => void clock.setTimeout(() => resolve(), 2_000));
  return altered(bus, {
    objects: (definition) => {
      const objects = bus.objects(definition);
      return {
        ...objects,
        size: async (name) => {
          await slowly();
          return objects.size(name);
        },
        remove: async (name) => {
          await slowly();
          return objects.remove(name);
        },
      };
    },
  });
}

describe('a file that a driver decodes', () => {
  it('MC-XFER-028 MC-XFER-033 MC-XFER-035 MC-XFER-055 MC-XFER-057 MC-LIM-017 F-20 is offered, again 30 s behind a failure or five minutes of silence, until it is decoded', async () => {
    const world = await TransferWorld.start(missionWith({}));
    const manager = await world.manager('one');
    const offers: { at: number; call: DecodeFileCall }[] = [];
    const replies: (DecodeFileReply | 'silence')[] = [{ outcome: 'failed', reason: 'no licence' }, 'silence'];
    world.outside.serve(subject.fileDecode('sat1'), async ({ data }) => {
      offers.push({ at: world.now, call: JSON.parse(Buffer.from(data).toString()) });
      const reply = replies.shift() ?? { outcome: 'decoded', samples: 1_234 };
      if (reply === 'silence') return new Promise(() => undefined);
      return Buffer.from(JSON.stringify(reply));
    });
    await world.list('7', seededBytes(2_000), { generation: 4 });
    await world.download('7');
    expect(await world.until('sat1.7.4', 'PROCESSED', 30 * 60_000)).toMatchObject({ reason: '1234 samples' });
    const call = { file_id: '7', generation: 4, file_type: 9, object: 'sat1/7/4' };
    expect(offers.map((offer) => offer.call)).toEqual([call, call, call]);
    const waits = offers.slice(1).map(({ at }, n) => at - offers[n]!.at);
    expect(Math.round(waits[0]! / 1_000)).toBe(30);
    expect(Math.round(waits[1]! / 1_000)).toBe(330);
    expect(world.published.at(-1)).toMatchObject({
      file: '7',
      transfer: 'PROCESSED',
      transfer_generation: 4,
    });
    await world.run(1_000);
    expect(world.open()).toEqual([]);
    expect(manager.failures).toEqual([]);
  });

  it('MC-XFER-034 MC-XFER-031 stays VERIFIED where it cannot be decoded, also for the next leader', async () => {
    const world = await TransferWorld.start(missionWith({}));
    const one = await world.manager('one');
    let offers = 0;
    world.outside.serve(subject.fileDecode('sat1'), async () => {
      offers += 1;
      return Buffer.from('{"outcome":"not_decodable"}');
    });
    await world.list('7', seededBytes(2_000));
    await world.download('7');
    await world.until('sat1.7.1', 'VERIFIED');
    await world.run(60_000);
    one.kill();
    await world.manager('two');
    await world.run(60_000);
    expect(world.stored('sat1.7.1')?.state).toBe('VERIFIED');
    expect(offers).toBe(1);
    expect(world.open()).toEqual([]);
  });

  it('MC-XFER-035 left-files.L2 files that were left since too many waited are offered again: one asks for all, and when that is answered all come', async () => {
    const world = await TransferWorld.start(missionWith({}));
    const [left, open] = [buckets.leftFiles, buckets.openTransfers].map((each) => world.outside.bucket(each));
    const ids = Array.from({ length: 6 }, (_, n) => `${n + 1}`);
    for (const file_id of ids) {
      const state = { state: 'VERIFIED', file_type: 9, generation: 1, reason: 'nobody' } as const;
      const actor = { decoding: { outcome: 'left', failures: 0 } } as const;
      const record = storedTransfer({ ...state, file_id, received: [[0, 1_000]], actor });
      const key = `sat1.${file_id}.1`;
      await world.finish(
        world.outside.bucket(buckets.transfers).put(key, Buffer.from(JSON.stringify(record)), 0),
      );
      await world.finish(left!.put(key, Buffer.from('{}'), 0));
    }
    const manager = await world.manager('one');
    await world.run(95_000);
    expect(world.open()).toEqual(['sat1.1.1']);
    const decoded: string[] = [];
    world.outside.serve(subject.fileDecode('sat1'), async ({ data }) => {
      decoded.push((JSON.parse(Buffer.from(data).toString()) as DecodeFileCall).file_id);
      return Buffer.from('{"outcome":"decoded","samples":3}');
    });
    for (const id of ids) await world.until(`sat1.${id}.1`, 'PROCESSED', 3 * 60_000);
    await world.run(1_000);
    expect(decoded).toEqual(ids);
    expect(await world.finish(left!.list('>'))).toEqual([]);
    expect(await world.finish(open!.list('>'))).toEqual([]);
    expect(manager.failures).toEqual([]);
  });

  it('MC-XFER-035 waits for a driver that is not there, and its record says so', async () => {
    const world = await TransferWorld.start(missionWith({}));
    await world.manager('one');
    await world.list('7', seededBytes(2_000));
    await world.download('7');
    await world.until('sat1.7.1', 'VERIFIED');
    await world.run(20_000);
    const waiting = world.stored('sat1.7.1');
    expect(waiting?.reason).toBe('no driver decodes files of the target');
    // actors/transfer/decoding.E3
    await world.run(10 * 60_000);
    expect(world.stored('sat1.7.1')).toEqual(waiting);
    world.outside.serve(subject.fileDecode('sat1'), async () =>
      Buffer.from('{"outcome":"decoded","samples":7}'),
    );
    expect(await world.until('sat1.7.1', 'PROCESSED', 60_000)).toMatchObject({ reason: '7 samples' });
  });
});

describe('what a driver says of a file', () => {
  it('MC-XFER-033 MC-XFER-034 stands in its record: what gave no samples, why it is not decodable', async () => {
    const world = await TransferWorld.start(missionWith({}));
    await world.manager('one');
    const replies: DecodeFileReply[] = [
      { outcome: 'failed', reason: 'no licence' },
      { outcome: 'not_decodable', reason: 'no frame in it' },
      { outcome: 'decoded', samples: 12, left_out: '3 bytes in no frame' },
    ];
    world.outside.serve(subject.fileDecode('sat1'), async () => Buffer.from(JSON.stringify(replies.shift())));
    await world.list('7', seededBytes(2_000));
    await world.download('7');
    await world.until('sat1.7.1', 'VERIFIED');
    await world.run(60_000);
    expect(world.stored('sat1.7.1')).toMatchObject({ state: 'VERIFIED', reason: 'no frame in it' });
    expect(world.open()).toEqual([]);
    await world.list('8', seededBytes(2_000));
    await world.download('8');
    expect(await world.until('sat1.8.1', 'PROCESSED')).toMatchObject({
      reason: '12 samples; 3 bytes in no frame',
    });
  });

  /** A file that no leader offers any more, found by the next one. */
  async function leftBehind(world: TransferWorld): Promise<StoredTransfer> {
    const one = await world.manager('one');
    await world.list('7', seededBytes(2_000));
    const asked = await world.download('7');
    await world.until('sat1.7.1', 'VERIFIED');
    await world.run(1_000);
    const record = world.stored('sat1.7.1')!;
    const left = {
      ...record,
      reason: 'too many',
      actor: { ...record.actor, decoding: { outcome: 'left', failures: 1 } },
    };
    one.kill();
    await world.finish(
      world.outside.bucket(buckets.transfers).overwrite('sat1.7.1', Buffer.from(JSON.stringify(left))),
    );
    return asked;
  }

  it('decoding.E4 transfer-writes.W1 a file that was left, since too many waited, is offered again once it is asked for', async () => {
    const world = await TransferWorld.start(missionWith({}));
    const asked = await leftBehind(world);
    world.outside.serve(subject.fileDecode('sat1'), async () =>
      Buffer.from('{"outcome":"decoded","samples":7}'),
    );
    const again = await world.download('7');
    expect(again).toMatchObject({ created_at: asked.created_at, state: 'VERIFIED' });
    expect(world.stored('sat1.7.1')?.actor.decoding?.outcome).toBe('awaited');
    await world.manager('two');
    expect(await world.until('sat1.7.1', 'PROCESSED', 60_000)).toMatchObject({ reason: '7 samples' });
    expect(world.open()).toEqual([]);
  });

  it('transfer/service.S9 it is offered again as well where it is asked for while its leader closes it', async () => {
    const world = await TransferWorld.start(missionWith({}));
    await leftBehind(world);
    const two = await world.manager('two', (bus) => slowToRemove(world, bus));
    world.outside.serve(subject.fileDecode('sat1'), async () =>
      Buffer.from('{"outcome":"decoded","samples":7}'),
    );
    expect(world.open()).toEqual(['sat1.7.1']);
    await world.download('7');
    expect(await world.until('sat1.7.1', 'PROCESSED', 60_000)).toMatchObject({ reason: '7 samples' });
    await world.run(10_000);
    expect([world.open(), two.failures]).toEqual([[], []]);
  });
});

describe('what a catalogue does not have', () => {
  it('MC-XFER-027 MC-LIM-020 A-45 a checksum that nothing computes leaves a file COMPLETE, with the reason', async () => {
    const world = await TransferWorld.start(missionWith({ checksum: 'crc32c' }));
    await world.manager('one');
    await world.list('7', seededBytes(2_000));
    await world.download('7');
    await world.until('sat1.7.1', 'COMPLETE');
    await world.run(60_000);
    expect(world.stored('sat1.7.1')).toMatchObject({
      state: 'COMPLETE',
      reason: 'checksum crc32c is not available',
    });
    expect(world.open()).toEqual([]);
  });

  it('MC-UPL-007 an upload is VERIFIED at once without a listing telecommand', async () => {
    const world = await TransferWorld.start(missionWith({ list: undefined }));
    await world.manager('one');
    const run = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
    await world.hold({ run, mode: 'exclusive' });
    await world.upload('7', seededBytes(1_000), run);
    await world.until('sat1.7.1.up', 'VERIFIED');
    expect(world.published.map(({ transfer }) => transfer)).toEqual([
      'REQUESTED',
      'PARTIAL',
      'COMPLETE',
      'VERIFIED',
    ]);
  });
});

describe('parts that are gone', () => {
  it('transfer/parts.G2 are asked for again, and the file is what the spacecraft has', async () => {
    const world = await TransferWorld.start();
    const one = await world.manager('one');
    const content = seededBytes(60_000);
    await world.list('7', content);
    const stored = await world.download('7');
    await world.until('sat1.7.1', 'PARTIAL');
    const offset = world.stored('sat1.7.1')!.received![0]![1];
    expect(offset).toBeLessThan(60_000);
    one.kill();
    await world.finish(world.outside.objects(objectStores.files).remove(partObject(stored, 0)));
    const two = await world.manager('two');
    await world.until('sat1.7.1', 'VERIFIED');
    expect((await world.content(stored))?.equals(content)).toBe(true);
    expect(world.now).toBeGreaterThan(START);
    expect(two.failures).toEqual([]);
  });
});
