/**
 * Radios that are processes of their own, over UDP and TCP: the recording of NOAA-20 arrives byte by byte as it was
 * sent, and telecommands leave as they were encoded.
 */

import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeBatch, type FrameBatch } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { GatewayReport } from '../../contract/link.ts';
import type { FrameReceived, LinkEvent } from '../../contract/link-event.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import type { CurrentValues } from '../../contract/value.ts';
import { ROLES, type RoleName } from '../../supervision/role.ts';
import { call, type Followed, follow, readLog } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { freePort, type Radio, startRadio } from '../support/radio.ts';
import { until } from '../support/until.ts';

const FILE = join(DEMO, 'recordings/noaa20-geolocation.ccsds');
const recording = readFileSync(FILE);
const PACKET_BYTES = 71;
const PACKETS = recording.length / PACKET_BYTES;
const PATIENTLY = { timeoutMs: 60_000 };
/** Nobody takes a gateway from a process that stands still: its counts would begin again. */
const MEMBER_TTL_MS = 60_000;
/** Fewer than the kernel holds for a socket whose process has no time. */
const PACKETS_AHEAD = 100;

interface World {
  readonly cell: DemoCell;
  readonly radio: Radio;
  readonly frames: Buffer[];
  readonly folder: string;
  stop(): Promise<void>;
}

/** The demo mission with `replay-1` and `sim-1` replaced by other gateways. */
async function startWorld(
  radio: Radio,
  gateways: { downlink: string; uplink: string },
  roles: readonly RoleName[] = ROLES,
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'mcs-links-'));
  await cp(DEMO, folder, { recursive: true });
  const path = join(folder, 'topology.yaml');
  const text = await readFile(path, 'utf8');
  const others = `  sim-2: { simulated: true, model: cubesat-3u }\n  replay-1: ${gateways.downlink}\n\n`;
  const own = `gateways:\n  sim-1: ${gateways.uplink}\n${others}`;
  await writeFile(path, text.replace(/gateways:\n(?: .*\n)+\n/, own));
  // A gateway started again begins its counts again, and loses what was in the air.
  const cell = await startDemoCell({ folder, roles, memberTtlMs: MEMBER_TTL_MS });
  const frames: Buffer[] = [];
  await cell.bus.follow(streams.frames, subject.frames('replay-1'), { from: 'start' }, ({ data }) => {
    for (const frame of decodeBatch<FrameBatch>(data).frames) frames.push(Buffer.from(frame));
  });
  const stop = async (): Promise<void> => {
    await cell.stop();
    await radio.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { cell, radio, frames, folder, stop };
}

async function state(cell: DemoCell, gateway: string): Promise<GatewayReport> {
  const reply = await cell.bus.request(subject.gatewayVerb(gateway, 'state'), Buffer.from('{}'), {
    timeoutMs: 5_000,
  });
  return JSON.parse(Buffer.from(reply).toString()) as GatewayReport;
}

const isUp = (cell: DemoCell, gateway: string) =>
  until(
    () =>
      state(cell, gateway).then(
        ({ link }) => link.state === 'up',
        () => false,
      ),
    { ...PATIENTLY, what: `gateway ${gateway} being up` },
  );

async function lastCount(cell: DemoCell): Promise<unknown> {
  const { body } = await call<CurrentValues>('GET', `${cell.api}/v1/targets/noaa20/values`);
  return body.values?.find(({ measure }) => measure === 'src_seq_ctr')?.sample.value;
}

async function arrived(world: World, packets: number): Promise<void> {
  await until(() => world.frames.length >= packets, { ...PATIENTLY, what: `${packets} packets on the bus` });
}

/** Submits, and gives the states with the frame that was encoded. */
async function sendPing({ api, bus }: DemoCell): Promise<{ states: string[]; frame: string; last: TcEvent }> {
  const { body } = await call<TcReply>('POST', `${api}/v1/tc`, {
    target: 'sat1',
    telecommand: 'camera.ping',
  });
  const events = await readLog<TcEvent>(`${api}/v1/tc/sat1/${body.id}/events`);
  let frame = '';
  const about = subject.tcEvent('sat1', body.id);
  const history = await bus.follow(streams.telecommandEvents, about, { from: 'start' }, ({ headers }) => {
    frame ||= headers['Mcs-Frame'] ?? '';
  });
  await history.caughtUp;
  await history.stop();
  return { states: events.map((event) => event.state), frame, last: events.at(-1)! };
}

describe('over UDP', () => {
  let world: World;
  let port: number;
  beforeAll(async () => {
    const radio = await startRadio(FILE);
    const peer = await radio.tell({ order: 'bind' });
    port = await freePort('udp');
    const uplinkPort = await freePort('udp');
    const to = `peer: { host: 127.0.0.1, port: ${peer} }`;
    world = await startWorld(radio, {
      downlink: `{ udp: { port: ${port}, ${to} }, silent_after: 30 s }`,
      uplink: `{ udp: { port: ${uplinkPort}, ${to} } }`,
    });
    await isUp(world.cell, 'replay-1');
    await isUp(world.cell, 'sim-1');
  }, 120_000);
  afterAll(() => world.stop());

  it('carries the recording from another process, each packet once and byte by byte', async () => {
    const { radio, frames, cell } = world;
    for (let from = 0; from < PACKETS; from += PACKETS_AHEAD) {
      const to = Math.min(from + PACKETS_AHEAD, PACKETS);
      await radio.tell({ order: 'datagrams', port, size: PACKET_BYTES, from, to });
      await arrived(world, to);
    }
    expect(frames).toHaveLength(PACKETS);
    expect(Buffer.concat(frames).equals(recording)).toBe(true);
    const last = recording.readUInt16BE((PACKETS - 1) * PACKET_BYTES + 2) & 0x3fff;
    await until(async () => (await lastCount(cell)) === last, PATIENTLY);
  }, 120_000);

  it('telecommands leave as they were encoded, one datagram each', async () => {
    const before = world.radio.received().length;
    const first = await sendPing(world.cell);
    const second = await sendPing(world.cell);
    expect(first.states).toEqual(['PENDING', 'ENCODED', 'SENT', 'COMPLETE']);
    const sent = Buffer.from(first.frame + second.frame, 'hex');
    await until(() => world.radio.received().length - before >= sent.length);
    expect(world.radio.received().subarray(before)).toEqual(sent);
  });

  it('a radio that receives nothing any more is not known over UDP: what left was sent', async () => {
    await world.radio.stop();
    expect((await sendPing(world.cell)).states.at(-1)).toBe('COMPLETE');
  });
});

describe('over TCP, the service calling the radio', () => {
  let world: World;
  let port: number;
  let watch: Followed<LinkEvent>;
  /** Packets that have come. */
  let packets = PACKETS - 2;
  beforeAll(async () => {
    const radio = await startRadio(FILE);
    port = await radio.tell({ order: 'listen' });
    const refusing = await freePort('tcp');
    world = await startWorld(radio, {
      downlink: `{ tcp: { connect: { host: 127.0.0.1, port: ${port} } }, framing: { kind: space-packet, apids: [11], max: 71 } }`,
      uplink: `{ tcp: { connect: { host: 127.0.0.1, port: ${refusing} } }, framing: { kind: space-packet } }`,
    });
    await isUp(world.cell, 'replay-1');
    watch = follow<LinkEvent>(`${world.cell.api}/v1/links/noaa20/frames`);
    await watch.opened;
  }, 120_000);
  afterAll(async () => {
    watch.close();
    await world.stop();
  });

  it('carries the recording over connections that break inside packets: whole packets once, half ones never', async () => {
    const { radio, frames, cell } = world;
    const third = Math.floor(PACKETS / 3);
    // Half of packet `third` is lost with its connection; the radio begins the next one with the packet after it.
    await radio.tell({ order: 'stream', from: 0, to: third * PACKET_BYTES + 30, chunk: 997 });
    await arrived(world, third);
    await radio.tell({ order: 'hang-up' });
    await until(() => radio.connections() === 2, { what: 'the second connection' });
    // The next connection breaks too, and the radio goes on in the middle of the packet.
    const middle = 2 * third * PACKET_BYTES + 30;
    await radio.tell({ order: 'stream', from: (third + 1) * PACKET_BYTES, to: middle, chunk: 4_093 });
    await arrived(world, 2 * third - 1);
    await radio.tell({ order: 'hang-up' });
    await until(() => radio.connections() === 3, { what: 'the third connection' });
    await radio.tell({ order: 'stream', from: middle, to: recording.length, chunk: 65_521 });
    await arrived(world, PACKETS - 2);
    const expected = Array.from({ length: PACKETS }, (_, n) => n)
      .filter((n) => n !== third && n !== 2 * third)
      .map((n) => recording.subarray(n * PACKET_BYTES, (n + 1) * PACKET_BYTES));
    expect(frames).toHaveLength(expected.length);
    expect(Buffer.concat(frames).equals(Buffer.concat(expected))).toBe(true);
    const report = await state(cell, 'replay-1');
    expect(report).toMatchObject({
      reconnects: 2,
      lost: { cut: 2, skipped_bytes: 30 + 30 + 41, dropped: 0 },
    });
    expect(report.downlink).toMatchObject({ frames: packets, bytes: packets * PACKET_BYTES });
  }, 240_000);

  it('a watcher sees the link go and come, and frames with what they say', async () => {
    const states = () => watch.messages.flatMap((event) => (event.kind === 'state' ? [event.state] : []));
    await until(() => states().length >= 3, { ...PATIENTLY, what: 'the states of the link' });
    expect(states().slice(0, 3)).toEqual(['up', 'connecting', 'up']);
    const shown = (): FrameReceived[] =>
      watch.messages.flatMap((event) => (event.kind === 'received' ? [event] : []));
    await until(() => shown().length > 0, { ...PATIENTLY, what: 'a frame' });
    expect(shown()[0]).toMatchObject({ gateway: 'replay-1', link: 'replay', size: PACKET_BYTES });
    // A frame is shown without its samples where a decoder takes long, as in this burst; one alone comes with them.
    const said = (): FrameReceived | undefined => shown().find(({ samples }) => samples.length > 0);
    while (said() === undefined) {
      const before = shown().length;
      await world.radio.tell({ order: 'stream', from: 0, to: PACKET_BYTES, chunk: PACKET_BYTES });
      packets += 1;
      await until(() => shown().length > before, { ...PATIENTLY, what: 'another frame' });
    }
    const [time] = said()!.samples.filter(({ measure }) => measure === 'doy');
    expect(time).toMatchObject({ component: 'time', value: 23_109, unit: 'd' });
  }, 120_000);

  it('MC-TC-040 a telecommand without a connection fails at once, with the reason of the network', async () => {
    const { states, last } = await sendPing(world.cell);
    expect(states).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
    expect(last.detail).toContain('ECONNREFUSED');
  });

  it('MC-BUS-013 the throughput of each gateway is on mcs.metrics and in the registry of the process', async () => {
    const reports: GatewayReport[] = [];
    const received = world.cell.bus.subscribe(subject.metrics, ({ data }) => {
      reports.push(JSON.parse(Buffer.from(data).toString()) as GatewayReport);
    });
    await until(() => new Set(reports.map(({ gateway }) => gateway)).size === 3, PATIENTLY);
    await received.stop();
    const response = await fetch(`${world.cell.api}/metrics`);
    const text = await response.text();
    expect(text).toContain(`mcs_gateway_frames_total{gateway="replay-1",direction="downlink"} ${packets}`);
    expect(text).toContain('mcs_gateway_state{gateway="sim-1",state="connecting"} 1');
    expect(text).toContain('mcs_gateway_reconnects_total{gateway="replay-1"} 2');
  }, 120_000);
});

describe('over TCP, the radio calling the service', () => {
  let world: World;
  let uplinkPort: number;
  beforeAll(async () => {
    const radio = await startRadio(FILE);
    const port = await freePort('tcp');
    uplinkPort = await freePort('tcp');
    world = await startWorld(radio, {
      downlink: `{ tcp: { listen: { host: 127.0.0.1, port: ${port} } }, framing: { kind: space-packet } }`,
      uplink: `{ tcp: { listen: { host: 127.0.0.1, port: ${uplinkPort}, replace: true } }, framing: { kind: space-packet } }`,
    });
    const isWaiting = (): Promise<boolean | undefined> =>
      state(world.cell, 'replay-1').then(
        ({ link }) => link.reason?.startsWith('waiting'),
        () => false,
      );
    await until(isWaiting, { ...PATIENTLY, what: 'the gateway to wait for its radio' });
    await radio.tell({ order: 'connect', port });
    await isUp(world.cell, 'replay-1');
  }, 120_000);
  afterAll(() => world.stop());

  it('carries the recording, whatever the sizes of its writes', async () => {
    await world.radio.tell({ order: 'stream', from: 0, to: recording.length, chunk: 61 });
    await arrived(world, PACKETS);
    expect(Buffer.concat(world.frames).equals(recording)).toBe(true);
    expect(world.frames).toHaveLength(PACKETS);
  });

  it('telecommands leave as they were encoded once the radio is there, and are refused before', async () => {
    const refused = await sendPing(world.cell);
    expect(refused.last).toMatchObject({
      state: 'SEND_FAILED',
      detail: expect.stringContaining('waiting for the radio'),
    });
    await world.radio.tell({ order: 'connect', port: uplinkPort });
    await isUp(world.cell, 'sim-1');
    const first = await sendPing(world.cell);
    const second = await sendPing(world.cell);
    expect([first.states.at(-1), second.states.at(-1)]).toEqual(['COMPLETE', 'COMPLETE']);
    const sent = Buffer.from(first.frame + second.frame, 'hex');
    await until(() => world.radio.received().length >= sent.length);
    expect(world.radio.received()).toEqual(sent);
  });

  it('a radio that comes back replaces its old connection', async () => {
    await world.radio.tell({ order: 'connect', port: uplinkPort });
    await until(async () => (await state(world.cell, 'sim-1')).reconnects === 1);
    const before = world.radio.received().length;
    const { frame, states } = await sendPing(world.cell);
    expect(states.at(-1)).toBe('COMPLETE');
    await until(() => world.radio.received().length > before);
    expect(world.radio.received().subarray(before).toString('hex')).toBe(frame);
  });
});

describe('when the process that runs the gateways dies', () => {
  let world: World;
  beforeAll(async () => {
    const radio = await startRadio(FILE);
    const port = await radio.tell({ order: 'listen' });
    const connected = `{ tcp: { connect: { host: 127.0.0.1, port: ${port} } }, framing: { kind: space-packet } }`;
    const roles = ROLES.filter((role) => role !== 'gateways');
    world = await startWorld(radio, { downlink: connected, uplink: '{ simulated: true }' }, roles);
  }, 120_000);
  afterAll(async () => {
    await endAllMcs();
    await world.stop();
  });

  function startGateways(): Promise<Mcs> {
    const { url, credentialsFile } = world.cell.nats;
    const bus = ['--nats', url, '--credentials', credentialsFile];
    return startMcs({
      args: ['serve', ...bus, '--roles', 'gateways', '--mission', world.folder],
      env: { MCS_MEMBER_TTL_MS: String(MEMBER_TTL_MS) },
    });
  }

  it('its connection ends with it, and the next process takes over, with the telecommand that waited for it', async () => {
    const { radio, cell, frames } = world;
    const first = await startGateways();
    await isUp(cell, 'replay-1');
    await radio.tell({ order: 'stream', from: 0, to: 10 * PACKET_BYTES + 30, chunk: 100 });
    await arrived(world, 10);
    await first.kill('SIGKILL');
    const waiting = sendPing(cell);
    await startGateways();
    await isUp(cell, 'replay-1');
    await until(() => radio.connections() === 2, { what: 'the connection of the next process' });
    await radio.tell({ order: 'stream', from: 11 * PACKET_BYTES, to: 20 * PACKET_BYTES, chunk: 100 });
    await arrived(world, 19);
    const around = [
      recording.subarray(0, 10 * PACKET_BYTES),
      recording.subarray(11 * PACKET_BYTES, 20 * PACKET_BYTES),
    ];
    expect(Buffer.concat(frames).equals(Buffer.concat(around))).toBe(true);
    expect((await waiting).states.at(-1)).toBe('COMPLETE');
    expect((await sendPing(cell)).states.at(-1)).toBe('COMPLETE');
  }, 240_000);
});
