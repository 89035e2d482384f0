/**
 * One TCP connection with a radio: bytes in to frames, frames out to bytes.
 *
 * N1. Its framer begins with it and ends with it: half a frame of an earlier connection is never completed by this one.
 * N2. Reading stops while frames wait for room; the peer then waits too, and nothing is dropped.
 * N4. A stream of which nothing came in two looks has stood still (framer.K4). Two, so that a process that slept does
 *     not take its own pause for one of the peer; while reading stops it is not looked at all.
 * N3. A frame that the peer does not take in time ends the connection: the rest of it must not leave before another
 *     one.
 */

import type { Socket } from 'node:net';
import { LINK_KEEPALIVE_MS, LINK_STILL_LOOK_MS } from '../../contract/limits/link.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Framer } from '../framing/framer.ts';
import type { MayLeave, Sent } from './gateway.ts';
import type { Intake } from './intake.ts';
import { SendQueue } from './send-queue.ts';

/** N4 */
const STILL_LOOKS = 2;

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
  #isPaused = false;
  #look: TimerHandle | undefined;
  #looks = 0;

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
    if (this.#look !== undefined) this.#options.clock.clearTimeout(this.#look);
    this.#sends.close(reason);
    this.#options.socket.destroy(new Error(reason));
    this.#options.closed(this.framer.reset());
  }

  #receive(bytes: Buffer): void {
    if (this.#over) return;
    this.#options.heard();
    this.#deliver(this.framer.push(bytes));
    this.#looks = 0;
    this.#lookLater();
  }

  #deliver(frames: Buffer[]): void {
    const room = frames.length === 0 ? undefined : this.#options.intake.take(frames);
    if (room !== undefined) this.#pause(room);
  }

  #lookLater(): void {
    if (this.framer.waiting === 0) return;
    this.#look ??= this.#options.clock.setTimeout(() => this.#stoodStill(), LINK_STILL_LOOK_MS);
  }

  /** N4 */
  #stoodStill(): void {
    this.#look = undefined;
    if (!this.#isPaused) this.#looks += 1;
    if (this.#looks < STILL_LOOKS) return this.#lookLater();
    this.#deliver(this.framer.settle());
  }

  /** N2 */
  #pause(room: Promise<void>): void {
    const { socket } = this.#options;
    socket.pause();
    this.#isPaused = true;
    this.#looks = 0;
    void room.then(() => {
      this.#isPaused = false;
      socket.resume();
    });
  }
}
