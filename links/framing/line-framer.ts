/**
 * Frames are lines. A line ends with LF or CRLF and is handed over without it; empty lines are none.
 *
 * A1. A line longer than allowed is skipped to its end, however long it is, without being kept.
 * A2. A line to send gets its ending unless it has one; a line break inside it is refused: it would be two lines there.
 */

import { accepted, type Result, refused } from '../../contract/result.ts';
import type { FramingConfiguration } from '../../mission/endpoint.ts';
import type { Framer } from './framer.ts';

type LineFraming = Extract<FramingConfiguration, { kind: 'line' }>;

const LF = 0x0a;
const CR = 0x0d;

export class LineFramer implements Framer {
  skipped = 0;
  readonly waiting = 0;
  readonly #maxBytes: number;
  readonly #ending: Buffer;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #tooLong = false;

  constructor({ maxBytes, ending }: Pick<LineFraming, 'maxBytes' | 'ending'>) {
    this.#maxBytes = maxBytes;
    this.#ending = Buffer.from(ending === 'crlf' ? '\r\n' : '\n');
  }

  push(bytes: Uint8Array): Buffer[] {
    const lines: Buffer[] = [];
    let from = 0;
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, from)) {
      this.#keep(bytes.subarray(from, end));
      const line = this.#take();
      if (line !== undefined) lines.push(line);
      from = end + 1;
    }
    this.#keep(bytes.subarray(from));
    return lines;
  }

  /** The end of a line is a byte: silence says nothing. */
  settle(): Buffer[] {
    return [];
  }

  reset(): number {
    const unfinished = this.#bytes;
    this.skipped += unfinished;
    this.#clear();
    return unfinished;
  }

  wrap(frame: Buffer): Result<Buffer, string> {
    const line = frame.at(-1) === LF ? frame.subarray(0, frame.at(-2) === CR ? -2 : -1) : frame;
    if (line.includes(LF) || line.includes(CR))
      return refused('a line break inside the frame would cut it in two');
    return accepted(line === frame ? Buffer.concat([frame, this.#ending]) : frame);
  }

  #keep(part: Uint8Array): void {
    if (this.#tooLong) this.skipped += part.length;
    else if (part.length > 0) {
      this.#parts.push(part);
      this.#bytes += part.length;
      // One more than allowed may be the CR of its end.
      if (this.#bytes > this.#maxBytes + 1) this.#drop();
    }
  }

  #drop(): void {
    this.skipped += this.#bytes;
    this.#clear();
    this.#tooLong = true;
  }

  #take(): Buffer | undefined {
    const whole = Buffer.concat(this.#parts);
    const wasTooLong = this.#tooLong;
    this.#clear();
    const line = whole.at(-1) === CR ? whole.subarray(0, -1) : whole;
    if (!wasTooLong && line.length <= this.#maxBytes) return line.length === 0 ? undefined : line;
    this.skipped += whole.length;
    return undefined;
  }

  #clear(): void {
    this.#parts = [];
    this.#bytes = 0;
    this.#tooLong = false;
  }
}
