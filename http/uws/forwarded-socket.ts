/**
 * WebSockets of the editor on uWebSockets.js: the upgrade and the life of the client's side. Mission Control Service,
 * section 4.9; what passes between the two sides is for `http/editor/bridge.ts`.
 *
 * H1. The socket to the editor is opened first, so a refusal of either is a normal HTTP answer (followed.U7).
 * H2. Nobody stays connected longer than the token counts that opened it (http/follow.F5).
 * H3. An answer of the editor that opens none keeps its place as a WebSocket does, until the exchange is over or the
 *     client goes; the connection to the editor ends with it, whatever was read of the answer (forwarded.G4).
 */

import { DISABLED, type HttpRequest, type HttpResponse, type TemplatedApp } from 'uWebSockets.js';
import { EDITOR_MESSAGE_BYTES } from '../../contract/limits/editor.ts';
import type { TimerHandle } from '../../ports/clock.ts';
import type { LayerPorts } from '../dialect.ts';
import { Bridge } from '../editor/bridge.ts';
import { unreachable } from '../editor/editor.ts';
import { valuesOf } from '../editor/request-headers.ts';
import { openEditorSocket, type SocketAnswered } from '../editor/upstream-socket.ts';
import type { Credentials } from '../identity.ts';
import type { AnyFault, Refusal } from '../reply.ts';
import { refusal } from '../reply.ts';
import type { Release } from './admission.ts';
import { Exchange, type UpgradeKeys } from './exchange.ts';
import { endWithToken, IDLE_TIMEOUT_S } from './followed.ts';
import { EDITOR_ROUTE } from './forwarded.ts';
import {
  type Admitted,
  admit,
  type CopiedHead,
  copyHead,
  type EditorOf,
  untrustedHead,
} from './forwarded-head.ts';
import { refusedHead, tooMany } from './plain.ts';
import type { Served } from './served.ts';

/** With which an exchange ends that becomes a WebSocket. */
const UPGRADED = 101;

interface SocketData {
  readonly bridge: Bridge;
  readonly expiry: TimerHandle | undefined;
  readonly release: Release;
}

interface Upgrading {
  readonly copied: CopiedHead;
  readonly exchange: Exchange;
  readonly keys: UpgradeKeys;
  readonly release: Release;
  readonly gone: AbortSignal;
}

/** Registers the upgrade of everything below the route; a GET that asks for none goes on to `forwarded.ts`. */
export function registerForwardedSocket<Ports extends LayerPorts>(
  app: TemplatedApp,
  editorOf: EditorOf<Ports>,
  served: Served<Ports>,
): void {
  app.ws<SocketData>(EDITOR_ROUTE, {
    compression: DISABLED,
    maxPayloadLength: EDITOR_MESSAGE_BYTES,
    idleTimeout: IDLE_TIMEOUT_S,
    sendPingsAutomatically: true,
    // One message, and what the bridge lets wait before.
    maxBackpressure: 2 * EDITOR_MESSAGE_BYTES,
    upgrade: (res, req, context) => take(res, req, context, editorOf, served),
    open: (ws) => ws.getUserData().bridge.attach(ws),
    message(ws, message, isBinary) {
      // Copied: the buffer is emptied when this returns.
      ws.getUserData().bridge.fromClient(Buffer.from(Buffer.from(message)), isBinary);
    },
    drain: (ws) => ws.getUserData().bridge.drained(),
    close(ws, code, reason) {
      const { bridge, expiry, release } = ws.getUserData();
      served.admission.socketEnded();
      release();
      if (expiry !== undefined) served.ports.clock.clearTimeout(expiry);
      served.sockets.delete(bridge);
      served.metrics.closed();
      bridge.clientClosed(code, Buffer.from(reason).toString());
    },
  });
}

function take<Ports extends LayerPorts>(
  res: HttpResponse,
  req: HttpRequest,
  context: UpgradeKeys['context'],
  editorOf: EditorOf<Ports>,
  served: Served<Ports>,
): void {
  const gone = new AbortController();
  const ended = served.began('editorSocket');
  let release: Release | undefined;
  /** H3 */
  const over = (): void => {
    release?.();
    gone.abort();
  };
  const exchange = new Exchange(res, false, (status) => {
    ended(status);
    if (status !== UPGRADED) over();
  });
  try {
    const copied = copyHead(res, req);
    const keys = {
      key: req.getHeader('sec-websocket-key'),
      extensions: req.getHeader('sec-websocket-extensions'),
      context,
    };
    if (refusedHead(copied.head, exchange, served)) return;
    const refused = untrustedHead(copied);
    release = refused === undefined ? served.admission.socket(copied.address) : undefined;
    if (release === undefined) {
      const reply = refused === undefined ? tooMany(served) : served.dialect.reply(refused);
      return void setImmediate(() => exchange.finish(reply, true));
    }
    upgrade({ copied, exchange, keys, release, gone: gone.signal }, editorOf, served).catch((error) => {
      over();
      served.failed(exchange, error);
    });
  } catch (error) {
    served.failed(exchange, error);
  }
}

async function upgrade<Ports extends LayerPorts>(
  upgrading: Upgrading,
  editorOf: EditorOf<Ports>,
  served: Served<Ports>,
): Promise<void> {
  const { copied, exchange } = upgrading;
  const { credentials, query } = copied.head;
  const token = credentials.token ?? new URLSearchParams(query).get('token') ?? undefined;
  const opening = { ...credentials, token };
  const { accessChanges } = served;
  const admitted = await admit(copied, opening, editorOf, served);
  if (!exchange.open) return;
  if (!admitted.ok) return exchange.finish(served.dialect.reply(admitted));
  const answered = await open(admitted.value, upgrading, served);
  if (answered.kind !== 'open') return answer(answered, exchange, served);
  const joined = bridge(answered.socket, admitted.value, upgrading, opening, served);
  if (joined !== undefined && accessChanges !== served.accessChanges) served.checkAccess(joined, opening);
}

function open(
  { service, path, headers }: Admitted,
  { copied, gone }: Upgrading,
  { ports: { clock } }: Served,
): Promise<SocketAnswered> {
  const offered = valuesOf(copied.fields, 'sec-websocket-protocol').flatMap((value) => value.split(','));
  const protocols = offered.map((name) => name.trim());
  return openEditorSocket({ base: service.base, path, headers, protocols, clock, gone });
}

/** The client may have gone meanwhile. */
function bridge(
  socket: Extract<SocketAnswered, { kind: 'open' }>['socket'],
  { caller }: Admitted,
  { exchange, keys, release }: Upgrading,
  credentials: Credentials,
  served: Served,
): Bridge | undefined {
  if (!exchange.open) {
    socket.terminate();
    return undefined;
  }
  const joined = new Bridge(socket, served.ports.clock);
  served.sockets.set(joined, credentials);
  served.metrics.opened();
  const expiry = endWithToken(caller, joined, served.ports.clock);
  const data: SocketData = { bridge: joined, expiry, release };
  exchange.upgrade(data, { ...keys, protocol: socket.protocol }, served.holder);
  return joined;
}

/** The editor opened no WebSocket. */
function answer(
  answered: Exclude<SocketAnswered, { kind: 'open' }>,
  exchange: Exchange,
  { dialect, ports: { clock, log } }: Served,
): void {
  const refuse = (refused: Refusal<AnyFault>): void => exchange.finish(dialect.reply(refused));
  if (answered.kind === 'invalid') return refuse(refusal(dialect.codes.invalid, answered.why));
  if (answered.kind === 'unreachable') return refuse(unreachable(answered.why));
  const { status, fields, length, pieces, drop } = answered;
  if (!exchange.open) return drop();
  const broken = (error: unknown): void => log.warn({ err: error }, 'an answer of the editor was cut off');
  exchange.stream({ status, fields, stream: { bytes: length, pieces } }, { clock, broken });
}
