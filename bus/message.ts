/**
 * Messages of the bus in the form of the port. Headers are read when somebody asks: most readers never do, and
 * decoding them costs as much as the rest of a delivery.
 *
 * M1. Headers of the protocol, and the one this adapter knows its own writes by, are not shown.
 */

import type { Msg, MsgHdrs } from 'nats';
import type { CoreMessage, Headers, StreamMessage } from '../ports/bus.ts';

/** Tells one write from another with the same id; unique per call over all processes. */
export const WRITER_HEADER = 'Mcs-Writer';

/** Where a message stands, read from the acknowledgement subject that comes with it. */
export interface Position {
  readonly seq: number;
  /** Count of the consumer, from 1 without gap. */
  readonly delivery: number;
  readonly at: number;
  readonly pending: number;
}

/** A message as STREAM.MSG.GET returns it. */
export interface StoredMessage {
  readonly message: {
    readonly subject: string;
    readonly seq: number;
    readonly data?: string;
    readonly hdrs?: string;
    readonly time: string;
  };
}

const NO_HEADERS: Headers = {};
const ACK_TOKENS_OF_OLD = 9;

export class ReceivedMessage implements CoreMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly #message: Msg;
  #headers: Headers | undefined;

  constructor(message: Msg) {
    this.subject = message.subject;
    this.data = plainBytes(message.data);
    this.#message = message;
  }

  get headers(): Headers {
    this.#headers ??= shown(this.#message.headers);
    return this.#headers;
  }
}

export class DeliveredMessage extends ReceivedMessage implements StreamMessage {
  readonly seq: number;
  readonly at: number;
  readonly pending: number;

  constructor(message: Msg, position: Position) {
    super(message);
    this.seq = position.seq;
    this.at = position.at;
    this.pending = position.pending;
  }
}

/**
 * The position in an acknowledgement subject,
 * `$JS.ACK.<stream>.<consumer>.<deliveries>.<seq>.<delivery>.<time>.<pending>`; newer servers put domain and account
 * before the stream. Undefined if it is none.
 */
export function positionOf(reply: string): Position | undefined {
  if (!reply.startsWith('$JS.ACK.')) return undefined;
  const tokens = reply.split('.');
  const shift = tokens.length > ACK_TOKENS_OF_OLD ? 2 : 0;
  return {
    seq: Number(tokens[5 + shift]),
    delivery: Number(tokens[6 + shift]),
    at: Number(tokens[7 + shift]?.slice(0, -6)),
    pending: Number(tokens[8 + shift]),
  };
}

/**
 * The same bytes as a plain array: the client hands out Buffers now and then, whose `slice` shares instead of copying.
 */
export function plainBytes(data: Uint8Array): Uint8Array {
  return data.constructor === Uint8Array
    ? data
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** A stored message in the form of the port, with every header it was stored with. */
export function storedMessage({ message }: StoredMessage): StreamMessage {
  return {
    subject: message.subject,
    data: new Uint8Array(Buffer.from(message.data ?? '', 'base64')),
    headers: parseHeaders(Buffer.from(message.hdrs ?? '', 'base64').toString('utf8')),
    seq: message.seq,
    at: Date.parse(message.time),
    pending: 0,
  };
}

/** The message without the headers of M1. */
export function withoutProtocol(message: StreamMessage): StreamMessage {
  return {
    ...message,
    headers: Object.fromEntries(Object.entries(message.headers).filter(([name]) => isShown(name))),
  };
}

function shown(headers: MsgHdrs | undefined): Headers {
  if (headers === undefined) return NO_HEADERS;
  const result: Record<string, string> = {};
  for (const [name, values] of headers) if (isShown(name)) result[name] = values[0] ?? '';
  return result;
}

function isShown(name: string): boolean {
  return !name.startsWith('Nats-') && name !== WRITER_HEADER;
}

/** `NATS/1.0`, then one `Name: value` per line. */
function parseHeaders(text: string): Headers {
  const headers: Record<string, string> = {};
  for (const line of text.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers[line.slice(0, colon)] = line.slice(colon + 1).trim();
  }
  return headers;
}
