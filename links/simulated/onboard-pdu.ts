/**
 * PDUs of CFDP in space packets, as the flight software of the simulated spacecraft reads and writes them: the data of
 * a packet without secondary header. On purpose it shares no code with the drivers (`onboard-packet.ts`).
 *
 * O1. Reading never throws; what is no telecommand packet of the APID carries no PDU.
 */

const PACKET_HEADER = 6;

/** The PDU in an uplinked frame; undefined when it carries none for this spacecraft. */
export function receivePdu(frame: Buffer, ours: number): Buffer | undefined {
  if (frame.length <= PACKET_HEADER) return undefined;
  const isBareCommand = frame[0]! >> 3 === 0b000_1_0;
  const isWhole = frame[2]! >> 6 === 0b11 && frame.readUInt16BE(4) + 1 === frame.length - PACKET_HEADER;
  const apid = ((frame[0]! & 0b111) << 8) | frame[1]!;
  return isBareCommand && isWhole && apid === ours ? frame.subarray(PACKET_HEADER) : undefined;
}

/** The telemetry packet of a PDU, the `count`th of its APID. */
export function writePduPacket(apid: number, count: number, pdu: Buffer): Buffer {
  const packet = Buffer.alloc(PACKET_HEADER + pdu.length);
  packet.writeUInt16BE(apid, 0);
  packet.writeUInt16BE(0xc000 | (count & 0x3fff), 2);
  packet.writeUInt16BE(pdu.length - 1, 4);
  pdu.copy(packet, PACKET_HEADER);
  return packet;
}
