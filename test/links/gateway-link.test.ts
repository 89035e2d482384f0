/**
 * A gateway over TCP on the bus: what the memory of keys means when a network is between, and what it reports itself.
 */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { subject } from '../../contract/bus/subjects.ts';
import { GATEWAY_LEAVES_MS, GATEWAY_METRICS_MS, LINK_SEND_MS } from '../../contract/limits/link.ts';
import type { GatewayReport, SendCall, SendReply, SentMessage } from '../../contract/link.ts';
import { SentFrames } from '../../links/gateway/sent-frames.ts';
import { createGateway, type RunningGateway } from '../../links/gateway-service.ts';
import type { Gateway as Definition } from '../../mission/mission.ts';
import { HeapClock } from '../../supervision/clock.ts';
import { demoMission, TestMissions } from '../support/missions.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { comesSoon } from './comes-soon.ts';
import { MemoryBus } from './memory-bus.ts';

let bus: MemoryBus;
let clock: HeapClock;
let server: Server;
let gateway: RunningGateway;
let sent: SentFrames;
const peers: Socket[] = [];

/** The gateway as its process has it, each time it does. */
function open(): RunningGateway {
  const { port } = server.address() as AddressInfo;
  const definition: Definition = {
    name: 'modem',
    kind: 'tcp',
    tags: [],
    echo: false,
    faults: [],
    settings: {},
    endpoint: {
      kind: 'tcp',
      side: 'connect',
      address: { host: '127.0.0.1', port },
      framing: { kind: 'space-packet', maxBytes: 65_542 },
    },
  };
  const missions = new TestMissions(demoMission());
  const random = { next: () => 0.5 };
  const opened = createGateway(definition, { bus, clock, log: keptLog(), missions, random, sent });
  opened.start();
  return opened;
}

beforeEach(async () => {
  bus = new MemoryBus();
  clock = new HeapClock(1_000_000);
  server = createServer((socket) => {
    peers.push(socket);
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  sent = new SentFrames(clock.now());
  gateway = open();
  await until(() => gateway.report().link.state === 'up');
});
afterEach(async () => {
  await gateway.stop();
  for (const peer of peers.splice(0)) peer.destroy();
  server.close();
});

const call = (key: string, changes: Partial<SendCall> = {}): SendCall => ({
  target: 'sat1',
  key,
  epoch: 1,
  frame: '0801c0000000ff',
  notAfter: Number.MAX_SAFE_INTEGER,
  ...changes,
});
const ask = (sending: SendCall) => bus.ask<SendReply>(subject.gatewayVerb('modem', 'send'), sending);
const on = <Message>(name: string): Message[] =>
  bus.published
    .filter((message) => message.subject === name)
    .map(({ data }) => JSON.parse(Buffer.from(data).toString()) as Message);

/** Sends large frames until the peer, which reads nothing, takes no more; the key of the last one and its answer. */
async function stuckSending(): Promise<{ key: string; reply: Promise<SendReply> }> {
  peers[0]!.pause();
  for (let n = 0; ; n += 1) {
    let settled = false;
    const key = `large-${n}`;
    const reply = ask(call(key, { frame: '00'.repeat(65_000) }));
    void reply.then(() => {
      settled = true;
    });
    if (!(await comesSoon(() => settled))) return { key, reply };
  }
}

it('sent-frames.I1 gateway-service.Q3 a frame that may have left in part is unknown, also when asked again, and never leaves a second time', async () => {
  const { key, reply } = await stuckSending();
  clock.advance(LINK_SEND_MS);
  expect(await reply).toMatchObject({ outcome: 'unknown', detail: expect.stringContaining('cannot tell') });
  await until(() => gateway.report().link.state === 'connecting');
  clock.advance(1_000);
  await until(() => gateway.report().link.state === 'up' && peers.length === 2);
  const received: Buffer[] = [];
  peers[1]!.on('data', (bytes) => received.push(bytes));
  expect(await ask(call(key, { recovering: { since: 0 } }))).toEqual(await reply);
  expect(await ask(call('other'))).toMatchObject({ outcome: 'sent' });
  await until(() => received.length > 0);
  expect(Buffer.concat(received).toString('hex')).toBe(call('other').frame);
});

it('sent-frames.I2 I3 an owner that was replaced sends nothing, and one that recovers too early gets no guess', async () => {
  const received: Buffer[] = [];
  peers[0]!.on('data', (bytes) => received.push(bytes));
  expect(await ask(call('a', { recovering: { since: clock.now() } }))).toMatchObject({ outcome: 'unknown' });
  expect(await ask(call('b', { epoch: 5 }))).toMatchObject({ outcome: 'sent' });
  expect(await ask(call('c', { epoch: 4 }))).toMatchObject({ outcome: 'refused' });
  await until(() => received.length > 0);
  expect(Buffer.concat(received).toString('hex')).toBe(call('b').frame);
});

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

it('reports once of each sending, with what became of it', async () => {
  await ask(call('a'));
  await ask(call('a'));
  server.close();
  peers[0]!.destroy();
  await until(() => gateway.report().link.state === 'connecting');
  await ask(call('b'));
  const { frame } = call('a');
  expect(on<SentMessage>('mcs.gw.sent.modem')).toMatchObject([
    { target: 'sat1', key: 'a', frame, outcome: 'sent', at: expect.stringMatching(RFC_3339) },
    {
      target: 'sat1',
      key: 'b',
      frame,
      outcome: 'refused',
      at: expect.stringMatching(RFC_3339),
      detail: expect.stringContaining('no connection'),
    },
  ]);
  expect(gateway.report().uplink).toMatchObject({ frames: 1, bytes: frame.length / 2 });
});

it('gateway-reporter.T1 T2 T3 MC-BUS-013 reports its throughput every period, and a change of its link at once', async () => {
  const packets = Buffer.from('0801c0000000ff'.repeat(50), 'hex');
  peers[0]!.write(packets);
  await until(() => gateway.report().downlink.frames === 50);
  const before = on<GatewayReport>('mcs.metrics').length;
  clock.advance(GATEWAY_METRICS_MS);
  const [report, ...more] = on<GatewayReport>('mcs.metrics').slice(before);
  expect(more).toEqual([]);
  expect(report).toMatchObject({
    gateway: 'modem',
    kind: 'tcp',
    at: new Date(clock.now()).toISOString(),
    link: { state: 'up', since: expect.stringMatching(RFC_3339) },
    reconnects: 0,
    downlink: { frames: 50, bytes: 350, frames_per_second: 10, bytes_per_second: 70 },
  });
  peers[0]!.destroy();
  await until(() => on<GatewayReport>('mcs.metrics').at(-1)?.link.state === 'connecting');
  expect(await bus.ask(subject.gatewayVerb('modem', 'state'), {})).toEqual({
    ...gateway.report(),
    bindings: [],
  });
});

it('gateway-service.Q7 what waits behind another when the gateway is given back has not left, and the next one sends it', async () => {
  const { reply } = await stuckSending();
  const waiting = ask(call('behind'));
  const stopped = gateway.stop();
  await until(async () => {
    clock.advance(GATEWAY_LEAVES_MS);
    return await Promise.race([stopped.then(() => true), new Promise<void>((go) => setImmediate(go))]);
  });
  expect(await waiting).toMatchObject({ outcome: 'refused', leaving: true });
  expect(await reply).toMatchObject({ outcome: 'unknown' });
  gateway = open();
  await until(() => gateway.report().link.state === 'up');
  expect(await ask(call('behind'))).toMatchObject({ outcome: 'sent' });
});
