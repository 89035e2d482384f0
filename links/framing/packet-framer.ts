/**
 * Frames are space packets, cut by their length field. CCSDS 133.0-B-2. What the splitter needs to find its way after
 * noise it gets from the mission: which APIDs there are, and how long a packet may be.
 *
 * Y1. Idle packets are packets of every link.
 */

import { accepted, type Result } from '../../contract/result.ts';
import type { FramingConfiguration } from '../../mission/endpoint.ts';
import { PacketSplitter } from '../../protocol/packet-splitter.ts';
import { IDLE_APID, PRIMARY_HEADER_BYTES, type SpacePacketHeader } from '../../protocol/space-packet.ts';
import type { Framer } from './framer.ts';

type PacketFraming = Extract<FramingConfiguration, { kind: 'space-packet' }>;

export class PacketFramer implements Framer {
  readonly #accepts: (header: SpacePacketHeader) => boolean;
  readonly #isSelective: boolean;
  #splitter: PacketSplitter;
  /** Of the splitters before. */
  #skipped = 0;

  constructor({ maxBytes, apids }: PacketFraming) {
    const known = apids && new Set([...apids, IDLE_APID]);
    this.#accepts = ({ apid, dataBytes }) =>
      PRIMARY_HEADER_BYTES + dataBytes <= maxBytes && known?.has(apid) !== false;
    this.#isSelective = known !== undefined;
    this.#splitter = this.#newSplitter();
  }

  get skipped(): number {
    return this.#skipped + this.#splitter.skipped;
  }

  get waiting(): number {
    return this.#splitter.waiting;
  }

  push(bytes: Uint8Array): Buffer[] {
    return this.#splitter.push(bytes);
  }

  settle(): Buffer[] {
    return this.#splitter.settle();
  }

  /** Not the end of the splitter: walking through half a packet, it could take data for a last one. */
  reset(): number {
    const unfinished = this.#splitter.waiting;
    this.#skipped = this.skipped + unfinished;
    this.#splitter = this.#newSplitter();
    return unfinished;
  }

  wrap(frame: Buffer): Result<Buffer, string> {
    return accepted(frame);
  }

  #newSplitter(): PacketSplitter {
    return new PacketSplitter({ accepts: this.#accepts, isSelective: this.#isSelective });
  }
}
