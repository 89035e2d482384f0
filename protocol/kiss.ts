/**
 * KISS frames, both ways: how CSP packets pass a serial line. `C0 00 … C0`, with C0 and DB inside written as DB DC and
 * DB DD. Chepponis and Karn, 1987; libcsp.
 *
 * K1. Every byte pushed is part of exactly one frame, skipped between two, or kept for the next push.
 * K2. After damage the reader is in step again at the next C0; nothing of a damaged frame comes out.
 * K3. A frame without end takes no more memory than the longest frame.
 */

import { FRAME_BYTES } from '../contract/limits/link.ts';

const END = 0xc0;
const ESCAPE = 0xdb;
const ESCAPED_END = 0xdc;
const ESCAPED_ESCAPE = 0xdd;
/** A frame of data of the first port; others are for the modem. */
const DATA = 0x00;

/** The frame around some bytes. */
export function writeKiss(bytes: Buffer): Buffer {
  const frame: number[] = [END, DATA];
  for (const byte of bytes) {
    if (byte === END) frame.push(ESCAPE, ESCAPED_END);
    else if (byte === ESCAPE) frame.push(ESCAPE, ESCAPED_ESCAPE);
    else frame.push(byte);
  }
  frame.push(END);
  return Buffer.from(frame);
}

/** Takes the contents of frames out of a stream of bytes. */
export class KissReader {
  /** Frames given up: damaged, too long, not of data, or cut off by the end of the stream. */
  damaged = 0;
  #bytes: number[] = [];
  #escaped = false;
  /** Between the first C0 and the damage or the end of its frame. */
  #inFrame = false;

  /** What the frames hold that these bytes complete, in order. */
  push(bytes: Uint8Array): Buffer[] {
    const contents: Buffer[] = [];
    for (const byte of bytes) {
      if (byte === END) {
        const content = this.#end();
        if (content !== undefined) contents.push(content);
      } else if (this.#inFrame) this.#add(byte);
    }
    return contents;
  }

  /** The stream is over: a frame not ended is damaged. */
  end(): void {
    if (this.#bytes.length > 0 || this.#escaped) this.#give();
    this.#inFrame = false;
  }

  /** C0 ends a frame and begins the next; two in a row are one. */
  #end(): Buffer | undefined {
    const [command, ...content] = this.#bytes;
    this.#inFrame = true;
    if (command === undefined && !this.#escaped) return undefined;
    if (this.#escaped || command !== DATA || content.length === 0) {
      this.#give();
      return undefined;
    }
    this.#bytes = [];
    return Buffer.from(content);
  }

  #add(byte: number): void {
    const value = this.#escaped ? unescaped(byte) : byte;
    if (value === undefined || this.#bytes.length > FRAME_BYTES) {
      this.#give();
      this.#inFrame = false;
      return;
    }
    this.#escaped = !this.#escaped && byte === ESCAPE;
    if (!this.#escaped) this.#bytes.push(value);
  }

  #give(): void {
    this.damaged += 1;
    this.#bytes = [];
    this.#escaped = false;
  }
}

function unescaped(byte: number): number | undefined {
  if (byte === ESCAPED_END) return END;
  return byte === ESCAPED_ESCAPE ? ESCAPE : undefined;
}
