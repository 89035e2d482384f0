/**
 * How packets are laid into the bytes that go to the modem: end to end, or each in a slot of its own. RF Bench Service,
 * section 4, rule 11.
 *
 * F1. A slot is exactly a frame of the modem and blocks hold whole slots: a boundary that would drift is refused, not
 *     sent.
 * F2. Slots begin where a slot begins: bytes that wait from an earlier stream are flushed first.
 */

import { BLOCK_BYTES, type Framing } from '../../contract/bench/datapath.ts';
import { accepted, type Result, refused, refusedAll } from '../../contract/result.ts';
import { PAD_BYTE } from './blocks.ts';
import type { PacketRefusal } from './refusal.ts';

export interface FramedPackets {
  readonly bytes: Buffer;
  /** Of the packets themselves. */
  readonly usefulBytes: number;
  /** With what fills the slots. */
  readonly wireBytes: number;
  readonly boundariesPreserved: boolean;
}

export interface FramingPlace {
  /** Bytes of a frame as the modem cuts them; undefined when it cuts none. */
  readonly frameBytes: number | undefined;
  /** Bytes that wait for their block to be complete. */
  readonly pendingBytes: number;
}

type SlotFraming = Extract<Framing, { mode: 'slot' }>;

/** The bytes of some packets in a framing; without one they are packed end to end. */
export function framePackets(
  packets: readonly Uint8Array[],
  framing: Framing | undefined,
  place: FramingPlace,
): Result<FramedPackets, PacketRefusal> {
  if (framing?.mode === 'slot') return inSlots(packets, framing, place);
  const bytes = Buffer.concat(packets);
  return accepted({
    bytes,
    usefulBytes: bytes.length,
    wireBytes: bytes.length,
    boundariesPreserved: false,
  });
}

function inSlots(
  packets: readonly Uint8Array[],
  framing: SlotFraming,
  place: FramingPlace,
): Result<FramedPackets, PacketRefusal> {
  const { slot_len, pad = PAD_BYTE } = framing;
  const misaligned = misalignment(slot_len, place);
  if (misaligned !== undefined)
    return refused({ code: 'framing_misaligned', path: 'framing.slot_len', message: misaligned });
  const tooLarge = packets.flatMap((packet, index) => tooLargeFor(packet, index, slot_len));
  if (tooLarge.length > 0) return refusedAll(tooLarge);
  const bytes = Buffer.alloc(packets.length * slot_len, pad);
  for (const [index, packet] of packets.entries()) bytes.set(packet, index * slot_len);
  const usefulBytes = packets.reduce((sum, packet) => sum + packet.length, 0);
  return accepted({ bytes, usefulBytes, wireBytes: bytes.length, boundariesPreserved: true });
}

function misalignment(slot: number, { frameBytes, pendingBytes }: FramingPlace): string | undefined {
  if (frameBytes === undefined)
    return `is ${slot}, but the modem cuts no slots; apply a profile whose framing.kind is slot, or use stream`;
  if (slot !== frameBytes)
    return `is ${slot}; the modem cuts frames of ${frameBytes} bytes, and a slot is one`;
  if (BLOCK_BYTES % slot !== 0)
    return `is ${slot}, which does not divide the ${BLOCK_BYTES} useful bytes of a block`;
  if (pendingBytes % slot === 0) return undefined;
  return `is ${slot}, and ${pendingBytes} bytes of an earlier stream wait, so that slots would begin within one; flush first`;
}

function tooLargeFor(packet: Uint8Array, index: number, slot: number): PacketRefusal[] {
  if (packet.length <= slot) return [];
  const message = `is ${packet.length} bytes with its header and CRC; its slot has ${slot}`;
  return [{ code: 'packet_too_large', path: `packets[${index}]`, message }];
}
