import { beforeEach, describe, expect, it } from 'vitest';
import { type DecodedBatch, decodeBatch, encodeBatch } from '../../contract/batch.ts';
import { header } from '../../contract/bus/headers.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { StoredPass } from '../../contract/pass.ts';
import { createFrameDecoder, type FrameDecoder } from '../../links/frame-decoder.ts';
import { createSpacecraft } from '../../links/simulated/spacecraft.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import { firstTerm } from '../support/decoding.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { demoMission, TestMissions } from '../support/missions.ts';
import { bookOf, storedPass } from '../support/passes.ts';
import { type KeptLog, keptLog } from '../support/silent-log.ts';
import { MemoryBus } from './memory-bus.ts';

const START_MS = Date.UTC(2026, 0, 1);
const mission = demoMission();
let bus: MemoryBus;
let missions: TestMissions;
let log: KeptLog;
let decoder: FrameDecoder;
/** What a test puts here is known. */
const known: StoredPass[] = [];
const passes = bookOf(known);

beforeEach(() => {
  bus = new MemoryBus();
  missions = new TestMissions(mission);
  log = keptLog();
  known.length = 0;
  decoder = createFrameDecoder({ bus, missions, passes, gateway: 'sim-1', log, term: firstTerm });
});

/** Housekeeping of some seconds. */
function housekeeping(seconds: number): Buffer[] {
  const clock = new ManualClock(START_MS);
  const packets: Buffer[] = [];
  createSpacecraft({ clock, seed: 3 }).onDownlink((packet) => packets.push(packet));
  clock.advance(seconds * 1_000 + 100);
  return packets;
}

function message(seq: number, frames: readonly Buffer[], at = seq): StreamMessage {
  const data = encodeBatch({ at: frames.map((_, index) => 1_000 * seq + index), frames });
  return { subject: 'mcs.tm.frame.sim-1', data, headers: {}, seq, at, pending: 0 };
}

function decoded(
  target = 'sat1',
): { seq: string | undefined; revision: string | undefined; batch: DecodedBatch }[] {
  return bus.on(subject.decoded(target)).map(({ data, headers }) => ({
    seq: headers[header.source],
    revision: headers[header.config],
    batch: decodeBatch<DecodedBatch>(data),
  }));
}

describe('decoding', () => {
  it('makes one message of samples of one message of frames, rows merged into blocks', async () => {
    await decoder.handle(message(5, housekeeping(10)));
    const [only, ...others] = decoded();
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      seq: '5',
      revision: mission.revision,
      batch: { link: 'uhf', platform: mission.targets.get('sat1')!.platform!.digest },
    });
    expect(only?.batch.blocks.map(({ ground }) => ground.length).toSorted((a, b) => a - b)).toEqual([
      3, 6, 11,
    ]);
    expect(only?.batch.blocks[0]?.ground[0]).toBeGreaterThanOrEqual(5_000);
    expect(only?.batch.blocks[0]?.onboard[0]).toBe(START_MS);
  });

  it('frame-decoder.G5 MC-PASS-050 decodes for a target while a pass is near at the time of the message, also later', async () => {
    const tags = { gateway: undefined, tags: ['uhf'], rate: undefined };
    const sat1 = mission.targets.get('sat1')!;
    const uhf = { ...sat1.links.get('uhf')!, parameters: () => tags };
    const first = { ...mission.gateways.get('sim-1')!, name: 'first', tags: ['uhf'] };
    const station = { ...first, name: 'sim-1', tags: ['uhf', 'kiruna'] };
    missions.publish({
      ...mission,
      targets: new Map([['sat1', { ...sat1, links: new Map([['uhf', uhf]]) }]]),
      gateways: new Map([first, station].map((each) => [each.name, each])),
    });
    const [minute, frames] = [60_000, housekeeping(1)];
    known.push(storedPass(10 * minute, 20 * minute));
    const moments = [8, 9.5, 15, 20.5, 22, 15.5].map((at) => at * minute);
    for (const [index, at] of moments.entries()) await decoder.handle(message(index, frames, at));
    expect(decoded().map(({ seq }) => seq)).toEqual(['1', '2', '3', '5']);
  });

  it('frame-decoder.G5 decodes for a target from the moment on at which its pass is known', async () => {
    const tags = { gateway: undefined, tags: ['uhf'], rate: undefined };
    const sat1 = mission.targets.get('sat1')!;
    const uhf = { ...sat1.links.get('uhf')!, parameters: () => tags };
    const first = { ...mission.gateways.get('sim-1')!, name: 'first', tags: ['uhf'] };
    missions.publish({
      ...mission,
      targets: new Map([['sat1', { ...sat1, links: new Map([['uhf', uhf]]) }]]),
      gateways: new Map(
        [first, { ...first, name: 'sim-1', tags: ['uhf', 'kiruna'] }].map((each) => [each.name, each]),
      ),
    });
    const frames = housekeeping(1);
    let changes = 0;
    const counted = {
      inProgress: passes.inProgress,
      near: passes.near,
      get changes() {
        return changes;
      },
    };
    const own = createFrameDecoder({
      bus,
      missions,
      passes: counted,
      gateway: 'sim-1',
      log,
      term: firstTerm,
    });
    await own.handle(message(1, frames, 60_000));
    known.push(storedPass(0, 600_000));
    changes += 1;
    await own.handle(message(2, frames, 60_001));
    expect(decoded().map(({ seq }) => seq)).toEqual(['2']);
  });

  it('frame-decoder.G1 stores nothing twice when a message is decoded again', async () => {
    const [one, two] = [message(1, housekeeping(1)), message(2, housekeeping(1))];
    await decoder.handle(one);
    await decoder.handle(two);
    const restarted = createFrameDecoder({ bus, missions, passes, gateway: 'sim-1', log, term: firstTerm });
    await restarted.handle(one);
    await restarted.handle(two);
    expect(decoded().map(({ seq }) => seq)).toEqual(['1', '2']);
  });

  it('frame-decoder.G1 a message at a position that was used before its stream went back is another one', async () => {
    const frames = housekeeping(1);
    await decoder.handle(message(1, frames, 1_000));
    await decoder.handle(message(1, frames, 2_000));
    expect(bus.on(subject.decoded('sat1')).map(({ headers }) => headers[header.sourceAt])).toEqual([
      '1000',
      '2000',
    ]);
  });

  it('stores nothing for a message without samples', async () => {
    await decoder.handle(message(1, []));
    expect(bus.stored).toEqual([]);
  });

  it('decodes for every link bound to the gateway, in any environment of its target', async () => {
    const two = demoMission((text) =>
      text.replace(
        '  noaa20:\n',
        `  sat3:
    platform: cubesat-6u@1.0.0
    environments: [bench, in_orbit]
    links:
      uhf: { default: true, driver: pus, tags: [replay], environments: { in_orbit: { tags: [uhf] } } }
      spare: { driver: pus, gateway: sim-1, transport: { kind: space-packet, apid: 0x74 } }
  noaa20:
`,
      ),
    );
    missions.publish(two);
    await decoder.handle(message(1, housekeeping(1)));
    expect(decoded('sat1')).toHaveLength(1);
    expect(decoded('sat3').map(({ batch }) => batch.link)).toEqual(['uhf']);
  });

  it('MC-GEN-015 takes up a new mission without a restart', async () => {
    await decoder.handle(message(1, housekeeping(1)));
    const changed = demoMission((text) => text.replace('covers: [0, 12000]', 'covers: [0, 11000]'));
    missions.publish(changed);
    await decoder.handle(message(2, housekeeping(1)));
    const digests = decoded().map(({ batch }) => batch.platform);
    expect(digests).toEqual([mission, changed].map((each) => each.targets.get('sat1')!.platform!.digest));
  });

  it('decodes nothing for a link without a driver or with one of another service', async () => {
    missions.publish(
      demoMission((text) => text.replace('pus: { protocol: pus-c }', 'pus: { protocol: elsewhere }')),
    );
    await decoder.handle(message(1, housekeeping(1)));
    missions.publish(demoMission((text) => text.replace('        driver: pus\n', '')));
    await decoder.handle(message(2, housekeeping(1)));
    expect(bus.stored).toEqual([]);
  });
});

describe('damage', () => {
  it('frame-decoder.G3 is counted and reported at most once a second, and what is sound is decoded', async () => {
    const noise = Array.from({ length: 50 }, () => Buffer.from('deadbeef', 'hex'));
    await decoder.handle(message(1, [...noise, ...housekeeping(0), ...noise]));
    expect(decoder.faults).toBe(100);
    expect(log.said).toHaveLength(1);
    await decoder.handle(message(2, noise));
    expect(log.said).toHaveLength(2);
    expect(log.said[1]).toMatchObject({
      message: 'frames could not be decoded',
      fields: { frames: 100, link: 'sat1/uhf' },
    });
    expect(decoded()).toHaveLength(1);
  });

  it('frame-decoder.G3 a message that is no batch is skipped', async () => {
    const foreign = { ...message(1, []), data: Buffer.from('c1', 'hex') };
    await decoder.handle(foreign);
    await decoder.handle({ ...foreign, data: Buffer.from('hello') });
    await decoder.handle({ ...foreign, data: encodeBatch({ at: [1], frames: 7 } as never) });
    await decoder.handle(message(2, housekeeping(0)));
    expect(decoder.faults).toBe(3);
    expect(decoded()).toHaveLength(1);
  });
});

describe('times of a message of a gateway of others', () => {
  const timed = (seq: number, at: unknown): StreamMessage => {
    const frames = housekeeping(0);
    const data = encodeBatch({ at: frames.map(() => at), frames } as never);
    return { ...message(seq, []), data };
  };

  it('frame-decoder.G3 integers of 64 bits are times, and what is no time is no batch', async () => {
    await decoder.handle(timed(1, BigInt(START_MS)));
    expect(decoded()[0]?.batch.blocks[0]?.ground[0]).toBe(START_MS);
    const none = [2n ** 63n, -(2n ** 62n), 1e300, Number.NaN, Number.POSITIVE_INFINITY, 'x', null, {}];
    for (const [index, at] of none.entries()) await decoder.handle(timed(2 + index, at));
    expect([decoder.faults, decoded().length]).toEqual([none.length, 1]);
  });
});

describe('order', () => {
  it('frame-decoder.G2 several messages under way are stored in their order', async () => {
    const release: (() => void)[] = [];
    bus.before = () => new Promise((resolve) => release.push(resolve));
    const handled = [1, 2, 3].map((seq) => decoder.handle(message(seq, housekeeping(0))));
    for (let stored = 0; stored < 3; stored += 1) {
      while (release.length === 0) await Promise.resolve();
      expect(release).toHaveLength(1);
      release.shift()!();
      await handled[stored];
    }
    expect(decoded().map(({ seq }) => seq)).toEqual(['1', '2', '3']);
  });

  it('frame-decoder.G2 a message that cannot be stored takes those behind it with it, and all are stored when handed over again', async () => {
    bus.connected = false;
    const messages = [1, 2, 3].map((seq) => message(seq, housekeeping(0)));
    const first = decoder.handle(messages[0]!);
    const later = messages.slice(1).map((each) => decoder.handle(each));
    await expect(first).rejects.toMatchObject({ code: 'bus.unavailable' });
    bus.connected = true;
    for (const each of later) await expect(each).rejects.toMatchObject({ code: 'bus.unavailable' });
    for (const each of messages) await decoder.handle(each);
    expect(decoded().map(({ seq }) => seq)).toEqual(['1', '2', '3']);
  });
});
