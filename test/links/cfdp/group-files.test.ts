import { describe, expect, it } from 'vitest';
import { header } from '../../../contract/bus/headers.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { CfdpCall } from '../../../contract/cfdp.ts';
import { CFDP_CHUNKS_WAITING_BYTES } from '../../../contract/limits/cfdp.ts';
import { FRAME_BYTES } from '../../../contract/limits/link.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Uplink } from '../../../links/cfdp/group-files.ts';
import { DOWN, GroupWorld, missionOf, SIZE, UP } from './group-world.ts';
import { stationsOf } from './stations.ts';

/** Two stations, each with a gateway. */
const STATIONS = missionOf({}, stationsOf({ g: { tags: ['s-band'] }, h: { tags: ['s-band', 'kiruna'] } }));

/** Passes of so many ms over one gateway and then the other until the file is there; how many it took. */
async function alternating(
  world: GroupWorld,
  call: CfdpCall,
  ms: number,
  link = (gateway: string): Uplink => ({ gateway, rate: 100_000_000 }),
): Promise<number> {
  const { spacecraft, clock } = world;
  for (let passes = 1; passes < 100; passes += 1) {
    world.receiving = passes % 2 === 0 ? 'h' : 'g';
    world.uplink = link(world.receiving);
    spacecraft.entity.linkUp(clock.now());
    await world.run(ms);
    if (world.reply(call).outcome === 'completed') return passes;
    world.uplink = { reason: 'no gateway serves link s', isServed: false };
    spacecraft.entity.linkDown(clock.now());
    await world.run(3_600_000, 0, 600_000);
  }
  throw new Error('it never arrives');
}

describe('files of a group of gateways', () => {
  it('MC-CFDP-001 MC-CFDP-007 brings a file down as chunks of its generation, beside telecommands', async () => {
    const world = new GroupWorld();
    expect(world.reply()).toEqual({ outcome: 'running', bytes: 0 });
    expect(await world.until()).toEqual({ outcome: 'completed' });
    expect(world.received.equals(world.content)).toBe(true);
    expect(world.chunks[0]).toMatchObject({ file: '7', generation: 3, offset: 0 });
    const [message] = world.bus.stored;
    expect(message).toMatchObject({
      subject: subject.fileChunk('sat', '7'),
      headers: { [header.generation]: '3', [header.config]: expect.stringMatching(/^[0-9a-f]+$/) },
    });
    expect(world.spacecraft.asked).toEqual(['7']);
    expect(world.counts().received.pdus).toBeGreaterThan(50);
    expect(world.counts().dropped).toEqual(new Map());
  });

  it('MC-CFDP-008 takes an upload up, reading its content a piece at a time', async () => {
    const world = new GroupWorld();
    expect(await world.until(UP)).toEqual({ outcome: 'completed' });
    expect(world.spacecraft.taken.get('7')?.equals(world.content)).toBe(true);
    const { sent } = world.counts();
    expect(sent.pdus).toBeGreaterThan(50);
    expect(sent.bytes).toBeGreaterThan(world.content.length);
    expect(world.read.every(([start, end]) => end - start <= 64 * 1024)).toBe(true);
  });

  it('an upload whose content is not stored fails and says so', async () => {
    const world = new GroupWorld();
    world.isContentGone = true;
    const reply = await world.until(UP);
    expect(reply).toEqual({
      outcome: 'failed',
      reason: expect.stringMatching(/content (ab){32} is not stored/),
    });
  });

  it('an outage while content is read costs time, not the upload', async () => {
    let outages = 0;
    const world: GroupWorld = new GroupWorld(missionOf(), {
      read: async (_key, _source, start, end) => {
        outages += 1;
        if (outages <= 3) throw new Outage('bus.unavailable', 'objects');
        return world.content.subarray(start, end);
      },
    });
    expect(await world.until(UP)).toEqual({ outcome: 'completed' });
    expect(outages).toBeGreaterThan(3);
  });

  it('a file that is not there fails, and the next call begins again (MC-CFDP-006)', async () => {
    const world = new GroupWorld();
    const call = { ...DOWN, file_id: '8' };
    expect(await world.until(call)).toMatchObject({ outcome: 'failed' });
    expect(world.reply(call)).toMatchObject({ outcome: 'running' });
    await world.run(1_000);
    expect(world.spacecraft.asked).toEqual(['8', '8']);
  });

  it('refuses a link that the mission does not have over this gateway', () => {
    const world = new GroupWorld();
    const answer = world.files.answer({ ...DOWN, target: 'other', link: 's' });
    expect(answer).toMatchObject({
      ok: false,
      faults: [
        { code: 'driver::cfdp-failed', message: expect.stringMatching(/link s of other carries no CFDP/) },
      ],
    });
  });
});

describe('storing', () => {
  it('cfdp-files.W5 it is completed when its chunks are stored, not before, however long that takes', async () => {
    const world = new GroupWorld();
    let isHeld = true;
    world.bus.before = () => {
      if (isHeld) throw new Outage('bus.unavailable', 'FILE_CHUNKS');
    };
    world.reply();
    for (let minute = 0; minute < 5; minute += 1) {
      await world.run(20_000, 80, 200);
      expect(world.reply()).toMatchObject({ outcome: 'running' });
    }
    expect(world.chunks).toEqual([]);
    isHeld = false;
    await world.run(1_000);
    expect(world.reply()).toEqual({ outcome: 'completed' });
    expect(world.received.equals(world.content)).toBe(true);
    expect(world.spacecraft.asked).toEqual(['7']);
  });

  it('chunk-store.K1 an attempt whose answer was lost is stored once', async () => {
    const world = new GroupWorld();
    let lost = 0;
    world.bus.after = () => {
      lost += 1;
      if (lost % 2 === 1) throw new Outage('bus.timeout', 'FILE_CHUNKS');
    };
    expect(await world.until()).toEqual({ outcome: 'completed' });
    const bytes = world.chunks.reduce((sum, { data }) => sum + data.length, 0);
    expect(bytes).toBe(SIZE);
  });

  it('group-files.G4 what the store does not take is bounded: file data is lost and comes again', async () => {
    const size = CFDP_CHUNKS_WAITING_BYTES + 4 * 1024 * 1024;
    const world = new GroupWorld(missionOf({ pdu: FRAME_BYTES - 6 }));
    const content = Buffer.alloc(size, 7);
    const { spacecraft } = world;
    Object.assign(world, { content });
    Object.assign(spacecraft.entity.settings, { pduBytes: 60_000 });
    let isHeld = true;
    world.bus.before = () => {
      if (isHeld) throw new Outage('bus.unavailable', 'FILE_CHUNKS');
    };
    const call = { ...DOWN, size };
    world.reply(call);
    await world.run(10_000, 20, 50);
    const held = world.reply(call);
    if (held.outcome !== 'running') throw new Error(held.outcome);
    expect(held.bytes).toBeLessThan(CFDP_CHUNKS_WAITING_BYTES + 30 * FRAME_BYTES);
    expect(world.counts().dropped.get('storage')).toBeGreaterThan(10);
    isHeld = false;
    expect(await world.until(call)).toEqual({ outcome: 'completed' });
    expect(world.chunks.reduce((sum, { data }) => sum + data.length, 0)).toBe(size);
  });
});

describe('its link', () => {
  it('while it is away nothing is sent and no timer moves; it goes on where it was', async () => {
    const world = new GroupWorld();
    world.reply();
    await world.run(60);
    const before = world.reply();
    expect(before).toMatchObject({ outcome: 'running' });
    world.uplink = { reason: 'the gateway is not up' };
    world.spacecraft.entity.linkDown(world.clock.now());
    await world.run(500);
    const sent = world.sent.length;
    await world.run(600_000, 4, 2_000);
    world.clock.advance(48 * 3_600_000);
    expect(world.sent.length).toBe(sent);
    world.uplink = { gateway: 'g', rate: 1_000_000 };
    world.spacecraft.entity.linkUp(world.clock.now());
    expect(await world.until()).toEqual({ outcome: 'completed' });
    expect(world.spacecraft.asked).toEqual(['7']);
  });

  it('group-files.G6 MC-CFDP-005 a file longer than a pass arrives while stations with different gateways alternate, each byte once', async () => {
    const world = new GroupWorld(STATIONS);
    world.reply();
    const passes = await alternating(world, DOWN, 60);
    expect(passes).toBeGreaterThan(3);
    expect(world.received.equals(world.content)).toBe(true);
    expect(world.spacecraft.asked).toEqual(['7']);
    expect(world.chunks.reduce((sum, { data }) => sum + data.length, 0)).toBe(SIZE);
    for (const gateway of ['g', 'h']) expect(world.counts(gateway).received.pdus).toBeGreaterThan(10);
  });

  it('group-files.G6 MC-CFDP-008 an upload goes on over another gateway, and what was acknowledged is not sent again', async () => {
    const world = new GroupWorld(STATIONS);
    const link = (gateway: string) => ({ gateway, rate: 1_000_000 });
    world.uplink = link('g');
    world.reply(UP);
    const passes = await alternating(world, UP, 60, link);
    expect(passes).toBeGreaterThan(2);
    expect(world.spacecraft.taken.get('7')?.equals(world.content)).toBe(true);
    expect(new Set(world.over)).toEqual(new Set(['g', 'h']));
    expect(world.sent.reduce((sum, frame) => sum + frame.length, 0)).toBeLessThan(1.3 * SIZE);
  });

  it('group-files.G6 what two stations hear at once is taken once', async () => {
    const world = new GroupWorld(STATIONS);
    const receive = world.receive.bind(world);
    world.receive = async (frames) => {
      await Promise.all([receive(frames, 'g'), receive(frames, 'h')]);
    };
    expect(await world.until()).toEqual({ outcome: 'completed' });
    expect(world.chunks.reduce((sum, { data }) => sum + data.length, 0)).toBe(SIZE);
    for (const gateway of ['g', 'h']) expect(world.counts(gateway).received.pdus).toBeGreaterThan(50);
  });

  it('group-files.G6 a gateway that takes no PDUs keeps nothing back that goes over another one', async () => {
    const world = new GroupWorld(STATIONS);
    world.refused = 'the transmitter is dead';
    world.reply();
    await world.run(5_000);
    const unsent = world.counts('g').dropped.get('unsent');
    world.refused = undefined;
    world.uplink = { gateway: 'h', rate: 1_000_000 };
    expect(await world.until()).toEqual({ outcome: 'completed' });
    expect([world.counts('g').dropped.get('unsent'), new Set(world.over)]).toEqual([unsent, new Set(['h'])]);
  });

  it('PDUs that the gateway does not take are lost, and the answer says why', async () => {
    const world = new GroupWorld();
    world.refused = 'the transmitter is dead';
    world.reply();
    await world.run(5_000);
    expect(world.answer()).toMatchObject({
      ok: false,
      faults: [{ message: 'gateway g does not take its PDUs: the transmitter is dead' }],
    });
    expect(world.counts().dropped.get('unsent')).toBeGreaterThan(0);
    world.refused = undefined;
    await world.run(30_000);
    expect(await world.until()).toEqual({ outcome: 'completed' });
  });

  it('group-files.G1 another mission leaves transactions alone unless their link changed', async () => {
    const world = new GroupWorld();
    world.reply();
    await world.run(60);
    world.files.takeUp(missionOf({}, { stations: { kiruna: {} } }));
    expect(await world.until()).toEqual({ outcome: 'completed' });
    expect(world.spacecraft.asked).toEqual(['7']);
    world.reply({ ...DOWN, generation: 4 });
    await world.run(60);
    world.files.takeUp(missionOf({ naks: 'deferred' }));
    expect(await world.until({ ...DOWN, generation: 4 })).toEqual({ outcome: 'completed' });
    expect(world.spacecraft.asked).toEqual(['7', '7', '7']);
  });
});

it('group-files.G1 a link that continues is that of the mission which holds now', async () => {
  const world = new GroupWorld();
  world.reply();
  await world.run(60);
  const mission = missionOf({}, { stations: { kiruna: {} } });
  world.files.takeUp(mission);
  expect(await world.until()).toEqual({ outcome: 'completed' });
  const target = mission.targets.get('sat')!;
  expect(world.lookedUp?.mission).toBe(mission);
  expect(world.lookedUp?.target).toBe(target);
  expect(world.lookedUp?.link).toBe(target.links.get('s'));
  expect(world.spacecraft.asked).toEqual(['7']);
});

describe('what comes in', () => {
  it('group-files.G3 malformed PDUs, those of others and strange packets are counted and never answered', async () => {
    const world = new GroupWorld();
    const foreign = new GroupWorld(missionOf());
    foreign.reply();
    await foreign.run(500);
    const [request] = foreign.sent;
    const strange = [
      world.frameOf(Buffer.from('nonsense')),
      world.frameOf(Buffer.alloc(300, 0xff)),
      world.frameOf(request!.subarray(6)),
      world.frameOf(Buffer.from('nonsense'), 118),
      Buffer.alloc(3),
    ];
    await world.receive(Array.from({ length: 200 }, (_, n) => strange[n % strange.length]!));
    await world.run(1_000);
    expect(world.sent).toEqual([]);
    expect(world.bus.stored).toEqual([]);
    expect(Object.fromEntries(world.counts().dropped)).toEqual({ malformed: 80, foreign: 40 });
    expect(world.log.said.length).toBeLessThan(3);
    expect(world.log.said[0]).toMatchObject({
      fields: { detail: expect.stringMatching(/^PDU of CFDP dropped: /) },
    });
  });

  it('bytes that are no batch of frames are nothing', async () => {
    const world = new GroupWorld();
    const message = { subject: subject.frames('g'), seq: 1, at: 0, pending: 0, headers: {} };
    await world.files.take('g', { ...message, data: Buffer.from('x') });
    expect(world.files.counts.size).toBe(0);
  });

  it('group-files.G5 while no gateway serves the link, transactions that are unknown are left alone', async () => {
    const world = new GroupWorld();
    const { entity } = world.spacecraft;
    world.uplink = { reason: 'no gateway serves link s', isServed: false };
    entity.put({ file: { sourceName: '7', destinationName: '7', size: 0 } }, world.clock.now());
    await world.run(2_000);
    expect(Object.fromEntries(world.counts().dropped)).toEqual({ unknown: expect.any(Number) });
    world.uplink = { gateway: 'g', rate: 1_000_000 };
    entity.linkDown(world.clock.now());
    await world.run(20_000, 4, 100);
    expect(world.sent).toEqual([]);
    expect(entity.transactions).toBe(1);
  });

  it('group-files.G2 without files there is no timer, and last words of the spacecraft are acknowledged', async () => {
    const world = new GroupWorld();
    expect(world.clock.waiting).toBe(0);
    world.reply();
    expect(await world.until()).toEqual({ outcome: 'completed' });
    await world.run(400_000, 4, 2_000);
    expect(world.clock.waiting).toBe(0);
    // A file that nobody asked for, from a spacecraft that takes it for wanted.
    const { entity } = world.spacecraft;
    entity.put({ file: { sourceName: '7', destinationName: '7', size: 0 } }, world.clock.now());
    const before = world.sent.length;
    await world.run(20_000, 4, 100);
    expect(world.sent.length).toBeGreaterThan(before);
    expect(world.bus.stored.length).toBe(world.chunks.length);
    expect(entity.transactions).toBe(0);
  });
});
