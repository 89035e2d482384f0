/** Files that are offered, decoded by processes that die, sleep, lose the bus, and come too late. */

import { describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { DecodeFileReply } from '../../../contract/file-decoding.ts';
import {
  FILE_DECODE_BYTES_PER_S,
  FILE_DECODE_MS,
  FILE_DECODES_WAITING,
} from '../../../contract/limits/transfer.ts';
import { decodeFile } from '../../../links/files/decode-file.ts';
import { NOTHING_READ } from '../../../links/files/file-reader.ts';
import { demoMission } from '../../support/missions.ts';
import { DEMO_MISSION, demoOffer, demoReader, hours, LttmWorld, NOW, samplesOf } from './lttm-world.ts';

const FILE = hours(1);
/** Long enough to be killed in the middle: 8 s. */
const LONG = hours(160);

const FRAMING = JSON.stringify(DEMO_MISSION.targets.get('sat1')!.platform!.files!.types[0]!.frames!);
const PART = LONG.subarray(0, 1_000_000);

/** What the file says, each sample once. */
const whole = (bytes: Buffer): string[] => {
  const reader = demoReader();
  const batches = reader.push(bytes);
  return [...batches, reader.end()].flatMap((batch) => (batch === undefined ? [] : samplesOf(batch)));
};

const sent = (world: LttmWorld): string[] => world.published().flatMap(({ batch }) => samplesOf(batch));

/** The first place where they differ: a whole difference of so many takes minutes to print. */
function difference(found: readonly string[], expected: readonly string[]): string | undefined {
  const at = expected.findIndex((sample, n) => found[n] !== sample);
  if (at < 0 && found.length === expected.length) return undefined;
  return `${found.length} of ${expected.length}; [${at}] is ${found[at]}, not ${expected[at]}`;
}

describe('a file that is offered', () => {
  it('MC-XFER-033 MC-XFER-055 MC-XFER-056 is decoded by the driver of the default link, as deferred samples of bounded batches, and answered with their count', async () => {
    const world = new LttmWorld();
    const one = await world.decoder('one');
    await world.store('1', FILE);
    expect(await world.offer('1')).toEqual({ outcome: 'decoded', samples: 1_800 });
    expect(difference(sent(world), whole(FILE))).toBeUndefined();
    for (const { headers, batch } of world.published()) {
      expect(headers[header.delivery]).toBe('deferred');
      expect(headers[header.config]).toBe(DEMO_MISSION.revision);
      expect(headers[header.file]).toMatch(/ sat1\/1\/1$/);
      expect(batch).toMatchObject({ link: 'uhf', reports: [] });
    }
    await world.store('2', Buffer.alloc(100));
    expect(await world.offer('2')).toMatchObject({ outcome: 'not_decodable' });
    expect(await one.counted()).toEqual([
      'mcs_files_decoded_total{target="sat1",outcome="decoded"} 1',
      'mcs_files_decoded_total{target="sat1",outcome="not_decodable"} 1',
      'mcs_files_samples_total{target="sat1"} 1800',
    ]);
    await one.stop();
    expect(one.log.said.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('decoding-mark.M4 offered again behind a lost answer it is answered again, and nothing is published twice', async () => {
    const world = new LttmWorld();
    await world.decoder('one');
    await world.store('1', FILE);
    await world.offer('1');
    await world.run(FILE_DECODE_MS);
    expect(await world.offer('1')).toEqual({ outcome: 'decoded', samples: 1_800 });
    expect(difference(sent(world), whole(FILE))).toBeUndefined();
  });

  it.each([
    ['garbage', '{{'],
    ['no object', '7'],
    ['a time that is none', { begun: 9e15, framing: FRAMING, after: 0, account: NOTHING_READ }],
    ['a text for a number', { begun: '5', framing: FRAMING, after: 0, account: NOTHING_READ }],
    ['a place that the stream has not', { begun: 5, framing: FRAMING, after: 1e12, account: NOTHING_READ }],
  ])(
    'decoding-mark.M3 a mark that is damaged is none, and the file is decoded from its start: %s',
    async (_, mark) => {
      const world = new LttmWorld();
      await world.decoder('one');
      await world.store('1', FILE);
      const bytes = Buffer.from(typeof mark === 'string' ? mark : JSON.stringify(mark));
      await world.finish(world.outside.bucket(buckets.decodings).overwrite('sat1.1.1', bytes));
      expect(await world.offer('1')).toEqual({ outcome: 'decoded', samples: 1_800 });
      expect(difference(sent(world), whole(FILE))).toBeUndefined();
      for (const { batch } of world.published())
        for (const { ground } of batch.blocks) expect(Math.abs(ground[0]! - NOW)).toBeLessThan(60_000);
    },
  );

  it('decoding-mark.M1 MC-XFER-057 goes on behind the death of its process, each sample once, however long that took', async () => {
    for (const laterMs of [100, FILE_DECODE_MS + 30_000]) {
      const world = new LttmWorld();
      const one = await world.decoder('one');
      await world.store('1', LONG);
      const lost = world.offer('1');
      await world.run(3_340);
      one.kill();
      const before = sent(world).length;
      expect(before).toBeGreaterThan(50_000);
      await world.run(laterMs);
      const two = await world.decoder('two');
      const reply = await world.offer('1');
      expect(reply).toEqual({ outcome: 'decoded', samples: 288_000 });
      const samples = sent(world);
      expect(samples.length).toBe(288_000);
      expect(difference(samples, whole(LONG))).toBeUndefined();
      expect(await lost).toMatch(/^bus\./);
      await two.stop();
    }
  });

  it('decoding-mark.M2 is decoded once where two leaders offer it at once', async () => {
    const world = new LttmWorld();
    await world.decoder('one');
    await world.decoder('two');
    await world.store('1', PART);
    const first = world.offer('1');
    await world.run(2_000);
    world.chosen = 1;
    const second = world.offer('1');
    const samples = (PART.length - (PART.length % 35)) / 7;
    expect([await first, await second]).toEqual([
      expect.objectContaining({ outcome: 'decoded', samples }),
      expect.objectContaining({ outcome: 'decoded', samples }),
    ]);
    expect(difference(sent(world), whole(PART))).toBeUndefined();
  });

  it('decode-file.F3 waits for a bus that is away, and publishes each sample once', async () => {
    const world = new LttmWorld();
    const one = await world.decoder('one');
    await world.store('1', PART);
    const offered = world.offer('1');
    for (let n = 0; n < 4; n += 1) {
      await world.run(1_130);
      one.bus.breakConnection();
    }
    expect(await offered).toMatchObject({ outcome: 'decoded' });
    expect(difference(sent(world), whole(PART))).toBeUndefined();
  });

  it('decode-file.F2 F4 takes no more of a second than it may, answers in time, and goes on with the next offer', async () => {
    const world = new LttmWorld();
    await world.store('1', LONG);
    const decode = async (name: string): Promise<DecodeFileReply> => {
      const { bus, log } = await world.decoder(name);
      const { signal } = new AbortController();
      const tools = { bus, clock: world.clock, log, signal, published: () => undefined };
      const until = world.clock.monotonic() + 3_000;
      return world.finish(decodeFile(demoOffer('1'), { ...tools, until }));
    };
    const began = world.clock.now();
    expect(await decode('one')).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(/^not decoded in time, to be continued: \d+ samples until now$/),
    });
    const seconds = (world.clock.now() - began) / 1_000;
    expect(seconds).toBeLessThan(3.2);
    const bytes = sent(world).length * 7;
    expect(bytes).toBeGreaterThan(0.7 * FILE_DECODE_BYTES_PER_S * seconds);
    expect(bytes).toBeLessThan(FILE_DECODE_BYTES_PER_S * seconds);
    await decode('two');
    await decode('three');
    expect(await decode('four')).toEqual({ outcome: 'decoded', samples: 288_000 });
    expect(difference(sent(world), whole(LONG))).toBeUndefined();
  });
});

describe('what cannot be decoded', () => {
  it('MC-XFER-034 noise, a type whose frames nobody says, and content that is gone: not decodable, with the reason', async () => {
    const world = new LttmWorld();
    await world.decoder('one');
    await world.store('1', Buffer.alloc(50_000, 0xff));
    await world.store('2', FILE);
    expect(await world.offer('1')).toEqual({
      outcome: 'not_decodable',
      reason: 'no frame in it: 50000 bytes in no frame',
    });
    expect(await world.offer('2', { file_type: 2 })).toEqual({
      outcome: 'not_decodable',
      reason: 'the catalogue says no `frames` of file type 2',
    });
    expect(await world.offer('3')).toEqual({
      outcome: 'not_decodable',
      reason: 'its content is not in the store any more',
    });
    expect(world.published()).toEqual([]);
  });

  it('says what of a file gave no samples', async () => {
    const world = new LttmWorld();
    await world.decoder('one');
    const broken = Buffer.from(FILE);
    broken[30]! ^= 0xff;
    await world.store('1', Buffer.concat([broken, Buffer.alloc(4)]));
    expect(await world.offer('1')).toEqual({
      outcome: 'decoded',
      samples: 1_795,
      left_out: expect.stringMatching(/^1 frame could not be read \(the first: .*\), 4 bytes in no frame$/),
    });
  });

  it('MC-XFER-035 what is no offer fails; where nobody says how frames stand in files nobody answers', async () => {
    const world = new LttmWorld();
    const one = await world.decoder('one');
    const malformed = world.outside.request(subject.fileDecode('sat1'), Buffer.from('{"file_id":"1"}'), {
      timeoutMs: 1_000,
    });
    const reply = JSON.parse(Buffer.from(await world.finish(malformed)).toString());
    expect(reply).toEqual({ outcome: 'failed', reason: 'malformed offer' });
    await one.stop();
    expect(await world.offer('1')).toBe('bus.no-responder');
    const without = demoMission((text) => text.replace(/frames: \{ kind.*? \}/, 'decode: true'));
    await world.decoder('two', without);
    expect(await world.offer('1')).toBe('bus.no-responder');
  });

  it('file-decoding-service.D1 those behind many others are refused at once', async () => {
    const world = new LttmWorld();
    await world.decoder('one');
    await world.store('1', LONG);
    const offers = Array.from({ length: FILE_DECODES_WAITING + 1 }, () => world.offer('1'));
    const replies = await Promise.all(offers);
    expect(replies.filter((reply) => typeof reply !== 'string' && reply.outcome === 'decoded').length).toBe(
      FILE_DECODES_WAITING,
    );
    expect(replies).toContainEqual({ outcome: 'failed', reason: expect.stringMatching(/^64 files wait/) });
    expect(sent(world).length).toBe(288_000);
  });
});

it('decoding-mark.M3 begins again from the start where the stream lost what was published, and where the framing is another', async () => {
  const world = new LttmWorld();
  const one = await world.decoder('one');
  await world.store('1', PART);
  await world.offer('1');
  const before = world.published().length;
  const lostFrom = world.clock.now() - 2_000;
  world.server.turn(false);
  world.server.rewind((stream) => (stream === streams.decoded.name ? lostFrom : Number.POSITIVE_INFINITY));
  world.server.turn(true);
  await world.run(10_000);
  expect(world.published().length).toBeLessThan(before);
  expect(await world.offer('1')).toMatchObject({ outcome: 'decoded' });
  expect(difference([...new Set(sent(world))].sort(), whole(PART).sort())).toBeUndefined();
  await one.stop();
  const kept = sent(world).length;
  await world.decoder(
    'two',
    demoMission((text) => text.replace('max: 256', 'max: 128')),
  );
  expect(await world.offer('1')).toMatchObject({ outcome: 'decoded' });
  expect(difference(sent(world).slice(kept), whole(PART))).toBeUndefined();
});
