/**
 * Ceiling of the bench: bare uWebSockets.js handlers that answer as many bytes from one copy, compare as many byte by
 * byte, and send ready frames of the same size at the same pace.
 */

import {
  App,
  DISABLED,
  type HttpResponse,
  LIBUS_LISTEN_EXCLUSIVE_PORT,
  us_socket_local_port,
  type WebSocket,
} from 'uWebSockets.js';
import { answerCalls } from '../peer-side.ts';
import { tiled } from '../prompt-board.ts';

interface Bare {
  /** Of what is captured. */
  readonly bytes: number;
  readonly frameBytes: number;
  readonly framesPerSecond: number;
  /** What a mute is answered with. */
  readonly status: string;
}

const ROTATION = 1_234;
const NOISE = Buffer.alloc(64 * 1024, 0x5a);

function start({ bytes, frameBytes, framesPerSecond, status }: Bare): Promise<number> {
  const app = App();
  app.post('/api/v1/datapath/capture', (res) => collect(res, () => octets(res, tiled(NOISE, 0, bytes))));
  app.post('/api/v1/datapath/loopback', (res) =>
    collect(res, (payload) => octets(res, tiled(payload, ROTATION, bytes))),
  );
  app.post('/api/v1/datapath/measure', (res) =>
    collect(res, (payload) => {
      const matched = matchedBytes(payload, tiled(payload, ROTATION, bytes));
      res.writeHeader('content-type', 'application/json').end(JSON.stringify({ matched }));
    }),
  );
  app.post('/api/v1/radio/gain', (res) =>
    collect(res, () => res.writeHeader('content-type', 'application/json').end(status)),
  );
  const sockets = new Set<WebSocket<object>>();
  app.ws<object>('/ws/spectrum', {
    compression: DISABLED,
    open: (ws) => void sockets.add(ws),
    close: (ws) => void sockets.delete(ws),
  });
  const frame = Buffer.alloc(frameBytes);
  setInterval(() => {
    for (const socket of sockets) socket.send(frame, true, false);
  }, 1_000 / framesPerSecond);
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (socket) resolve(us_socket_local_port(socket as never));
      else reject(new Error('cannot listen'));
    });
  });
}

function collect(res: HttpResponse, done: (body: Buffer) => void): void {
  const parts: Buffer[] = [];
  res.onAborted(() => undefined);
  res.onData((data, isLast) => {
    parts.push(Buffer.from(Buffer.from(data)));
    if (isLast) done(Buffer.concat(parts));
  });
}

function octets(res: HttpResponse, body: Buffer): void {
  res.writeHeader('content-type', 'application/octet-stream').end(body);
}

function matchedBytes(payload: Buffer, captured: Buffer): number {
  let matched = 0;
  for (let at = 0, place = ROTATION; at < captured.length; at += 1) {
    if (captured[at] === payload[place]) matched += 1;
    place = place + 1 === payload.length ? 0 : place + 1;
  }
  return matched;
}

answerCalls({ start });
