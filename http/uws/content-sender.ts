/**
 * A body that is sent in pieces on uWebSockets.js, as fast as its client takes it.
 *
 * U20. One piece at a time is held, and the next one is read when the socket has taken it. A client that takes nothing
 *      is cut (slow-client.U28, U29).
 * U21. When the rest cannot be read the connection is cut: a body that ends early and looks whole would be taken for
 *      it.
 * U22. Whatever ends it, the reading of the pieces is ended too.
 * U23. The last byte is given by itself, when everything before it was taken: uWebSockets.js keeps up to 16 KiB which
 *      the kernel did not take, and cuts a response that has ended over them after ten seconds without room.
 */

import type { HttpResponse } from 'uWebSockets.js';
import type { StreamedBody } from '../reply.ts';
import type { SlowClient } from './slow-client.ts';

/** One whose length is known. */
export interface WholeBody extends StreamedBody {
  readonly bytes: number;
}

export interface Sending {
  /** Writes status and headers, inside the first cork. */
  readonly head: () => void;
  /** Everything was given to the socket. */
  readonly sent: () => void;
  /** It was cut: the rest could not be read. */
  readonly broken: (error: unknown) => void;
}

const NOTHING = new Uint8Array(0);

export class ContentSender {
  readonly #res: HttpResponse;
  readonly #body: WholeBody;
  readonly #sending: Sending;
  readonly #slow: SlowClient;
  #isOver = false;
  /** Of the piece: what the socket has not taken. */
  #rest: Uint8Array = NOTHING;
  /** How much it had taken when the rest was offered before. */
  #takenBefore = 0;
  #wake: () => void = () => undefined;

  constructor(res: HttpResponse, body: WholeBody, sending: Sending, slow: SlowClient) {
    this.#res = res;
    this.#body = body;
    this.#sending = sending;
    this.#slow = slow;
    res.onWritable(() => this.#writable());
  }

  /** Resolves when it has been sent, or was cut. */
  async send(): Promise<void> {
    try {
      this.#res.cork(this.#sending.head);
      for await (const piece of this.#body.pieces()) {
        if (this.#isOver) return;
        await this.#give(piece);
        if (this.#isOver) return;
      }
      throw new Error('the content ended before its last byte');
    } catch (error) {
      this.#cut(error);
    }
  }

  /** The client has gone: the response is not touched again. */
  abort(): void {
    this.#over();
    this.#wake();
  }

  /** Resolves when the socket has taken it, or is gone. */
  async #give(piece: Uint8Array): Promise<void> {
    this.#rest = piece;
    if (this.#offer()) return;
    this.#slow.found(() => this.#offerAgain());
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  #writable(): boolean {
    if (this.#isOver || this.#rest.length === 0) return true;
    if (!this.#offer()) return false;
    this.#wake();
    return true;
  }

  #offerAgain(): boolean {
    if (this.#writable()) return true;
    const before = this.#takenBefore;
    this.#takenBefore = this.#res.getWriteOffset();
    return this.#takenBefore > before;
  }

  /** Gives the socket what it takes of the rest; whether that is all of it. */
  #offer(): boolean {
    while (this.#rest.length > 0) {
      const taken = this.#res.getWriteOffset();
      const isTaken = this.#try(this.#rest.subarray(0, this.#sizeOfNext(taken)));
      if (this.#isOver) return true;
      this.#rest = this.#rest.subarray(this.#res.getWriteOffset() - taken);
      if (!isTaken) return false;
    }
    return true;
  }

  /** U23 */
  #sizeOfNext(taken: number): number {
    const { length } = this.#rest;
    const isEnd = taken > 0 && length > 1 && taken + length === this.#body.bytes;
    return isEnd ? length - 1 : length;
  }

  #try(piece: Uint8Array): boolean {
    let [isTaken, isLast] = [false, false];
    this.#res.cork(() => {
      [isTaken, isLast] = this.#res.tryEnd(piece, this.#body.bytes) as [boolean, boolean];
    });
    if (isLast) {
      this.#over();
      this.#sending.sent();
    }
    return isTaken;
  }

  #over(): void {
    this.#isOver = true;
    this.#slow.stop();
  }

  #cut(error: unknown): void {
    if (this.#isOver) return;
    this.#over();
    this.#sending.broken(error);
    this.#res.close();
  }
}
