/**
 * Ceilings of the way from a sample to its alarm on a WebSocket, in one process without the service: a datagram is
 * published to JetStream, followed, and sent to every socket. `hops` is how often it is stored on the way: once, or as
 * often as the service stores something for it, where the two writes before the last delivery wait for each other as
 * record and event of an alarm do. Nothing is decoded, and no alarm is kept.
 */

import {
  App,
  DISABLED,
  LIBUS_LISTEN_EXCLUSIVE_PORT,
  us_socket_local_port,
  type WebSocket,
} from 'uWebSockets.js';
import { createSocket } from 'node:dgram';
import { type BareBus, connectBare, followBare } from '../bare-bus.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';

interface Chain {
  readonly address: BusAddress;
  /** Subject of the first message; the others are named after it. */
  readonly name: string;
  /** Messages stored for each datagram, one behind the other. */
  readonly stored: number;
}

/** Where a page number stands in a packet of `benchmark/limit-mission.ts`. */
const PAGE_AT = 6;
/** About what an event of an alarm says beside these. */
const REST = {
  target: 'sat1',
  component: 'bank',
  alarm: 'm1',
  previous: 'NORMAL',
  state: 'ACTIVE_UNACK',
  severity: 'warning',
  value: 150,
  at: new Date(0).toISOString(),
  cause: 'condition',
};

const sockets = new Set<WebSocket<object>>();
const seqs = new Map<number, number>();
let bus: BareBus;

/** The ports of the datagrams and of the WebSocket. */
async function start({ address, name, stored }: Chain): Promise<{ udp: number; http: number }> {
  bus = await connectBare(address);
  // Record and event are two writes of the same process: only the others are followed.
  const followed = stored > 1 ? stored - 1 : 1;
  for (let hop = 1; hop <= followed; hop += 1) {
    const last = hop === followed;
    await followBare(bus, `bench.${name}.${hop}`, ({ data }) => {
      if (last) return tell(data);
      return hop === followed - 1
        ? recordAndPublish(name, hop + 1, data)
        : publish(`${name}.${hop + 1}`, data);
    });
  }
  return { udp: await listen(name), http: await serve() };
}

async function publish(subject: string, data: Uint8Array): Promise<void> {
  await bus.jetstream.publish(`bench.${subject}`, data);
}

async function recordAndPublish(name: string, hop: number, data: Uint8Array): Promise<void> {
  await publish(`${name}.record`, data);
  await publish(`${name}.${hop}`, data);
}

function tell(data: Uint8Array): void {
  for (const socket of sockets) socket.send(data, false, false);
}

/** Each datagram becomes what an event of its alarm would say. */
async function listen(name: string): Promise<number> {
  const socket = createSocket('udp4', (packet) => {
    const page = packet.readUInt16BE(PAGE_AT);
    const seq = (seqs.get(page) ?? 0) + 1;
    seqs.set(page, seq);
    void publish(`${name}.1`, Buffer.from(JSON.stringify({ instance: String(page), seq, ...REST })));
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return socket.address().port;
}

function serve(): Promise<number> {
  const app = App().ws<object>('/*', {
    compression: DISABLED,
    open: (ws) => void sockets.add(ws),
    close: (ws) => void sockets.delete(ws),
  });
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (socket) resolve(us_socket_local_port(socket as never));
      else reject(new Error('cannot listen'));
    });
  });
}

answerCalls({ start });
