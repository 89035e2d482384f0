/**
 * Generator of the bench: large requests and answers over plain sockets, one under way on each; and watchers of a feed,
 * whose messages are counted by the heads of their frames.
 *
 * H1. Only answers with status 200 count; any other fails the round.
 */

import net from 'node:net';
import { answerCalls, ownCpuUs } from '../peer-side.ts';

interface Load {
  readonly port: number;
  readonly path: string;
  readonly mediaType: string;
  readonly body: Uint8Array;
  readonly connections: number;
  readonly ms: number;
}

interface Watching {
  readonly port: number;
  readonly path: string;
  readonly watchers: number;
}

const BUFFER_BYTES = 256 * 1024;
const HEAD_END = '\r\n\r\n';
const PING = 9;
/** Empty, masked by zeros. */
const PONG = Buffer.from('8a8000000000', 'hex');
/** Whatever was received is counted and done with before the next chunk, so all sockets share one buffer. */
const buffer = Buffer.allocUnsafe(BUFFER_BYTES);

async function load({ port, path, mediaType, body, connections, ms }: Load) {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${mediaType}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const request = Buffer.concat([Buffer.from(head), body]);
  const start = performance.now();
  const cpu = ownCpuUs();
  const end = start + ms;
  const counts = await Promise.all(Array.from({ length: connections }, () => line(port, request, end)));
  const operations = counts.reduce((sum, count) => sum + count, 0);
  return { operations, ms: performance.now() - start, cpuUs: ownCpuUs() - cpu };
}

/** Requests one behind the other on one connection, each with its time in ms. */
async function latencies({ port, path, mediaType, body, ms }: Omit<Load, 'connections'>): Promise<number[]> {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${mediaType}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const request = Buffer.concat([Buffer.from(head), body]);
  const took: number[] = [];
  let asked = performance.now();
  await line(port, request, performance.now() + ms, () => {
    took.push(performance.now() - asked);
    asked = performance.now();
  });
  return took;
}

/** How many answers came on one connection; the last one may come behind the end. */
function line(
  port: number,
  request: Buffer,
  end: number,
  came: () => void = () => undefined,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    let head = '';
    let left = 0;
    const answered = (): void => {
      count += 1;
      came();
      head = '';
      if (performance.now() < end) return void socket.write(request);
      socket.destroy();
      resolve(count);
    };
    const take = (size: number): void => {
      if (left > 0) {
        left -= size;
        if (left === 0) answered();
        return;
      }
      head += buffer.toString('latin1', 0, size);
      const at = head.indexOf(HEAD_END);
      if (at < 0) return;
      if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head.slice(0, 2_000)));
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1]);
      left = length - (head.length - at - HEAD_END.length);
      if (left === 0) answered();
    };
    const socket = connectTo(port, take, () => socket.write(request));
    socket.on('error', reject);
  });
}

let messages = 0;
let messageBytes = 0;

async function watch({ port, path, watchers }: Watching): Promise<void> {
  await Promise.all(Array.from({ length: watchers }, () => openWatcher(port, path)));
}

/** What came since the last call of this. */
function received(): { messages: number; bytes: number } {
  const counted = { messages, bytes: messageBytes };
  messages = 0;
  messageBytes = 0;
  return counted;
}

function openWatcher(port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOpen = false;
    let rest = Buffer.alloc(0);
    const take = (size: number): void => {
      rest = Buffer.concat([rest, buffer.subarray(0, size)]);
      if (!isOpen) {
        const at = rest.indexOf(HEAD_END);
        if (at < 0) return;
        if (!rest.toString('latin1', 0, at).startsWith('HTTP/1.1 101'))
          return reject(new Error(rest.toString()));
        isOpen = true;
        rest = rest.subarray(at + HEAD_END.length);
        resolve();
      }
      for (
        let length = frameLength(rest);
        length !== undefined && rest.length >= length;
        length = frameLength(rest)
      ) {
        const isPing = (rest[0]! & 0x0f) === PING;
        rest = rest.subarray(length);
        // A watcher that leaves it unanswered is taken for gone.
        if (isPing) socket.write(PONG);
        else {
          messages += 1;
          messageBytes += length;
        }
      }
    };
    const upgrade = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`;
    const socket = connectTo(port, take, () => socket.write(upgrade));
    socket.on('error', reject);
  });
}

/** Of the first frame with its head; undefined while the head is not there. */
function frameLength(bytes: Buffer): number | undefined {
  if (bytes.length < 4) return undefined;
  const short = bytes[1]! & 0x7f;
  if (short < 126) return 2 + short;
  if (short === 126) return 4 + bytes.readUInt16BE(2);
  return bytes.length < 10 ? undefined : 10 + Number(bytes.readBigUInt64BE(2));
}

function connectTo(port: number, take: (size: number) => void, connected: () => void): net.Socket {
  const callback = (size: number): boolean => {
    take(size);
    return true;
  };
  return net.connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } }, connected);
}

answerCalls({ load, latencies, watch, received });
