/**
 * Ceiling of the HTTP rows: bare uWebSockets.js handlers that answer the bytes of the service. The POST parses its body
 * and answers at once or, with a bus, when JetStream has acknowledged one message with an id.
 */

import { App, type HttpResponse, LIBUS_LISTEN_EXCLUSIVE_PORT, us_socket_local_port } from 'uWebSockets.js';
import { randomUUID } from 'node:crypto';
import type { JetStreamClient } from 'nats';
import { connectBare } from '../bare-bus.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';

interface Bare {
  readonly answer: string;
  readonly accepted: string;
  readonly bus?: BusAddress;
}

async function start({ answer, accepted, bus }: Bare): Promise<number> {
  const body = Buffer.from(answer);
  const jetstream = bus === undefined ? undefined : (await connectBare(bus)).jetstream;
  const app = App();
  app.get('/v1/targets/:target/values', (res) => {
    res.writeHeader('content-type', 'application/json').end(body);
  });
  app.post('/v1/tc', (res) => {
    let open = true;
    res.onAborted(() => {
      open = false;
    });
    res.onData((data, isLast) => {
      // A body of this size comes in one piece.
      if (!isLast) return;
      const text = Buffer.from(data).toString();
      JSON.parse(text);
      if (jetstream === undefined) accept(res, accepted);
      else void store(jetstream, text).then(() => open && res.cork(() => accept(res, accepted)));
    });
  });
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (socket) resolve(us_socket_local_port(socket as never));
      else reject(new Error('cannot listen'));
    });
  });
}

function accept(res: HttpResponse, body: string): void {
  res.writeStatus('202 Accepted').writeHeader('content-type', 'application/json').end(body);
}

function store(jetstream: JetStreamClient, text: string): Promise<unknown> {
  return jetstream.publish('bench.submit.sat1', Buffer.from(text), { msgID: randomUUID() });
}

answerCalls({ start });
