/**
 * A gateway lets a frame of a run leave only while that run holds its target, whatever it waited for meanwhile.
 */

import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { HOLD_READ_MS } from '../../contract/limits/telecommand.ts';
import type { FenceReply, SendCall, SendReply } from '../../contract/link.ts';
import type { TargetHolds } from '../../contract/target-holds.ts';
import { createGateway, type RunningGateway } from '../../links/gateway-service.ts';
import type { Spacecraft } from '../../links/simulated/spacecraft.ts';
import type { Gateway as Definition } from '../../mission/mission.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { demoMission, TestMissions } from '../support/missions.ts';
import { freePort } from '../support/radio.ts';
import { keptLog } from '../support/silent-log.ts';
import { UNREADABLE_HOLDS } from '../support/unreadable-holds.ts';
import { until } from '../support/until.ts';
import { MemoryBus } from './memory-bus.ts';

const RUN = 'run-a';
const START_MS = 1_000_000;
const mission = demoMission();
const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface World {
  readonly bus: MemoryBus;
  readonly clock: ManualClock;
  readonly gateway: RunningGateway;
  /** Frames that reached the radio. */
  readonly received: () => number;
  /** Holds of the target from now on. */
  hold(holds: TargetHolds): Promise<unknown>;
  send(key: string, changes?: Partial<SendCall>): Promise<SendReply>;
  fence(upTo: number, run?: string): Promise<FenceReply>;
}

type Kind = 'simulated' | 'udp' | 'tcp';
const KINDS: readonly Kind[] = ['simulated', 'udp', 'tcp'];

async function open(kind: Kind, holds?: () => boolean): Promise<World> {
  const bus = new MemoryBus();
  const clock = new ManualClock(START_MS);
  const radio = await RADIOS[kind]();
  const gateway = createGateway(radio.definition, {
    bus,
    clock,
    log: keptLog(),
    random: { next: () => 0.5 },
    missions: new TestMissions(mission),
    ...(holds !== undefined && { holds }),
    ...(kind === 'simulated' && {
      spacecraft: () =>
        ({
          faults: new Set<string>(),
          onDownlink: () => undefined,
          stop: () => undefined,
          uplink: () => radio.got(),
        }) as unknown as Spacecraft,
    }),
  });
  gateway.start();
  ends.push(() => gateway.stop());
  if (kind !== 'simulated') await until(() => gateway.report().link.state === 'up');
  const ask = <Reply>(verb: string, call: object): Promise<Reply> =>
    bus.ask<Reply>(subject.gatewayVerb(radio.definition.name, verb), call);
  return {
    bus,
    clock,
    gateway,
    received: radio.received,
    hold: (wanted) => bus.bucket(buckets.leases).overwrite('sat1', Buffer.from(JSON.stringify(wanted))),
    send: (key, changes = {}) =>
      ask('send', {
        target: 'sat1',
        key,
        epoch: 1,
        frame: '0801c0000000ff',
        notAfter: clock.now() + 3_000,
        hold: { run: RUN, position: 10 },
        ...changes,
      }),
    fence: (upTo, run = RUN) => ask('fence', { target: 'sat1', run, upTo }),
  };
}

interface Radio {
  readonly definition: Definition;
  readonly received: () => number;
  readonly got: () => void;
}

const plain = { name: 'radio', tags: [], echo: false, faults: [], settings: {} };

function counter(): { got: () => void; received: () => number } {
  let count = 0;
  const got = (): void => {
    count += 1;
  };
  return { got, received: () => count };
}

const RADIOS: Readonly<Record<Kind, () => Promise<Radio>>> = {
  simulated: async () => ({ definition: { ...plain, kind: 'simulated' }, ...counter() }),
  udp: async () => {
    const counted = counter();
    const socket: Datagrams = createSocket('udp4').bind(0, '127.0.0.1');
    socket.on('message', counted.got);
    await once(socket, 'listening');
    ends.push(() => socket.close());
    const bind = { host: '127.0.0.1', port: await freePort('udp') };
    const peer = { host: '127.0.0.1', port: socket.address().port };
    const endpoint = { kind: 'udp', bind, peer, accept: 'any' } as const;
    return { definition: { ...plain, kind: 'udp', endpoint }, ...counted };
  },
  tcp: async () => {
    const counted = counter();
    const peers: Socket[] = [];
    const server = createServer((socket) => {
      peers.push(socket);
      socket.on('data', (bytes) => {
        for (let n = 0; n < bytes.length / 7; n += 1) counted.got();
      });
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => {
      for (const peer of peers) peer.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const framing = { kind: 'space-packet', maxBytes: 65_542 } as const;
    const endpoint = { kind: 'tcp', side: 'connect', address: { host: '127.0.0.1', port }, framing } as const;
    return { definition: { ...plain, kind: 'tcp', endpoint }, ...counted };
  },
};

const mine = { run: RUN, mode: 'exclusive' } as const;
const other = { run: 'run-b', mode: 'exclusive' } as const;

/** Holds of the target, and whether a frame submitted at 10 by the run leaves. */
const CASES: readonly [string, TargetHolds | undefined, 'sent' | string][] = [
  ['held', { holders: [mine] }, 'sent'],
  ['held since before the submission', { holders: [{ ...mine, from: 9 }] }, 'sent'],
  [
    'held with others',
    {
      holders: [
        { ...other, mode: 'shared' },
        { ...mine, mode: 'shared' },
      ],
    },
    'sent',
  ],
  [
    'held again by another run before',
    { holders: [mine], taken: [{ run: 'c', reaction: 'r', by: 'x' }] },
    'sent',
  ],
  ['no entry', undefined, 'no longer holds sat1'],
  ['given back', { holders: [] }, 'no longer holds sat1'],
  ['held by another run', { holders: [other] }, 'no longer holds sat1'],
  ['being given back', { holders: [{ ...mine, leaving: true }] }, 'is releasing sat1'],
  ['held anew since', { holders: [{ ...mine, from: 10 }] }, 'has taken sat1 again since'],
  [
    'taken by a reaction',
    { holders: [mine], taken: [{ run: RUN, reaction: 'r', by: 'alarm a' }] },
    'was taken from run run-a by alarm a',
  ],
];

describe.each(KINDS)('a gateway of kind %s', (kind) => {
  it.each(CASES)('A-71 a target %s', async (_name, holds, expected) => {
    const world = await open(kind);
    if (holds !== undefined) await world.hold(holds);
    const reply = await world.send('1');
    if (expected === 'sent') {
      expect(reply).toMatchObject({ outcome: 'sent' });
      await until(() => world.received() === 1);
      return;
    }
    expect(reply).toEqual({ outcome: 'refused', detail: expect.stringContaining(expected) });
    // What leaves behind it shows that it did not.
    await world.send('2', { hold: undefined } as never);
    await until(() => world.received() > 0);
    expect(world.received()).toBe(1);
  });

  it.each(UNREADABLE_HOLDS)(
    'A-71 target-holds.H1 a target whose hold cannot be read: %s',
    async (_, text) => {
      const world = await open(kind);
      await world.bus.bucket(buckets.leases).overwrite('sat1', Buffer.from(text));
      expect(await world.send('1')).toEqual({
        outcome: 'refused',
        detail: expect.stringContaining('who holds sat1 is not known'),
      });
      await world.hold({ holders: [mine] });
      expect(await world.send('2')).toMatchObject({ outcome: 'sent' });
      await until(() => world.received() === 1);
    },
  );

  it('A-71 departures.L2 reads the holds again when it slept behind its reading', async () => {
    const world = await open(kind);
    await world.hold({ holders: [mine] });
    const bucket = world.bus.bucket(buckets.leases);
    const held = bucket.entries.get('sat1');
    const get = bucket.get.bind(bucket);
    let reads = 0;
    bucket.get = async (key) => {
      reads += 1;
      const found = reads === 1 ? held : await get(key);
      if (reads === 1) {
        await world.hold({ holders: [other] });
        world.clock.advance(HOLD_READ_MS + 1);
      }
      return found;
    };
    expect(await world.send('1')).toMatchObject({ outcome: 'refused' });
    expect(reads).toBe(2);
    expect(world.received()).toBe(0);
  });

  it('departures.L2 what was read counts for the frames that follow, for as long as it counts for one', async () => {
    const world = await open(kind);
    await world.hold({ holders: [mine] });
    const bucket = world.bus.bucket(buckets.leases);
    const get = bucket.get.bind(bucket);
    let reads = 0;
    bucket.get = async (key) => {
      reads += 1;
      return get(key);
    };
    await world.send('1');
    world.clock.advance(HOLD_READ_MS);
    expect(await world.send('2')).toMatchObject({ outcome: 'sent' });
    expect(reads).toBe(1);
    await world.hold({ holders: [other] });
    world.clock.advance(1);
    expect(await world.send('3')).toMatchObject({ outcome: 'refused' });
    expect(reads).toBe(2);
    await until(() => world.received() === 2);
  });

  it('departures.L2 a run is not refused by what was read before it had the target', async () => {
    const world = await open(kind);
    await world.hold({ holders: [other] });
    expect(await world.send('1')).toMatchObject({ outcome: 'refused' });
    await world.hold({ holders: [mine] });
    expect(await world.send('2')).toMatchObject({ outcome: 'sent' });
  });

  it('departures.L3 what is fenced does not leave, also by holds that were read for a frame before', async () => {
    const world = await open(kind);
    await world.hold({ holders: [mine] });
    expect(await world.send('1')).toMatchObject({ outcome: 'sent' });
    await world.fence(10);
    expect(await world.send('2')).toMatchObject({ outcome: 'refused' });
  });

  it('departures.L1 a frame whose time is over when it is handed over does not leave, whoever sends it', async () => {
    const world = await open(kind);
    await world.hold({ holders: [mine] });
    const bucket = world.bus.bucket(buckets.leases);
    const get = bucket.get.bind(bucket);
    bucket.get = async (key) => {
      world.clock.advance(3_001);
      return get(key);
    };
    expect(await world.send('1')).toMatchObject({
      outcome: 'refused',
      detail: expect.stringContaining('had to leave before'),
    });
    expect(world.received()).toBe(0);
  });

  it('departures.L3 what is fenced does not leave, also where the holds that were read say that it may', async () => {
    const world = await open(kind);
    await world.hold({ holders: [mine] });
    expect(await world.fence(10)).toEqual({ fenced: true });
    expect(await world.send('1')).toMatchObject({
      outcome: 'refused',
      detail: expect.stringContaining('has released sat1'),
    });
    expect(await world.send('2', { hold: { run: RUN, position: 11 } })).toMatchObject({ outcome: 'sent' });
    expect(await world.send('3', { target: 'sat2' })).toMatchObject({ outcome: 'refused' });
  });

  it('gateway-service.Q3 a process that loses the gateway behind the reading sends nothing and answers nothing', async () => {
    let owns = true;
    const world = await open(kind, () => owns);
    await world.hold({ holders: [mine] });
    const bucket = world.bus.bucket(buckets.leases);
    const get = bucket.get.bind(bucket);
    bucket.get = async (key) => {
      owns = false;
      return get(key);
    };
    await expect(world.send('1')).rejects.toMatchObject({ code: 'bus.timeout' });
    expect(world.received()).toBe(0);
    await expect(world.fence(10)).rejects.toMatchObject({ code: 'bus.timeout' });
  });
});

it('departures.L3 a fence is answered once the frame that is on its way has left or will not', async () => {
  const world = await open('simulated');
  await world.hold({ holders: [mine] });
  const bucket = world.bus.bucket(buckets.leases);
  const get = bucket.get.bind(bucket);
  let read: () => void = () => undefined;
  bucket.get = (key) =>
    new Promise((resolve) => {
      read = () => resolve(get(key));
    });
  const sending = world.send('1');
  let isFenced = false;
  const fence = world.fence(10).then(() => {
    isFenced = true;
  });
  const others = await world.fence(10, 'run-c');
  expect(others).toEqual({ fenced: true });
  expect(isFenced).toBe(false);
  read();
  await fence;
  expect(await sending).toMatchObject({ outcome: 'refused' });
  expect(world.received()).toBe(0);
});

it('departures.L2 waits for a bus that is away for as long as the frame may leave', async () => {
  const world = await open('simulated');
  await world.hold({ holders: [mine] });
  world.bus.connected = false;
  const [back, never] = [world.send('1'), world.send('2', { notAfter: START_MS + 500 })];
  await world.clock.run(600, 50);
  expect(await never).toMatchObject({ outcome: 'refused', detail: expect.stringContaining('had to leave') });
  world.bus.connected = true;
  await world.clock.run(200, 50);
  expect(await back).toMatchObject({ outcome: 'sent' });
});

it.each([{ run: 1, position: 1 }, { run: RUN }, 'x'])(
  'a call whose hold is none is refused: %j',
  async (hold) => {
    const world = await open('simulated');
    expect(await world.send('1', { hold } as never)).toMatchObject({
      outcome: 'refused',
      detail: expect.stringContaining('`hold` lacks'),
    });
  },
);
