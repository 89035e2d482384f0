/**
 * Cuts a stream of bytes into space packets. A stream has no marks between packets: after damage the splitter walks
 * byte by byte to the next place that reads as a packet and is followed by another one. CCSDS 133.0-B-2.
 *
 * C1. Every byte pushed is part of exactly one packet, skipped and counted, or kept for the next push.
 * C2. Out of step, a packet counts only when what follows it starts like one or the stream ends there: a lone
 *     plausible header inside noise is not enough.
 * C3. A stream that stands still behind a whole packet ends there, so that noise holds nothing up: neither a packet
 *     that nothing follows, nor those behind a header that promises more than comes. In step only where it is known
 *     which headers there are: half a packet that holds zeros would read like another one.
 */

import { PRIMARY_HEADER_BYTES, readPrimaryHeader, type SpacePacketHeader } from './space-packet.ts';
import { endsInPackets } from './standing-still.ts';

interface SplitterOptions {
  /** Whether a header can belong to this stream; default: any header of version 0. */
  readonly accepts?: (header: SpacePacketHeader) => boolean;
  /** Whether `accepts` tells the packets of this stream from data (C3); default: where there is one. */
  readonly isSelective?: boolean;
  /** Whether a whole packet is sound (a checksum); default: yes. */
  readonly check?: (packet: Buffer) => boolean;
}

export class PacketSplitter {
  /** Bytes skipped because no packet began there. */
  skipped = 0;
  readonly #accepts: (header: SpacePacketHeader) => boolean;
  readonly #isSelective: boolean;
  readonly #check: (packet: Buffer) => boolean;
  #rest: Buffer = Buffer.alloc(0);
  #inStep = true;

  constructor(options: SplitterOptions = {}) {
    const { accepts, check = () => true, isSelective = accepts !== undefined } = options;
    this.#accepts = accepts ?? (() => true);
    this.#isSelective = isSelective;
    this.#check = check;
  }

  /** Bytes kept for the next push. */
  get waiting(): number {
    return this.#rest.length;
  }

  /** The packets completed by these bytes, in order. They stay valid after later pushes. */
  push(bytes: Uint8Array): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    return this.#split(false);
  }

  /** The packets that only the end of the stream completes; what is left is counted as skipped. */
  end(): Buffer[] {
    const packets = this.#split(true);
    this.skipped += this.#rest.length;
    this.#rest = Buffer.alloc(0);
    this.#inStep = true;
    return packets;
  }

  /** The packets that are complete because the stream has stood still for a while (C3). */
  settle(): Buffer[] {
    const isDecidable = this.#rest.length > 0 && (this.#isSelective || !this.#inStep);
    return isDecidable && endsInPackets(this.#rest.length, (at) => this.#wholeAt(at)) ? this.end() : [];
  }

  #split(ended: boolean): Buffer[] {
    const packets: Buffer[] = [];
    let at = 0;
    for (;;) {
      const bytes = this.#packetAt(at, ended);
      if (bytes === 'wait') break;
      if (bytes === 0) {
        at += 1;
        this.skipped += 1;
        this.#inStep = false;
        continue;
      }
      packets.push(this.#rest.subarray(at, at + bytes));
      at += bytes;
      this.#inStep = true;
    }
    this.#rest = this.#rest.subarray(at);
    return packets;
  }

  /** The size of the packet at `at`, 0 when none begins there, or `wait` for more bytes. */
  #packetAt(at: number, ended: boolean): number | 'wait' {
    const left = this.#rest.length - at;
    if (left < PRIMARY_HEADER_BYTES) return ended && left > 0 ? 0 : 'wait';
    const header = this.#headerAt(at);
    if (header === undefined) return 0;
    const size = PRIMARY_HEADER_BYTES + header.dataBytes;
    if (left < size) return ended ? 0 : 'wait';
    if (!this.#check(this.#rest.subarray(at, at + size))) return 0;
    return this.#inStep ? size : this.#followed(at + size, size, ended);
  }

  /** The size of a whole packet at `at`, 0 when none is there. */
  #wholeAt(at: number): number {
    const header = this.#headerAt(at);
    const size = PRIMARY_HEADER_BYTES + (header?.dataBytes ?? 0);
    return header === undefined || at + size > this.#rest.length ? 0 : size;
  }

  /** C2 */
  #followed(next: number, size: number, ended: boolean): number | 'wait' {
    if (this.#headerAt(next) !== undefined) return size;
    if (this.#rest.length - next >= PRIMARY_HEADER_BYTES) return 0;
    if (!ended) return 'wait';
    return this.#rest.length === next ? size : 0;
  }

  #headerAt(at: number): SpacePacketHeader | undefined {
    const header = readPrimaryHeader(this.#rest, at);
    return header !== undefined && this.#accepts(header) ? header : undefined;
  }
}
