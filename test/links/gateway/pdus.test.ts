/** PDUs of files on their way out of a gateway, beside its telecommands. */

import { beforeEach, expect, it } from 'vitest';
import { subject } from '../../../contract/bus/subjects.ts';
import { CFDP_BATCH_PDUS, CFDP_BATCHES_WAITING, CFDP_GROUPS_KNOWN } from '../../../contract/limits/cfdp.ts';
import { FRAME_BYTES } from '../../../contract/limits/link.ts';
import type { SentMessage } from '../../../contract/link.ts';
import { type PdusCall, readPdusReply } from '../../../contract/pdus.ts';
import { PduDepartures, pdusFault } from '../../../links/gateway/pdu-departures.ts';
import { SendQueue } from '../../../links/gateway/send-queue.ts';
import { createGateway } from '../../../links/gateway-service.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { demoMission, TestMissions } from '../../support/missions.ts';
import { keptLog } from '../../support/silent-log.ts';
import { MemoryBus } from '../memory-bus.ts';

const CALL: PdusCall = {
  target: 'sat',
  group: 'g',
  epoch: 5,
  key: 'k',
  frames: ['01', '02', '03'],
  notAfter: 10_000,
};
let clock: ManualClock;
let holds = true;
let departures: PduDepartures;
/** A transport that takes one frame when the test says so. */
let queue: SendQueue;
let take: () => void;
let left: string[];

beforeEach(() => {
  clock = new ManualClock(1_000);
  holds = true;
  departures = new PduDepartures({ clock, gateway: 'g', holds: () => holds });
  left = [];
  queue = new SendQueue({
    clock,
    transport: (bytes, done) => {
      left.push(bytes.toString('hex'));
      take = () => done();
    },
    halfway: (detail) => ({ sent: false, detail }),
    stuck: () => undefined,
  });
});

const send = (call: Partial<PdusCall> = {}) => {
  const made = { ...CALL, ...call };
  return departures.send(made, (index, mayLeave) =>
    queue.send(Buffer.from(made.frames[index]!, 'hex'), mayLeave),
  );
};
const taken = async (): Promise<void> => {
  take();
  await settled();
};

it('pdu-departures.U1 a telecommand waits for one PDU, however many are to leave', async () => {
  const sent = send();
  await settled();
  const telecommand = queue.send(Buffer.from('cc', 'hex'));
  expect(left).toEqual(['01']);
  for (let n = 0; n < 4; n += 1) await taken();
  expect(left).toEqual(['01', 'cc', '02', '03']);
  expect(await telecommand).toEqual({ sent: true });
  expect(await sent).toEqual({ outcome: 'sent', frames: 3 });
});

it('pdu-departures.U1 two workers take turns by the part, and no more than a few wait', async () => {
  const sent = [send({ frames: ['01', '02'] }), send({ frames: ['03'] })];
  await settled();
  for (let n = 2; n < CFDP_BATCHES_WAITING; n += 1) sent.push(send({ frames: ['04'] }));
  expect(await send()).toMatchObject({ outcome: 'refused', frames: 0 });
  for (let n = 0; n < 3; n += 1) await taken();
  expect(left.slice(0, 3)).toEqual(['01', '02', '03']);
});

it('pdu-departures.U2 the epochs of a group of another name are its own, and few groups are remembered', async () => {
  for (const [group, epoch] of [
    ['g', 5],
    ['a', 1],
    ['g', 5],
  ] as const) {
    const sent = send({ group, epoch, frames: ['01'] });
    await settled();
    await taken();
    expect(await sent).toEqual({ outcome: 'sent', frames: 1 });
  }
  expect(await send({ group: 'g', epoch: 4 })).toMatchObject({ outcome: 'refused', frames: 0 });
  for (let n = 0; n < CFDP_GROUPS_KNOWN; n += 1) {
    const sent = send({ group: `other-${n}`, frames: ['02'] });
    await settled();
    await taken();
    await sent;
  }
  const again = send({ group: 'g', epoch: 1, frames: ['03'] });
  await settled();
  await taken();
  expect(await again).toEqual({ outcome: 'sent', frames: 1 });
});

it('pdu-departures.U2 of a worker that was replaced nothing leaves any more', async () => {
  const before = send();
  await settled();
  const after = send({ epoch: 6, frames: ['06'] });
  await taken();
  expect(await before).toMatchObject({ outcome: 'refused', frames: 1, detail: /epoch 5 is over/ as never });
  await taken();
  expect(await after).toEqual({ outcome: 'sent', frames: 1 });
  expect(left).toEqual(['01', '06']);
});

it('pdu-departures.U2 a process that may have lost the gateway sends and answers nothing', async () => {
  holds = false;
  await expect(send()).rejects.toThrow('another process may run gateway g');
  expect(left).toEqual([]);
});

it('what is late does not leave', async () => {
  clock.advance(20_000);
  expect(await send()).toMatchObject({ outcome: 'refused', frames: 0 });
  expect(left).toEqual([]);
});

it.each<[string, object | undefined]>([
  ['none', undefined],
  ['without target', { ...CALL, target: 7 }],
  ['without epoch', { ...CALL, epoch: 'x' }],
  ['without its time', { ...CALL, notAfter: undefined }],
  ['without frames', { ...CALL, frames: [] }],
  ['with too many', { ...CALL, frames: Array.from({ length: CFDP_BATCH_PDUS + 1 }, () => '00') }],
  ['with text', { ...CALL, frames: ['xyz'] }],
  ['with a frame that is too long', { ...CALL, frames: ['00'.repeat(FRAME_BYTES + 1)] }],
])('a call %s is refused', (_, call) => {
  expect(pdusFault(call as PdusCall)).toEqual(expect.any(String));
});

it('a reply that is malformed is not read', () => {
  const read = (reply: unknown) => readPdusReply(Buffer.from(JSON.stringify(reply)));
  expect(read({ outcome: 'sent', frames: 3 })).toEqual({ outcome: 'sent', frames: 3 });
  for (const reply of [
    [],
    { outcome: 'sent' },
    { outcome: 'refused', frames: 1 },
    { outcome: 'x', frames: 1 },
  ])
    expect(read(reply)).toBeUndefined();
});

it('the gateway shows them as sent, and epochs of PDUs keep no telecommand back (pdus.U2, pdus.U3)', async () => {
  const bus = new MemoryBus();
  const mission = demoMission();
  const gateway = createGateway(mission.gateways.get('sim-1')!, {
    bus,
    clock,
    log: keptLog(),
    missions: new TestMissions(mission),
    random: { next: () => 0.5 },
  });
  gateway.start();
  const to = subject.gatewayVerb('sim-1', 'pdus');
  expect(await bus.ask(to, { ...CALL, epoch: 1_000_000 })).toEqual({ outcome: 'sent', frames: 3 });
  expect(await bus.ask(to, 'nonsense')).toMatchObject({ outcome: 'refused' });
  const sent = bus.published.filter(({ subject: on }) => on === subject.sent('sim-1'));
  const messages = sent.map(({ data }) => JSON.parse(Buffer.from(data).toString()) as SentMessage);
  expect(messages.map(({ key, frame, outcome }) => [key, frame, outcome])).toEqual([
    ['k.0', '01', 'sent'],
    ['k.1', '02', 'sent'],
    ['k.2', '03', 'sent'],
  ]);
  expect(gateway.report().uplink).toMatchObject({ frames: 3, bytes: 3 });
  const telecommand = { target: 'sat', key: 't', epoch: 2, frame: 'cc', notAfter: 10_000 };
  const reply = await bus.ask(subject.gatewayVerb('sim-1', 'send'), telecommand);
  expect(reply).toMatchObject({ outcome: 'sent' });
  await gateway.stop();
});
