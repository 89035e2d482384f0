/** The protocols against vectors of independent implementations, in both directions; see test/data/vectors. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { crc16, crc32, crc32c } from '../../protocol/crc.ts';
import { readPusTelecommand, requestIdOf, writePusTelecommand } from '../../protocol/pus-telecommand.ts';
import { readPusTelemetry, writePusTelemetry } from '../../protocol/pus-telemetry.ts';
import { readVerification, writeVerification } from '../../protocol/pus-verification.ts';
import {
  readPrimaryHeader,
  readSpacePacket,
  writePrimaryHeader,
  writeSpacePacket,
} from '../../protocol/space-packet.ts';
import { readCdsShort, writeCdsShort } from '../../protocol/time-code.ts';

/** The fields of all groups; a vector has those of its own. */
interface Fields {
  readonly data: string;
  readonly crc16_ccitt_false: string;
  readonly crc32: string;
  readonly crc32c: string;
  readonly type: 0 | 1;
  readonly sec: 0 | 1;
  readonly apid: number;
  readonly seq_flags: 0 | 1 | 2 | 3;
  readonly seq_count: number;
  readonly data_length: number;
  readonly ack_flags: number;
  readonly service: number;
  readonly subtype: number;
  readonly source_id: number;
  readonly app_data: string;
  readonly time_ref: number;
  readonly message_counter: number;
  readonly destination_id: number;
  readonly timestamp: string;
  readonly source_data: string;
  readonly request_id: string;
  readonly step: number | null;
  readonly step_size: 1 | 2 | 4;
  readonly code: number | null;
  readonly code_size: 1 | 2 | 4;
  readonly failure_data: string | null;
  readonly unix_seconds: number;
}

interface Vector {
  readonly id: string;
  readonly group: string;
  readonly fields: Fields;
  readonly hex: string;
}

const file = new URL('../data/vectors/space-protocols.json', import.meta.url);
const vectors = (JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }).vectors;
const group = (name: string) => vectors.filter((vector) => vector.group === name);
const bytes = (hex: string) => Buffer.from(hex, 'hex');
const FLAGS = ['continuation', 'first', 'last', 'unsegmented'] as const;

it('holds every group', () => {
  expect(vectors.length).toBe(26);
});

describe('checksums', () => {
  it.each(group('crc'))('$id', ({ fields }) => {
    const data = bytes(fields.data);
    expect(crc16(data).toString(16).padStart(4, '0')).toBe(fields.crc16_ccitt_false);
    expect(crc32(data).toString(16).padStart(8, '0')).toBe(fields.crc32);
    expect(crc32c(data).toString(16).padStart(8, '0')).toBe(fields.crc32c);
  });
});

describe('space packets', () => {
  it.each(group('space-packet-header'))('$id', ({ fields, hex }) => {
    const header = {
      type: fields.type === 1 ? ('telecommand' as const) : ('telemetry' as const),
      secondaryHeader: fields.sec === 1,
      apid: fields.apid,
      sequenceFlags: FLAGS[fields.seq_flags],
      sequenceCount: fields.seq_count,
      dataBytes: fields.data_length + 1,
    };
    expect(readPrimaryHeader(bytes(hex))).toEqual(header);
    expect(writePrimaryHeader(header).toString('hex')).toBe(hex);
  });

  it.each(group('space-packet'))('$id', ({ fields, hex }) => {
    const header = {
      type: 'telecommand' as const,
      secondaryHeader: false,
      apid: fields.apid,
      sequenceFlags: 'unsegmented' as const,
      sequenceCount: fields.seq_count,
    };
    expect(readSpacePacket(bytes(hex))).toEqual({ ...header, dataBytes: 4 });
    expect(writeSpacePacket(header, bytes(fields.data)).toString('hex')).toBe(hex);
  });
});

/** Every packet that differs from the given one in exactly one bit. */
function oneBitFlipped(packet: Buffer): Buffer[] {
  return Array.from({ length: packet.length * 8 }, (_, bit) => {
    const copy = Buffer.from(packet);
    copy[bit >> 3]! ^= 1 << (bit & 7);
    return copy;
  });
}

describe('PUS-C telecommands', () => {
  it.each(group('pus-c-tc'))('$id', ({ fields, hex }) => {
    const telecommand = {
      apid: fields.apid,
      sequenceCount: fields.seq_count,
      flags: fields.ack_flags,
      service: fields.service,
      subtype: fields.subtype,
      source: fields.source_id,
      data: bytes(fields.app_data),
    };
    expect(readPusTelecommand(bytes(hex))).toEqual({ ok: true, value: telecommand });
    const written = writePusTelecommand(telecommand);
    expect(written.ok && written.value.toString('hex')).toBe(hex);
    expect(requestIdOf(bytes(hex))).toBe(hex.slice(0, 8));
  });

  it.each(group('pus-c-tc'))('$id: no flipped bit passes', ({ hex }) => {
    for (const packet of oneBitFlipped(bytes(hex))) expect(readPusTelecommand(packet).ok).toBe(false);
  });
});

describe('PUS-C telemetry', () => {
  it.each(group('pus-c-tm'))('$id', ({ fields, hex }) => {
    const telemetry = {
      apid: fields.apid,
      sequenceCount: fields.seq_count,
      timeReference: fields.time_ref,
      service: fields.service,
      subtype: fields.subtype,
      messageCounter: fields.message_counter,
      destination: fields.destination_id,
      time: bytes(fields.timestamp),
      data: bytes(fields.source_data),
    };
    expect(readPusTelemetry(bytes(hex), 7)).toEqual({ ok: true, value: telemetry });
    expect(writePusTelemetry(telemetry).toString('hex')).toBe(hex);
  });

  it.each([...group('pus-c-tm'), ...group('pus-1')])('$id: no flipped bit passes', ({ hex }) => {
    for (const packet of oneBitFlipped(bytes(hex))) expect(readPusTelemetry(packet, 7).ok).toBe(false);
  });
});

describe('PUS service 1', () => {
  it.each(group('pus-1'))('$id', ({ fields, hex }) => {
    const telemetry = readPusTelemetry(bytes(hex), 7);
    if (!telemetry.ok) throw new Error(telemetry.faults[0]);
    const sizes = { stepBytes: fields.step_size, codeBytes: fields.code_size };
    const report = readVerification(telemetry.value.subtype, telemetry.value.data, sizes);
    if (!report.ok) throw new Error(report.faults[0]);
    expect(report.value).toEqual({
      reference: fields.request_id,
      stage: ['acceptance', 'start', 'progress', 'completion'][(fields.subtype - 1) >> 1],
      ok: fields.subtype % 2 === 1,
      ...(fields.step !== null && { step: fields.step }),
      ...(fields.code !== null && { code: fields.code }),
      ...(fields.failure_data !== null && { data: fields.failure_data }),
    });
    const written = writeVerification(report.value, sizes);
    expect(written).toEqual({ subtype: fields.subtype, data: telemetry.value.data });
  });
});

describe('time', () => {
  it.each(group('time'))('$id', ({ fields, hex }) => {
    const ms = Math.round(fields.unix_seconds * 1000);
    expect(readCdsShort(bytes(hex))).toBe(ms);
    expect(writeCdsShort(ms).toString('hex')).toBe(hex);
  });
});
