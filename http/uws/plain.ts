/**
 * Plain routes on uWebSockets.js: from its callback to `answer()` and back. Mission Control Service, section 4.
 *
 * U6. Whatever happens in a callback, the exchange ends: nothing is thrown into the native layer.
 * U10. A head that cannot be trusted is refused on every path, and only in a later turn: until then the exchange is
 *      pending, and uWebSockets.js cuts a connection that brings another request meanwhile. Ended at once, the request
 *      smuggled behind the first would still be served, even with the connection marked as closing.
 * U17. What changes something is begun in a turn later than the one that brought the request whole. Another request in
 *      the same piece of the stream, or what is taken for one (the trailer of a chunked body), makes uWebSockets.js cut
 *      the connection within that turn: then nothing was begun, and the missing answer is true.
 * U28. A body that is not asked for (http/check.C2) is refused in its turn among the checks; nothing of it is held. An
 *      empty object counts as no body: many clients send one when they have nothing to send.
 */

import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { HEAD_BYTES, REFUSED_BODY_BYTES } from '../../contract/limits/connection.ts';
import { JSON_BODY_BYTES } from '../../contract/limits/request.ts';
import { answer } from '../answer.ts';
import type { Incoming } from '../check.ts';
import type { LayerCodes, LayerPorts } from '../dialect.ts';
import { type AnyFault, type Refusal, type Reply, refusal } from '../reply.ts';
import { type AnyRoute, pathNames } from '../route.ts';
import { addressOf, type Release } from './admission.ts';
import { collectBody } from './body-collector.ts';
import { ContentStream } from './content-stream.ts';
import { Exchange } from './exchange.ts';
import { type RequestHead, readHead } from './request-head.ts';
import type { Served } from './served.ts';

/** No host or origin of any use is longer. */
const SHOWN_CHARACTERS = 100;
/** What may come where no body is taken (U28): an empty object, with a few blanks. */
const EMPTY_OBJECT_BYTES = 16;

/** Registers the route, for GET also HEAD. */
export function registerPlain<Ports extends LayerPorts>(
  app: TemplatedApp,
  route: AnyRoute<Ports>,
  served: Served<Ports>,
): void {
  const names = pathNames(route.path);
  const handler =
    (headOnly: boolean) =>
    (res: HttpResponse, req: HttpRequest): void =>
      take(route, names, new Exchange(res, headOnly, served.began(route.operationId)), res, req, served);
  if (route.method === 'GET') {
    app.get(route.path, handler(false));
    app.head(route.path, handler(true));
  } else if (route.method === 'POST') app.post(route.path, handler(false));
  else if (route.method === 'PUT') app.put(route.path, handler(false));
  else app.del(route.path, handler(false));
}

/** Registers what answers everything no route takes, wrong methods included (MC-GEN-025). */
export function registerUnknown(app: TemplatedApp, served: Served, help?: string): void {
  app.any('/*', (res, req) => takeUnknown(res, req, served, help));
}

/** Registers the answer to a plain GET of a path that only upgrades. */
export function registerUpgradeOnly(app: TemplatedApp, path: string, served: Served): void {
  app.get(path, (res, req) =>
    takeUnknown(res, req, served, 'This is a follow route: open it as a WebSocket.'),
  );
}

export function takeUnknown(res: HttpResponse, req: HttpRequest, served: Served, help?: string): void {
  const exchange = new Exchange(res, req.getMethod() === 'head', served.began('unknownRoute'));
  if (!refusedHead(readHead(req, []), exchange, served)) exchange.finish(unknownRoute(req, served, help));
}

function unknownRoute(req: HttpRequest, { dialect }: Served, help = dialect.routesHelp): Reply {
  const message = `no route ${req.getMethod().toUpperCase()} ${req.getUrl()}`;
  return dialect.reply(refusal(dialect.codes.unknownRoute, message, { help }));
}

function take<Ports extends LayerPorts>(
  route: AnyRoute<Ports>,
  names: readonly string[],
  exchange: Exchange,
  res: HttpResponse,
  req: HttpRequest,
  served: Served<Ports>,
): void {
  try {
    const head = readHead(req, names);
    if (refusedHead(head, exchange, served)) return;
    const limit = bodyLimit(route);
    if (route.content !== undefined) takeContent(route, exchange, head, res, served);
    else if (limit === undefined) takeNone(route, exchange, head, res, served);
    else if ((head.contentLength ?? 0) > limit) refuseLength(limit, head.contentLength!, exchange, served);
    else {
      takeBody(res, limit, exchange, served, (body) =>
        begin(route, exchange, () => respond(route, exchange, head, { body }, served)),
      );
    }
  } catch (error) {
    served.failed(exchange, error);
  }
}

/** U28. Of a GET, which changes nothing, none is read. */
function takeNone<Ports extends LayerPorts>(
  route: AnyRoute<Ports>,
  exchange: Exchange,
  head: RequestHead,
  res: HttpResponse,
  served: Served<Ports>,
): void {
  const done = (): void => begin(route, exchange, () => respond(route, exchange, head, {}, served));
  if (route.method === 'GET' || served.dialect.unaskedBody === 'ignored') return done();
  collectBody(res, {
    limit: EMPTY_OBJECT_BYTES,
    clock: served.ports.clock,
    admit: () => true,
    done: (body) =>
      saysNothing(body) ? done() : void respond(route, exchange, head, { unasked: true }, served),
    // It changes nothing: as any refusal at once, so that a request right behind it is read.
    tooLarge: (isWhole) => void respond(route, exchange, head, { unasked: true, closing: !isWhole }, served),
  });
}

/** U28 */
function saysNothing(body: Buffer): boolean {
  return body.length === 0 || /^\s*\{\s*\}\s*$/.test(body.toString());
}

function takeBody(
  res: HttpResponse,
  limit: number,
  exchange: Exchange,
  served: Served,
  taken: (body: Buffer) => void,
): void {
  let release: Release | undefined;
  exchange.whenGone(() => release?.());
  collectBody(res, {
    limit,
    clock: served.ports.clock,
    admit() {
      release = served.admission.body(addressOf(res));
      if (release === undefined) exchange.finish(tooMany(served), true);
      return release !== undefined;
    },
    done(body) {
      release?.();
      taken(body);
    },
    tooLarge(isWhole) {
      release?.();
      exchange.finish(tooLarge(limit, served), !isWhole);
    },
  });
}

/**
 * The request is whole (exchange.U16, U17). Of one that changes nothing, or that may be given up, the client is seen to
 * go.
 */
function begin<Ports>(route: AnyRoute<Ports>, exchange: Exchange, work: () => Promise<void>): void {
  if (route.method === 'GET') return void work();
  if (route.abortable !== true) exchange.hold();
  setImmediate(() => void (exchange.open && work()));
}

/** Answered at once; what was announced is read and dropped, up to a bound, so that the answer is found behind it. */
function refuseLength(limit: number, length: number, exchange: Exchange, served: Served): void {
  exchange.finish(tooLarge(limit, served), length > limit + REFUSED_BODY_BYTES);
}

/** Undefined: the body is not read. */
function bodyLimit<Ports>({ bytes, bodyBytes, validator }: AnyRoute<Ports>): number | undefined {
  return bytes?.maxBytes ?? (validator === undefined ? undefined : (bodyBytes ?? JSON_BODY_BYTES));
}

/** Content is read by the handler, once who calls has been checked; what is left unread ends the connection. */
function takeContent<Ports extends LayerPorts>(
  route: AnyRoute<Ports>,
  exchange: Exchange,
  head: RequestHead,
  res: HttpResponse,
  served: Served<Ports>,
): void {
  const { maxBytes } = route.content!;
  if ((head.contentLength ?? 0) > maxBytes)
    return refuseLength(maxBytes, head.contentLength!, exchange, served);
  const content = new ContentStream(res, maxBytes);
  exchange.whenGone(() => content.abort());
  const { params, query, credentials } = head;
  const { ports, dialect } = served;
  answer(route, { params, query, credentials, body: undefined, content }, ports, dialect).then(
    async (reply) => exchange.finish(reply, await content.settle(ports.clock)),
    (error) => served.failed(exchange, error),
  );
}

/** What came behind the head. */
interface Came extends Pick<Incoming, 'unasked'> {
  readonly body?: Buffer;
  /** Its end was not read. */
  readonly closing?: boolean;
}

async function respond<Ports extends LayerPorts>(
  route: AnyRoute<Ports>,
  exchange: Exchange,
  head: RequestHead,
  { body, unasked, closing }: Came,
  served: Served<Ports>,
): Promise<void> {
  try {
    const { params, query, credentials, conditions, accept } = head;
    const { ports, dialect } = served;
    const incoming = { params, query, credentials, conditions, accept, body, unasked };
    const asked = route.abortable === true ? { ...incoming, gone: goneOf(exchange) } : incoming;
    const reply = await answer(route, asked, ports, dialect);
    const { stream } = reply;
    if (stream === undefined && closing) return exchange.finish(reply, closing);
    const broken = (error: unknown): void =>
      ports.log.warn(
        { route: route.operationId, err: error },
        'content was cut off: the rest could not be read',
      );
    if (stream === undefined) exchange.answer(reply, { clock: ports.clock, broken });
    else exchange.stream({ ...reply, stream }, { clock: ports.clock, broken });
  } catch (error) {
    served.failed(exchange, error);
  }
}

function goneOf(exchange: Exchange): AbortSignal {
  const gone = new AbortController();
  exchange.whenGone(() => gone.abort());
  return gone.signal;
}

/** Whether the head was refused (request-head.U4, U11, plain.U10); the caller then leaves the exchange alone. */
export function refusedHead(head: RequestHead, exchange: Exchange, served: Served): boolean {
  const { dialect } = served;
  const refused = headRefusal(head, dialect.codes, served);
  if (refused === undefined) return false;
  setImmediate(() => exchange.finish(dialect.reply(refused), true));
  return true;
}

function headRefusal(
  { repeated: [name], host, origin, bytes }: RequestHead,
  codes: LayerCodes,
  served: Pick<Served, 'hosts' | 'refusedHost'>,
): Refusal<AnyFault> | undefined {
  if (bytes > HEAD_BYTES)
    return refusal(codes.headTooLarge, `headers and query are ${bytes} bytes, and may be ${HEAD_BYTES}`, {
      help: 'Shorten the query, or take an access token with fewer roles; cookies are not needed.',
    });
  if (name !== undefined) return refusal(codes.invalid, `header ${name} is given more than once`);
  if (!served.hosts.allows(host)) {
    served.refusedHost(host!);
    return refusal(codes.foreignHost, `${shown(host!)} is not a host of this service`, {
      help: 'call it by the address it listens on, or start it with --allow-host and this name',
    });
  }
  if (origin === undefined || served.hosts.allowsOrigin(origin, host)) return undefined;
  return refusal(codes.foreignOrigin, `a page of ${shown(origin)} may not use this service`, {
    help: 'open the page from the service itself, call it from outside a browser, or start it with --allow-host and the name people open it under',
  });
}

/** The refusal of a further WebSocket or unfinished body. */
export function tooMany({ dialect }: Served): Reply {
  return dialect.reply(
    refusal(dialect.codes.tooMany, 'too much is under way from this address, or from all', {
      help: 'Close connections that are not needed, then try again.',
    }),
  );
}

/** What a client sent, cut where it is long. */
function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}

function tooLarge(bytes: number, { dialect }: Served): Reply {
  return dialect.reply(refusal(dialect.codes.tooLarge, `the body is larger than ${bytes} bytes`));
}
