/**
 * Bytes on their way to the modem, cut into DMA blocks: what does not fill a block waits for more or for a flush. RF
 * Bench Service, section 4, rule 9, and section 8. There is no timer: who pushes little flushes.
 *
 * B1. No byte is lost, doubled or moved: the blocks in order, without what fills a flushed one, are what was pushed.
 */

import { BLOCK_BYTES } from '../../contract/bench/datapath.ts';

/** Fills what nothing fills: a byte of many transitions, for the timing recovery. */
export const PAD_BYTE = 0xaa;

export interface Flushed {
  readonly blocks: readonly Buffer[];
  /** Bytes that waited; 0: there was nothing to send, and no blocks are made. */
  readonly usefulBytes: number;
}

export class BlockAssembler {
  #waiting: Buffer = Buffer.alloc(0);

  /** Bytes that wait for their block to be complete. */
  get pendingBytes(): number {
    return this.#waiting.length;
  }

  /** The blocks that these bytes complete. */
  push(bytes: Uint8Array): Buffer[] {
    const all = Buffer.concat([this.#waiting, bytes]);
    const whole = all.length - (all.length % BLOCK_BYTES);
    // A copy, so that what waits does not keep the blocks in memory.
    this.#waiting = Buffer.from(all.subarray(whole));
    return Array.from({ length: whole / BLOCK_BYTES }, (_, index) =>
      all.subarray(index * BLOCK_BYTES, (index + 1) * BLOCK_BYTES),
    );
  }

  /** What waits as one padded block, followed by blocks of padding alone up to `count`; nothing where nothing waits. */
  flush(count = 1, pad: number = PAD_BYTE): Flushed {
    const usefulBytes = this.#waiting.length;
    if (usefulBytes === 0 || count === 0) return { blocks: [], usefulBytes: 0 };
    const blocks = Array.from({ length: count }, () => Buffer.alloc(BLOCK_BYTES, pad));
    blocks[0]!.set(this.#waiting);
    this.#waiting = Buffer.alloc(0);
    return { blocks, usefulBytes };
  }

  /** Forgets what waits; the bytes that are lost by that. */
  discard(): number {
    const lost = this.#waiting.length;
    this.#waiting = Buffer.alloc(0);
    return lost;
  }
}
