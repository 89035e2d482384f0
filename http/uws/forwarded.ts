/**
 * Requests to the editor on uWebSockets.js: from its callback to the editor and back. Mission Control Service, section
 * 4.9; what goes to the editor and what comes back of it is decided in `http/editor/`.
 *
 * G1. The client is seen to go until its answer is there, and the editor is then asked for nothing any more. A request
 *     sent behind one that is not answered therefore ends both (plain.U17); no browser sends one.
 * G2. A body that is too large is refused by its length, else at the first byte beyond; the editor never sees it whole.
 * G3. When the rest of an answer cannot be had the connection is cut (content-sender.U21).
 * G4. Whatever ends an exchange, the connection to the editor ends with it and its place is given back.
 */

import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js';
import type { Clock } from '../../ports/clock.ts';
import type { LayerPorts } from '../dialect.ts';
import { tooLargeForEditor, unreachable } from '../editor/editor.ts';
import { EDITOR_PREFIX } from '../editor/editor-path.ts';
import { bodyHeaders } from '../editor/request-headers.ts';
import { type Answered, askEditor, type EditorAnswer } from '../editor/upstream.ts';
import type { AnyFault, Refusal } from '../reply.ts';
import { ContentStream } from './content-stream.ts';
import { Exchange } from './exchange.ts';
import {
  type Admitted,
  admit,
  type CopiedHead,
  copyHead,
  type EditorOf,
  isForwarded,
  untrustedHead,
} from './forwarded-head.ts';
import { refusedHead, takeUnknown, tooMany } from './plain.ts';
import type { Served } from './served.ts';

/** Everything below it, and nothing beside it. */
export const EDITOR_ROUTE = `${EDITOR_PREFIX}/*`;

interface Forwarding {
  readonly copied: CopiedHead;
  readonly exchange: Exchange;
  readonly content: ContentStream;
  readonly gone: AbortController;
}

/** Registers every method; those that do not pass are routes that there are not. */
export function registerForwarded<Ports extends LayerPorts>(
  app: TemplatedApp,
  editorOf: EditorOf<Ports>,
  served: Served<Ports>,
): void {
  app.any(EDITOR_ROUTE, (res, req) => {
    if (isForwarded(req.getMethod().toUpperCase())) take(res, req, editorOf, served);
    else takeUnknown(res, req, served);
  });
}

function take<Ports extends LayerPorts>(
  res: HttpResponse,
  req: HttpRequest,
  editorOf: EditorOf<Ports>,
  served: Served<Ports>,
): void {
  const gone = new AbortController();
  const ended = served.began('editor');
  let release: (() => void) | undefined;
  const exchange = new Exchange(res, req.getMethod() === 'head', (status) => {
    ended(status);
    release?.();
    gone.abort();
  });
  try {
    const copied = copyHead(res, req);
    if (refusedHead(copied.head, exchange, served)) return;
    const refused = untrustedHead(copied);
    // In a later turn, as there (plain.U10).
    if (refused !== undefined)
      return void setImmediate(() => exchange.finish(served.dialect.reply(refused), true));
    release = served.admission.forwarded(copied.address);
    if (release === undefined) return exchange.finish(tooMany(served), true);
    const service = editorOf(served.ports);
    const content = new ContentStream(res, service.ok ? service.value.maxBytes : 0, { seesGone: true });
    exchange.whenGone(() => content.abort());
    forward({ copied, exchange, content, gone }, editorOf, served).catch((error) =>
      served.failed(exchange, error),
    );
  } catch (error) {
    served.failed(exchange, error);
  }
}

async function forward<Ports extends LayerPorts>(
  forwarding: Forwarding,
  editorOf: EditorOf<Ports>,
  served: Served<Ports>,
): Promise<void> {
  const { copied, exchange, content, gone } = forwarding;
  const refuse = async (refused: Refusal<AnyFault>): Promise<void> =>
    exchange.finish(served.dialect.reply(refused), await content.settle(served.ports.clock));
  const admitted = await admit(copied, copied.head.credentials, editorOf, served);
  // In a turn later than the one that brought it (plain.U17).
  await new Promise((resolve) => setImmediate(resolve));
  if (!exchange.open) return;
  if (!admitted.ok) return refuse(admitted);
  const { service } = admitted.value;
  const tooLarge = (): Promise<void> => refuse(tooLargeForEditor(service.maxBytes));
  if ((copied.head.contentLength ?? 0) > service.maxBytes) return tooLarge();
  const answered = await ask(admitted.value, copied, content, gone.signal, served);
  if (!exchange.open) return;
  if (answered.kind === 'answer') relay(answered, exchange, content, served);
  else if (answered.kind === 'too-large') await tooLarge();
  else if (answered.kind === 'unreachable') await refuse(unreachable(answered.why));
}

function ask(
  { service, path, headers }: Admitted,
  { method, fields }: CopiedHead,
  content: ContentStream,
  gone: AbortSignal,
  { ports: { clock } }: Served,
): Promise<Answered> {
  const sent = { ...headers, ...bodyHeaders(fields) };
  return askEditor({ base: service.base, method, path, headers: sent, content, clock, gone });
}

/** G3 */
function relay(answer: EditorAnswer, exchange: Exchange, content: ContentStream, served: Served): void {
  // A body that is still on its way may have to end the connection, which only an answer without length can.
  const isSized = answer.length !== undefined && content.spent && !content.paused;
  const { clock, log } = served.ports;
  exchange.stream(replyOf(answer, content, isSized, clock), {
    clock,
    broken: (error) => log.warn({ err: error }, 'an answer of the editor was cut off'),
    isPaused: () => content.paused,
  });
}

function replyOf(
  { status, fields, length, pieces }: EditorAnswer,
  content: ContentStream,
  isSized: boolean,
  clock: Clock,
) {
  const closing = () => content.settle(clock);
  return { status, fields, stream: { bytes: isSized ? length : undefined, pieces, closing } };
}
