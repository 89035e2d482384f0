/**
 * Frames begin with a sync marker and have a fixed length, or a field that says it. CCSDS 131.0-B (attached sync
 * marker).
 *
 * M1. Inside a frame a marker means nothing: the next one is looked for behind its end.
 * M2. Out of step (after noise) and with contiguous frames, a marker counts only when another one stands behind its
 *     frame: a marker inside data is not enough.
 * M3. A length beyond the longest frame is noise: the search goes on with the byte after.
 */

import { accepted, type Result, refused } from '../../contract/result.ts';
import type { MarkerFramingConfiguration } from '../../mission/endpoint.ts';
import { endsInPackets } from '../../protocol/standing-still.ts';
import type { Framer } from './framer.ts';

export class MarkerFramer implements Framer {
  skipped = 0;
  readonly #framing: MarkerFramingConfiguration;
  readonly #marker: Buffer;
  #rest: Buffer = Buffer.alloc(0);
  #inStep = true;

  constructor(framing: MarkerFramingConfiguration) {
    this.#framing = framing;
    this.#marker = Buffer.from(framing.marker, 'hex');
  }

  get waiting(): number {
    return this.#rest.length;
  }

  push(bytes: Uint8Array): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    return this.#cut(false);
  }

  settle(): Buffer[] {
    return endsInPackets(this.#rest.length, (at) => this.#wholeAt(at)) ? this.#cut(true) : [];
  }

  /** `ended`: nothing more comes, so that what would be waited for is none. */
  #cut(ended: boolean): Buffer[] {
    const frames: Buffer[] = [];
    let at = this.#seek(0);
    for (;;) {
      const size = this.#sizeAt(at, ended);
      if (size === 'wait' && !(ended && at < this.#rest.length)) break;
      if (size === 'wait' || size === 'none') {
        this.#inStep = false;
        this.skipped += 1;
        at = this.#seek(at + 1);
      } else {
        const start = this.#framing.keep ? at : at + this.#marker.length;
        const end = at + this.#marker.length + size;
        frames.push(this.#rest.subarray(start, end));
        this.#inStep = true;
        at = this.#seek(end);
      }
    }
    this.#rest = this.#rest.subarray(at);
    return frames;
  }

  reset(): number {
    const unfinished = this.#rest.length;
    this.skipped += unfinished;
    this.#rest = Buffer.alloc(0);
    this.#inStep = true;
    return unfinished;
  }

  wrap(frame: Buffer): Result<Buffer, string> {
    const { keep, length } = this.#framing;
    const hasMarker = frame.subarray(0, this.#marker.length).equals(this.#marker);
    if (keep && !hasMarker)
      return refused(`the frame does not begin with the marker ${this.#framing.marker}`);
    const body = keep ? frame.subarray(this.#marker.length) : frame;
    const expected = length.kind === 'fixed' ? length.bytes : this.#announced(body, 0);
    if (expected !== body.length)
      return refused(
        `the frame has ${body.length} bytes after the marker, the link expects ${expected ?? 'more'}`,
      );
    return accepted(keep ? frame : Buffer.concat([this.#marker, frame]));
  }

  /** Where the next marker begins, at `from` or later; bytes that can be part of none are skipped. */
  #seek(from: number): number {
    const found = this.#rest.indexOf(this.#marker, from);
    const at = found >= 0 ? found : Math.max(from, this.#rest.length - this.#unfinishedMarker(from));
    if (at > from) this.#inStep = false;
    this.skipped += at - from;
    return at;
  }

  /**
   * How many of the last bytes, from `from` on, can be the beginning of a marker: those before are a frame's
   * (framer.K1).
   */
  #unfinishedMarker(from: number): number {
    for (let count = Math.min(this.#marker.length - 1, this.#rest.length - from); count > 0; count -= 1) {
      if (this.#rest.subarray(-count).equals(this.#marker.subarray(0, count))) return count;
    }
    return 0;
  }

  /** Bytes after the marker at `at`; `none` when no frame can begin there. */
  #sizeAt(at: number, ended: boolean): number | 'wait' | 'none' {
    const body = at + this.#marker.length;
    if (this.#rest.length < body) return 'wait';
    const size =
      this.#framing.length.kind === 'fixed' ? this.#framing.length.bytes : this.#announced(this.#rest, body);
    if (size === undefined) return 'wait';
    if (size > this.#framing.maxBytes || size < this.#leastBytes()) return 'none';
    if (this.#rest.length < body + size) return 'wait';
    return this.#inStep || !this.#framing.contiguous ? size : this.#followed(body + size, size, ended);
  }

  /** Bytes of a whole frame at `at`, its marker included; 0 when none is there. */
  #wholeAt(at: number): number {
    const body = at + this.#marker.length;
    if (!this.#rest.subarray(at, body).equals(this.#marker)) return 0;
    const { length, maxBytes } = this.#framing;
    const size = length.kind === 'fixed' ? length.bytes : this.#announced(this.#rest, body);
    const isWhole = size !== undefined && size <= maxBytes && size >= this.#leastBytes();
    return isWhole && body + size <= this.#rest.length ? this.#marker.length + size : 0;
  }

  /** M2 */
  #followed(next: number, size: number, ended: boolean): number | 'wait' | 'none' {
    if (ended && next === this.#rest.length) return size;
    const there = this.#rest.subarray(next, next + this.#marker.length);
    if (!there.equals(this.#marker.subarray(0, there.length))) return 'none';
    return there.length === this.#marker.length ? size : 'wait';
  }

  /** A frame holds at least its length field, and one byte. */
  #leastBytes(): number {
    const { length } = this.#framing;
    return length.kind === 'fixed' ? 1 : length.at + length.bytes;
  }

  /** What the length field of the frame at `body` says; undefined until it is there. */
  #announced(bytes: Buffer, body: number): number | undefined {
    const { length } = this.#framing;
    if (length.kind !== 'field') return length.bytes;
    const at = body + length.at;
    if (bytes.length < at + length.bytes) return undefined;
    const value =
      length.endian === 'big' ? bytes.readUIntBE(at, length.bytes) : bytes.readUIntLE(at, length.bytes);
    return value + length.add;
  }
}
