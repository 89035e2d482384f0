/** Ceiling of the fan-out: uWebSockets.js sending ready bytes to every socket, all messages of a batch in one cork. */

import {
  App,
  DISABLED,
  LIBUS_LISTEN_EXCLUSIVE_PORT,
  us_socket_local_port,
  type WebSocket,
} from 'uWebSockets.js';
import { Acknowledgements, type Driven } from '../acknowledged.ts';
import { answerCalls } from '../peer-side.ts';

const sockets = new Set<WebSocket<object>>();
const acknowledgements = new Acknowledgements();
let messages: Buffer[] = [];

async function start(texts: {
  messages: readonly string[];
}): Promise<{ port: number; acknowledgements: number }> {
  messages = texts.messages.map((text) => Buffer.from(text));
  const app = App();
  app.ws<object>('/*', {
    compression: DISABLED,
    maxBackpressure: 16 * 1024 * 1024,
    open: (ws) => void sockets.add(ws),
    close: (ws) => void sockets.delete(ws),
  });
  const port = await new Promise<number>((resolve, reject) => {
    app.listen('127.0.0.1', 0, LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (socket) resolve(us_socket_local_port(socket as never));
      else reject(new Error('cannot listen'));
    });
  });
  return { port, acknowledgements: await acknowledgements.listen() };
}

function send(): void {
  for (const socket of sockets) {
    socket.cork(() => {
      for (const message of messages) socket.send(message, false, false);
    });
  }
}

function drive({ ms }: { ms: number }): Promise<Driven> {
  return acknowledgements.drive(ms, send);
}

answerCalls({ start, drive });
