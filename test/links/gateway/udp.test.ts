/** A gateway over UDP against sockets of this process. */

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { LINK_RETRY_FIRST_MS, UDP_DROPS_LOOK_MS } from '../../../contract/limits/link.ts';
import type { Gateway } from '../../../links/gateway/gateway.ts';
import { createUdp } from '../../../links/gateway/udp.ts';
import type { UdpEndpoint } from '../../../mission/endpoint.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { freePort } from '../../support/radio.ts';
import { type KeptLog, keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Opened {
  readonly gateway: Gateway;
  readonly clock: HeapClock;
  readonly frames: string[];
  readonly port: number;
  readonly log: KeptLog;
}

async function open(more: Partial<UdpEndpoint> = {}): Promise<Opened> {
  const clock = new HeapClock(1_000_000);
  const port = more.bind?.port ?? (await freePort('udp'));
  const bind = { host: '127.0.0.1', port };
  const log = keptLog();
  const options = { clock, random: { next: () => 0.999_999 }, log };
  const gateway = createUdp({ kind: 'udp', bind, accept: 'any', ...more }, options);
  const frames: string[] = [];
  gateway.start({ frame: (frame) => void frames.push(frame.toString()), echo: () => undefined });
  ends.push(() => gateway.stop());
  return { gateway, clock, frames, port, log };
}

async function socket(address = '127.0.0.1'): Promise<{ radio: Socket; port: number; received: Buffer[] }> {
  const radio = createSocket('udp4').bind(0, address);
  const received: Buffer[] = [];
  radio.on('message', (bytes) => received.push(bytes));
  await once(radio, 'listening');
  let isOpen = true;
  radio.on('close', () => {
    isOpen = false;
  });
  ends.push(() => isOpen && radio.close());
  return { radio, port: radio.address().port, received };
}

const stateOf = ({ gateway }: Opened) => gateway.link!().condition;
const isIn = (opened: Opened, state: string) =>
  until(() => stateOf(opened).state === state, { what: `state ${state}` });

describe('a socket', () => {
  it('takes each datagram for a frame, and sends each frame as one', async () => {
    const { radio, port, received } = await socket();
    const opened = await open({ peer: { host: 'localhost', port } });
    await isIn(opened, 'up');
    for (const frame of ['one', '', 'three']) radio.send(frame, opened.port, '127.0.0.1');
    await until(() => opened.frames.length === 2);
    expect(opened.frames).toEqual(['one', 'three']);
    expect(await opened.gateway.send(Buffer.from('PING'))).toEqual({ sent: true });
    await until(() => received.length === 1);
    expect(String(received[0])).toBe('PING');
  });

  it('udp.D3 cuts a datagram by its framing; what is unfinished at its end is dropped and counted', async () => {
    const { radio } = await socket();
    const opened = await open({ framing: { kind: 'line', maxBytes: 100, ending: 'lf' } });
    await isIn(opened, 'up');
    radio.send('one\ntwo\nthr', opened.port, '127.0.0.1');
    radio.send('ee\nfour\n', opened.port, '127.0.0.1');
    await until(() => opened.frames.length === 4);
    expect(opened.frames).toEqual(['one', 'two', 'ee', 'four']);
    expect(opened.gateway.link!()).toMatchObject({ cut: 1, skippedBytes: 3 });
  });

  it('framer.K4 gives the last packet of a datagram though noise is before it', async () => {
    const { radio } = await socket();
    const opened = await open({ framing: { kind: 'space-packet', maxBytes: 64, apids: [0x42] } });
    await isIn(opened, 'up');
    const good = Buffer.concat([Buffer.from('0042c0000003', 'hex'), Buffer.from('good')]);
    radio.send(Buffer.concat([Buffer.from('ffee', 'hex'), good]), opened.port, '127.0.0.1');
    await until(() => opened.frames.length === 1);
    expect(opened.frames).toEqual([good.toString()]);
    expect(opened.gateway.link!()).toMatchObject({ cut: 0, skippedBytes: 2 });
  });

  it('takes datagrams of the hosts of a list alone, of their ports where they are given', async () => {
    const [one, other] = [await socket(), await socket()];
    const opened = await open({ accept: [`127.0.0.1:${one.port}`, '10.0.0.0/8'] });
    await isIn(opened, 'up');
    other.radio.send('stranger', opened.port, '127.0.0.1');
    await until(() => opened.gateway.link!().foreign === 1);
    one.radio.send('radio', opened.port, '127.0.0.1');
    await until(() => opened.frames.length === 1);
    expect(opened.frames).toEqual(['radio']);
  });

  it('takes no datagram of a stranger where only the peer is accepted, and counts it', async () => {
    const peer = await socket();
    const stranger = await socket('127.0.0.2');
    const opened = await open({ peer: { host: '127.0.0.1', port: peer.port }, accept: 'peer' });
    await isIn(opened, 'up');
    stranger.radio.send('false', opened.port, '127.0.0.1');
    peer.radio.send('true', opened.port, '127.0.0.1');
    await until(() => opened.frames.length === 1 && opened.gateway.link!().foreign === 1);
    expect(opened.frames).toEqual(['true']);
  });

  it('without a peer refuses to send', async () => {
    const opened = await open();
    await isIn(opened, 'up');
    expect(await opened.gateway.send(Buffer.from('x'))).toMatchObject({
      sent: false,
      detail: expect.stringContaining('no peer'),
    });
  });

  it('udp.D1 a frame that no datagram holds is refused, never unsure, and the next one leaves', async () => {
    const { port, received } = await socket();
    const opened = await open({ peer: { host: '127.0.0.1', port } });
    await isIn(opened, 'up');
    const answer = await opened.gateway.send(Buffer.alloc(65_520));
    expect(answer).toEqual({ sent: false, detail: expect.stringContaining('EMSGSIZE') });
    expect(await opened.gateway.send(Buffer.from('x'))).toEqual({ sent: true });
    await until(() => received.length === 1);
  });

  it('udp.D5 counts what the kernel drops: nothing that was sent is missing from the counts', async () => {
    const { radio } = await socket();
    const opened = await open({ receiveBytes: 4_096 });
    await isIn(opened, 'up');
    const sent = 500;
    await Promise.all(
      Array.from(
        { length: sent },
        () =>
          new Promise((done) => void radio.send(Buffer.alloc(1_000, 'x'), opened.port, '127.0.0.1', done)),
      ),
    );
    await until(() => {
      opened.clock.advance(UDP_DROPS_LOOK_MS);
      return opened.frames.length + opened.gateway.link!().kernel! === sent;
    });
    expect(opened.gateway.link!().kernel).toBeGreaterThan(0);
    const drops = opened.log.said.filter(({ message }) => message.startsWith('the kernel drops datagrams'));
    expect(drops.length).toBeGreaterThan(0);
  });

  it('says when the kernel holds less for it than was asked for', async () => {
    const opened = await open({ receiveBytes: 2 ** 30 });
    await isIn(opened, 'up');
    const said = opened.log.said.filter(({ message }) => message.includes('net.core.rmem_max'));
    expect(said).toMatchObject([{ fields: { wanted: 2 ** 30 } }]);
  });

  it('is silent when nothing was received for as long as the mission says', async () => {
    const { radio } = await socket();
    const opened = await open({ silentAfterMs: 5_000 });
    await isIn(opened, 'up');
    opened.clock.advance(5_000);
    expect(stateOf(opened)).toMatchObject({ state: 'silent', reason: 'nothing received for 5 s' });
    radio.send('x', opened.port, '127.0.0.1');
    await isIn(opened, 'up');
  });
});

describe('udp.D2 a socket that cannot be', () => {
  it('is down with the reason, refuses with it, and is opened when the port is free', async () => {
    const { radio, port } = await socket();
    const opened = await open({ bind: { host: '127.0.0.1', port }, peer: { host: '127.0.0.1', port: 9 } });
    await isIn(opened, 'down');
    expect(await opened.gateway.send(Buffer.from('x'))).toMatchObject({
      detail: expect.stringContaining('EADDRINUSE'),
    });
    radio.close();
    opened.clock.advance(LINK_RETRY_FIRST_MS);
    await isIn(opened, 'up');
  });

  it('udp.D4 port-wait.V1 what is to be sent waits for a port that another process still has, while it may leave', async () => {
    const holder = await socket();
    const peer = await socket();
    const bind = { host: '127.0.0.1', port: holder.port };
    const opened = await open({ bind, peer: { host: '127.0.0.1', port: peer.port } });
    await isIn(opened, 'down');
    expect(stateOf(opened).reason).toContain('another process still uses the port');
    const end = opened.clock.now() + 3_000;
    const mayLeave = (until: number) => () => (opened.clock.now() > until ? 'late' : undefined);
    const waits = opened.gateway.send(Buffer.from('x'), mayLeave(end));
    const tooLate = opened.gateway.send(Buffer.from('y'), mayLeave(opened.clock.now() + 100));
    // However often it was tried before, it is tried again soon.
    for (let n = 0; n < 8; n += 1) {
      opened.clock.advance(LINK_RETRY_FIRST_MS);
      await until(() => stateOf(opened).state === 'down');
    }
    expect(await tooLate).toEqual({ sent: false, detail: expect.stringContaining('EADDRINUSE') });
    holder.radio.close();
    await until(() => {
      opened.clock.advance(10);
      return stateOf(opened).state === 'up';
    });
    await until(() => {
      opened.clock.advance(5);
      return peer.received.length === 1;
    });
    expect(await waits).toEqual({ sent: true });
    expect(String(peer.received[0])).toBe('x');
  });

  it('udp.D6 port-wait.V3 what is to be sent while it is opened for the first time leaves, or is refused once it failed', async () => {
    const { port, received } = await socket();
    const opened = await open({ peer: { host: 'localhost', port } });
    const sending = opened.gateway.send(Buffer.from('PING'), () => undefined);
    await isIn(opened, 'up');
    opened.clock.advance(25);
    expect(await sending).toEqual({ sent: true });
    await until(() => received.length === 1);
    const unknown = await open({ peer: { host: 'no-such-host.invalid', port: 9 } });
    const refused = unknown.gateway.send(Buffer.from('x'), () => undefined);
    await isIn(unknown, 'down');
    unknown.clock.advance(25);
    expect(await refused).toEqual({ sent: false, detail: expect.stringContaining('no-such-host.invalid') });
  });

  it('a peer whose name nobody knows is a reason too', async () => {
    const opened = await open({ peer: { host: 'no-such-host.invalid', port: 9 } });
    await isIn(opened, 'down');
    expect(stateOf(opened).reason).toContain('no-such-host.invalid');
  });

  it('stops while it is being opened, and opens nothing afterwards', async () => {
    const opened = await open({ peer: { host: 'localhost', port: 9 } });
    await opened.gateway.stop();
    expect(opened.clock.next()).toBeUndefined();
    expect(stateOf(opened)).toMatchObject({ state: 'down', reason: 'the gateway was stopped' });
  });
});

it('joins its multicast group', async () => {
  const group = '239.77.1.1';
  const port = await freePort('udp');
  const multicast = { group, interface: '127.0.0.1', ttl: 1 };
  const opened = await open({ bind: { host: '0.0.0.0', port }, multicast, silentAfterMs: 1_000 });
  await isIn(opened, 'up');
  const { radio } = await socket();
  radio.setMulticastInterface('127.0.0.1');
  radio.send('to all', port, group);
  await until(() => opened.frames.length === 1);
  // Joining again while silent changes nothing for a network that is there.
  opened.clock.advance(2_000);
  expect(stateOf(opened).state).toBe('silent');
  radio.send('again', port, group);
  await until(() => opened.frames.length === 2);
});
