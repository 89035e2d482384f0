/**
 * The packets of a transmit request as bytes: raw, CSP, space packets. RF Bench Service, section 4, rule 11. Their
 * shape was checked before (contract/bench/datapath.ts).
 *
 * P1. All packets are judged before one is written: a refused request names every packet that is wrong.
 * P2. Sequence counts are taken by who queues the packets, so that a request refused later leaves no gap.
 */

import type { TransmitPacket } from '../../contract/bench/datapath.ts';
import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import { SEQUENCE_COUNTS } from '../../protocol/space-packet.ts';
import { cspBytes, cspRefusals } from './csp.ts';
import type { PacketRefusal } from './refusal.ts';
import { spacePacketBytes, spacePacketRefusals } from './space-packet.ts';

/** The sequence count that comes next, by APID; 0 of one that has none yet. */
export type SequenceCounts = ReadonlyMap<number, number>;

export interface WrittenPackets {
  readonly packets: readonly Buffer[];
  /** To be kept when the packets are queued (P2). */
  readonly counts: SequenceCounts;
}

/** The bytes of each packet; space packets that state no sequence count take that of their APID. */
export function writePackets(
  packets: readonly TransmitPacket[],
  counts: SequenceCounts,
): Result<WrittenPackets, PacketRefusal> {
  const refusals = packets.flatMap((packet, index) => refusalsOf(packet, `packets[${index}]`));
  if (refusals.length > 0) return refusedAll(refusals);
  const next = new Map(counts);
  return accepted({ packets: packets.map((packet) => bytesOf(packet, next)), counts: next });
}

function refusalsOf(packet: TransmitPacket, path: string): PacketRefusal[] {
  if (packet.protocol === 'csp') return cspRefusals(packet, path);
  if (packet.protocol === 'ccsds') return spacePacketRefusals(packet, path);
  if (packet.payload_hex !== '') return [];
  return [
    { code: 'validation_failed', path: `${path}.payload_hex`, message: 'is empty; nothing would be sent' },
  ];
}

function bytesOf(packet: TransmitPacket, counts: Map<number, number>): Buffer {
  if (packet.protocol === 'raw') return Buffer.from(packet.payload_hex, 'hex');
  if (packet.protocol === 'csp') return cspBytes(packet);
  const { apid, seq_count } = packet.header;
  const count = counts.get(apid) ?? 0;
  if (seq_count === undefined) counts.set(apid, (count + 1) % SEQUENCE_COUNTS);
  return spacePacketBytes(packet, count);
}
