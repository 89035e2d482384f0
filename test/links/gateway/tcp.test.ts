/** A gateway over TCP against sockets of this process: what leaves, what is refused, what cannot tell. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  LINK_CONNECT_MS,
  LINK_RETRY_FIRST_MS,
  LINK_SEND_MS,
  LINK_STILL_LOOK_MS,
} from '../../../contract/limits/link.ts';
import type { Gateway } from '../../../links/gateway/gateway.ts';
import { createTcp } from '../../../links/gateway/tcp.ts';
import type { TcpEndpoint } from '../../../mission/endpoint.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { freePort } from '../../support/radio.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';
import { comesSoon } from '../comes-soon.ts';

const framing = { kind: 'line', maxBytes: 100, ending: 'lf' } as const;
const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Opened {
  readonly gateway: Gateway;
  readonly clock: HeapClock;
  readonly frames: string[];
  /** Set to hold back: the promise given for each frame. */
  hold: Promise<void> | undefined;
  changes: number;
}

function open(endpoint: Partial<TcpEndpoint> & Pick<TcpEndpoint, 'address'>): Opened {
  const clock = new HeapClock(1_000_000);
  const options = { clock, random: { next: () => 0.999_999 }, log: keptLog() };
  const gateway = createTcp({ kind: 'tcp', side: 'connect', framing, ...endpoint }, options);
  const opened: Opened = { gateway, clock, frames: [], hold: undefined, changes: 0 };
  gateway.start({
    frame: (frame) => {
      opened.frames.push(frame.toString());
      return opened.hold;
    },
    echo: () => undefined,
    changed: () => {
      opened.changes += 1;
    },
  });
  ends.push(() => gateway.stop());
  return opened;
}

async function listen(port = 0): Promise<{ server: Server; port: number; peers: Socket[] }> {
  const peers: Socket[] = [];
  const server = createServer((socket) => {
    peers.push(socket);
    socket.on('error', () => undefined);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    for (const peer of peers) peer.destroy();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port, peers };
}

const stateOf = ({ gateway }: Opened) => gateway.link!().condition;
const isIn = (opened: Opened, state: string) =>
  until(() => stateOf(opened).state === state, { what: `state ${state}` });

async function connected(more: Partial<TcpEndpoint> = {}): Promise<Opened & { peer: Socket }> {
  const { port, peers } = await listen();
  const opened = open({ address: { host: '127.0.0.1', port }, ...more });
  await isIn(opened, 'up');
  const peer = await until(() => peers[0]);
  return Object.assign(opened, { peer });
}

describe('port-wait.V3 what is to be sent as it begins', () => {
  const mayLeave = () => undefined;

  it('tcp.Y1 leaves by the first connection', async () => {
    const { port, peers } = await listen();
    const { gateway, clock } = open({ address: { host: '127.0.0.1', port } });
    const sending = gateway.send(Buffer.from('PING'), mayLeave);
    const peer = await until(() => peers[0]);
    const received: Buffer[] = [];
    peer.on('data', (bytes) => received.push(bytes));
    await until(() => {
      clock.advance(5);
      return received.length === 1;
    });
    expect(await sending).toEqual({ sent: true });
  });

  it('tcp.Y1 tcp-source.R4 is refused once the first try has failed, and from then on at once', async () => {
    const port = await freePort('tcp');
    const opened = open({ address: { host: '127.0.0.1', port } });
    const sending = opened.gateway.send(Buffer.from('x'), mayLeave);
    await until(() => stateOf(opened).reason !== undefined);
    opened.clock.advance(25);
    const refused = { sent: false, detail: expect.stringContaining('ECONNREFUSED') };
    expect(await sending).toEqual(refused);
    expect(await opened.gateway.send(Buffer.from('y'), mayLeave)).toEqual(refused);
  });

  it('port-wait.V1 is refused when it may not leave any more, and where nobody says until when it may', async () => {
    const { port } = await listen();
    const { gateway } = open({ address: { host: '127.0.0.1', port } });
    const refused = { sent: false, detail: expect.stringContaining('no connection') };
    expect(await gateway.send(Buffer.from('x'), () => 'late')).toEqual(refused);
    expect(await gateway.send(Buffer.from('y'))).toEqual(refused);
  });

  it('does not wait for a radio that has not called', async () => {
    const opened = open({ side: 'listen', address: { host: '127.0.0.1', port: await freePort('tcp') } });
    const sending = opened.gateway.send(Buffer.from('x'), mayLeave);
    await until(() => stateOf(opened).reason?.startsWith('waiting for the radio') === true);
    opened.clock.advance(25);
    expect(await sending).toMatchObject({ sent: false });
  });
});

describe('a connection', () => {
  it('carries frames both ways', async () => {
    const { gateway, frames, peer } = await connected();
    peer.write('one\ntw');
    peer.write('o\n');
    await until(() => frames.length === 2);
    expect(frames).toEqual(['one', 'two']);
    expect(await gateway.send(Buffer.from('PING'))).toEqual({ sent: true });
    const [bytes] = (await once(peer, 'data')) as [Buffer];
    expect(bytes.toString()).toBe('PING\n');
  });

  it('refuses a frame that its framing cannot carry, and sends nothing of it', async () => {
    const { gateway, peer } = await connected();
    expect(await gateway.send(Buffer.from('A\nB'))).toMatchObject({
      sent: false,
      detail: expect.stringContaining('line break'),
    });
    await gateway.send(Buffer.from('C'));
    const [bytes] = (await once(peer, 'data')) as [Buffer];
    expect(bytes.toString()).toBe('C\n');
  });

  it('tcp-connection.N2 reads no further while there is no room, and loses nothing', async () => {
    const opened = await connected();
    let release: () => void = () => undefined;
    opened.hold = new Promise((resolve) => {
      release = resolve;
    });
    opened.peer.write('a\nb\nc\n');
    await until(() => opened.frames.length === 1);
    // More than the network holds of a peer that nobody reads.
    let isTaken = false;
    opened.peer.write(`${'x'.repeat(99)}\n`.repeat(200_000), () => {
      isTaken = true;
    });
    expect(await until(() => isTaken, { timeoutMs: 500 }).catch(() => false)).toBe(false);
    expect(opened.frames).toEqual(['a']);
    opened.hold = undefined;
    release();
    await until(() => opened.frames.length === 200_003);
    expect(opened.frames.slice(0, 4)).toEqual(['a', 'b', 'c', 'x'.repeat(99)]);
  });

  it('tcp-connection.N4 gives a packet behind noise once the stream stands still, without waiting for the next one', async () => {
    const packets = { kind: 'space-packet', maxBytes: 64, apids: [0x42] } as const;
    const { gateway, clock, frames, peer } = await connected({ framing: packets });
    const noise = Buffer.from('ffeeddcc', 'hex');
    const good = Buffer.concat([Buffer.from('0042c0000003', 'hex'), Buffer.from('good')]);
    peer.write(Buffer.concat([noise, good]));
    await until(() => gateway.link!().skippedBytes === noise.length);
    // A process that slept finds one look due, and what has come meanwhile behind it.
    clock.advance(LINK_STILL_LOOK_MS);
    expect(frames).toEqual([]);
    clock.advance(LINK_STILL_LOOK_MS);
    expect(frames).toEqual([good.toString()]);
    const half = good.subarray(0, 8);
    peer.write(half);
    await until(() => clock.next() !== undefined);
    clock.advance(10 * LINK_STILL_LOOK_MS);
    peer.write(good.subarray(8));
    await until(() => frames.length === 2);
    expect([frames[1], gateway.link!().skippedBytes]).toEqual([good.toString(), noise.length]);
  });

  it('reports silence, and of its end; a frame still leaves meanwhile', async () => {
    const opened = await connected({ silentAfterMs: 30_000 });
    opened.clock.advance(29_999);
    expect(stateOf(opened).state).toBe('up');
    opened.clock.advance(1);
    expect(stateOf(opened)).toMatchObject({ state: 'silent', reason: 'nothing received for 30 s' });
    expect(await opened.gateway.send(Buffer.from('PING'))).toEqual({ sent: true });
    opened.peer.write('x\n');
    await isIn(opened, 'up');
    opened.clock.advance(30_000);
    expect(stateOf(opened).state).toBe('silent');
  });
});

describe('send-queue.Q2 Q3 a peer that takes nothing', () => {
  /** Sends until the kernel takes no more: the last one is under way. */
  async function stuck() {
    const opened = await connected({ framing: { kind: 'space-packet', maxBytes: 65_542 } });
    opened.peer.pause();
    const answers: unknown[] = [];
    for (;;) {
      const before = answers.length;
      void opened.gateway.send(Buffer.alloc(65_000)).then((sent) => answers.push(sent));
      if (!(await comesSoon(() => answers.length > before))) return Object.assign(opened, { answers });
    }
  }

  it('a frame under way is unsure, one behind it is refused, and the connection ends', async () => {
    const opened = await stuck();
    const { gateway, clock, answers } = opened;
    const sent = answers.length;
    void gateway.send(Buffer.from('behind')).then((answer) => answers.push(answer));
    clock.advance(LINK_SEND_MS);
    await until(() => answers.length === sent + 2);
    expect(answers.slice(sent)).toMatchObject([
      { sent: false, unsure: true, detail: expect.stringContaining('cannot tell') },
      { sent: false, detail: expect.any(String) },
    ]);
    expect(answers.at(-1)).not.toHaveProperty('unsure');
    await isIn(opened, 'connecting');
    expect(stateOf(opened).reason).toContain('takes no more frames');
  });

  it('tcp.Y2 does not hold up the stop, and answers whoever waits', async () => {
    const { gateway, answers } = await stuck();
    const sent = answers.length;
    await gateway.stop();
    await until(() => answers.length === sent + 1);
    expect(answers.at(-1)).toMatchObject({ unsure: true });
    expect(await gateway.send(Buffer.from('x'))).toMatchObject({ sent: false });
  });
});

describe('a connection that is lost', () => {
  it('tcp-connection.N1 half a frame is cut off and counted, and is never completed by the next connection', async () => {
    const { port, peers } = await listen();
    const opened = open({ address: { host: '127.0.0.1', port } });
    await isIn(opened, 'up');
    const first = await until(() => peers[0]);
    first.end('whole\nha');
    await isIn(opened, 'connecting');
    expect(await opened.gateway.send(Buffer.from('x'))).toMatchObject({
      sent: false,
      detail: expect.stringContaining('closed the connection'),
    });
    opened.clock.advance(LINK_RETRY_FIRST_MS);
    const second = await until(() => peers[1]);
    second.write('lf\n');
    await until(() => opened.frames.length === 2);
    expect(opened.frames).toEqual(['whole', 'lf']);
    expect(opened.gateway.link!()).toMatchObject({ reconnects: 1, cut: 1, skippedBytes: 2 });
  });

  it('tcp-source.R2 is tried again after growing waits', async () => {
    const opened = open({ address: { host: '127.0.0.1', port: await freePort('tcp') } });
    const waits: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      // While it dials, the end of the attempt is due; once it was refused, the end of the wait.
      const dueInMs = await until(() => {
        const inMs = (opened.clock.next() ?? 0) - opened.clock.now();
        return inMs > 0 && inMs !== LINK_CONNECT_MS && inMs;
      });
      waits.push(Math.round(dueInMs));
      opened.clock.advance(dueInMs);
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000]);
  });
});

describe('a radio that calls', () => {
  async function waiting(more: Partial<TcpEndpoint> = {}) {
    const port = await freePort('tcp');
    const opened = open({ side: 'listen', address: { host: '127.0.0.1', port }, ...more });
    await until(() => stateOf(opened).reason?.startsWith('waiting'));
    const call = async (): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      ends.push(() => socket.destroy());
      await once(socket, 'connect');
      return socket;
    };
    return { opened, call };
  }

  it('keeps its connection: a second one is refused and counted, until the first has ended (tcp-source.R1)', async () => {
    const { opened, call } = await waiting();
    const first = await call();
    await isIn(opened, 'up');
    const second = await call();
    second.resume();
    await once(second, 'close');
    first.write('still here\n');
    await until(() => opened.frames.length === 1);
    expect(opened.gateway.link!()).toMatchObject({ reconnects: 0, foreign: 1, condition: { state: 'up' } });
    first.destroy();
    await isIn(opened, 'connecting');
    (await call()).write('again\n');
    await until(() => opened.frames.length === 2);
    expect(opened.frames).toEqual(['still here', 'again']);
  });

  it.each([
    [['127.0.0.2'], false],
    [['10.0.0.0/8', '::1'], false],
    [['127.0.0.1'], true],
    [['127.0.0.0/8'], true],
  ] as const)('tcp-source.R3 accepted from %j: %s', async (accept, isAccepted) => {
    const { opened, call } = await waiting({ accept });
    const radio = await call();
    radio.resume();
    if (isAccepted) {
      await isIn(opened, 'up');
      return;
    }
    await once(radio, 'close');
    expect(opened.gateway.link!()).toMatchObject({ foreign: 1, condition: { state: 'connecting' } });
  });

  it('with replace the one that comes later counts (tcp-source.R1)', async () => {
    const { opened, call } = await waiting({ replace: true });
    const first = await call();
    await isIn(opened, 'up');
    const closed = once(first, 'close');
    first.resume();
    const second = await call();
    await closed;
    second.write('hello\n');
    await until(() => opened.frames.length === 1);
    expect(opened.gateway.link!()).toMatchObject({ reconnects: 1, condition: { state: 'up' } });
    second.destroy();
    await isIn(opened, 'connecting');
  });

  it('cannot come to a port that is taken: the link is down with the reason until it is free', async () => {
    const { port, server } = await listen();
    const opened = open({ side: 'listen', address: { host: '127.0.0.1', port } });
    await isIn(opened, 'down');
    expect(stateOf(opened).reason).toContain('EADDRINUSE');
    expect(await opened.gateway.send(Buffer.from('x'))).toMatchObject({
      detail: expect.stringContaining('EADDRINUSE'),
    });
    server.close();
    await once(server, 'close');
    opened.clock.advance(LINK_RETRY_FIRST_MS);
    await isIn(opened, 'connecting');
  });

  it('tcp.Y1 port-wait.V1 what is to be sent waits for a port that another process still has, while it may leave', async () => {
    const { port, server } = await listen();
    const opened = open({ side: 'listen', address: { host: '127.0.0.1', port } });
    await isIn(opened, 'down');
    expect(stateOf(opened).reason).toContain('another process still uses the port');
    const end = opened.clock.now() + 10_000;
    const sending = opened.gateway.send(Buffer.from('x'), () =>
      opened.clock.now() > end ? 'late' : undefined,
    );
    server.close();
    await once(server, 'close');
    await until(() => {
      opened.clock.advance(10);
      return stateOf(opened).state === 'connecting';
    });
    const radio = connect(port, '127.0.0.1');
    ends.push(() => radio.destroy());
    const received: Buffer[] = [];
    radio.on('data', (bytes) => received.push(bytes));
    await until(() => {
      opened.clock.advance(5);
      return received.length === 1;
    });
    expect(await sending).toEqual({ sent: true });
  });
});
