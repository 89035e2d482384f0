/**
 * A space packet of a transmit request. CCSDS 133.0-B-2, section 4.1; RF Bench Service, section 4, rule 11.
 *
 * S1. The length field counts the CRC; a packet without a byte behind its header is refused, since its length cannot be
 *     written.
 */

import type { TransmitPacket } from '../../contract/bench/datapath.ts';
import { crc16 } from '../../protocol/crc.ts';
import { type SequenceFlags, writeSpacePacket } from '../../protocol/space-packet.ts';
import type { PacketRefusal } from './refusal.ts';

type CcsdsPacket = Extract<TransmitPacket, { protocol: 'ccsds' }>;

const CRC_BYTES = 2;
/** The length field is 16 bits wide and counts from the second byte. */
const MAX_DATA_BYTES = 0x1_0000;
/** By their number in the header. */
const FLAGS: readonly SequenceFlags[] = ['continuation', 'first', 'last', 'unsegmented'];
const UNSEGMENTED = 3;

/** Everything that keeps a packet of the right shape from being written. */
export function spacePacketRefusals(packet: CcsdsPacket, path: string): PacketRefusal[] {
  const bytes = dataBytes(packet);
  if (bytes >= 1 && bytes <= MAX_DATA_BYTES) return [];
  const message = `gives ${bytes} bytes of data; a space packet has 1 to ${MAX_DATA_BYTES}`;
  return [{ code: 'validation_failed', path: `${path}.payload_hex`, message }];
}

/** The bytes of a packet that nothing was found against, with a sequence count where it states none. */
export function spacePacketBytes(
  { header, payload_hex, crc16: checked }: CcsdsPacket,
  count: number,
): Buffer {
  const payload = Buffer.from(payload_hex, 'hex');
  const packet = writeSpacePacket(
    {
      type: header.type === 'tm' ? 'telemetry' : 'telecommand',
      secondaryHeader: header.sec_hdr === true,
      apid: header.apid,
      sequenceFlags: FLAGS[header.seq_flags ?? UNSEGMENTED]!,
      sequenceCount: header.seq_count ?? count,
    },
    checked === true ? Buffer.concat([payload, Buffer.alloc(CRC_BYTES)]) : payload,
  );
  if (checked === true)
    packet.writeUInt16BE(crc16(packet, packet.length - CRC_BYTES), packet.length - CRC_BYTES);
  return packet;
}

function dataBytes({ payload_hex, crc16: checked }: CcsdsPacket): number {
  return payload_hex.length / 2 + (checked === true ? CRC_BYTES : 0);
}
