/**
 * The uWebSockets.js server: listens, carries the route table, closes with care.
 *
 * U8. The port is this process's alone, and a process that was killed can be started on its port again at once. By
 *     default uWebSockets.js shares a fixed port in silence, so it is taken exclusively. On a port that the system
 *     draws it does not set SO_REUSEADDR, and connections of before inherit that: what lingers of them would keep the
 *     next process off the port for a minute. So the port is drawn first and then taken as a fixed one.
 * U9. The header block may hold `HEAD_BYTES`: an access token with roles does not fit the default of 4 KiB. The bound
 *     of uWebSockets.js is read from the environment when the native module loads, so it must have been set before the
 *     process began; the launcher gives it four times as much, since it refuses what is beyond with a page of its own,
 *     which nobody is asked about. What is between the two is refused in the form of the service.
 */

import {
  App,
  LIBUS_LISTEN_EXCLUSIVE_PORT,
  type TemplatedApp,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js';
import { type AddressInfo, createServer } from 'node:net';
import { HEAD_BYTES } from '../../contract/limits/connection.ts';
import type { LayerPorts } from '../dialect.ts';
import { type AnyFollow, closeCode } from '../follow.ts';
import type { Page } from '../pages/page.ts';
import type { AnyRoute } from '../route.ts';
import { registerFollow } from './followed.ts';
import { registerForwarded } from './forwarded.ts';
import type { EditorOf } from './forwarded-head.ts';
import { registerForwardedSocket } from './forwarded-socket.ts';
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
  /** Where requests below `/v1/editor/` go; default: there are no such routes. */
  readonly editorOf?: EditorOf<Ports>;
  /** Said with the answer that a route is unknown, instead of what the service usually says. */
  readonly help?: string;
}

/** A request waits at most for a driver; what is still open after this is cut. */
const CLOSE_MS = 5_000;
const CLOSE_POLL_MS = 10;

/** The server, listening; rejects when the port is taken or the environment does not allow large headers. */
export async function listen<Ports extends LayerPorts>(options: ServerOptions<Ports>): Promise<Server> {
  const { host, port, routes, follows, pages, served, editorOf, help } = options;
  checkEnvironment(process.env['UWS_HTTP_MAX_HEADERS_SIZE']);
  const app = App();
  served.admission.register(app);
  for (const route of routes) registerPlain(app, route, served);
  for (const route of follows) registerFollow(app, route, served);
  for (const page of pages) registerPage(app, page, served);
  if (editorOf !== undefined) {
    registerForwardedSocket(app, editorOf, served);
    registerForwarded(app, editorOf, served);
  }
  served.holder.register(app, () => served.admission.socketEnded());
  registerUnknown(app, served, help);
  const socket = await takePort(app, host, port);
  const listening = us_socket_local_port(socket as Parameters<typeof us_socket_local_port>[0]);
  if ((follows.length > 0 || editorOf !== undefined) && isReachableHere(host))
    await served.holder.hold(listening);
  const endAccess = served.watchAccess();
  let closed: Promise<void> | undefined;
  return {
    port: listening,
    close() {
      closed ??= (async () => {
        us_listen_socket_close(socket);
        endAccess();
        await settle(served);
        served.holder.release();
        app.close();
      })();
      return closed;
    },
  };
}

type ListenSocket = Parameters<typeof us_listen_socket_close>[0];

/** Between drawing a port and taking it somebody else may have taken it. */
const DRAWS = 10;

/** The listening socket; rejects when another process listens there (U8). */
async function takePort(app: TemplatedApp, host: string, port: number): Promise<ListenSocket> {
  for (let draw = 0; draw < (port === 0 ? DRAWS : 1); draw += 1) {
    const taken = await listenOn(app, host, port === 0 ? await drawnPort(host) : port);
    if (taken !== undefined) return taken;
  }
  throw new Error(`cannot listen on ${host}:${port}: is another process there?`);
}

function listenOn(app: TemplatedApp, host: string, port: number): Promise<ListenSocket | undefined> {
  return new Promise((resolve) => {
    app.listen(host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, (listening) => resolve(listening || undefined));
  });
}

/** A port of that address on which nobody listens and nothing lingers. */
function drawnPort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(new Error(`cannot listen on ${host}: ${error.message}`)));
    probe.listen({ host, port: 0, exclusive: true }, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/** Whether the loopback address reaches a server that listens on `host`. */
function isReachableHere(host: string): boolean {
  return ['127.0.0.1', 'localhost', '0.0.0.0', '::'].includes(host);
}

/** Throws unless the process was started with room for large headers (U9). */
export function checkEnvironment(value: string | undefined): void {
  if (Number(value) >= HEAD_BYTES) return;
  throw new Error(
    `UWS_HTTP_MAX_HEADERS_SIZE is ${value ?? 'not set'}; start the process with ${4 * HEAD_BYTES}, or tokens are refused with 431`,
  );
}

/** Waits until nothing is open, at most `CLOSE_MS`; sockets are reported first. */
async function settle(served: Served): Promise<void> {
  for (const writer of [...served.sockets.keys()])
    writer.cut(closeCode.goingAway, 'the service is shutting down');
  const { clock } = served.ports;
  const end = clock.now() + CLOSE_MS;
  while (!served.idle && clock.now() < end) {
    await new Promise<void>((resolve) => clock.setTimeout(resolve, CLOSE_POLL_MS));
  }
}
