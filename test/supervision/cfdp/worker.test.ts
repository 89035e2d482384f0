/**
 * The worker of role `drivers` that has the files of a group of gateways, on the twin of the bus: the verb by way of
 * any process, PDUs lost, doubled and out of order by seed, and its process gone in the middle.
 */

import { createHash } from 'node:crypto';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeBatch } from '../../../contract/batch.ts';
import { objectStores } from '../../../contract/bus/buckets.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { type CfdpAnswer, type CfdpCall, readCfdpReply } from '../../../contract/cfdp.ts';
import { readFileChunk } from '../../../contract/file-chunk.ts';
import type { StoredPass } from '../../../contract/pass.ts';
import type { PdusCall } from '../../../contract/pdus.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { readSpacePacket, writeSpacePacket } from '../../../protocol/space-packet.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { realClock } from '../../../supervision/clock.ts';
import type { Worker } from '../../../supervision/ownership/owned-worker.ts';
import type { Role, RoleContext } from '../../../supervision/role.ts';
import { startDrivers } from '../../../supervision/roles/drivers.ts';
import { contentOf, DOWN, missionOf, SIZE, UP } from '../../links/cfdp/group-world.ts';
import { stationsOf } from '../../links/cfdp/stations.ts';
import { Chance } from '../../simulation/chance.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { TestMissions } from '../../support/missions.ts';
import { OnboardEntity } from '../../support/onboard-entity.ts';
import { bookOf, noPasses, storedPass } from '../../support/passes.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

const CONTENT = contentOf(SIZE);
const TICK_MS = 2;
const TIMERS = { ack_timer: '300 ms', ack_limit: 50, nak_timer: '300 ms', nak_limit: 50 };
const mission = missionOf(TIMERS, { gateways: { g: { rate: '10 Mbit/s' } } });

/** A process with role `drivers`. */
interface Process {
  readonly bus: TwinBus;
  readonly registry: Registry;
  readonly missions: TestMissions;
  readonly work: (epoch: number, holds?: () => boolean) => Promise<Worker>;
  readonly stop: () => Promise<void>;
}

let server: TwinServer;
const log = keptLog();
const running: { stop(): Promise<void> }[] = [];

beforeEach(() => {
  server = new TwinServer({ now: () => realClock.now(), choose: (count) => count - 1 });
});
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.stop();
});

async function opened(name: string): Promise<TwinBus> {
  const clocks = { outside: realClock, inside: realClock };
  const bus = new TwinBus({ server, name, settleMs: 0, ...clocks, weather: fairWeather, log });
  await until(() => bus.connected);
  running.push({ stop: () => bus.close() });
  return bus;
}

async function processOf(name: string, of = mission, passes = noPasses): Promise<Process> {
  const bus = await opened(name);
  const registry = new Registry();
  const failed = (error: unknown): void => void log.error({ err: error }, 'failed');
  const missions = new TestMissions(of);
  const context = {
    bus,
    clock: realClock,
    random: seededRandom(1),
    log,
    missions,
    passes,
    deadLetters: createDeadLetters(bus, log),
    registry,
    instance: name,
    failed,
  };
  const role: Role = await startDrivers(context as unknown as RoleContext);
  const shared = role.shared.find((each) => each.role.prefix === 'cfdp')!;
  expect([...shared.names(of)]).toEqual(['g']);
  const work = (epoch: number, holds = () => true): Promise<Worker> =>
    shared.role.start('g', { epoch, holds, failed });
  const made = { bus, registry, missions, work, stop: () => role.stop() };
  running.push(made);
  return made;
}

/**
 * The gateways and their spacecraft: takes PDUs, loses, doubles and delays some of each way, by seed. `receiving`: the
 * one that receives it after so many of its PDUs; the first unless said.
 */
async function gatewayOf(
  seed: number,
  names: readonly [string, ...string[]] = ['g'],
  receiving: (pdus: number) => string = () => names[0],
) {
  let pdus = 0;
  const bus = await opened('gateway');
  const chance = new Chance(seed, 'link');
  const calls: PdusCall[] = [];
  const spacecraft = new OnboardEntity({
    settings: { local: 42n, pduBytes: 512, ackMs: 300, ackLimit: 50, nakMs: 300, nakLimit: 50 },
    peer: 1n,
    now: () => performance.now(),
    content: (name) => (name === '7' ? CONTENT : undefined),
  });
  const passing = (act: () => void): void => {
    if (chance.happens(0.1)) return;
    for (let copies = chance.happens(0.05) ? 2 : 1; copies > 0; copies -= 1)
      if (chance.happens(0.1)) setTimeout(act, 15);
      else act();
  };
  const takePdus = (name: string, data: Uint8Array): Buffer => {
    const call = JSON.parse(Buffer.from(data).toString()) as PdusCall;
    calls.push(call);
    for (const text of call.frames) {
      const frame = Buffer.from(text, 'hex');
      expect(readSpacePacket(frame)).toMatchObject({ type: 'telecommand', apid: 117 });
      passing(() => receiving(pdus) === name && spacecraft.receive(frame.subarray(6)));
    }
    return Buffer.from(JSON.stringify({ outcome: 'sent', frames: call.frames.length }));
  };
  for (const name of names)
    bus.serve(subject.gatewayVerb(name, 'pdus'), async ({ data }) => takePdus(name, data));
  const received: Buffer[] = [];
  const timer = setInterval(() => {
    for (const pdu of spacecraft.take(1)) passing(() => received.push(packetOf(pdu)));
    const frames = received.splice(0);
    const at = frames.map(() => Date.now());
    if (frames.length === 0) return;
    pdus += frames.length;
    const on = subject.frames(receiving(pdus));
    bus.append(streams.frames, on, encodeBatch({ at, frames })).catch(() => undefined);
  }, TICK_MS);
  const report = (): void => {
    const rate = { frames: 0, bytes: 0, frames_per_second: 0, bytes_per_second: 0 };
    const link = { state: 'up', since: 0 };
    for (const gateway of names) {
      const reported = { gateway, kind: 'udp', at: 0, link, downlink: rate, uplink: rate };
      bus.publish(subject.metrics, Buffer.from(JSON.stringify(reported)));
    }
  };
  const reports = setInterval(report, 20);
  running.push({
    stop: async () => {
      clearInterval(timer);
      clearInterval(reports);
    },
  });
  return { bus, calls, spacecraft };
}

function packetOf(pdu: Buffer): Buffer {
  const fields = {
    secondaryHeader: false,
    apid: 117,
    sequenceFlags: 'unsegmented',
    sequenceCount: 0,
  } as const;
  return writeSpacePacket({ type: 'telemetry', ...fields }, pdu);
}

async function ask({ bus }: Pick<Process, 'bus'>, call: CfdpCall): Promise<CfdpAnswer> {
  const data = Buffer.from(JSON.stringify(call));
  const reply = await bus.request(subject.driverVerb('pus', 'cfdp'), data, { timeoutMs: 10_000 });
  const answer = readCfdpReply(reply);
  if (answer === undefined) throw new Error('malformed');
  return answer;
}

/** Asks until the answer is `completed`; `each` sees the bytes of the others. */
async function completed(
  asker: Pick<Process, 'bus'>,
  call: CfdpCall,
  each: (bytes: number) => unknown = () => 0,
) {
  await until(
    async () => {
      const answer = await ask(asker, call);
      if (answer.ok && answer.value.outcome === 'running') await each(answer.value.bytes);
      return answer.ok && answer.value.outcome === 'completed';
    },
    { timeoutMs: 45_000, what: 'completed' },
  );
}

/** How many messages of chunks the worker of that epoch has stored. */
function storedIn(epoch: number): number {
  const { messages } = server.stream(streams.fileChunks);
  return messages.filter(({ headers }) => headers[header.transaction]?.startsWith(`cfdp-g-${epoch}-`)).length;
}

async function chunksOf(bus: TwinBus): Promise<Buffer> {
  const file = Buffer.alloc(SIZE);
  const follower = await bus.follow(
    streams.fileChunks,
    subject.fileChunk('sat', '7'),
    { from: 'start' },
    (message) => {
      const chunk = readFileChunk(message);
      if (chunk !== undefined) file.set(chunk.data, chunk.offset);
    },
  );
  await follower.caughtUp;
  await follower.stop();
  return file;
}

it.each([1, 2, 3])(
  'MC-CFDP-006 MC-CFDP-007 MC-CFDP-009 a download ends though its process is gone in the middle; any process answers (seed %i)',
  async (seed) => {
    const gateway = await gatewayOf(seed);
    const [one, two] = [await processOf('one'), await processOf('two')];
    await one.work(1);
    let isGone = false;
    await completed(two, DOWN, async (bytes) => {
      if (isGone || bytes < SIZE / 3) return;
      isGone = true;
      one.bus.cut();
      await two.work(2);
    });
    expect(isGone).toBe(true);
    expect((await chunksOf(gateway.bus)).equals(CONTENT)).toBe(true);
    expect(gateway.spacecraft.asked.length).toBeGreaterThanOrEqual(2);
    expect(new Set(gateway.calls.map(({ epoch }) => epoch))).toEqual(new Set([1, 2]));
    const metrics = await two.registry.metrics();
    expect(metrics).toMatch(/mcs_cfdp_pdus_total\{gateway="g",way="received"\} [1-9]/);
    expect(metrics).toMatch(/mcs_cfdp_bytes_total\{gateway="g",way="sent"\} [1-9]/);
  },
);

it('MC-CFDP-003 MC-CFDP-008 an upload takes its content from mcs_uploads', async () => {
  const gateway = await gatewayOf(4);
  const one = await processOf('one');
  const source = createHash('sha256').update(CONTENT).digest('hex');
  async function* pieces() {
    yield CONTENT;
  }
  await one.bus.objects(objectStores.uploads).put(source, pieces());
  await one.work(1);
  await completed(one, { ...UP, source });
  expect(gateway.spacecraft.taken.get('7')?.equals(CONTENT)).toBe(true);
});

it('worker.D3 group-files.G6 a file comes down over stations with gateways of their own in one transaction, also over one that joins', async () => {
  const passes: StoredPass[] = [];
  const pass = storedPass(Date.now() - 60_000, Date.now() + 600_000, { target: 'sat' });
  let isPublished = false;
  // A third of the file over one station, then the rest over the other, whose gateway was not there at first.
  const { bus, calls, spacecraft } = await gatewayOf(7, ['g', 'h'], (pdus) => {
    if (pdus > 10 && !isPublished) one.missions.publish(both);
    isPublished ||= pdus > 10;
    if (pdus > 20 && passes.length === 0) passes.push(pass);
    return passes.length > 0 ? 'h' : 'g';
  });
  const own = { ...noPasses, ...bookOf(passes) };
  const alone = missionOf(TIMERS, stationsOf({ g: { tags: ['s-band'], rate: '10 Mbit/s' } }));
  const both = missionOf(
    TIMERS,
    stationsOf({
      g: { tags: ['s-band'], rate: '10 Mbit/s' },
      h: { tags: ['s-band', 'kiruna'], rate: '10 Mbit/s' },
    }),
  );
  const one = await processOf('one', alone, own);
  await one.work(1);
  await completed(one, DOWN);
  expect((await chunksOf(bus)).equals(CONTENT)).toBe(true);
  expect(spacecraft.asked).toEqual(['7']);
  expect(new Set(calls.map(({ group }) => group))).toEqual(new Set(['g']));
  const metrics = await one.registry.metrics();
  for (const name of ['g', 'h'])
    expect(metrics).toMatch(new RegExp(`mcs_cfdp_pdus_total\\{gateway="${name}",way="received"\\} [1-9]`));
});

it('worker.D2 a process that may have lost the gateway answers nothing and sends nothing', async () => {
  const gateway = await gatewayOf(5);
  const [one, two] = [await processOf('one'), await processOf('two')];
  let holds = true;
  await one.work(1, () => holds);
  await until(async () => (await ask(two, DOWN)).ok);
  holds = false;
  expect(await ask({ bus: two.bus }, { ...DOWN, file_id: '8' })).toMatchObject({
    ok: false,
    faults: [{ message: expect.stringMatching(/did not answer in time/) }],
  });
  const before = gateway.calls.length;
  await two.work(2);
  await completed(two, DOWN);
  expect(gateway.calls.slice(before).every(({ epoch }) => epoch === 2)).toBe(true);
}, 90_000);

it('worker.D2 chunk-store.K4 a process that may have lost the gateway stores nothing of what it receives', async () => {
  const gateway = await gatewayOf(1);
  const [one, two] = [await processOf('one'), await processOf('two')];
  // Until the spacecraft was asked for the file.
  await one.work(1, () => gateway.spacecraft.asked.length === 0);
  await until(async () => (await ask(two, DOWN)).ok);
  await until(() => server.stream(streams.frames).messages.length > 20, { what: 'frames' });
  await two.work(2);
  await completed(two, DOWN);
  expect([storedIn(1), storedIn(2) > 0]).toEqual([0, true]);
  expect((await chunksOf(gateway.bus)).equals(CONTENT)).toBe(true);
}, 90_000);

it('nobody has the gateway: the answer says so, and a worker that ends leaves nothing behind', async () => {
  await gatewayOf(6);
  const one = await processOf('one');
  const worker = await one.work(1);
  await worker.stop();
  expect(await ask(one, DOWN)).toMatchObject({
    faults: [{ message: expect.stringMatching(/^no process has the files of gateway group g now/) }],
  });
  const again = await one.work(2);
  await completed(one, DOWN);
  await again.stop();
});
