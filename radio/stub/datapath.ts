/**
 * The way of bytes through the model: a block of the transmit ring goes on the air for as long as its symbols take,
 * passes the channel, and comes to the receive ring. RF Bench Service, section 4, rules 6 to 10.
 *
 * Simplified: a block is demodulated or not as a whole, by the locks at its beginning and at its end; settings that
 * change within it count from its end on.
 *
 * W1. Nothing is received without a block on the air: idle frames keep the locks and carry no useful bytes.
 * W2. While frames are not found, bytes come all the same, and they are chance.
 * W3. What happens depends on the injected clock alone; blocks that a late timer finds due are done at their own times.
 * W4. The errors of a block are drawn from seed, settings and number of the block: the same history gives the same
 *     bytes.
 * W5. What a late timer has to do is bounded.
 */

import { BLOCK_BYTES } from '../../contract/bench/datapath.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { bitsPerSymbol } from '../modulation.ts';
import { rotatedBytes } from '../phase-rotation.ts';
import { addBitErrors, addCodedErrors } from './bit-errors.ts';
import { fillRandom, mixed, PURPOSE } from './chance.ts';
import { MODEL } from './constants.ts';
import type { StubFaults } from './faults.ts';
import type { Link, Truth } from './link.ts';
import type { ModemRegisters } from './modem-registers.ts';
import type { ReceiveRing } from './receive-ring.ts';
import type { TransmitRing } from './transmit-ring.ts';

interface OnAir {
  readonly bytes: Uint8Array;
  readonly number: number;
  readonly isSynced: boolean;
  readonly endsAt: number;
}

interface Arriving {
  readonly bytes: Uint8Array;
  readonly at: number;
}

export interface DatapathParts {
  readonly seed: number;
  readonly clock: Clock;
  readonly link: Link;
  readonly registers: ModemRegisters;
  readonly faults: () => StubFaults;
  readonly transmit: TransmitRing;
  readonly receive: ReceiveRing;
}

export class Datapath {
  readonly #parts: DatapathParts;
  #onAir: OnAir | undefined;
  /** In the order of their arrival. */
  #arriving: Arriving[] = [];
  #sent = 0;
  /** When the ring was found empty behind a block. */
  #dryAt: number | undefined;
  #timer: TimerHandle | undefined;
  #isStopped = false;

  constructor(parts: DatapathParts) {
    this.#parts = parts;
  }

  /** Does what is due by now: called before a setting changes, since a late timer may have left it. */
  settle(): void {
    if (!this.#isStopped) this.#advance(this.#parts.clock.now());
  }

  /** A block may begin: bytes came, or a setting changed. */
  wake(): void {
    if (this.#isStopped) return;
    this.settle();
    if (this.#onAir === undefined) this.#begin(this.#parts.clock.now());
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== undefined) this.#parts.clock.clearTimeout(this.#timer);
  }

  #advance(now: number): void {
    this.#forgetSleep(now);
    for (let due = this.#next(); due !== undefined && due <= now; due = this.#next()) {
      if (this.#arriving[0]?.at === due) this.#parts.receive.push(this.#arriving.shift()!.bytes);
      else this.#end(this.#onAir!);
    }
  }

  /** A machine that slept does not owe the blocks of that time: the board stood still with it (W5). */
  #forgetSleep(now: number): void {
    const due = this.#next();
    const { blockMs } = this.#parts.link.truth;
    const slept = due === undefined ? 0 : now - due - MODEL.catchUpBlocks * blockMs;
    if (!(slept > 0)) return;
    this.#arriving = this.#arriving.map(({ bytes, at }) => ({ bytes, at: at + slept }));
    if (this.#onAir !== undefined) this.#onAir = { ...this.#onAir, endsAt: this.#onAir.endsAt + slept };
  }

  /** Time of what comes next. */
  #next(): number | undefined {
    const arrival = this.#arriving[0]?.at;
    const end = this.#onAir?.endsAt;
    if (arrival === undefined || end === undefined) return arrival ?? end;
    return Math.min(arrival, end);
  }

  #schedule(): void {
    const { clock } = this.#parts;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    const due = this.#next();
    this.#timer =
      due === undefined ? undefined : clock.setTimeout(() => this.#turn(), Math.max(0, due - clock.now()));
  }

  #turn(): void {
    this.#timer = undefined;
    this.#advance(this.#parts.clock.now());
    this.#schedule();
  }

  #begin(at: number): void {
    const { link, transmit, faults } = this.#parts;
    const { transmitting, blockMs } = link.truth;
    if (!transmitting || faults().stalled?.transmit === true) return;
    const bytes = transmit.take();
    if (bytes === undefined) return;
    this.#noteLate(at, blockMs);
    const isSynced = link.locks(at).frameSync;
    this.#onAir = { bytes, number: this.#sent, isSynced, endsAt: at + blockMs };
    this.#sent += 1;
  }

  /** A block that should have followed the one before: the modulator had nothing, and a stream loses its place. */
  #noteLate(at: number, blockMs: number): void {
    const dryMs = this.#dryAt === undefined ? Number.POSITIVE_INFINITY : at - this.#dryAt;
    this.#dryAt = undefined;
    if (dryMs <= 0 || dryMs > MODEL.lateBlocks * blockMs) return;
    const { registers, link, receive } = this.#parts;
    registers.count('underflow');
    if (!link.truth.transmitter.slots) receive.slip();
  }

  #end(block: OnAir): void {
    const { truth } = this.#parts.link;
    this.#onAir = undefined;
    const received = this.#throughChannel(block, truth);
    if (received !== undefined) this.#arrive(received, block.endsAt + latencyMs(truth));
    this.#begin(block.endsAt);
    if (this.#onAir === undefined) this.#dryAt = block.endsAt;
  }

  #arrive(bytes: Uint8Array, at: number): void {
    // Nothing overtakes: a change of the target shortens the way only for what follows.
    this.#arriving.push({ bytes, at: Math.max(at, this.#arriving.at(-1)?.at ?? at) });
  }

  /** What the demodulator makes of a block; undefined when it does not run or the block did not end on the air. */
  #throughChannel(block: OnAir, truth: Truth): Uint8Array | undefined {
    if (!truth.transmitting || !truth.receiving) return undefined;
    const { link, registers, seed } = this.#parts;
    registers.countFrames(BLOCK_BYTES);
    const isSynced = block.isSynced && link.locks(block.endsAt).frameSync;
    const random = seededRandom(mixed(seed, PURPOSE.errors, truth.epoch, block.number));
    if (!isSynced) {
      fillRandom(block.bytes, random);
      return block.bytes;
    }
    turnPhase(block.bytes, truth);
    if (truth.receiver.coding.outer !== 'rs-255-223') {
      addBitErrors(block.bytes, truth.channelErrorRate, random);
      return block.bytes;
    }
    const { corrected, failed } = addCodedErrors(block.bytes, truth.channelErrorRate, random);
    registers.count('corrected', corrected);
    registers.count('uncorrectable', failed);
    return block.bytes;
  }
}

function latencyMs({ target, blockMs }: Truth): number {
  return blockMs * (target === 'air' ? MODEL.airLatency : MODEL.loopbackLatency);
}

/** Bits of the symbols, in Gray order, that a carrier found some steps off makes of those sent. */
function turnPhase(bytes: Uint8Array, { phase, receiver: { modulation } }: Truth): void {
  if (phase === 0 || modulation === undefined) return;
  const table = rotatedBytes(bitsPerSymbol(modulation), phase);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = table[bytes[at]!]!;
}
