/**
 * The ring of blocks between the driver of the modem's output device and the modulator. RF Bench Service, section 8: a
 * block goes on the air when it is complete.
 *
 * U1. Bytes leave in the order they were written; a block that is not full waits.
 * U2. A write is done when the driver has taken all of it, in turn behind earlier ones; what it could not take in time
 *     is not sent.
 * U3. Closing drops what has not been sent.
 */

import { BLOCK_BYTES } from '../../contract/bench/datapath.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { errno, IioFailure } from '../iio/context.ts';
import { MODEL } from './constants.ts';

interface Writer {
  readonly blocks: Uint8Array[];
  readonly done: () => void;
  readonly failed: (failure: IioFailure) => void;
  readonly timer: TimerHandle;
}

export class TransmitRing {
  readonly #clock: Clock;
  readonly #filled: () => void;
  readonly #partial = new Uint8Array(BLOCK_BYTES);
  #partialBytes = 0;
  #blocks: Uint8Array[] = [];
  #writers: Writer[] = [];
  /** Repeated for ever, from this place on. */
  #cycle: { readonly data: Uint8Array; at: number } | undefined;

  /** `filled` is called when a block can be taken. */
  constructor(clock: Clock, filled: () => void) {
    this.#clock = clock;
    this.#filled = filled;
  }

  /** Blocks that are to leave. */
  get queued(): number {
    return this.#blocks.length + (this.#cycle === undefined ? 0 : 1);
  }

  /** Resolves when the driver has taken the bytes; rejects with ETIMEDOUT (U2). */
  write(data: Uint8Array, timeoutMs: number): Promise<void> {
    return new Promise((done, failed) => {
      const timer = this.#clock.setTimeout(() => this.#late(writer), timeoutMs);
      const writer: Writer = { blocks: this.#cut(data), done, failed, timer };
      this.#writers.push(writer);
      this.#move();
      if (this.#blocks.length > 0) this.#filled();
    });
  }

  /** Repeats these bytes until closed; the driver takes one such transfer. */
  repeat(data: Uint8Array): void {
    if (this.#cycle !== undefined) throw new IioFailure(errno.EBUSY, 'a cyclic transfer is under way');
    if (data.length === 0) throw new IioFailure(errno.EINVAL, 'nothing to repeat');
    this.#cycle = { data: data.slice(), at: 0 };
    this.#filled();
  }

  /** The next block to send; undefined when none is complete. */
  take(): Uint8Array | undefined {
    if (this.#cycle !== undefined) return this.#turn(this.#cycle);
    const block = this.#blocks.shift();
    this.#move();
    return block;
  }

  /** Drops what is left (U3); writes that wait are refused for this reason. */
  close(reason: IioFailure): void {
    for (const writer of this.#writers.splice(0)) this.#end(writer, () => writer.failed(reason));
    this.#blocks = [];
    this.#cycle = undefined;
    this.#partialBytes = 0;
  }

  #cut(data: Uint8Array): Uint8Array[] {
    const blocks: Uint8Array[] = [];
    for (let at = 0; at < data.length; ) {
      if (this.#partialBytes === 0 && data.length - at >= BLOCK_BYTES) {
        blocks.push(data.slice(at, at + BLOCK_BYTES));
        at += BLOCK_BYTES;
        continue;
      }
      const part = data.subarray(at, at + BLOCK_BYTES - this.#partialBytes);
      this.#partial.set(part, this.#partialBytes);
      this.#partialBytes += part.length;
      at += part.length;
      if (this.#partialBytes < BLOCK_BYTES) break;
      blocks.push(this.#partial.slice());
      this.#partialBytes = 0;
    }
    return blocks;
  }

  #turn(cycle: { readonly data: Uint8Array; at: number }): Uint8Array {
    const block = new Uint8Array(BLOCK_BYTES);
    for (let filled = 0; filled < BLOCK_BYTES; ) {
      const part = cycle.data.subarray(cycle.at, cycle.at + BLOCK_BYTES - filled);
      block.set(part, filled);
      filled += part.length;
      cycle.at = (cycle.at + part.length) % cycle.data.length;
    }
    return block;
  }

  /** Takes blocks of writers, in their order, while there is room. */
  #move(): void {
    for (let writer = this.#writers[0]; writer !== undefined; writer = this.#writers[0]) {
      const room = MODEL.ringBlocks - this.#blocks.length;
      this.#blocks.push(...writer.blocks.splice(0, room));
      if (writer.blocks.length > 0) return;
      this.#writers.shift();
      this.#end(writer, writer.done);
    }
  }

  #late(writer: Writer): void {
    this.#writers = this.#writers.filter((waiting) => waiting !== writer);
    writer.failed(new IioFailure(errno.ETIMEDOUT, `no room for ${writer.blocks.length} blocks in time`));
    this.#move();
  }

  #end(writer: Writer, tell: () => void): void {
    this.#clock.clearTimeout(writer.timer);
    tell();
  }
}
