/** A gateway on the bus, in front of the simulated spacecraft of the demo mission. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeBatch, type FrameBatch } from '../../contract/batch.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { CLOCK_SKEW_MS } from '../../contract/limits/membership.ts';
import { SWITCHES_OVER_KEPT } from '../../contract/limits/simulation.ts';
import type { EchoMessage, FaultReply, SendCall, SendReply } from '../../contract/link.ts';
import type { FaultEvent } from '../../contract/simulation.ts';
import { createGateway, type RunningGateway } from '../../links/gateway-service.ts';
import type { ReceivedCounts } from '../../links/simulated/peer.ts';
import type { Gateway as Definition } from '../../mission/mission.ts';
import { writePusTelecommand } from '../../protocol/pus-telecommand.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { DEMO_FOLDER, demoMission, TestMissions } from '../support/missions.ts';
import { type KeptLog, keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { MemoryBus } from './memory-bus.ts';

const START_MS = Date.UTC(2026, 0, 1);
const mission = demoMission();
const SIMULATED: Definition = { ...mission.gateways.get('sim-1')!, echo: true, faults: [] };
let bus: MemoryBus;
let clock: ManualClock;
let log: KeptLog;
let gateway: RunningGateway;

function open(definition: Definition, current = mission, holds = (): boolean => true): RunningGateway {
  const missions = new TestMissions(current);
  const opened = createGateway(definition, {
    bus,
    clock,
    log,
    missions,
    random: { next: () => 0.5 },
    missionFolder: DEMO_FOLDER,
    holds,
  });
  opened.start();
  return opened;
}

beforeEach(() => {
  bus = new MemoryBus();
  clock = new ManualClock(START_MS);
  log = keptLog();
  gateway = open(SIMULATED);
});
afterEach(() => gateway.stop());

function ask<Reply>(verb: string, call: unknown = {}, name = 'sim-1'): Promise<Reply> {
  return bus.ask(subject.gatewayVerb(name, verb), call);
}

function pingFrame(sequenceCount: number): string {
  const fields = { apid: 0x73, flags: 9, service: 17, subtype: 1, source: 0, data: Buffer.alloc(0) };
  const packet = writePusTelecommand({ ...fields, sequenceCount });
  return packet.ok ? packet.value.toString('hex') : '';
}

function sendCall(key: string, changes: Partial<SendCall> = {}): SendCall {
  const asked = { target: 'sat1', key, epoch: 1, frame: pingFrame(Number(key)) };
  return { ...asked, notAfter: Number.MAX_SAFE_INTEGER, ...changes };
}

function frames(): Buffer[] {
  return bus
    .on('mcs.tm.frame.sim-1')
    .flatMap(({ data }) => decodeBatch<FrameBatch>(data).frames.map((each) => Buffer.from(each)));
}

function onSubject<Event>(name: string): Event[] {
  const messages = bus.published.filter((message) => message.subject === name);
  return messages.map(({ data }) => JSON.parse(Buffer.from(data).toString()) as Event);
}

const fault = (name: string, on: boolean, more = {}) =>
  ask<FaultReply>('fault', { fault: name, on, ...more });

describe('receiving', () => {
  it('publishes telemetry in batches, with the ground time of each frame', async () => {
    await clock.run(2_100, 50);
    const batches = bus.on('mcs.tm.frame.sim-1').map(({ data }) => decodeBatch<FrameBatch>(data));
    expect(batches.map((batch) => batch.frames.length)).toEqual([3, 1, 2]);
    expect(batches[0]?.at.map(Math.floor)).toEqual([START_MS + 10, START_MS + 10, START_MS + 10]);
  });
});

describe('sending', () => {
  it('sends, and the spacecraft answers', async () => {
    expect(await ask<SendReply>('send', sendCall('1'))).toEqual({ outcome: 'sent', at: START_MS });
    await clock.run(200, 10);
    expect(
      frames()
        .filter((frame) => frame[7] === 1)
        .map((frame) => frame[8]),
    ).toEqual([1, 7]);
  });

  it('O2 sends a key once, however often it is asked', async () => {
    const first = await ask<SendReply>('send', sendCall('1'));
    await clock.run(100, 10);
    expect(await ask('send', sendCall('1'))).toEqual(first);
    expect(await ask('send', sendCall('1', { epoch: 2, recovering: { since: 0 } }))).toEqual(first);
    await clock.run(100, 10);
    expect(await ask<ReceivedCounts>('stats')).toEqual({ received: { '1873c001': 1 }, total: 1 });
  });

  it('MC-TC-038 gateway-service.Q5 answers with where the bus stood at the first asking of a key, also to an heir', async () => {
    const handed = { frames: 7, decoded: 5, values: 3 };
    const first = await ask<SendReply>('send', sendCall('1', { handed }));
    expect(first).toEqual({ outcome: 'sent', at: START_MS, handed });
    const later = { frames: 9, decoded: 9, values: 9 };
    const heir = sendCall('1', { epoch: 2, recovering: { since: 0 }, handed: later });
    expect(await ask('send', heir)).toEqual(first);
  });

  it('answers unknown to a recovering owner when it started too late, and sends what never left when it did not', async () => {
    clock.advance(1_000);
    const recovering = (key: string, since: number) => ask('send', sendCall(key, { recovering: { since } }));
    expect(await recovering('1', START_MS - 1)).toMatchObject({ outcome: 'unknown' });
    expect(await recovering('2', START_MS + CLOCK_SKEW_MS)).toMatchObject({ outcome: 'unknown' });
    expect(await recovering('3', START_MS + CLOCK_SKEW_MS + 1)).toMatchObject({ outcome: 'sent' });
    await clock.run(100, 10);
    expect((await ask<ReceivedCounts>('stats')).received).toEqual({ '1873c003': 1 });
  });

  it('refuses an owner that was replaced', async () => {
    await ask('send', sendCall('1', { epoch: 3 }));
    expect(await ask('send', sendCall('2', { epoch: 2 }))).toMatchObject({ outcome: 'refused' });
  });

  it.each([
    ['no object', 17],
    ['no key', { ...sendCall('1'), key: undefined }],
    ['no target', { ...sendCall('1'), target: 7 }],
    ['no epoch', { ...sendCall('1'), epoch: '1' }],
    ['no hexadecimal', { ...sendCall('1'), frame: 'xyz' }],
    ['an empty frame', { ...sendCall('1'), frame: '' }],
    ['a frame longer than any', { ...sendCall('1'), frame: '00'.repeat(70_000) }],
    ['recovering without since', { ...sendCall('1'), recovering: {} }],
  ])('refuses a call with %s, and remembers nothing of it', async (_, call) => {
    expect(await ask('send', call)).toMatchObject({ outcome: 'refused', detail: expect.any(String) });
    expect(await ask('send', sendCall('1'))).toMatchObject({ outcome: 'sent' });
  });

  it('uplink_dead refuses to send, with the reason', async () => {
    await fault('uplink_dead', true);
    expect(await ask('send', sendCall('1'))).toMatchObject({
      outcome: 'refused',
      detail: expect.stringMatching(/dead/),
    });
    await fault('uplink_dead', false);
    expect(await ask('send', sendCall('2'))).toMatchObject({ outcome: 'sent' });
    await clock.run(100, 10);
    expect(await ask<ReceivedCounts>('stats')).toMatchObject({ total: 1 });
  });
});

describe('echo', () => {
  const echoes = () => onSubject<EchoMessage>('mcs.gw.echo.sim-1');

  it('MC-TC-041 reports what it received each sending', async () => {
    for (const key of ['1', '2']) await ask('send', sendCall(key));
    expect(echoes()).toEqual(
      ['1', '2'].map((key) => ({
        target: 'sat1',
        key,
        frame: sendCall(key).frame,
        conforming: true,
        at: START_MS,
      })),
    );
  });

  it('MC-TC-041 a damaged echo does not conform', async () => {
    await fault('bad_echo', true);
    await ask('send', sendCall('1'));
    expect(echoes()).toMatchObject([{ key: '1', conforming: false }]);
    expect(echoes()[0]?.frame).not.toBe(sendCall('1').frame);
  });

  it('reports none of what it refused to send, nor where the document has no echo', async () => {
    await fault('uplink_dead', true);
    await ask('send', sendCall('1'));
    await fault('uplink_dead', false);
    // Damaged, so that it is taken for the oldest sending: the refused one must not be among them.
    await fault('bad_echo', true);
    await ask('send', sendCall('2'));
    expect(echoes().map(({ key }) => key)).toEqual(['2']);
    const deaf = open({ ...SIMULATED, name: 'deaf', echo: false });
    await ask('send', sendCall('3'), 'deaf');
    expect(onSubject('mcs.gw.echo.deaf')).toEqual([]);
    await deaf.stop();
  });
});

describe('faults', () => {
  const known = [
    'cell_drain',
    'tm_silence',
    'no_reports',
    'reject_all',
    'slow_completion',
    'bad_checksum',
    'short_files',
    'wrong_generation',
    'no_chunks',
    'uplink_dead',
    'bad_echo',
  ];

  it('lists those it knows, and which are on', async () => {
    await fault('cell_drain', true);
    const reply = await ask<FaultReply>('faults');
    expect(reply).toEqual({
      ok: true,
      value: { faults: known.map((name) => ({ fault: name, on: name === 'cell_drain' })) },
    });
  });

  it('MC-SIM-005 MC-BUS-014 publishes each switch for the targets it reaches', async () => {
    clock.advance(1_500);
    await fault('tm_silence', true, { run: '01J0000000000000000000000R' });
    await fault('tm_silence', false);
    const at = new Date(START_MS + 1_500).toISOString();
    expect(onSubject('mcs.sim.evt.sat1')).toEqual([
      { run: '01J0000000000000000000000R', target: 'sat1', fault: 'tm_silence', on: true, at },
      { target: 'sat1', fault: 'tm_silence', on: false, at },
    ]);
    expect(onSubject('mcs.sim.evt.noaa20')).toEqual([]);
  });

  it('MC-SIM-005 publishes each switch for every target that it reaches', async () => {
    await gateway.stop();
    const both = demoMission((text) => text.replace('gateway: sim-2', 'gateway: sim-1'));
    gateway = open(SIMULATED, both);
    await fault('tm_silence', true);
    const at = new Date(START_MS).toISOString();
    for (const target of ['sat1', 'sat2'])
      expect(onSubject(`mcs.sim.evt.${target}`)).toEqual([{ target, fault: 'tm_silence', on: true, at }]);
  });

  it.each([
    ['stays on for another run', 'A on, B on, A off', [true, true]],
    ['stays on for a person', 'person on, A on, A off', [true, true]],
    ['stays on where a run is done with it twice', 'A on, B on, A off, A off', [true, true]],
    ['is off when the last run is done with it', 'A on, B on, A off, B off', [true, true, false]],
    ['is off for all when a person says so', 'A on, B on, person off', [true, true, false]],
    [
      'is on again for a run that does not say which fault of its program',
      'A on, A off, A on',
      [true, false, true],
    ],
    ['is on again for who asks again', 'A on, person off, B on, A off', [true, false, true]],
  ])('fault-holders.L1 one that several have on %s', async (_what, calls, published) => {
    const [isOn] = published.slice(-1);
    let reply: FaultReply | undefined;
    for (const [who = '', what] of calls.split(', ').map((call) => call.split(' ')))
      reply = await fault('tm_silence', what === 'on', who === 'person' ? {} : { run: who });
    expect(reply?.ok && reply.value.faults).toContainEqual({ fault: 'tm_silence', on: isOn });
    expect(onSubject<FaultEvent>('mcs.sim.evt.sat1').map(({ on }) => on)).toEqual(published);
  });

  it.each([
    ['an "on" that was late', ['A0 off', 'A0 on'], false],
    ['one of another fault of its program', ['A0 on', 'A0 off', 'A1 on'], true],
    ['one of another run', ['A0 on', 'A0 off', 'B0 on'], true],
    ['the first again, which is off before the second is', ['A0 on', 'A1 on', 'A0 off'], true],
    ['both off', ['A0 on', 'A1 on', 'A0 off', 'A1 off', 'A0 on'], false],
    ['a person behind it', ['A0 on', 'A0 off', ' on'], true],
  ])(
    'fault-holders.L2 a run is done with a fault once it has switched it off: %s',
    async (_, calls, isOn) => {
      let reply: FaultReply | undefined;
      for (const [who = '', what] of calls.map((call) => call.split(' '))) {
        const of = who === '' ? {} : { run: who[0], index: Number(who[1]) };
        reply = await fault('tm_silence', what === 'on', of);
      }
      expect(reply?.ok && reply.value.faults).toContainEqual({ fault: 'tm_silence', on: isOn });
    },
  );

  it('fault-holders.L2 an "on" that was late is not published, also where others have the fault on', async () => {
    await fault('tm_silence', true, { run: 'B', index: 0 });
    for (const on of [false, true]) await fault('tm_silence', on, { run: 'A', index: 0 });
    expect(onSubject<FaultEvent>('mcs.sim.evt.sat1').map(({ run, on }) => [run, on])).toEqual([['B', true]]);
  });

  it('fault-holders.L2 knows so many of those that are over', async () => {
    for (let n = 0; n <= SWITCHES_OVER_KEPT; n += 1)
      await fault('tm_silence', false, { run: `R${n}`, index: 0 });
    const late = async (n: number) => {
      const reply = await fault('tm_silence', true, { run: `R${n}`, index: 0 });
      return reply.ok && reply.value.faults.find((each) => each.fault === 'tm_silence')?.on;
    };
    expect([await late(1), await late(0)]).toEqual([false, true]);
  });

  it('switches the spacecraft', async () => {
    await fault('tm_silence', true);
    await clock.run(3_000, 100);
    expect(frames().length).toBeLessThanOrEqual(3);
  });

  it('MC-SIM-003 refuses a fault it does not know, naming those it does', async () => {
    const reply = await fault('meteor', true);
    expect(reply).toMatchObject({
      ok: false,
      faults: [{ code: 'sim::refused', message: expect.stringMatching(/cell_drain/) }],
    });
    expect(await ask('fault', { fault: 'cell_drain' })).toMatchObject({ faults: [{ code: 'sim::refused' }] });
    expect(bus.published).toEqual([]);
  });

  it('a document that lists faults allows no others', async () => {
    await gateway.stop();
    gateway = open({ ...SIMULATED, faults: ['cell_drain'], echo: false });
    expect(await ask('faults')).toMatchObject({ value: { faults: [{ fault: 'cell_drain' }] } });
    expect(await fault('tm_silence', true)).toMatchObject({ ok: false });
  });

  it('MC-SIM-002 a recording is not simulated', async () => {
    const replay = open(mission.gateways.get('replay-1')!);
    const refusal = { ok: false, faults: [{ code: 'sim::not-simulated' }] };
    expect(await ask('faults', {}, 'replay-1')).toMatchObject(refusal);
    expect(await ask('fault', { fault: 'x', on: true }, 'replay-1')).toMatchObject(refusal);
    await replay.stop();
  });
});

describe('definitions that cannot be used', () => {
  const definition = SIMULATED;

  it('MC-SIM-003 refuses simulation control of a simulation with settings it cannot use', async () => {
    await gateway.stop();
    gateway = open({ ...definition, settings: { model: 'zeppelin' } });
    const refusal = {
      ok: false,
      faults: [{ code: 'sim::refused', message: expect.stringMatching(/cannot be used/) }],
    };
    expect(await ask('faults')).toMatchObject(refusal);
    expect(await ask('fault', { fault: 'tm_silence', on: true })).toMatchObject(refusal);
  });

  it.each([
    ['an unknown model', { ...definition, settings: { model: 'zeppelin' } }, /unknown model/],
    ['an unknown fault', { ...definition, faults: ['meteor'] }, /no fault "meteor"/],
    ['a seed that is none', { ...definition, settings: { seed: 'x' } }, /seed/],
    [
      'a recording outside the folder',
      { ...definition, kind: 'recording' as const, settings: { file: '/x' } },
      /outside/,
    ],
    ['an external gateway', { ...definition, kind: 'external' as const }, /outside this service/],
  ])('gateway-service.Q2 %s is reported and refuses to send', async (_, changed, reason) => {
    await gateway.stop();
    gateway = open(changed);
    expect(log.said).toMatchObject([{ level: 'error', fields: { faults: [expect.stringMatching(reason)] } }]);
    expect(await ask('send', sendCall('1'))).toMatchObject({ outcome: 'refused' });
  });
});

it('plays a recording onto the bus, each packet once and in order', async () => {
  const definition = mission.gateways.get('replay-1')!;
  const { file } = definition.settings;
  const replay = open({ ...definition, settings: { file, as_fast_as_possible: true } });
  const counts = () =>
    bus
      .on('mcs.tm.frame.replay-1')
      .flatMap(({ data }) =>
        decodeBatch<FrameBatch>(data).frames.map((each) => Buffer.from(each).readUInt16BE(2) & 0x3fff),
      );
  await until(async () => {
    await clock.run(1);
    return counts().length >= 7_200;
  });
  expect(counts()).toEqual(Array.from({ length: 7_200 }, (_, index) => (2_606 + index) & 0x3fff));
  expect(replay.dropped).toBe(0);
  await replay.stop();
});

it('gateway-service.Q8 has one subscription for its verbs, and refuses one that it does not have', async () => {
  const serve = vi.spyOn(bus, 'serve');
  const other = open({ ...SIMULATED, name: 'sim-9' });
  expect(serve.mock.calls.map(([about]) => about)).toEqual(['mcs.ctl.rpc.gateway.sim-9.*']);
  expect(await ask('sends', {}, 'sim-9')).toEqual({
    outcome: 'refused',
    detail: 'gateway sim-9 has no verb "sends"',
  });
  await other.stop();
});

it('gateway-service.Q3 switches and answers nothing once another process may run it', async () => {
  let owns = true;
  const other = open({ ...SIMULATED, name: 'sim-9' }, mission, () => owns);
  expect(await ask('faults', {}, 'sim-9')).toMatchObject({ ok: true });
  owns = false;
  for (const verb of ['faults', 'fault', 'files', 'state', 'stats', 'bind', 'send', 'pdus', 'fence'])
    await expect(ask(verb, { fault: 'uplink_dead', on: true }, 'sim-9')).rejects.toMatchObject({
      code: 'bus.timeout',
    });
  expect(bus.published.filter((message) => message.subject.startsWith('mcs.sim.evt.'))).toEqual([]);
  owns = true;
  expect(await ask('faults', {}, 'sim-9')).not.toMatchObject({
    value: { faults: expect.arrayContaining([{ fault: 'uplink_dead', on: true }]) },
  });
  await other.stop();
});

it('serves nothing after it stopped', async () => {
  await gateway.stop();
  await expect(ask('send', sendCall('1'))).rejects.toMatchObject({ code: 'bus.no-responder' });
});
