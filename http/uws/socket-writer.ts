/**
 * The writer of one WebSocket on uWebSockets.js. Mission Control Service, "Conventions"; what waits for a socket and
 * how it is conflated is `http/follow-queue.ts`.
 *
 * W1. Sockets that have something to send are flushed once per turn, each in one cork: a write costs more than a
 *     message.
 * W2. Nothing is sent while more than `FOLLOW_BUFFER_BYTES` wait in the socket; `drained()` goes on.
 * W3. A log that waits for more than `FOLLOW_LOG_QUEUE_BYTES` ends with 4408, never with a gap (http/follow.F1).
 */

import type { WebSocket } from 'uWebSockets.js';
import { FOLLOW_BUFFER_BYTES, FOLLOW_LOG_QUEUE_BYTES } from '../../contract/limits/connection.ts';
import { closeCode, type FollowPolicy, type FollowWriter, isBinary } from '../follow.ts';
import {
  ConflatingQueue,
  type FollowQueue,
  LogQueue,
  type Mark,
  type Message,
  NewestQueue,
} from '../follow-queue.ts';
import type { FrontEndMetrics } from '../metrics.ts';

export type Wire = Pick<WebSocket<unknown>, 'send' | 'getBufferedAmount' | 'cork' | 'end'>;

/** A fan-out to a thousand sockets takes milliseconds; other traffic gets its turn after this many. */
const SOCKETS_PER_TURN = 200;
/** What `send` returns for a message that the kernel did not take at once, and for one that nobody took. */
const BUFFERED = 0;
const DROPPED = 2;

export class SocketWriter implements FollowWriter {
  readonly #policy: FollowPolicy;
  readonly #metrics: FrontEndMetrics;
  readonly #queue: FollowQueue;
  readonly #isBinary: boolean;
  #wire: Wire | undefined;
  #ending: { readonly code: number; readonly reason: string } | undefined;
  #closed = false;
  #waiting: (() => void)[] = [];

  /** `mark` is of a route that follows the newest (http/follow.F6). */
  constructor(policy: FollowPolicy, metrics: FrontEndMetrics, mark?: Mark) {
    this.#policy = policy;
    this.#metrics = metrics;
    this.#isBinary = isBinary(policy);
    this.#queue = queueOf(policy, () => metrics.conflated(), mark);
  }

  push(message: Message, key = 0): void {
    if (this.#closed || this.#ending !== undefined) return;
    this.#queue.push(message, key);
    if (this.#policy === 'log' && this.#queue.size > FOLLOW_LOG_QUEUE_BYTES) this.#tooSlow();
    else scheduleFlush(this);
  }

  room(): Promise<void> | undefined {
    if (this.#closed || this.#queue.size <= FOLLOW_BUFFER_BYTES) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  finish(code: number, reason: string): void {
    this.#ending ??= { code, reason };
    scheduleFlush(this);
  }

  /** The socket is there; what waited is sent by the next `flush` (exchange.U12). */
  attach(wire: Wire): void {
    this.#wire = wire;
  }

  /** The kernel took what the socket held. */
  drained(): void {
    this.flush();
  }

  /** The socket is gone; nothing may touch it any more. */
  detach(): void {
    this.#closed = true;
    this.#wire = undefined;
    this.#release();
  }

  /** Ends now, whatever waits: the process goes away. */
  cut(code: number, reason: string): void {
    this.#ending = { code, reason };
    this.#wire?.end(code, reason);
  }

  flush(): void {
    const wire = this.#wire;
    if (wire === undefined) return;
    let emptied = false;
    wire.cork(() => {
      emptied = this.#send(wire);
    });
    if (this.#queue.size <= FOLLOW_BUFFER_BYTES) this.#release();
    if (!emptied) this.#queue.fallBehind();
    else if (this.#ending !== undefined) this.#wire?.end(this.#ending.code, this.#ending.reason);
  }

  /** Whether everything that waited was sent. */
  #send(wire: Wire): boolean {
    let room = wire.getBufferedAmount() <= FOLLOW_BUFFER_BYTES;
    while (room) {
      const message = this.#queue.shift();
      if (message === undefined) return true;
      const taken = wire.send(message, this.#isBinary, false);
      // Asked only when it can have grown: the question costs as much as the sending.
      if (taken === BUFFERED) room = wire.getBufferedAmount() <= FOLLOW_BUFFER_BYTES;
      if (taken !== DROPPED) continue;
      this.cut(closeCode.internal, 'a message was dropped');
      return false;
    }
    return false;
  }

  #tooSlow(): void {
    this.#metrics.tooSlow();
    const wire = this.#wire;
    this.#ending = { code: closeCode.slowConsumer, reason: 'slow consumer' };
    wire?.end(closeCode.slowConsumer, 'slow consumer');
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function queueOf(policy: FollowPolicy, conflated: () => void, mark?: Mark): FollowQueue {
  if (policy === 'latest') return new ConflatingQueue(conflated);
  return policy === 'newest' ? new NewestQueue(conflated, mark) : new LogQueue();
}

const dirty = new Set<SocketWriter>();
let scheduled = false;

function scheduleFlush(writer: SocketWriter): void {
  dirty.add(writer);
  if (scheduled) return;
  scheduled = true;
  setImmediate(flushDirty);
}

function flushDirty(): void {
  scheduled = false;
  let left = SOCKETS_PER_TURN;
  for (const writer of dirty) {
    dirty.delete(writer);
    writer.flush();
    left -= 1;
    if (left === 0) break;
  }
  if (dirty.size === 0) return;
  scheduled = true;
  setImmediate(flushDirty);
}
