/**
 * The ring of blocks between the demodulator and the driver of the modem's capture device. RF Bench Service, section 4,
 * rules 8 and 10.
 *
 * R1. A block begins anywhere in the stream of bytes that is received, at a place that is another each time the ring is
 *     armed, aligned to a beat of the DMA.
 * R2. What lay in the queues of the receive path comes first: bytes of before, or chance, never zeros.
 * R3. A block that finds no room is lost and counted.
 * R4. A read gets exactly the bytes it asked for, in turn behind earlier ones; what it had when its time is over stays
 *     for the next.
 */

import { BLOCK_BYTES } from '../../contract/bench/datapath.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { errno, IioFailure } from '../iio/context.ts';
import { fillRandom, mixed, PURPOSE } from './chance.ts';
import { MODEL } from './constants.ts';
import type { StubFaults } from './faults.ts';

interface Reader {
  readonly bytes: number;
  readonly parts: Uint8Array[];
  got: number;
  readonly done: (data: Uint8Array) => void;
  readonly failed: (failure: IioFailure) => void;
  readonly timer: TimerHandle;
}

export class ReceiveRing {
  readonly #clock: Clock;
  readonly #seed: number;
  readonly #faults: () => StubFaults;
  readonly #overflowed: () => void;
  #armed = false;
  #armings = 0;
  /** What is in the queues ahead of the first byte received since arming. */
  #stale: Uint8Array | undefined;
  #last: Uint8Array | undefined;
  #filling = new Uint8Array(BLOCK_BYTES);
  #filled = 0;
  /** Blocks cut since arming. */
  #cut = 0;
  #slips = 0;
  #blocks: Uint8Array[] = [];
  #readers: Reader[] = [];

  constructor(clock: Clock, seed: number, faults: () => StubFaults, overflowed: () => void) {
    this.#clock = clock;
    this.#seed = seed;
    this.#faults = faults;
    this.#overflowed = overflowed;
  }

  /** Begins to capture, or begins again: blocks of before are gone. */
  arm(): void {
    this.#armings += 1;
    this.#armed = true;
    this.#blocks = [];
    this.#filled = 0;
    this.#cut = 0;
    this.#slips = 0;
    this.#stale = this.#leftovers();
  }

  /** Begins again if it captures. */
  rearm(): void {
    if (this.#armed) this.arm();
  }

  /** Ends the capture; reads that wait are refused for this reason. */
  disarm(reason: IioFailure): void {
    this.#armed = false;
    this.#blocks = [];
    for (const reader of this.#readers.splice(0)) this.#end(reader, () => reader.failed(reason));
  }

  /** A byte is lost at the beginning of the next block. */
  slip(): void {
    this.#slips += 1;
  }

  /**
   * Takes bytes of the demodulator; those that come while nobody captures are lost. The array is the ring's from here
   * on.
   */
  push(bytes: Uint8Array): void {
    if (!this.#armed) return;
    const stale = this.#stale;
    this.#stale = undefined;
    if (stale !== undefined) this.#append(stale);
    this.#append(bytes);
    this.#last = bytes;
    this.#serve();
  }

  /** Exactly so many bytes; rejects with ETIMEDOUT (R4). */
  read(bytes: number, timeoutMs: number): Promise<Uint8Array> {
    return new Promise((done, failed) => {
      const timer = this.#clock.setTimeout(() => this.#late(reader), timeoutMs);
      const reader: Reader = { bytes, parts: [], got: 0, done, failed, timer };
      this.#readers.push(reader);
      this.#serve();
    });
  }

  /** Serves waiting reads again, after a stall. */
  resume(): void {
    this.#serve();
  }

  #append(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#filled === 0) at += this.#slipped();
      const part = bytes.subarray(at, at + BLOCK_BYTES - this.#filled);
      at += part.length;
      if (part.length === BLOCK_BYTES) this.#keep(part);
      else this.#collect(part);
    }
  }

  #collect(part: Uint8Array): void {
    this.#filling.set(part, this.#filled);
    this.#filled += part.length;
    if (this.#filled < BLOCK_BYTES) return;
    this.#keep(this.#filling);
    this.#filling = new Uint8Array(BLOCK_BYTES);
    this.#filled = 0;
  }

  #keep(block: Uint8Array): void {
    const isLost = this.#blocks.length >= MODEL.ringBlocks || this.#faults().overflowAtBlock === this.#cut;
    this.#cut += 1;
    if (isLost) this.#overflowed();
    else this.#blocks.push(block);
    if (this.#readers.length > 0) this.#serve();
  }

  /** Bytes lost at the beginning of this block. */
  #slipped(): number {
    const slips = this.#slips + (this.#faults().slipAtBlock === this.#cut ? 1 : 0);
    this.#slips = 0;
    return slips;
  }

  #serve(): void {
    if (this.#faults().stalled?.receive === true) return;
    for (let reader = this.#readers[0]; reader !== undefined; reader = this.#readers[0]) {
      this.#fill(reader);
      if (reader.got < reader.bytes) return;
      this.#readers.shift();
      const { parts, done } = reader;
      this.#end(reader, () => done(joined(parts)));
    }
  }

  #fill(reader: Reader): void {
    while (reader.got < reader.bytes) {
      const block = this.#blocks.shift();
      if (block === undefined) return;
      const part = block.subarray(0, reader.bytes - reader.got);
      if (part.length < block.length) this.#blocks.unshift(block.subarray(part.length));
      reader.parts.push(part);
      reader.got += part.length;
    }
  }

  #late(reader: Reader): void {
    this.#readers = this.#readers.filter((waiting) => waiting !== reader);
    this.#blocks.unshift(...reader.parts);
    reader.failed(
      new IioFailure(errno.ETIMEDOUT, `${reader.got} of ${reader.bytes} bytes were there in time`),
    );
    this.#serve();
  }

  #end(reader: Reader, tell: () => void): void {
    this.#clock.clearTimeout(reader.timer);
    tell();
  }

  /** Whole blocks and the bytes that decide where blocks begin (R1, R2). */
  #leftovers(): Uint8Array {
    const random = seededRandom(mixed(this.#seed, PURPOSE.rotation, this.#armings));
    const blocks = MODEL.staleBlocks + Math.floor(random.next() * (MODEL.staleBlocksMore + 1));
    const beats = Math.floor((random.next() * BLOCK_BYTES) / MODEL.beatBytes);
    const bytes = new Uint8Array(blocks * BLOCK_BYTES + beats * MODEL.beatBytes);
    fillRandom(bytes, random);
    if (this.#last !== undefined) bytes.set(this.#last);
    return bytes;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
