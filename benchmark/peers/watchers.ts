/**
 * Generator: watchers of a WebSocket route over plain sockets. Messages have known lengths, so they are counted by
 * bytes; each batch that everybody received is acknowledged by one byte.
 */

import net from 'node:net';
import { answerCalls } from '../peer-side.ts';

interface Watching {
  readonly port: number;
  readonly path: string;
  readonly watchers: number;
  readonly acknowledgements: number;
  /** Bytes of one batch for one watcher, frames included. */
  readonly batchBytes: number;
  /** Bytes each watcher gets before the first batch. */
  readonly before: number;
}

const BUFFER_BYTES = 256 * 1024;
const HEAD_END = '\r\n\r\n';

/** Whatever was received is only counted, so all sockets share one buffer. */
const buffer = Buffer.allocUnsafe(BUFFER_BYTES);

async function watch({
  port,
  path,
  watchers,
  acknowledgements,
  batchBytes,
  before,
}: Watching): Promise<void> {
  const teller = net.connect(acknowledgements, '127.0.0.1');
  await new Promise<void>((resolve) => teller.once('connect', resolve));
  const perBatch = batchBytes * watchers;
  let received = -before * watchers;
  const count = (bytes: number): void => {
    received += bytes;
    if (received < perBatch) return;
    const batches = Math.floor(received / perBatch);
    received -= batches * perBatch;
    teller.write(Buffer.alloc(batches));
  };
  await Promise.all(Array.from({ length: watchers }, () => openWatcher(port, path, count)));
}

function openWatcher(port: number, path: string, count: (bytes: number) => void): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    let upgraded = false;
    let head = '';
    const take = (size: number): void => {
      if (upgraded) return count(size);
      head += buffer.toString('latin1', 0, size);
      const end = head.indexOf(HEAD_END);
      if (end < 0) return;
      if (!head.startsWith('HTTP/1.1 101')) return reject(new Error(head));
      upgraded = true;
      count(head.length - end - HEAD_END.length);
      resolve(socket);
    };
    const onread = {
      buffer,
      callback: (size: number) => {
        take(size);
        return true;
      },
    };
    const socket = net.connect({ port, host: '127.0.0.1', onread }, () => socket.write(upgrade(path)));
    socket.on('error', reject);
  });
}

function upgrade(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`;
}

answerCalls({ watch });
