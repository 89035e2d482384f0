/**
 * Serves an IIO context as iiod 0.24 does, in text, so that the tools people have work on it: `iio_info`, `iio_attr`,
 * `iio_readdev`, iio-oscilloscope, GNU Radio.
 *
 * A buffer has one client at a time, and has no triggers and no compressed description; iiod answers alike where it has
 * none.
 *
 * V1. Anybody who reaches the port may set what the context has: it listens on this machine only unless set otherwise.
 * V2. A client costs bounded memory and holds up no other; how many there are is bounded.
 */

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { IIOD_CLIENTS } from '../../contract/limits/bench.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { AskedWaits } from './asked-waits.ts';
import type { IioContext } from './context.ts';
import { HeldBuffers } from './held-buffers.ts';
import { IiodSession } from './server-session.ts';

export interface IiodServerOptions {
  readonly context: IioContext;
  /** By default 127.0.0.1 (V1). */
  readonly host?: string;
  /** 0 for any free one; iiod has 30431. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface IiodServer {
  readonly port: number;
  /** Ends every client, frees their buffers and listens no more. */
  stop(): Promise<void>;
}

/** Listens; rejects when the port is taken. */
export async function serveIiod(options: IiodServerOptions): Promise<IiodServer> {
  const { context, host = '127.0.0.1', port, clock, log } = options;
  const buffers = new HeldBuffers(context, clock);
  const waits = new AskedWaits();
  const sessions = new Map<IiodSession, Promise<void>>();
  const server = createServer((socket) => {
    if (sessions.size >= IIOD_CLIENTS) return refuse(socket, log);
    const wait = waits.join(socket.remoteAddress ?? '');
    const session = new IiodSession({ socket, context, buffers, wait, clock, log });
    const served = session
      .serve()
      .catch((error: Error) => log.error({ reason: error.message }, 'buffers of an iiod client not closed'))
      .finally(() => {
        wait.leave();
        sessions.delete(session);
      });
    sessions.set(session, served);
  });
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions.keys()) session.end();
      await Promise.all(sessions.values());
      await closed;
    },
  };
}

function refuse(socket: Socket, log: Log): void {
  log.warn({ clients: IIOD_CLIENTS }, 'a client of iiod was refused: there are too many');
  socket.on('error', () => undefined);
  socket.destroy();
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
