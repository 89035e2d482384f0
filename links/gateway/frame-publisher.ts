/**
 * Puts received frames on the bus: what arrives within one turn, or while the message before is on its way, becomes one
 * message on `mcs.tm.frame.<gateway>` (T1).
 *
 * J1. Frames are stored in the order received, each once: one message is under way at a time, and it is repeated under
 *     its id until the bus has it. An outage may last longer than the stream remembers ids: before a message is
 *     repeated, the last one of the gateway is looked at, which is the same if it was stored.
 * J2. No two frames have the same ground time: what is made of a frame names it by its time. A frame received within
 *     the same millisecond as the one before is dated a fraction later.
 * J3. While the bus is away frames wait in a bounded queue; what it drops is counted and reported.
 */

import { encodeBatch } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import { FRAME_BYTES } from '../../contract/limits/link.ts';
import { Outage } from '../../contract/outage.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { FrameQueue, type ReceivedFrame } from './frame-queue.ts';

/** Fine enough for a thousand frames a millisecond, and a number that a double of this size holds exactly. */
const TICK_MS = 1 / 1024;
/** A clock that was set back by more than this begins again. */
const LONGEST_LEAD_MS = 1_000;

interface FramePublisherOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly gateway: string;
  /** Tells the messages of this life of the gateway from those of earlier ones. */
  readonly life: string;
}

export class FramePublisher {
  /** Frames that never reached the bus. */
  dropped = 0;
  readonly #options: FramePublisherOptions;
  readonly #queue = new FrameQueue();
  #messages = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #flushing = false;
  #stopped = false;
  #flushed: Promise<void> = Promise.resolve();
  #room: (() => void)[] = [];
  #pause: { timer: TimerHandle; resolve: () => void } | undefined;

  constructor(options: FramePublisherOptions) {
    this.#options = options;
  }

  /** Frames that wait for the bus. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Now, on the scale of the ground times: later than every frame received so far, or the same. */
  now(): number {
    const now = this.#options.clock.now();
    return this.#leads(now) ? this.#lastAt : now;
  }

  /** Takes a frame received now; the promise, when there is one, resolves when the queue has room again. */
  push(frame: Buffer): Promise<void> | undefined {
    if (this.#stopped) return undefined;
    if (frame.length > FRAME_BYTES) {
      this.#drop(1, `a frame of ${frame.length} bytes exceeds the maximum`);
      return undefined;
    }
    const lost = this.#queue.push({ frame, at: this.#groundTime() });
    if (lost > 0) this.#drop(lost, 'the bus is unavailable or too slow');
    this.#startFlush();
    return this.#queue.full ? new Promise((resolve) => this.#room.push(resolve)) : undefined;
  }

  /** Publishes what waits unless the bus is away; resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#endPause();
    await this.#flushed;
    if (this.#queue.length > 0)
      this.#drop(this.#queue.length, 'the gateway stopped while the bus was unavailable');
    for (const resolve of this.#room.splice(0)) resolve();
  }

  /** J2 */
  #groundTime(): number {
    const now = this.#options.clock.now();
    this.#lastAt = this.#leads(now) ? this.#lastAt + TICK_MS : now;
    return this.#lastAt;
  }

  #leads(now: number): boolean {
    return this.#lastAt >= now && this.#lastAt - now < LONGEST_LEAD_MS;
  }

  #startFlush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    this.#flushed = this.#flush();
  }

  async #flush(): Promise<void> {
    await this.#wait(0);
    while (this.#queue.length > 0 && (await this.#publish(this.#queue.take()))) this.#release();
    this.#flushing = false;
    this.#release();
  }

  /** Stores one message; false when the gateway stopped before the bus took it. */
  async #publish(batch: readonly ReceivedFrame[]): Promise<boolean> {
    const data = encodeBatch({ at: batch.map(({ at }) => at), frames: batch.map(({ frame }) => frame) });
    this.#messages += 1;
    const id = `${this.#options.gateway}-${this.#options.life}-${this.#messages}`;
    for (let isRepeated = false; ; isRepeated = true) {
      const outcome = await this.#append(data, { id, isRepeated });
      if (outcome === 'stored') return true;
      if (outcome === 'refused' || this.#stopped) {
        this.#drop(batch.length, outcome === 'refused' ? 'the bus refuses them' : 'the gateway stopped');
        return outcome === 'refused';
      }
      await this.#wait(BUS_RETRY_MS);
    }
  }

  /** What is no outage would fail again and hold up everything behind it, so those frames are given up. */
  async #append(
    data: Uint8Array,
    { id, isRepeated }: { readonly id: string; readonly isRepeated: boolean },
  ): Promise<'stored' | 'outage' | 'refused'> {
    const { bus, gateway, log } = this.#options;
    const to = subject.frames(gateway);
    try {
      const last = isRepeated ? await bus.last(streams.frames, to) : undefined;
      if (last === undefined || Buffer.compare(last.data, data) !== 0)
        await bus.append(streams.frames, to, data, { id });
      return 'stored';
    } catch (error) {
      if (error instanceof Outage) return 'outage';
      log.error({ err: error, id }, 'message of frames refused by the bus');
      return 'refused';
    }
  }

  #release(): void {
    if (!this.#queue.full) for (const resolve of this.#room.splice(0)) resolve();
  }

  #drop(frames: number, reason: string): void {
    this.dropped += frames;
    this.#options.log.warn({ frames, dropped: this.dropped, reason }, 'received frames dropped');
  }

  #wait(delayMs: number): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      this.#pause = { timer: this.#options.clock.setTimeout(resolve, delayMs), resolve };
    });
  }

  #endPause(): void {
    if (this.#pause === undefined) return;
    this.#options.clock.clearTimeout(this.#pause.timer);
    this.#pause.resolve();
  }
}
