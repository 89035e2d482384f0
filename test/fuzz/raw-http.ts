/** HTTP as bytes: requests that no client library would send, and answers as they come off the wire. */

import net from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Past this an answer or an end counts as never coming: far longer than a busy machine stands still. */
const ANSWER_MS = 30_000;

/** One connection at a time, kept alive over requests and opened again when the server has closed it. */
export class RawClient {
  readonly #port: number;
  #socket: net.Socket | undefined;
  #received = Buffer.alloc(0);
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * The answer to one whole request; undefined when the server closed without. Rejects when neither comes. A connection
   * that was kept alive may be closed at any time, so there the request is made once more.
   */
  async request(bytes: Buffer, headOnly = false): Promise<RawAnswer | undefined> {
    const kept = this.#socket;
    const answer = kept === undefined ? undefined : await this.#ask(kept, bytes, headOnly);
    return answer ?? this.#ask(await this.#connect(), bytes, headOnly);
  }

  async #ask(socket: net.Socket, bytes: Buffer, headOnly: boolean): Promise<RawAnswer | undefined> {
    socket.write(bytes);
    const end = performance.now() + ANSWER_MS;
    for (;;) {
      const taken = takeAnswer(this.#received, headOnly);
      if (taken !== undefined) {
        this.#received = taken.rest;
        return taken.answer;
      }
      if (this.#socket === undefined) return undefined;
      await this.#more(end);
    }
  }

  /** Opens a connection with a request, sends more once it is answered, and ends it; the answer. */
  async converse(opening: Buffer, then: readonly Buffer[]): Promise<RawAnswer | undefined> {
    this.close();
    const answer = await this.request(opening);
    this.#socket?.end(Buffer.concat(then));
    const end = performance.now() + ANSWER_MS;
    while (this.#socket !== undefined) await this.#more(end);
    return answer;
  }

  /** Everything the server says to the bytes and the end of the stream behind them, until it closes. */
  async exchange(bytes: Buffer): Promise<string> {
    this.close();
    const socket = await this.#connect();
    socket.end(bytes);
    const end = performance.now() + ANSWER_MS;
    while (this.#socket !== undefined) await this.#more(end);
    return this.#received.toString('latin1');
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #connect(): Promise<net.Socket> {
    const socket = net.connect(this.#port, '127.0.0.1').setNoDelay(true);
    this.#received = Buffer.alloc(0);
    this.#socket = socket;
    socket.on('data', (data) => {
      if (this.#socket === socket) this.#received = Buffer.concat([this.#received, data]);
      this.#wake();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#wake();
    });
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return socket;
  }

  #more(end: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new Error(`neither an answer nor an end within ${ANSWER_MS} ms`));
      const timer = setTimeout(late, Math.max(0, end - performance.now()));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The first answer in the bytes and what follows it; undefined while it is not whole. */
export function takeAnswer(
  bytes: Buffer,
  headOnly: boolean,
): { readonly answer: RawAnswer; readonly rest: Buffer<ArrayBuffer> } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`no status line: ${statusLine}`);
  const headers = new Map(
    lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const bodyAt = headEnd + 4;
  // What uWebSockets.js says of broken framing has no length: it ends with the connection.
  const length =
    headers.get('content-length') ?? (headers.get('connection') === 'close' ? bytes.length - bodyAt : 0);
  const end = bodyAt + (headOnly || status === 101 || status === 304 ? 0 : Number(length));
  if (bytes.length < end) return undefined;
  const body = bytes.toString('utf8', bodyAt, end);
  return { answer: { status, headers, body }, rest: Buffer.from(bytes.subarray(end)) };
}
