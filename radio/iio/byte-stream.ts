/**
 * A socket as a stream that is read by lines and by counted bytes, as the iiod protocol mixes them.
 *
 * B1. What is kept is bounded: nothing is read ahead of who takes it beyond a limit, a line has a longest length, and a
 *     count is the caller's own.
 * B2. What arrived before the end is still handed out; whoever waits for more is refused at once.
 */

import { strict as assert } from 'node:assert';
import type { Socket } from 'node:net';
import { IIOD_LINE_BYTES, IIOD_UNREAD_BYTES } from '../../contract/limits/bench.ts';

const NEWLINE = 0x0a;

interface Wait {
  /** Takes what it can of what has arrived; true when it is settled. */
  readonly serve: () => boolean;
  readonly reject: (error: Error) => void;
}

export class ByteStream {
  /** Resolves when no more comes and nothing can be sent. */
  readonly ended: Promise<Error>;
  readonly #socket: Socket;
  readonly #arrived: () => void;
  #chunks: Buffer[] = [];
  #unread = 0;
  #wait: Wait | undefined;
  #end: Error | undefined;
  #reportEnd!: (error: Error) => void;

  /** `arrived` is called when bytes have come, before they are handed out. */
  constructor(socket: Socket, arrived: () => void = () => undefined) {
    this.#socket = socket;
    this.#arrived = arrived;
    this.ended = new Promise((resolve) => {
      this.#reportEnd = resolve;
    });
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#finish(error));
    socket.on('end', () => this.#finish(new Error('the other end has closed the connection')));
    socket.on('close', () => this.#finish(new Error('the connection is closed')));
  }

  /** Bytes that have arrived and nobody has taken. */
  get unread(): number {
    return this.#unread;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** The next line without its end; rejects when it is longer than a line may be. */
  line(): Promise<string> {
    return this.#take((resolve, reject) => () => {
      const length = this.#lineLength();
      if (length === undefined && this.#unread <= IIOD_LINE_BYTES) return false;
      if (length === undefined || length > IIOD_LINE_BYTES)
        reject(new Error(`a line of more than ${IIOD_LINE_BYTES} bytes`));
      else
        resolve(
          this.#cut(length + 1)
            .toString('utf8', 0, length)
            .replace(/\r$/, ''),
        );
      return true;
    });
  }

  /** The next bytes, exactly so many. */
  async bytes(count: number): Promise<Buffer> {
    const target = Buffer.allocUnsafe(count);
    await this.into(target);
    return target;
  }

  /** Fills the target with the next bytes. */
  into(target: Buffer): Promise<void> {
    let filled = 0;
    return this.#take((resolve) => () => {
      filled += this.#copy(target, filled);
      if (filled < target.length) return false;
      resolve();
      return true;
    });
  }

  /** Passes over the next bytes. */
  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; left -= IIOD_UNREAD_BYTES)
      await this.bytes(Math.min(left, IIOD_UNREAD_BYTES));
  }

  /** Resolves when the network of this machine has taken all parts; rejects when the connection ends before. */
  write(...parts: readonly (string | Uint8Array)[]): Promise<void> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      const done = (error?: Error | null): void => (error ? reject(error) : resolve());
      this.#socket.cork();
      for (const [place, part] of parts.entries())
        this.#socket.write(part, place === parts.length - 1 ? done : undefined);
      this.#socket.uncork();
    });
  }

  /** Ends the connection at once; whoever waits is refused with the reason. */
  destroy(reason: Error): void {
    this.#finish(reason);
    this.#socket.destroy();
  }

  #take<Value>(
    serve: (resolve: (value: Value) => void, reject: (error: Error) => void) => () => boolean,
  ): Promise<Value> {
    assert(this.#wait === undefined, 'two readers of one connection');
    return new Promise((resolve, reject) => {
      this.#wait = { serve: serve(resolve, reject), reject };
      this.#serve();
      if (this.#end !== undefined) this.#refuse(this.#end);
      this.#throttle();
    });
  }

  #receive(chunk: Buffer): void {
    if (this.#end !== undefined) return;
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    this.#arrived();
    this.#serve();
    this.#throttle();
  }

  #serve(): void {
    if (this.#wait?.serve() === true) this.#wait = undefined;
  }

  #refuse(error: Error): void {
    this.#wait?.reject(error);
    this.#wait = undefined;
  }

  /** B1 */
  #throttle(): void {
    const isFull = this.#unread > IIOD_UNREAD_BYTES;
    if (isFull === this.#socket.isPaused()) return;
    if (isFull) this.#socket.pause();
    else this.#socket.resume();
  }

  #finish(error: Error): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    this.#refuse(error);
    this.#reportEnd(error);
  }

  /** Length of the line that has arrived whole. */
  #lineLength(): number | undefined {
    let before = 0;
    for (const chunk of this.#chunks) {
      const at = chunk.indexOf(NEWLINE);
      if (at >= 0) return before + at;
      before += chunk.length;
      if (before > IIOD_LINE_BYTES) return undefined;
    }
    return undefined;
  }

  #cut(count: number): Buffer {
    const target = Buffer.allocUnsafe(count);
    this.#copy(target, 0);
    return target;
  }

  /** Moves what has arrived into the target, from there on; gives how much. */
  #copy(target: Buffer, from: number): number {
    let at = from;
    let taken = 0;
    for (const chunk of this.#chunks) {
      const moved = chunk.copy(target, at);
      at += moved;
      if (moved < chunk.length) {
        this.#chunks[taken] = chunk.subarray(moved);
        break;
      }
      taken += 1;
    }
    this.#chunks.splice(0, taken);
    this.#unread -= at - from;
    return at - from;
  }
}
