/**
 * One HTTP exchange on uWebSockets.js: the only place that writes to its response. Mission Control Service, section 4.
 *
 * U1. `onAborted` is attached before anything else; without it an early return ends the process.
 * U2. An exchange ends once: what comes after the end, or after the client has gone, is not written.
 * U3. Everything is written in one cork, status before headers; no header value comes from a request.
 * U16. Between a whole request that changes something and its answer nothing is read of its connection: a request sent
 *      behind it waits there and is answered next. uWebSockets.js itself cuts a connection that brings another request
 *      meanwhile.
 * U17. Each answer says how long its connection stays open without a request: a client that knows sends nothing in the
 *      moment in which it is closed.
 * U18. An answer that is larger than what a socket takes at once goes as content does (`content-sender.ts`): a client
 *      that reads it slowly gets all of it.
 * U12. An upgrade happens while another socket holds the cork (`cork-holder.ts`).
 */

import type { HttpResponse, us_socket_context_t } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { ANSWER_AT_ONCE_BYTES, KEEP_ALIVE_S } from '../../contract/limits/connection.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Reply, StreamedBody } from '../reply.ts';
import { ChunkedSender } from './chunked-sender.ts';
import { ContentSender, type Sending } from './content-sender.ts';
import type { CorkHolder } from './cork-holder.ts';
import { SlowClient } from './slow-client.ts';

export interface StreamOptions {
  readonly clock: Clock;
  /** The rest of the body could not be read. */
  readonly broken: (error: unknown) => void;
  /** Whether the connection is not to be read now; default: it is. */
  readonly isPaused?: () => boolean;
}

/** What a client sent to ask for an upgrade. */
export interface UpgradeKeys {
  readonly key: string;
  readonly extensions: string;
  readonly context: us_socket_context_t;
  /** Default none: the service speaks none itself. */
  readonly protocol?: string;
}

const KEEP_ALIVE = `timeout=${KEEP_ALIVE_S}`;

export class Exchange {
  readonly #res: HttpResponse;
  readonly #headOnly: boolean;
  readonly #ended: (status: number) => void;
  #state: 'open' | 'sending' | 'ended' | 'aborted' = 'open';
  #held = false;
  #whenGone: (() => void) | undefined;
  #sender: ContentSender | ChunkedSender | undefined;

  /** `ended` is called once, with 0 when the client went before its answer. */
  constructor(res: HttpResponse, headOnly: boolean, ended: (status: number) => void) {
    this.#res = res;
    res.onAborted(() => this.#abort());
    this.#headOnly = headOnly;
    this.#ended = ended;
  }

  get open(): boolean {
    return this.#state === 'open';
  }

  /** Calls the listener when the client goes before its answer. */
  whenGone(listener: () => void): void {
    this.#whenGone = listener;
  }

  /** The request is whole (U16). From now on its client is not seen to go. */
  hold(): void {
    if (this.#state !== 'open' || this.#held) return;
    this.#held = true;
    this.#res.pause();
  }

  /**
   * Answers; `closing` ends the connection too, for a request whose rest cannot be trusted. `length` is that of the
   * body where the answer is without it.
   */
  finish(reply: Reply, closing = false, length?: number | 'unknown'): void {
    this.#finishWith(reply, textOf(reply), closing, length);
  }

  /** Answers; a large body of a request that is not held, as fast as its client takes it (U18). */
  answer(reply: Reply, options: StreamOptions): void {
    const body = textOf(reply);
    if (body.length <= ANSWER_AT_ONCE_BYTES || this.#held || this.#headOnly)
      return this.#finishWith(reply, body);
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    async function* pieces(): AsyncIterable<Uint8Array> {
      yield bytes;
    }
    this.stream({ ...reply, stream: { bytes: bytes.length, pieces } }, options);
  }

  #finishWith(
    reply: Reply,
    body: Uint8Array | string,
    closing = false,
    length: number | 'unknown' | undefined = undefined,
  ): void {
    if (this.#state !== 'open') return;
    this.#state = 'ended';
    if (this.#held) this.#res.resume();
    this.#res.cork(() => this.#write(reply, body, closing, length));
    this.#ended(reply.status);
  }

  /** Answers with a body in pieces. It has ended when the last of it is given to the socket. */
  stream(
    reply: Reply & { readonly stream: StreamedBody },
    { clock, broken, isPaused = () => this.#held }: StreamOptions,
  ): void {
    const { stream, ...head } = reply;
    if (this.#headOnly || head.status === 204 || head.status === 304 || stream.bytes === 0)
      return void this.#finishBare({ ...head, bytes: '' }, stream);
    if (this.#state !== 'open') return;
    this.#state = 'sending';
    const over = (): void => {
      this.#state = 'ended';
      this.#sender = undefined;
      this.#ended(reply.status);
    };
    const sending = {
      head: () => this.#writeHead(head),
      sent: over,
      broken: (error: unknown) => {
        over();
        broken(error);
      },
    };
    this.#sender = this.#senderOf(stream, sending, new SlowClient(this.#res, { clock, isPaused }));
    void this.#sender.send();
  }

  async #finishBare(reply: Reply, { bytes, closing }: StreamedBody): Promise<void> {
    this.finish(reply, (await closing?.()) ?? false, bytes ?? 'unknown');
  }

  #senderOf(stream: StreamedBody, sending: Sending, slow: SlowClient): ContentSender | ChunkedSender {
    const { bytes } = stream;
    return bytes === undefined
      ? new ChunkedSender(this.#res, stream, sending, slow)
      : new ContentSender(this.#res, { bytes, pieces: () => stream.pieces() }, sending, slow);
  }

  /** Turns the exchange into a WebSocket carrying `data` (U12). */
  upgrade<Data>(
    data: Data,
    { key, extensions, context, protocol = '' }: UpgradeKeys,
    holder: CorkHolder,
  ): void {
    this.#state = 'ended';
    const upgrade = (): void => {
      this.#res.cork(() => this.#res.upgrade(data, key, protocol, extensions, context));
    };
    if (!holder.while(upgrade)) upgrade();
    this.#ended(101);
  }

  #writeHead({ status, contentType = 'application/json', headers, fields }: Reply, closing = false): void {
    // 200 is what a response has by itself; each call into the native layer costs a fraction of a microsecond.
    if (status !== 200) this.#res.writeStatus(statusLine(status));
    if (status !== 204 && fields === undefined) this.#res.writeHeader('content-type', contentType);
    if (!closing) this.#res.writeHeader('keep-alive', KEEP_ALIVE);
    for (const [name, value] of fields ?? []) this.#res.writeHeader(name, value);
    for (const name in headers) this.#res.writeHeader(name, headers[name]!);
  }

  #write(reply: Reply, body: Uint8Array | string, closing: boolean, length?: number | 'unknown'): void {
    const { status } = reply;
    this.#writeHead(reply, closing);
    // What has no content has no length either (RFC 9110, section 8.6).
    if (status === 204) this.#endBare('unknown', closing);
    else if (this.#headOnly || status === 304) this.#endBare(length ?? Buffer.byteLength(body), closing);
    else this.#res.end(body, closing);
  }

  /**
   * An answer to a HEAD, and a 304, names the length of what it leaves out. Given to `endWithoutBody` that length would
   * be waited for and the connection cut at its next request; so it is written as any header. An `undefined` given to
   * it is written as a length of 2^63.
   */
  #endBare(length: number | 'unknown', closing: boolean): void {
    if (closing) this.#res.endWithoutBody(0, true);
    else if (length === 'unknown') this.#res.endWithoutBody();
    else this.#res.writeHeader('content-length', `${length}`).endWithoutBody();
  }

  #abort(): void {
    if (this.#state !== 'open' && this.#state !== 'sending') return;
    this.#state = 'aborted';
    this.#sender?.abort();
    this.#whenGone?.();
    this.#ended(0);
  }
}

function textOf({ bytes, body }: Reply): Uint8Array | string {
  return bytes ?? (body === undefined ? '' : JSON.stringify(body));
}

const lines = new Map<number, string>();

function statusLine(status: number): string {
  let line = lines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
    lines.set(status, line);
  }
  return line;
}
