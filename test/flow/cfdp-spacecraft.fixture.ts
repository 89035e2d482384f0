/**
 * A spacecraft that speaks CFDP over UDP, as a process of its own: `cfdp-spacecraft.fixture.ts PORT GROUND RATE LOSS`
 * (bit/s; one PDU in so many is lost each way, 0: none). It has one file, 7, and takes what is sent to it. Before it
 * stands a modem that gives out what it was given at the rate, in order. It receives no more of a file than it is
 * allowed: an upload does not end before a test wants it to.
 */

import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { readSpacePacket, writeSpacePacket } from '../../protocol/space-packet.ts';
import { OnboardEntity } from '../support/onboard-entity.ts';
import { CFDP_APID, fileBytes, TC_APID } from './cfdp-spacecraft.ts';

export interface SpacecraftOrder {
  /** Bytes of PDUs that it receives from now on, and loses what is more; null: all. */
  readonly room: number | null;
}

export type SpacecraftNews =
  | { readonly news: 'listening' }
  /** It goes by an order. */
  | { readonly news: 'ordered' }
  /** A file came whole. */
  | { readonly news: 'taken'; readonly name: string; readonly sha256: string }
  /** A telecommand left the modem: its first four bytes, and when, ms since 1970. */
  | { readonly news: 'telecommand'; readonly number: number; readonly at: number };

const [port = 0, ground = 0, rate = 0, lossOf = 0, size = 0] = process.argv.slice(2).map(Number);
const TICK_MS = 5;
const socket = createSocket('udp4');
const report = (news: SpacecraftNews): void => void process.send!(news);
const file = fileBytes(size);
const entity = new OnboardEntity({
  settings: { local: 42n, pduBytes: 1_024 },
  peer: 1n,
  now: () => performance.now(),
  content: (name) => (name === '7' ? file : undefined),
});
const reported = new Map<string, Buffer>();
let count = 0;
let passed = 0;
let room = Number.POSITIVE_INFINITY;
let freeAt = 0;
let sentUntil = performance.now();

function arrives(): boolean {
  passed += 1;
  return lossOf === 0 || passed % lossOf !== 0;
}

socket.on('message', (frame) => {
  freeAt = Math.max(Date.now(), freeAt) + (frame.length * 8_000) / rate;
  const header = readSpacePacket(frame);
  if (typeof header === 'string') return;
  if (header.apid === TC_APID)
    return report({ news: 'telecommand', number: frame.readUInt32BE(6), at: freeAt });
  if (header.apid !== CFDP_APID) return;
  room -= frame.length;
  if (room > 0 && arrives()) entity.receive(frame.subarray(6));
});
process.on('message', (order: SpacecraftOrder) => {
  room = order.room ?? Number.POSITIVE_INFINITY;
  report({ news: 'ordered' });
});

function send(pdu: Buffer): void {
  count += 1;
  sentUntil += ((pdu.length + 6) * 8_000) / rate;
  const fields = { secondaryHeader: false, apid: CFDP_APID, sequenceFlags: 'unsegmented' } as const;
  const frame = writeSpacePacket({ type: 'telemetry', ...fields, sequenceCount: count % 16_384 }, pdu);
  if (arrives()) socket.send(frame, ground, '127.0.0.1');
}

setInterval(() => {
  sentUntil = Math.max(sentUntil, performance.now() - 100);
  while (sentUntil <= performance.now()) {
    const [pdu] = entity.take(1);
    if (pdu === undefined) break;
    send(pdu);
  }
  for (const [name, bytes] of entity.taken) {
    if (reported.get(name) === bytes) continue;
    reported.set(name, bytes);
    report({ news: 'taken', name, sha256: createHash('sha256').update(bytes).digest('hex') });
  }
}, TICK_MS);

socket.bind(port, '127.0.0.1', () => report({ news: 'listening' }));
