/**
 * A body whose length nobody knows before its end, in chunks on uWebSockets.js, as fast as its client takes it.
 *
 * U23. One piece at a time is held, here or in uWebSockets.js. Behind what the socket has not taken whole, single bytes
 *      are written until all of it is gone: uWebSockets.js takes whatever it is given, and says only then what still
 *      waits. A client that takes less than what it keeps is cut (slow-client.U28, U29).
 * U24. When the rest cannot be read the connection is cut: a body without its last chunk is seen to be broken.
 * U25. Whatever ends it, the reading of the pieces is ended too.
 * U26. Of a client that was found to be slow everything is taken before its answer is ended: uWebSockets.js cuts a
 *      response that has ended over what it still holds after ten seconds without room. So the last bytes of a piece
 *      are kept to ask with.
 */

import type { HttpResponse } from 'uWebSockets.js';
import type { StreamedBody } from '../reply.ts';
import type { Sending } from './content-sender.ts';
import type { SlowClient } from './slow-client.ts';

/** Written at once; with the length before it, less than uWebSockets.js gathers, which may keep two of them. */
const SLICE_BYTES = 16_000;
/** Enough to ask with each time that the rest of a slice may be gone (U26). */
const ASKING_BYTES = 64;

export class ChunkedSender {
  readonly #res: HttpResponse;
  readonly #body: StreamedBody;
  readonly #sending: Sending;
  readonly #slow: SlowClient;
  #isOver = false;
  /** Of the piece: what was not written. */
  #rest: Uint8Array = new Uint8Array(0);
  /** The socket has not taken everything (U23). */
  #isPressed = false;
  /** It has since it was offered something before. */
  #hasTaken = false;
  #wake: () => void = () => undefined;

  constructor(res: HttpResponse, body: StreamedBody, sending: Sending, slow: SlowClient) {
    this.#res = res;
    this.#body = body;
    this.#sending = sending;
    this.#slow = slow;
    res.onWritable(() => {
      if (this.#rest.length > 0) this.#offer();
      else this.#flush();
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
      this.#over();
      this.#res.cork(() => this.#res.end(undefined, closing));
      this.#sending.sent();
    } catch (error) {
      this.#cut(error);
    }
  }

  /** The client has gone: the response is not touched again. */
  abort(): void {
    this.#over();
    this.#wake();
  }

  /** Resolves when it was written, behind what the socket had not taken before, or when that is gone. */
  async #give(piece: Uint8Array): Promise<void> {
    this.#rest = piece;
    while (this.#rest.length > 0) {
      if (!this.#isPressed) this.#writeNext();
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (this.#isOver) return;
    }
  }

  /** Where something waits, the next byte is written behind it. */
  #offer(): void {
    if (this.#isOver || this.#rest.length === 0) return;
    this.#writeNext();
    this.#wake();
  }

  /** An empty cork writes what uWebSockets.js keeps: the next piece may be long in coming. */
  #flush(): void {
    if (this.#isOver) return;
    this.#res.cork(() => undefined);
    this.#isPressed = false;
  }

  #offerAgain(): boolean {
    this.#offer();
    const hasTaken = this.#hasTaken || this.#rest.length === 0;
    this.#hasTaken = false;
    return hasTaken;
  }

  #writeNext(): void {
    const size = this.#sizeOfNext(this.#rest.length);
    this.#res.cork(() => {
      this.#isPressed = !this.#res.write(this.#rest.subarray(0, size));
    });
    this.#rest = this.#rest.subarray(size);
    if (this.#isPressed) this.#slow.found(() => this.#offerAgain());
    else this.#hasTaken = true;
  }

  #sizeOfNext(left: number): number {
    if (this.#isPressed) return 1;
    if (!this.#slow.isFound) return Math.min(SLICE_BYTES, left);
    if (left > ASKING_BYTES) return Math.min(SLICE_BYTES, left - ASKING_BYTES);
    return left === ASKING_BYTES ? 1 : left;
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
