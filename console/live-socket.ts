/**
 * A follow route of the service that comes back by itself: opens again with growing pauses, and at once when the
 * browser says that the network is there again.
 *
 * K1. A close with 1000 is the end of what was followed; nothing is opened again.
 * K2. A close with 4401 means that the token has expired that it was opened with, or that access has ended: it is
 *     opened again with the one that is kept meanwhile; where there is none, the page asks for another one, and it is
 *     opened once one is kept. Access may also come back without one, so it is tried again as behind any other loss.
 * K3. Where the service promises news within `silentMs`, silence is a lost connection: a network that was unplugged
 *     closes no socket.
 */

import { later, measured } from './browser-clock.ts';
import { keptToken, tokenAsked, whenTokenKept } from './token.ts';

export type SocketState = 'connecting' | 'open' | 'lost' | 'ended';

export interface LiveSocketOptions {
  readonly path: string;
  readonly message: (text: string) => void;
  /** Binary messages; without it there are none. */
  readonly bytes?: (bytes: ArrayBuffer) => void;
  readonly changed: (state: SocketState) => void;
  readonly silentMs?: number;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;
const FINISHED = 1000;
const TOKEN_EXPIRED = 4401;

export class LiveSocket {
  readonly #options: LiveSocketOptions;
  #socket: WebSocket | undefined;
  #token: string | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #sinceReceived = measured();
  #cancel: () => void = () => undefined;
  #closed = false;
  readonly #online = (): void => {
    if (this.#socket === undefined && !this.#closed) this.#open();
  };

  constructor(options: LiveSocketOptions) {
    this.#options = options;
    addEventListener('online', this.#online);
    options.changed('connecting');
    this.#open();
  }

  close(): void {
    this.#closed = true;
    removeEventListener('online', this.#online);
    this.#cancel();
    this.#drop();
  }

  #open(): void {
    this.#cancel();
    this.#token = keptToken();
    const socket = new WebSocket(addressOf(this.#options.path, this.#token));
    this.#socket = socket;
    this.#sinceReceived = measured();
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.#options.changed('open');
    socket.onmessage = ({ data }) => {
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#sinceReceived = measured();
      if (data instanceof ArrayBuffer) this.#options.bytes?.(data);
      else this.#options.message(String(data));
    };
    socket.onclose = ({ code, reason }) => this.#ended(socket, code, reason);
    this.#listen();
  }

  /** K3 */
  #listen(): void {
    const { silentMs } = this.#options;
    if (silentMs === undefined) return;
    this.#cancel = later(() => {
      if (this.#sinceReceived() < silentMs) this.#listen();
      else this.#lost();
    }, silentMs / 2);
  }

  #ended(socket: WebSocket, code: number, reason: string): void {
    if (this.#socket !== socket) return;
    const isExpired = code === TOKEN_EXPIRED && keptToken() === this.#token;
    if (code !== FINISHED && !isExpired) return this.#lost();
    this.#cancel();
    this.#socket = undefined;
    this.#closed = !isExpired;
    this.#options.changed(isExpired ? 'lost' : 'ended');
    if (!isExpired) return;
    const keptNoMore = whenTokenKept(() => this.#open());
    const tryNoMore = later(() => this.#open(), LONGEST_PAUSE_MS);
    this.#cancel = () => {
      keptNoMore();
      tryNoMore();
    };
    tokenAsked(reason || 'the token has expired');
  }

  #lost(): void {
    this.#cancel();
    this.#drop();
    this.#options.changed('lost');
    this.#cancel = later(() => this.#open(), this.#pauseMs);
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.onmessage = null;
    socket.onclose = null;
    socket.onopen = null;
    socket.close();
  }
}

/** A WebSocket of a browser carries no header: the token goes into the query (section 5 item 1). */
function addressOf(path: string, token: string | undefined): string {
  const address = new URL(path, location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  if (token !== undefined) address.searchParams.set('token', token);
  return address.href;
}
