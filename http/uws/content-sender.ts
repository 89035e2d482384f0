/**
 * A body that is sent in pieces on uWebSockets.js, as fast as its client takes it.
 *
 * U20. One piece at a time is held, and the next one is read when the socket has taken it. A client that takes nothing
 *      is cut by uWebSockets.js after ten seconds.
 * U21. When the rest cannot be read the connection is cut: a body that ends early and looks whole would be taken for
 *      it.
 * U22. Whatever ends it, the reading of the pieces is ended too.
 */

import type { HttpResponse } from 'uWebSockets.js';
import type { StreamedBody } from '../reply.ts';

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

export class ContentSender {
  readonly #res: HttpResponse;
  readonly #body: WholeBody;
  readonly #sending: Sending;
  #isOver = false;
  /** Given to the socket and not all taken by it. */
  #held: { readonly piece: Uint8Array; readonly base: number } | undefined;
  #wake: () => void = () => undefined;

  constructor(res: HttpResponse, body: WholeBody, sending: Sending) {
    this.#res = res;
    this.#body = body;
    this.#sending = sending;
    res.onWritable((offset) => this.#writable(offset));
  }

  /** Resolves when it has been sent, or was cut. */
  async send(): Promise<void> {
    try {
      this.#res.cork(this.#sending.head);
      for await (const piece of this.#body.pieces()) {
        if (this.#isOver) return;
        if (piece.length > 0) await this.#give(piece);
        if (this.#isOver) return;
      }
      throw new Error('the content ended before its last byte');
    } catch (error) {
      this.#cut(error);
    }
  }

  /** The client has gone: the response is not touched again. */
  abort(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Resolves when the socket has taken it, or is gone. */
  async #give(piece: Uint8Array): Promise<void> {
    const base = this.#res.getWriteOffset();
    const { isTaken, isLast } = this.#try(piece);
    if (isLast) return this.#end();
    if (isTaken) return;
    this.#held = { piece, base };
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  #writable(offset: number): boolean {
    const held = this.#held;
    if (held === undefined || this.#isOver) return true;
    const { isTaken, isLast } = this.#try(held.piece.subarray(offset - held.base));
    if (!isTaken && !isLast) return false;
    this.#held = undefined;
    if (isLast) this.#end();
    this.#wake();
    return true;
  }

  #try(piece: Uint8Array): { readonly isTaken: boolean; readonly isLast: boolean } {
    let tried: [boolean, boolean] = [false, false];
    this.#res.cork(() => {
      tried = this.#res.tryEnd(piece, this.#body.bytes) as [boolean, boolean];
    });
    return { isTaken: tried[0], isLast: tried[1] };
  }

  #end(): void {
    this.#isOver = true;
    this.#sending.sent();
  }

  #cut(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sending.broken(error);
    this.#res.close();
  }
}
