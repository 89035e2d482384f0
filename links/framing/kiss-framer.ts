/**
 * Frames are KISS frames, C0 to C0, handed over whole: what is in them is the driver's. `protocol/kiss.ts`.
 *
 * B1. A frame longer than allowed is skipped to the next C0 without being kept.
 * B2. One C0 may end a frame and begin the next; both get theirs.
 */

import { accepted, type Result, refused } from '../../contract/result.ts';

const END = 0xc0;
const ENDING = Buffer.from([END]);

export class KissFramer {
  skipped = 0;
  readonly waiting = 0;
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  /** Behind a C0, and not in a frame that is too long. */
  #inFrame = false;

  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes;
  }

  push(bytes: Uint8Array): Buffer[] {
    const frames: Buffer[] = [];
    let from = 0;
    for (let end = bytes.indexOf(END); end >= 0; end = bytes.indexOf(END, from)) {
      this.#keep(bytes.subarray(from, end));
      if (this.#bytes > 0) frames.push(Buffer.concat([ENDING, ...this.#parts, ENDING]));
      this.#clear();
      this.#inFrame = true;
      from = end + 1;
    }
    this.#keep(bytes.subarray(from));
    return frames;
  }

  /** The end of a frame is a byte: silence says nothing. */
  settle(): Buffer[] {
    return [];
  }

  reset(): number {
    const unfinished = this.#bytes;
    this.skipped += unfinished;
    this.#clear();
    this.#inFrame = false;
    return unfinished;
  }

  wrap(frame: Buffer): Result<Buffer, string> {
    if (frame.length > 2 && frame[0] === END && frame.at(-1) === END) return accepted(frame);
    return refused('not a KISS frame; write kiss: true in the transport of the link');
  }

  #keep(part: Uint8Array): void {
    if (this.#inFrame && this.#bytes + part.length + 2 <= this.#maxBytes) {
      if (part.length > 0) this.#parts.push(Buffer.from(part));
      this.#bytes += part.length;
      return;
    }
    // B1
    this.skipped += part.length + this.#bytes;
    this.#clear();
    this.#inFrame = false;
  }

  #clear(): void {
    this.#parts = [];
    this.#bytes = 0;
  }
}
