/**
 * The uWebSockets.js server: listens, carries the route table, closes with care.
 *
 * U8. The port is this process's alone. uWebSockets.js either shares a port in silence or refuses one for a minute on
 *     which connections of an earlier process linger (TIME_WAIT); so whether anybody listens is asked first, and then
 *     it is taken as one that could be shared. Two processes started on one port in the same millisecond are not
 *     distinguished.
 * U9. The header block may hold `HEADER_BYTES`: an access token with roles does not fit the default of 4 KiB, and the
 *     bound is read from the environment when the native module loads, so it must have been set before the process
 *     began.
 */

import {
  App,
  LIBUS_LISTEN_EXCLUSIVE_PORT,
  type TemplatedApp,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js';
import { createServer } from 'node:net';
import type { LayerPorts } from '../dialect.ts';
import { type AnyFollow, closeCode } from '../follow.ts';
import type { Page } from '../pages/page.ts';
import type { AnyRoute } from '../route.ts';
import { registerFollow } from './followed.ts';
import { registerPage } from './page.ts';
import { registerPlain, registerUnknown } from './plain.ts';
import type { Served } from './served.ts';

export interface Server {
  readonly port: number;
  /** Takes no more connections, lets requests finish, closes sockets with 1001, then everything that is left. */
  close(): Promise<void>;
}

export interface ServerOptions<Ports extends LayerPorts> {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly routes: readonly AnyRoute<Ports>[];
  readonly follows: readonly AnyFollow<Ports>[];
  readonly pages: readonly Page[];
  readonly served: Served<Ports>;
  /** Said with the answer that a route is unknown, instead of what the service usually says. */
  readonly help?: string;
}

const HEADER_BYTES = 16_384;
/** A request waits at most for a driver; what is still open after this is cut. */
const CLOSE_MS = 5_000;
const CLOSE_POLL_MS = 10;

/** The server, listening; rejects when the port is taken or the environment does not allow large headers. */
export async function listen<Ports extends LayerPorts>(options: ServerOptions<Ports>): Promise<Server> {
  const { host, port, routes, follows, pages, served, help } = options;
  checkEnvironment(process.env['UWS_HTTP_MAX_HEADERS_SIZE']);
  const app = App();
  served.admission.register(app);
  for (const route of routes) registerPlain(app, route, served);
  for (const route of follows) registerFollow(app, route, served);
  for (const page of pages) registerPage(app, page, served);
  served.holder.register(app, () => served.admission.socketEnded());
  registerUnknown(app, served, help);
  const socket = await takePort(app, host, port);
  const listening = us_socket_local_port(socket as Parameters<typeof us_socket_local_port>[0]);
  if (follows.length > 0 && isReachableHere(host)) await served.holder.hold(listening);
  let closed: Promise<void> | undefined;
  return {
    port: listening,
    close() {
      closed ??= (async () => {
        us_listen_socket_close(socket);
        await settle(served);
        served.holder.release();
        app.close();
      })();
      return closed;
    },
  };
}

type ListenSocket = Parameters<typeof us_listen_socket_close>[0];

/** The listening socket; rejects when another process listens there (U8). */
async function takePort(app: TemplatedApp, host: string, port: number): Promise<ListenSocket> {
  const taken = port === 0 || (await isFree(host, port)) ? await listenOn(app, host, port) : undefined;
  if (taken === undefined) throw new Error(`cannot listen on ${host}:${port}: is another process there?`);
  return taken;
}

/** A port drawn by the system is nobody's, and is taken exclusively. */
function listenOn(app: TemplatedApp, host: string, port: number): Promise<ListenSocket | undefined> {
  const options = port === 0 ? LIBUS_LISTEN_EXCLUSIVE_PORT : 0;
  return new Promise((resolve) => {
    app.listen(host, port, options, (listening) => resolve(listening || undefined));
  });
}

/** Whether nobody listens on the port, whatever lingers there. */
function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** Whether the loopback address reaches a server that listens on `host`. */
function isReachableHere(host: string): boolean {
  return ['127.0.0.1', 'localhost', '0.0.0.0', '::'].includes(host);
}

/** Throws unless the process was started with room for large headers (U9). */
export function checkEnvironment(value: string | undefined): void {
  if (Number(value) >= HEADER_BYTES) return;
  throw new Error(
    `UWS_HTTP_MAX_HEADERS_SIZE is ${value ?? 'not set'}; start the process with ${HEADER_BYTES}, or tokens are refused with 431`,
  );
}

/** Waits until nothing is open, at most `CLOSE_MS`; sockets are reported first. */
async function settle(served: Served): Promise<void> {
  for (const writer of [...served.sockets]) writer.cut(closeCode.goingAway, 'the service is shutting down');
  const { clock } = served.ports;
  const end = clock.now() + CLOSE_MS;
  while (!served.idle && clock.now() < end) {
    await new Promise<void>((resolve) => clock.setTimeout(resolve, CLOSE_POLL_MS));
  }
}
