/**
 * Samples from the stream of a gateway to the current values: one process decodes, calibrates, publishes and stores
 * what another publishes. Held against hand-written reads of the same packets, and against the same messages on the bus
 * without any decoding.
 */

import { encodeBatch } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { compiledDemo } from '../demo-mission.ts';
import type { Ground } from '../ground.ts';
import type { Peer } from '../peer.ts';
import { recordedPackets, SAMPLES_PER_PACKET } from '../recording.ts';
import { type Contender, compare, type Result, type Row, type Settings } from '../row.ts';
import { onGround, type Start } from '../with-peers.ts';

/** What a gateway puts into one message at most (`FRAMES_PER_MESSAGE`). */
const PACKETS = 256;
const MESSAGES = 300;
const QUICK_MESSAGES = 10;
const GATEWAY = 'replay-1';
const TARGET = 'noaa20';
const POLL_MS = 2;
const PATIENCE_MS = 60_000;
const DAY_MS = 86_400_000;

interface World {
  readonly ground: Ground;
  readonly service: Peer;
  readonly bare: Peer;
  readonly generator: Peer;
  /** Reads the time of the newest value. */
  readonly newest: () => Promise<number>;
}

export const sampleRow: Row = {
  name: 'samples',
  async run(settings) {
    return onGround(async (ground, start) => [await measure(await startWorld(ground, start), settings)]);
  },
};

async function startWorld(ground: Ground, start: Start): Promise<World> {
  const { address, bus } = ground;
  await publishConfiguration(bus, await compiledDemo());
  const service = await start('service');
  const api = await service.call<string>('start', { address, roles: ['api', 'drivers', 'telemetry'] });
  const bare = await start('bare-samples');
  const generator = await start('frame-load');
  await generator.call('start', address);
  const newest = async (): Promise<number> =>
    newestOf(await (await fetch(`${api}/v1/targets/${TARGET}/values`)).json());
  return { ground, service, bare, generator, newest };
}

async function measure(world: World, settings: Settings): Promise<Result> {
  const { bare, generator, ground, service } = world;
  const messages = settings.quick ? QUICK_MESSAGES : MESSAGES;
  const samples = messages * PACKETS * SAMPLES_PER_PACKET;
  const sizes = await sizesOf(world);
  await bare.call('start', { address: ground.address, sizes });
  // A millisecond for each packet is faster than time goes: what is far ahead of the bus would be given a new date.
  let fromMs = Date.now() - DAY_MS;
  const play = (to: string): Promise<void> => {
    fromMs += messages * PACKETS;
    return generator.call('play', { subject: to, messages, packets: PACKETS, fromMs });
  };
  const contenders: Contender[] = [
    {
      name: 'service',
      turn: () =>
        turn(world, service, samples, async () => {
          await play(subject.frames(GATEWAY));
          await reached(world.newest, fromMs + messages * PACKETS - 1);
        }),
    },
    {
      name: 'bare NATS',
      turn: () =>
        turn(world, bare, samples, async () => {
          await play('bench.frame');
          await bare.call('chained', messages);
        }),
    },
    { name: 'bare decode', turn: () => decode(bare, settings) },
  ];
  const note = `${PACKETS} packets a message (${sizes.frames} bytes, decoded ${sizes.decoded}, values ${sizes.values}), ${SAMPLES_PER_PACKET} samples a packet`;
  return compare({ row: 'samples', unit: 'samples/s', note, contenders, aim: { rate: 1_000_000 } }, settings);
}

async function turn({ ground, generator }: World, peer: Peer, samples: number, work: () => Promise<void>) {
  const before = [await peer.cpuUs(), await ground.cpuUs(), await generator.cpuUs()] as const;
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  return {
    rate: (samples / ms) * 1_000,
    cpuUs: ((await peer.cpuUs()) - before[0]) / samples,
    busUs: ((await ground.cpuUs()) - before[1]) / samples,
    generator: ((await generator.cpuUs()) - before[2]) / 1_000 / ms,
  };
}

async function decode(bare: Peer, { roundMs }: Settings) {
  const before = await bare.cpuUs();
  const { packets, ms } = await bare.call<{ packets: number; ms: number }>('decode', {
    packets: PACKETS,
    ms: roundMs,
  });
  const samples = packets * SAMPLES_PER_PACKET;
  return { rate: (samples / ms) * 1_000, cpuUs: ((await bare.cpuUs()) - before) / samples };
}

async function reached(newest: () => Promise<number>, at: number): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while ((await newest()) < at) {
    if (performance.now() > end) throw new Error('the last packet did not reach the current values');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function newestOf(body: unknown): number {
  const { values } = body as { values: { sample: { ground_time: string } }[] };
  return Math.max(0, ...values.map(({ sample }) => Date.parse(sample.ground_time)));
}

/** The sizes of the three messages, from one that the service made. */
async function sizesOf({
  ground,
  newest,
}: World): Promise<{ frames: number; decoded: number; values: number }> {
  const { bus } = ground;
  const packets = (await recordedPackets()).slice(0, PACKETS);
  // Older than what is measured, which would be there at once otherwise.
  const at = packets.map((_, n) => Date.now() - 2 * DAY_MS + n);
  const frames = encodeBatch({ at, frames: packets });
  await bus.append(streams.frames, subject.frames(GATEWAY), frames);
  await reached(newest, at.at(-1)!);
  const decoded = await bus.last(streams.decoded, subject.decoded(TARGET));
  const values = await bus.last(streams.values, subject.values(TARGET));
  return { frames: frames.length, decoded: decoded?.data.length ?? 0, values: values?.data.length ?? 0 };
}
