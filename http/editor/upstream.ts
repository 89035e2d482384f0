/**
 * One request to the editor and its answer, over a client of node. Mission Control Service, section 4.9. Knows no
 * transport of this side.
 *
 * S1. Nothing of a body is held beyond one piece: the next one is read when the editor has taken it, and pieces of the
 *     answer are read as they are asked for.
 * S2. An editor that cannot be reached, closes or is silent before its answer is `unreachable`. Behind the head of an
 *     answer its end is the end of the answer or an error, never a false end.
 * S3. A connection carries one request: none is sent on one that the editor is about to close, and nothing left over of
 *     one request meets another.
 * S4. A request whose body does not come whole is broken off at the editor; it never looks whole there.
 * S5. An answer that was sent before the connection of the editor broke is read, also where the rest of the body no
 *     longer got there; one that has its end by the end of that connection alone counts as cut off then.
 */

import { type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { EDITOR_ANSWER_MS } from '../../contract/limits/editor.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { type Content, ContentBroken } from '../content.ts';
import { readBehindFailedWrites } from './early-answer.ts';
import type { Fields, Outgoing } from './request-headers.ts';
import { headersForClient } from './response-headers.ts';
import { NOT_HTTP, whyNot } from './unreachable.ts';

export interface Asked {
  readonly base: URL;
  readonly method: string;
  /** Path and query at the editor. */
  readonly path: string;
  readonly headers: Outgoing;
  readonly content: Content;
  readonly clock: Clock;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

export interface EditorAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly fields: Fields;
  /** Of the content; undefined where the editor does not say. */
  readonly length: number | undefined;
  /** Throws where the content ends before its end. */
  pieces(): AsyncIterable<Uint8Array>;
  /** Ends the connection, whatever was read. */
  drop(): void;
}

export interface Unreachable {
  readonly kind: 'unreachable';
  readonly why: string;
}

export type Answered =
  | EditorAnswer
  | Unreachable
  | { readonly kind: 'too-large' }
  | { readonly kind: 'gone' };

/** Asks the editor; never rejects. */
export function askEditor(asked: Asked): Promise<Answered> {
  const { base, clock, gone, content } = asked;
  return new Promise((resolve) => {
    const request = openRequest(asked);
    let isBrokenOff = false;
    const brokeOff = (): void => {
      isBrokenOff = true;
    };
    request.on('socket', (socket) => readBehindFailedWrites(socket, brokeOff));
    const patience = new Patience(clock, () =>
      settle({ kind: 'unreachable', why: 'it does not answer in time' }),
    );
    let isSettled = false;
    const settle = (answered: Answered): void => {
      if (isSettled) return;
      isSettled = true;
      patience.end();
      resolve(answered);
      if (answered.kind !== 'answer') request.destroy();
    };
    gone.addEventListener('abort', () => {
      settle({ kind: 'gone' });
      request.destroy();
    });
    request.on('response', (response) => settle(answerOf(request, response, base, () => isBrokenOff)));
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      settle({ kind: 'unreachable', why: 'it changed the protocol unasked' });
    });
    request.on('error', (error) => {
      brokeOff();
      settle({ kind: 'unreachable', why: whyNot(error) });
    });
    send(request, content, () => patience.renew()).catch((error: unknown) => {
      settle({ kind: error instanceof ContentBroken && error.why === 'too-large' ? 'too-large' : 'gone' });
      request.destroy();
    });
  });
}

/**
 * What an answer of the editor is here; `response` is read by whoever reads the pieces. One with a status that HTTP
 * does not have is none: clients could not read it, or would read it as they like.
 */
export function answerOf(
  request: ClientRequest,
  response: IncomingMessage,
  base: URL,
  isBrokenOff: () => boolean = () => false,
): EditorAnswer | Unreachable {
  const status = response.statusCode!;
  if (status < 200 || status > 599) {
    request.destroy();
    return { kind: 'unreachable', why: NOT_HTTP };
  }
  const length = response.headers['content-length'];
  // What becomes of it is for whoever reads the pieces; an answer that nobody reads fails in silence.
  response.on('error', () => undefined);
  return {
    kind: 'answer',
    status,
    fields: headersForClient(response.rawHeaders, base),
    length: length === undefined ? undefined : Number(length),
    pieces: () => (hasItsEnd(request, response) ? response : unlessBrokenOff(response, isBrokenOff)),
    drop: () => void request.destroy(),
  };
}

/** Whether the end of an answer is in it; else it is the end of the connection. */
function hasItsEnd({ method }: ClientRequest, { statusCode, headers }: IncomingMessage): boolean {
  if (method === 'HEAD' || statusCode === 204 || statusCode === 304) return true;
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** S5 */
async function* unlessBrokenOff(
  response: IncomingMessage,
  isBrokenOff: () => boolean,
): AsyncGenerator<Uint8Array> {
  yield* response;
  if (isBrokenOff()) throw new Error('the editor closed the connection before the end of its answer');
}

function openRequest({ base, method, path, headers }: Asked): ClientRequest {
  const open = base.protocol === 'https:' ? overHttps : overHttp;
  return open({
    // Without the brackets of an IPv6 address.
    hostname: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port,
    method,
    path,
    headers,
    // S3
    agent: false,
  });
}

/** S1, S4 */
async function send(request: ClientRequest, content: Content, progress: () => void): Promise<void> {
  for await (const piece of content.pieces()) {
    // It has answered without the rest, or is gone.
    if (request.destroyed) return;
    if (!request.write(piece)) await room(request);
    progress();
  }
  request.end();
}

/** Resolves when the request takes more, or nothing any more. */
function room(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      request.off('drain', done);
      request.off('close', done);
      resolve();
    };
    request.on('drain', done);
    request.on('close', done);
  });
}

/** How long the editor may take nothing and say nothing. */
class Patience {
  readonly #clock: Clock;
  readonly #lost: () => void;
  #timer: TimerHandle | undefined;
  #isOver = false;

  constructor(clock: Clock, lost: () => void) {
    this.#clock = clock;
    this.#lost = lost;
    this.renew();
  }

  renew(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    if (!this.#isOver) this.#timer = this.#clock.setTimeout(this.#lost, EDITOR_ANSWER_MS);
  }

  end(): void {
    this.#isOver = true;
    this.renew();
  }
}
