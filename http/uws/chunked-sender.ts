/**
 * A body whose length nobody knows before its end, in chunks on uWebSockets.js, as fast as its client takes it.
 *
 * U23. One piece at a time is held, here or in uWebSockets.js. Behind a piece that the socket has not taken whole,
 *      single bytes are written until all of it is gone: uWebSockets.js takes whatever it is given, and says only then
 *      what still waits. A client that takes nothing is cut by uWebSockets.js after ten seconds.
 * U24. When the rest cannot be read the connection is cut: a body without its last chunk is seen to be broken.
 * U25. Whatever ends it, the reading of the pieces is ended too.
 */

import type { HttpResponse } from 'uWebSockets.js';
import type { StreamedBody } from '../reply.ts';
import type { Sending } from './content-sender.ts';

export class ChunkedSender {
  readonly #res: HttpResponse;
  readonly #body: StreamedBody;
  readonly #sending: Sending;
  #isOver = false;
  /** The socket has not taken everything (U23). */
  #isPressed = false;
  #wake: () => void = () => undefined;

  constructor(res: HttpResponse, body: StreamedBody, sending: Sending) {
    this.#res = res;
    this.#body = body;
    this.#sending = sending;
    res.onWritable(() => {
      this.#wake();
      return true;
    });
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
      if (this.#isOver) return;
      const closing = (await this.#body.closing?.()) ?? false;
      if (this.#isOver) return;
      this.#isOver = true;
      this.#res.cork(() => this.#res.end(undefined, closing));
      this.#sending.sent();
    } catch (error) {
      this.#cut(error);
    }
  }

  /** The client has gone: the response is not touched again. */
  abort(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Resolves when the socket has taken what was before it, or is gone. */
  async #give(piece: Uint8Array): Promise<void> {
    let rest = piece;
    while (this.#isPressed && rest.length > 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (this.#isOver) return;
      this.#write(rest.subarray(0, 1));
      rest = rest.subarray(1);
    }
    if (rest.length > 0) this.#write(rest);
  }

  #write(bytes: Uint8Array): void {
    this.#res.cork(() => {
      this.#isPressed = !this.#res.write(bytes);
    });
  }

  #cut(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sending.broken(error);
    this.#res.close();
  }
}
