/**
 * Ceilings of the samples. `decode`: hand-written reads of the 27 fields of a NOAA-20 packet into columns, a copy of
 * the columns as calibrated values, and the last row as the current one; no bus. `chain`: three messages of the sizes
 * the service makes of a message of frames, each followed and answered by the next, and nothing decoded.
 */

import { type BareBus, connectBare, followBare } from '../bare-bus.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';
import { recordedPackets, SAMPLES_PER_PACKET } from '../recording.ts';

let bus: BareBus;
let recorded: Buffer[] = [];
let arrived = 0;
let wanted = Number.POSITIVE_INFINITY;
let reached: () => void = () => undefined;

async function start({
  address,
  sizes,
}: {
  address: BusAddress;
  sizes: { decoded: number; values: number };
}) {
  bus = await connectBare(address);
  recorded = await recordedPackets();
  await followBare(bus, 'bench.frame', () => republish('bench.decoded', sizes.decoded));
  await followBare(bus, 'bench.decoded', () => republish('bench.values', sizes.values));
  await followBare(bus, 'bench.values', () => {
    arrived += 1;
    if (arrived >= wanted) reached();
  });
}

function republish(subject: string, bytes: number): void {
  bus.jetstream.publish(subject, new Uint8Array(bytes)).catch((error: unknown) => {
    throw error;
  });
}

/** Resolves when `messages` more have come through the chain. */
async function chained(messages: number): Promise<void> {
  if (arrived < messages) {
    wanted = messages;
    await new Promise<void>((resolve) => {
      reached = resolve;
    });
  }
  arrived -= messages;
  wanted = Number.POSITIVE_INFINITY;
}

/** Decodes in batches for `ms`; resolves with the packets read and the ms it took. */
function decode({ packets, ms }: { packets: number; ms: number }): { packets: number; ms: number } {
  const current = new Float64Array(SAMPLES_PER_PACKET);
  const start = performance.now();
  let read = 0;
  while (performance.now() - start < ms) {
    const raw = new Float64Array(packets * SAMPLES_PER_PACKET);
    for (let row = 0; row < packets; row += 1)
      readPacket(recorded[(read + row) % recorded.length]!, raw, row);
    const value = raw.slice();
    current.set(value.subarray(value.length - SAMPLES_PER_PACKET));
    read += packets;
  }
  return { packets: read, ms: performance.now() - start };
}

function readPacket(packet: Buffer, raw: Float64Array, row: number): void {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  let at = row * SAMPLES_PER_PACKET;
  const identification = view.getUint16(0);
  raw[at++] = identification >>> 13;
  raw[at++] = (identification >>> 12) & 1;
  raw[at++] = (identification >>> 11) & 1;
  raw[at++] = identification & 0x7ff;
  const sequence = view.getUint16(2);
  raw[at++] = sequence >>> 14;
  raw[at++] = sequence & 0x3fff;
  raw[at++] = view.getUint16(4);
  raw[at++] = view.getUint16(6);
  raw[at++] = view.getUint32(8);
  raw[at++] = view.getUint16(12);
  raw[at++] = view.getUint8(14);
  raw[at++] = view.getUint16(15);
  raw[at++] = view.getUint32(17);
  raw[at++] = view.getUint16(21);
  for (let field = 23; field < 47; field += 4) raw[at++] = view.getFloat32(field);
  raw[at++] = view.getUint16(47);
  raw[at++] = view.getUint32(49);
  raw[at++] = view.getUint16(53);
  for (let field = 55; field < 71; field += 4) raw[at++] = view.getFloat32(field);
}

answerCalls({ start, chained, decode });
