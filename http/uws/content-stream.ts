/**
 * Content as it arrives on uWebSockets.js.
 *
 * U13. At most `HELD_BYTES` and what the kernel holds wait here: past it the socket is not read.
 * U14. The first byte beyond the limit ends it. What still comes of it, and of any that its reader left, is dropped
 *      before the answer (refused-body.U26).
 * U15. Behind the last of it the socket is not read until the answer (exchange.U16): a resume after the last byte
 *      starts a timer of uWebSockets.js that cuts the connection twelve seconds into the work of the handler. Where its
 *      client is to be seen to go, a socket that is being read goes on being read.
 * U18. It counts as ended in a turn later than its last byte, so that nothing is done about a request that was cut in
 *      its own turn (plain.U17).
 * U19. While it is wanted it may come as slowly as it does: uWebSockets.js cuts a connection that brings less than
 *      `TIMEOUT_BYTES` in ten seconds, and that time is begun again with whatever comes. Who sends nothing for so long
 *      is cut; so is who sends slowly what nobody wants.
 */

import type { HttpResponse } from 'uWebSockets.js';
import type { Clock } from '../../ports/clock.ts';
import { type Content, ContentBroken } from '../content.ts';
import { RefusedBody } from './refused-body.ts';
import { rearm } from './slow-client.ts';

const HELD_BYTES = 1024 * 1024;
/** With so many uWebSockets.js begins its timeout again by itself. */
const TIMEOUT_BYTES = 160 * 1024;

export class ContentStream implements Content {
  readonly #res: HttpResponse;
  readonly #limit: number;
  readonly #seesGone: boolean;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #bytes = 0;
  #paused = false;
  /** The last of it has come (U15). */
  #whole = false;
  /** It may be read to its end (U18). */
  #ended = false;
  /** The response is not touched again. */
  #gone = false;
  /** The answer is there: nothing that comes now is of any use. */
  #settled = false;
  #broken: ContentBroken | undefined;
  /** How much had come when it broke. */
  #brokenAt = 0;
  /** What still comes is dropped, and its end waited for (U14). */
  #refused: RefusedBody | undefined;
  #wake: () => void = () => undefined;

  /** Attached in the turn of the request: uWebSockets.js gives no second chance. */
  constructor(res: HttpResponse, limit: number, { seesGone = false } = {}) {
    this.#res = res;
    this.#limit = limit;
    this.#seesGone = seesGone;
    res.onData((data, isLast) => this.#take(data, isLast));
  }

  /** Whether everything has been read: the connection can carry another request. */
  get spent(): boolean {
    return this.#ended && this.#held.length === 0;
  }

  /** Whether the connection is not read now. */
  get paused(): boolean {
    return this.#paused;
  }

  /**
   * The answer is known, and nobody wants the rest: drops it and reads the connection again for the next request (U14,
   * U15). Whether the connection has to be closed behind the answer, which is written in the turn in which this
   * resolves.
   */
  async settle(clock: Clock): Promise<boolean> {
    this.#break('given-up');
    if (!this.#ended && !this.#gone) {
      await new Promise<void>((resolve) => {
        this.#refused = new RefusedBody(clock, () => resolve());
        // Of a client that goes.
        this.#wake = resolve;
        if (this.#whole) return;
        this.#resume();
        this.#refused.take(0, false);
      });
    }
    this.#settled = true;
    this.#resume();
    return !this.spent;
  }

  /** The client has gone. */
  abort(): void {
    this.#gone = true;
    this.#refused?.abort();
    this.#break('gone');
    this.#wake();
  }

  giveUp(): void {
    this.#break('given-up');
  }

  async *pieces(): AsyncIterable<Uint8Array> {
    for (;;) {
      if (this.#broken !== undefined) throw this.#broken;
      const piece = this.#held.shift();
      if (piece !== undefined) {
        this.#release(piece.length);
        yield piece;
      } else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #take(data: ArrayBuffer, isLast: boolean): void {
    if (this.#settled) return;
    this.#bytes += data.byteLength;
    if (this.#bytes > this.#limit) this.#break('too-large');
    if (this.#broken === undefined) this.#hold(data);
    else this.#refused?.take(this.#bytes - this.#brokenAt, false);
    this.#whole = isLast;
    if (isLast) setImmediate(() => this.#end());
    if (!this.#paused && (isLast ? !this.#seesGone : this.#heldBytes > HELD_BYTES)) {
      this.#paused = true;
      this.#res.pause();
    }
    if (this.#broken !== undefined) return;
    if (!isLast && data.byteLength < TIMEOUT_BYTES) rearm(this.#res, this.#paused);
    this.#wake();
  }

  #hold(data: ArrayBuffer): void {
    // The buffer is emptied when the callback returns.
    if (data.byteLength > 0) this.#held.push(Buffer.from(Buffer.from(data)));
    this.#heldBytes += data.byteLength;
  }

  #end(): void {
    this.#ended = true;
    this.#refused?.take(0, true);
    this.#wake();
  }

  #release(bytes: number): void {
    this.#heldBytes -= bytes;
    if (this.#heldBytes <= HELD_BYTES / 2 && !this.#whole) this.#resume();
  }

  #resume(): void {
    if (!this.#paused || this.#gone) return;
    this.#paused = false;
    this.#res.resume();
  }

  #break(why: ContentBroken['why']): void {
    if (this.#broken !== undefined) return;
    this.#broken = new ContentBroken(why);
    this.#brokenAt = this.#bytes;
    this.#held = [];
    this.#heldBytes = 0;
    this.#wake();
  }
}
