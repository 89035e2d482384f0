/**
 * One TCP connection with a radio: bytes in to frames, frames out to bytes.
 *
 * N1. Its framer begins with it and ends with it: half a frame of an earlier connection is never completed by this one.
 * N2. Reading stops while frames wait for room; the peer then waits too, and nothing is dropped.
 * N3. A frame that the peer does not take in time ends the connection: the rest of it must not leave before another
 *     one.
 */

import type { Socket } from 'node:net';
import { LINK_KEEPALIVE_MS } from '../../contract/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Framer } from '../framing/framer.ts';
import type { MayLeave, Sent } from './gateway.ts';
import type { Intake } from './intake.ts';
import { SendQueue } from './send-queue.ts';

interface TcpConnectionOptions {
  readonly socket: Socket;
  readonly framer: Framer;
  readonly intake: Intake;
  readonly clock: Clock;
  readonly heard: () => void;
  /** It is over; `unfinished` bytes of a frame were cut off. */
  readonly closed: (unfinished: number) => void;
}

export class TcpConnection {
  readonly framer: Framer;
  readonly #options: TcpConnectionOptions;
  readonly #sends: SendQueue;
  #over = false;

  constructor(options: TcpConnectionOptions) {
    this.#options = options;
    this.framer = options.framer;
    const { socket, clock } = options;
    this.#sends = new SendQueue({
      clock,
      transport: (bytes, done) => void socket.write(bytes, done),
      ready: () => socket.writable,
      halfway: (reason) => ({
        sent: false,
        unsure: true,
        detail: `${reason}: cannot tell how much of the frame left`,
      }),
      stuck: () => this.end('the peer takes no more frames'),
    });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, LINK_KEEPALIVE_MS);
    socket.on('data', (bytes) => this.#receive(bytes));
    // Whoever opened the socket reports its errors.
    socket.on('close', () => this.end('the connection was lost'));
    if (options.intake.room !== undefined) this.#pause(options.intake.room);
  }

  /** Frames that wait to leave. */
  get sending(): number {
    return this.#sends.length;
  }

  /**
   * Sends a frame; refused when it does not fit the framing or the peer is gone, unsure when that happens meanwhile.
   */
  async send(frame: Buffer, mayLeave?: MayLeave): Promise<Sent> {
    if (!this.#options.socket.writable) return { sent: false, detail: 'the peer has closed the connection' };
    const wrapped = this.framer.wrap(frame);
    if (!wrapped.ok) return { sent: false, detail: wrapped.faults[0] };
    return this.#sends.send(wrapped.value, mayLeave);
  }

  /** Ends it at once, whatever is under way. */
  end(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#sends.close(reason);
    this.#options.socket.destroy(new Error(reason));
    this.#options.closed(this.framer.reset());
  }

  #receive(bytes: Buffer): void {
    if (this.#over) return;
    this.#options.heard();
    const frames = this.framer.push(bytes);
    const room = frames.length === 0 ? undefined : this.#options.intake.take(frames);
    if (room !== undefined) this.#pause(room);
  }

  /** N2 */
  #pause(room: Promise<void>): void {
    const { socket } = this.#options;
    socket.pause();
    void room.then(() => socket.resume());
  }
}
