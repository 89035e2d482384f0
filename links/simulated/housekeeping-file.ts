/**
 * A file of recorded housekeeping: packets of the on-board computer as they are sent in real time (3,25 structure 1 of
 * `missions/demo/README.md`), one every ten seconds for an hour or more, the last one ten seconds before it was
 * written.
 */

import { seededRandom } from '../../ports/seeded-random.ts';
import { MODE } from './onboard-mode.ts';
import { TelemetryWriter } from './onboard-packet.ts';

const RECORDS_PER_HOUR = 360;
const RECORD_MS = 10_000;
const DATA_BYTES = 13;
/** Headers, source data, CRC. */
const PACKET_BYTES = 20 + DATA_BYTES + 2;
/** Of one hour. */
export const HOUSEKEEPING_FILE_BYTES = RECORDS_PER_HOUR * PACKET_BYTES;

export function housekeepingFile(seed: number, writtenMs: number, apid?: number, hours = 1): Buffer {
  const random = seededRandom(seed);
  const writer = new TelemetryWriter(apid);
  const records = hours * RECORDS_PER_HOUR;
  const beganMs = writtenMs - records * RECORD_MS;
  const packets = Array.from({ length: records }, (_, record) => {
    const data = Buffer.alloc(DATA_BYTES);
    data.writeUInt16BE(1, 0);
    data.writeUInt8(MODE.SAFE, 2);
    data.writeUInt16BE(record & 0xffff, 3);
    data.writeUInt16BE(60, 5);
    data.writeUInt32BE((record * RECORD_MS) / 1_000, 7);
    data.writeInt16BE(Math.round(1_500 + 800 * Math.sin(record / 40) + random.next() * 20), 11);
    return writer.packet({ service: 3, subtype: 25, data }, beganMs + record * RECORD_MS);
  });
  return Buffer.concat(packets);
}
