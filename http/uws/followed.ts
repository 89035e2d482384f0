/**
 * Follow routes on uWebSockets.js: the upgrade and the life of a socket. Mission Control Service, "Conventions".
 *
 * U7. The source is opened before the upgrade, so a refusal is a normal HTTP answer; a client that went meanwhile
 *     leaves nothing running.
 */

import { DISABLED, type HttpRequest, type HttpResponse, type TemplatedApp } from 'uWebSockets.js';
import { FOLLOW_MESSAGE_BYTES } from '../../contract/limits/connection.ts';
import type { Stoppable } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { type OpenedFollow, openFollow } from '../answer.ts';
import type { Caller } from '../caller.ts';
import type { LayerPorts } from '../dialect.ts';
import { type AnyFollow, closeCode, type FollowSource } from '../follow.ts';
import type { Credentials } from '../identity.ts';
import { pathNames } from '../route.ts';
import { addressOf, type Release } from './admission.ts';
import { Exchange, type UpgradeKeys } from './exchange.ts';
import { refusedHead, registerUpgradeOnly, tooMany } from './plain.ts';
import { type RequestHead, readHead } from './request-head.ts';
import type { Served } from './served.ts';
import { SocketWriter } from './socket-writer.ts';

/** A silent client is pinged within this time and closed after it; uWebSockets.js takes 8 to 960 s. */
export const IDLE_TIMEOUT_S = 60;
/** Beyond what the writer allows: reached only by a defect, and then `send` says so. Never 0, which is no bound. */
const MAX_BACKPRESSURE_BYTES = 1024 * 1024;

interface SocketData {
  readonly writer: SocketWriter;
  readonly source: FollowSource;
  /** Runs until the token counts no more that opened it; undefined without one (http/follow.F5). */
  readonly expiry: TimerHandle | undefined;
  /** Its place among those of its address. */
  readonly release: Release;
}

interface Upgrading extends UpgradeKeys {
  readonly release: Release;
}

/** Registers the upgrade of the route, and the answer to a GET that asks for none. */
export function registerFollow<Ports extends LayerPorts>(
  app: TemplatedApp,
  route: AnyFollow<Ports>,
  served: Served<Ports>,
): void {
  const names = pathNames(route.path);
  app.ws<SocketData>(route.path, {
    compression: DISABLED,
    maxPayloadLength: route.takes?.maxBytes ?? FOLLOW_MESSAGE_BYTES,
    idleTimeout: IDLE_TIMEOUT_S,
    sendPingsAutomatically: true,
    maxBackpressure: MAX_BACKPRESSURE_BYTES,
    upgrade(res: HttpResponse, req: HttpRequest, context) {
      const exchange = new Exchange(res, false, served.began(route.operationId));
      try {
        const keys = {
          key: req.getHeader('sec-websocket-key'),
          extensions: req.getHeader('sec-websocket-extensions'),
          context,
        };
        const release = served.admission.socket(addressOf(res));
        if (release === undefined) setImmediate(() => exchange.finish(tooMany(served), true));
        else void upgrade(route, exchange, readHead(req, names), { ...keys, release }, served);
      } catch (error) {
        served.failed(exchange, error);
      }
    },
    open: (ws) => ws.getUserData().writer.attach(ws),
    message: (ws, message, isBinary) => taken(ws.getUserData(), message, isBinary, served),
    drain: (ws) => ws.getUserData().writer.drained(),
    close(ws) {
      const { writer, source, expiry, release } = ws.getUserData();
      served.admission.socketEnded();
      release();
      if (expiry !== undefined) served.ports.clock.clearTimeout(expiry);
      writer.detach();
      served.sockets.delete(writer);
      served.metrics.closed();
      stop(source, served);
    },
  });
  registerUpgradeOnly(app, route.path, served);
}

async function upgrade<Ports extends LayerPorts>(
  route: AnyFollow<Ports>,
  exchange: Exchange,
  head: RequestHead,
  keys: Upgrading,
  served: Served<Ports>,
): Promise<void> {
  let isUpgraded = false;
  try {
    if (refusedHead(head, exchange, served)) return;
    const writer = new SocketWriter(route.policy, served.metrics, route.mark);
    const { params, query, credentials } = head;
    const token = credentials.token ?? new URLSearchParams(query).get('token') ?? undefined;
    const incoming = { params, query, credentials: { ...credentials, token }, body: undefined };
    const { accessChanges } = served;
    const opened = await openFollow(route, incoming, served.ports, served.dialect, writer);
    if ('reply' in opened) exchange.finish(opened.reply);
    else if (exchange.open) {
      start(exchange, keys, { writer, ...opened }, incoming.credentials, served);
      isUpgraded = true;
      if (accessChanges !== served.accessChanges) served.checkAccess(writer, incoming.credentials);
    } else {
      writer.detach();
      stop(opened.source, served);
    }
  } catch (error) {
    served.failed(exchange, error);
  } finally {
    if (!isUpgraded) keys.release();
  }
}

function start(
  exchange: Exchange,
  { release, ...keys }: Upgrading,
  { writer, source, caller }: OpenedFollow & { readonly writer: SocketWriter },
  credentials: Credentials,
  served: Served,
): void {
  served.sockets.set(writer, credentials);
  served.metrics.opened();
  const expiry = endWithToken(caller, writer, served.ports.clock);
  const data: SocketData = { writer, source, expiry, release };
  exchange.upgrade(data, keys, served.holder);
  writer.flush();
}

/**
 * A message of the client, copied: the buffer is emptied when this returns (http/follow.F7). A source that throws is a
 * defect (plain.U6).
 */
function taken(
  { source, writer }: SocketData,
  message: ArrayBuffer,
  isBinary: boolean,
  { ports: { log } }: Served,
): void {
  try {
    source.take?.(Buffer.from(Buffer.from(message)), isBinary);
  } catch (error) {
    log.error({ err: error }, 'a message of a client failed on a defect');
    writer.cut(closeCode.internal, 'a defect in the service');
  }
}

/** http/follow.F5 */
export function endWithToken(
  caller: Caller,
  writer: Pick<SocketWriter, 'cut'>,
  clock: Clock,
): TimerHandle | undefined {
  if (caller.kind !== 'verified') return undefined;
  const end = (): void => writer.cut(closeCode.tokenExpired, 'the token has expired');
  return clock.setTimeout(end, caller.untilMs - clock.now());
}

function stop(source: Stoppable, served: Served): void {
  source.stop().catch((error) => served.ports.log.warn({ err: error }, 'a follower did not stop'));
}
