/**
 * Two open WebSockets, of a client and to the editor, as one. Mission Control Service, section 4.9.
 *
 * B1. Every message passes in its order, whole and of its kind, or both sockets end: none is left out.
 * B2. While a client does not take what it is sent, the editor is not read. A client cannot be held back; what waits
 *     for the editor is bounded, and beyond it both end with 1013.
 * B3. A side that closed with a code closes the other with it. One that went without a word is cut at the other side:
 *     never a close that looks like the end.
 * B4. An editor that does not answer a ping is gone.
 * B5. What waits of all of them together is bounded too, of both directions: beyond it the one that adds ends with
 *     1013. It counts until it is taken, or the connection that it waits for is no more.
 */

import type { WebSocket } from 'ws';
import { FOLLOW_BUFFER_BYTES } from '../../contract/limits/connection.ts';
import {
  EDITOR_PING_MS,
  EDITOR_WAITING_BYTES,
  EDITOR_WAITING_MESSAGE_BYTES,
} from '../../contract/limits/editor.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { WaitingShare } from './waiting-share.ts';

/** The socket of the client, as far as it is needed. */
export interface ClientSocket {
  /** 2: nobody took it. */
  send(message: Uint8Array, isBinary: boolean, compress: boolean): number;
  getBufferedAmount(): number;
  end(code?: number, reason?: string): void;
  close(): void;
}

const DROPPED = 2;
const NO_CODE = 1005;
const CUT = 1006;
const INTERNAL = 1011;
const TRY_LATER = 1013;
const TOO_MUCH = 'too much waits of all';

export class Bridge {
  readonly #editor: WebSocket;
  readonly #clock: Clock;
  readonly #share = new WaitingShare();
  #client: ClientSocket | undefined;
  /** Messages that the editor has not taken; undefined when its connection is no more. */
  #untaken: number | undefined = 0;
  #isOver = false;
  #isAlive = true;
  #ping: TimerHandle | undefined;

  /** `editor` is open and not read yet. */
  constructor(editor: WebSocket, clock: Clock) {
    this.#editor = editor;
    this.#clock = clock;
    editor.on('message', (data, isBinary) => this.#fromEditor(data as Buffer, isBinary));
    editor.on('pong', () => {
      this.#isAlive = true;
    });
    editor.on('close', (code, reason) => {
      this.#untaken = undefined;
      this.#count();
      this.#editorClosed(code, reason.toString());
    });
  }

  /** The client is there; what waited is read. */
  attach(client: ClientSocket): void {
    this.#client = client;
    if (this.#isOver) return client.close();
    this.#watch();
    this.#editor.resume();
  }

  /** A message of the client; its bytes are this one's own. */
  fromClient(message: Buffer, isBinary: boolean): void {
    if (this.#isOver) return;
    this.#send(message, isBinary);
    if (this.#waitingForEditor() > EDITOR_WAITING_BYTES) this.cut(TRY_LATER, 'the editor does not keep up');
    else if (this.#share.isTooMuch) this.cut(TRY_LATER, TOO_MUCH);
  }

  /** The client took what waited for it (B2). */
  drained(): void {
    this.#count();
    if (this.#isOver || !this.#isBehind()) this.#editor.resume();
  }

  clientClosed(code: number, reason: string): void {
    this.#client = undefined;
    this.#count();
    this.#closeEditor(code, reason);
  }

  /** Ends both now. */
  cut(code: number, reason: string): void {
    const client = this.#client;
    this.#closeEditor(code, reason);
    client?.end(code, reason);
  }

  #fromEditor(data: Buffer, isBinary: boolean): void {
    this.#isAlive = true;
    const client = this.#client;
    if (client === undefined || this.#isOver) return;
    if (client.send(data, isBinary, false) === DROPPED) return this.cut(INTERNAL, 'a message was dropped');
    this.#count();
    if (this.#share.isTooMuch) return this.cut(TRY_LATER, TOO_MUCH);
    if (this.#isBehind()) this.#editor.pause();
  }

  #send(message: Buffer, isBinary: boolean): void {
    if (this.#untaken !== undefined) this.#untaken += 1;
    this.#editor.send(message, { binary: isBinary }, () => {
      if (this.#untaken !== undefined) this.#untaken -= 1;
      this.#count();
    });
    this.#count();
  }

  #waitingForEditor(): number {
    if (this.#untaken === undefined) return 0;
    return this.#editor.bufferedAmount + this.#untaken * EDITOR_WAITING_MESSAGE_BYTES;
  }

  /** B5 */
  #count(): void {
    this.#share.set(this.#waitingForEditor() + (this.#client?.getBufferedAmount() ?? 0));
  }

  #isBehind(): boolean {
    return (this.#client?.getBufferedAmount() ?? 0) > FOLLOW_BUFFER_BYTES;
  }

  /** B3 */
  #editorClosed(code: number, reason: string): void {
    const client = this.#client;
    if (this.#isOver) return;
    this.#end();
    if (code === CUT) client?.close();
    else if (code === NO_CODE) client?.end();
    else client?.end(code, reason);
  }

  /** B3; a code that no close frame may carry cuts the connection. */
  #closeEditor(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#end();
    // A close is answered in what the editor still sends.
    this.#editor.resume();
    try {
      if (code === NO_CODE) this.#editor.close();
      else if (code === TRY_LATER) this.#editor.terminate();
      else this.#editor.close(code, reason);
    } catch {
      this.#editor.terminate();
    }
  }

  #end(): void {
    this.#isOver = true;
    if (this.#ping !== undefined) this.#clock.clearTimeout(this.#ping);
  }

  /** B4; nothing is said of an editor that is not read. */
  #watch(): void {
    this.#ping = this.#clock.setTimeout(() => {
      if (!this.#isAlive && !this.#editor.isPaused) return this.#editor.terminate();
      this.#isAlive = false;
      this.#editor.ping();
      this.#watch();
    }, EDITOR_PING_MS);
  }
}
