/** The missions that come with the service, as documents and compiled, and frames of their spacecraft. */

import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { compile } from '../../mission/compile.ts';
import type { SourceFile } from '../../mission/document/read.ts';
import { load } from '../../mission/load.ts';
import type { Mission } from '../../mission/mission.ts';
import { cspFlag, writeCsp } from '../../protocol/csp.ts';
import { writePusTelemetry } from '../../protocol/pus-telemetry.ts';
import { writeVerification } from '../../protocol/pus-verification.ts';
import { writeSpacePacket } from '../../protocol/space-packet.ts';
import { mutatedBytes } from './text.ts';

const MISSIONS = new URL('../../missions/', import.meta.url);
const RECORDED_PACKET_BYTES = 71;

/** The documents of each mission. */
export function shippedDocuments(): SourceFile[][] {
  const folders = readdirSync(MISSIONS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => {
    const folder = new URL(`${name}/`, MISSIONS);
    const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
    return files.map((file) => ({ file, text: readFileSync(new URL(file, folder), 'utf8') }));
  });
}

export function shippedMissions(): Mission[] {
  return shippedDocuments().map((documents) => {
    const compiled = compile(documents);
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults, undefined, 1));
    return load(compiled.value.configuration, compiled.value.revision);
  });
}

function recordedPacket(): Buffer {
  const recording = readFileSync(new URL('demo/recordings/noaa20-geolocation.ccsds', MISSIONS));
  return recording.subarray(0, RECORDED_PACKET_BYTES);
}

function telemetry(service: number, subtype: number, data: Buffer): Buffer {
  const header = { apid: 0x73, sequenceCount: 1, messageCounter: 0, destination: 0, timeReference: 0 };
  const time = Buffer.from('402e7b9d680102', 'hex');
  return writePusTelemetry({ ...header, service, subtype, time, data });
}

function cspPacket(flags: number, data: string): Buffer {
  const header = { priority: 2, source: 2, destination: 10, destinationPort: 30, sourcePort: 30, flags };
  return writeCsp(1, header, Buffer.from(data, 'hex'));
}

const failed = writeVerification(
  { reference: '1873c015', stage: 'acceptance', ok: false, code: 3 },
  { stepBytes: 1, codeBytes: 2 },
);

const FRAMES: readonly Buffer[] = [
  recordedPacket(),
  Buffer.from('1873c01500062f11010000621c', 'hex'),
  telemetry(failed.subtype === 0 ? 0 : 1, failed.subtype, failed.data),
  telemetry(3, 25, Buffer.alloc(64, 1)),
  telemetry(8, 130, Buffer.from(`02${'000702000008000badcafe0003'.repeat(2)}`, 'hex')),
  telemetry(8, 131, Buffer.from('0007000300000064cafebabe', 'hex')),
  cspPacket(0, '0102030405060708090a0b0c'),
  cspPacket(cspFlag.crc, '00'.repeat(30)),
  Buffer.from('STATE 21.50 SET 20.00 HEATER ON DOOR CLOSED\r\n'),
  Buffer.from('ERR 12 too hot\nOK\nLABEL "a \\"b\\""'),
];

export const anyBytes = fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes));

/** Random bytes behind a header that fits them, so that the inner layers are reached. */
const framed = fc
  .record({
    type: fc.constantFrom('telecommand' as const, 'telemetry' as const),
    secondaryHeader: fc.boolean(),
    apid: fc.constantFrom(0x73, 11, 0x7ff, 0),
    data: fc.uint8Array({ minLength: 1, maxLength: 90 }),
  })
  .map(({ data, ...header }) =>
    writeSpacePacket({ ...header, sequenceFlags: 'unsegmented', sequenceCount: 0 }, Buffer.from(data)),
  );

/** Bytes, packets of bytes, and damaged frames of every protocol. */
export const anyFrame = fc.oneof(anyBytes, framed, { weight: 3, arbitrary: mutatedBytes(FRAMES) });
