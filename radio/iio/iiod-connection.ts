/**
 * One connection with an iiod: questions one behind the other, each with its deadline.
 *
 * N1. The protocol has no identifiers: an answer belongs to the question before it only as long as nothing was missed.
 *     A deadline, bytes that nobody asked for, or a malformed answer ends the connection, so that nothing late is taken
 *     for what comes next.
 * N2. A refusal is an answer: the connection goes on.
 */

import { connect, type Socket } from 'node:net';
import { LINK_KEEPALIVE_MS } from '../../contract/limits/link.ts';
import type { Clock } from '../../ports/clock.ts';
import { ByteStream } from './byte-stream.ts';
import { errno, IioFailure } from './context.ts';
import { SerialQueue } from './serial-queue.ts';

export interface IiodAddress {
  readonly host: string;
  readonly port: number;
}

interface ConnectionOptions {
  readonly address: IiodAddress;
  readonly deadlineMs: number;
  readonly clock: Clock;
}

/** What a question says and takes from the stream; an `IioFailure` from it is a refusal, anything else the end. */
type Talk<Value> = (stream: ByteStream) => Promise<Value>;

/** Connects; rejects when that fails or takes longer than the deadline. */
export function openIiodConnection(options: ConnectionOptions): Promise<IiodConnection> {
  const { address, deadlineMs, clock } = options;
  return new Promise((resolve, reject) => {
    const socket = connect({ ...address });
    const refuse = (number: number, why: string): void => {
      clock.clearTimeout(timer);
      socket.destroy();
      reject(new IioFailure(number, `no connection with iiod at ${address.host}:${address.port}: ${why}`));
    };
    const failed = (error: Error): void => refuse(errno.EIO, error.message);
    const timer = clock.setTimeout(
      () => refuse(errno.ETIMEDOUT, `no answer within ${deadlineMs} ms`),
      deadlineMs,
    );
    socket.on('error', failed);
    socket.once('connect', () => {
      clock.clearTimeout(timer);
      socket.off('error', failed);
      resolve(new IiodConnection(socket, clock));
    });
  });
}

export class IiodConnection {
  /** Resolves with the reason when it has ended other than by `close`. */
  readonly broken: Promise<IioFailure>;
  readonly #clock: Clock;
  readonly #stream: ByteStream;
  #reportBroken!: (failure: IioFailure) => void;
  #end: IioFailure | undefined;
  readonly #turns = new SerialQueue();
  #isAsking = false;

  constructor(socket: Socket, clock: Clock) {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, LINK_KEEPALIVE_MS);
    this.#clock = clock;
    this.broken = new Promise((resolve) => {
      this.#reportBroken = resolve;
    });
    this.#stream = new ByteStream(socket, () => {
      if (!this.#isAsking) this.#break(errno.EIO, 'iiod sends data that was not requested');
    });
    void this.#stream.ended.then((error) => this.#break(errno.EIO, error.message));
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  get isIdle(): boolean {
    return this.#turns.isIdle;
  }

  /** Asks when the questions before are answered; the deadline counts from then. */
  ask<Value>(what: string, deadlineMs: number, talk: Talk<Value>): Promise<Value> {
    return this.#turns.run(what, () => this.#ask(what, deadlineMs, talk));
  }

  /** Ends it at once; what is under way is refused. */
  close(why: string): void {
    this.#end ??= new IioFailure(errno.EBADF, why);
    this.#stream.destroy(this.#end);
  }

  async #ask<Value>(what: string, deadlineMs: number, talk: Talk<Value>): Promise<Value> {
    if (this.#end !== undefined) throw new IioFailure(this.#end.errno, `${what}: ${this.#end.message}`);
    const timer = this.#clock.setTimeout(
      () => this.#break(errno.ETIMEDOUT, `${what}: no answer from iiod within ${deadlineMs} ms`),
      deadlineMs,
    );
    this.#isAsking = true;
    try {
      const value = await talk(this.#stream);
      this.#checkInStep();
      return value;
    } catch (error) {
      throw this.#failure(what, error as Error);
    } finally {
      this.#isAsking = false;
      this.#clock.clearTimeout(timer);
    }
  }

  /** N2; a connection that has ended says why, whatever was noticed first. */
  #failure(what: string, error: Error): IioFailure {
    if (error instanceof IioFailure && this.#end === undefined) {
      this.#checkInStep();
      return error;
    }
    this.#break(errno.EIO, `${what}: ${error.message}`);
    return this.#end!.message.startsWith(what)
      ? this.#end!
      : new IioFailure(this.#end!.errno, `${what}: ${this.#end!.message}`);
  }

  /** N1 */
  #checkInStep(): void {
    if (this.#stream.unread > 0) this.#break(errno.EIO, 'iiod sends more than was requested');
  }

  #break(number: number, why: string): void {
    if (this.#end !== undefined) return;
    this.#end = new IioFailure(number, why);
    this.#stream.destroy(this.#end);
    this.#reportBroken(this.#end);
  }
}
