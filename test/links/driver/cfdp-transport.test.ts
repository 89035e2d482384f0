import { describe, expect, it } from 'vitest';
import { cfdpTransport } from '../../../links/driver/cfdp-transport.ts';
import { CfdpEntity } from '../../../protocol/cfdp/entity.ts';
import { DEFAULT_SETTINGS } from '../../../protocol/cfdp/settings.ts';
import { readSpacePacket, SEQUENCE_COUNTS, writeSpacePacket } from '../../../protocol/space-packet.ts';

const PDU = Buffer.from('a PDU');

function transport(settings: object = {}, more: object = {}) {
  const link = { name: 's', transport: { kind: 'cfdp', entity: 42, ...more } };
  const read = cfdpTransport({ protocol: 'cfdp', settings: { entity: 1, ...settings } }, link as never);
  if (!read.ok) throw new Error(read.faults[0]);
  return read.value;
}

const packet = (header: object = {}): Buffer => {
  const fields = {
    secondaryHeader: false,
    apid: 100,
    sequenceFlags: 'unsegmented',
    sequenceCount: 9,
  } as const;
  return writeSpacePacket({ type: 'telemetry', ...fields, ...header }, PDU);
};

describe('the transport of CFDP', () => {
  it('what is not given is as the entity has it', () => {
    const { settings, peer } = transport();
    expect(settings).toEqual({ local: 1n });
    expect(peer).toBe(42n);
    const entity = new CfdpEntity({ settings, peer, wallMs: 0, emit: () => undefined }, 0);
    expect(entity.settings).toEqual({ ...DEFAULT_SETTINGS, local: 1n });
  });

  it('everything that can be set reaches the entity', () => {
    const { settings } = transport({
      entity_bytes: 4,
      sequence_bytes: 8,
      pdu: 512,
      checksum: 'crc32c',
      crc: false,
      naks: 'deferred',
      ack_timer: '5 s',
      ack_limit: 3,
      nak_timer: '1 min',
      nak_limit: 10,
      inactivity_timer: '10 min',
      begin_timer: '90 s',
    });
    expect(settings).toEqual({
      local: 1n,
      idBytes: 4,
      sequenceBytes: 8,
      pduBytes: 512,
      checksumType: 2,
      crc: false,
      crcRequired: false,
      naks: 'deferred',
      ackMs: 5_000,
      ackLimit: 3,
      nakMs: 60_000,
      nakLimit: 10,
      inactivityMs: 600_000,
      noProgressMs: 90_000,
    });
    for (const [checksum, type] of [
      ['modular', 0],
      ['crc32', 3],
      ['none', 15],
    ] as const)
      expect(transport({ checksum }).settings.checksumType).toBe(type);
  });

  it('refuses a link that does not say which entity the spacecraft is', () => {
    const faults = [/link "s" has no transport of kind cfdp/];
    for (const link of [{ name: 's' }, { name: 's', transport: { kind: 'line' } }]) {
      const read = cfdpTransport({ protocol: 'cfdp', settings: { entity: 1 } }, link as never);
      expect(read.ok ? [] : read.faults).toEqual(faults.map((each) => expect.stringMatching(each)));
    }
  });

  it('beside telecommands the section of the driver and that of the link are read', () => {
    const driver = { protocol: 'pus-c', settings: { source: 7, cfdp: { entity: 1, pdu: 512 } } };
    const link = {
      name: 's',
      transport: { kind: 'space-packet', apid: 116, cfdp: { entity: 42, apid: 117 } },
    };
    const read = cfdpTransport(driver, link as never);
    if (!read.ok) throw new Error(read.faults[0]);
    expect(read.value).toMatchObject({ settings: { local: 1n, pduBytes: 512 }, peer: 42n });
    expect(readSpacePacket(read.value.frameOf(PDU))).toMatchObject({ type: 'telecommand', apid: 117 });
    expect(read.value.pduIn(packet({ apid: 117 }))).toEqual(PDU);
    expect(read.value.pduIn(packet({ apid: 116 }))).toBeUndefined();
  });

  it.each([
    ['the driver', {}, { cfdp: { entity: 42, apid: 117 } }],
    ['the link', { cfdp: { entity: 1 } }, {}],
  ])('beside telecommands it refuses where %s has no section', (_, settings, more) => {
    const link = { name: 's', transport: { kind: 'space-packet', ...more } };
    const read = cfdpTransport({ protocol: 'pus-c', settings }, link as never);
    expect(read).toMatchObject({ ok: false, faults: [expect.stringMatching(/link "s" carries no CFDP/)] });
  });

  it.each([
    ['the link', { cfdp: { entity: 1 } }, { kind: 'space-packet', apid: 116 }],
    ['the driver', {}, { kind: 'space-packet', apid: 116, cfdp: { entity: 42, apid: 117 } }],
    ['both', {}, { kind: 'space-packet', apid: 116 }],
  ])('beside telecommands it is refused where %s says nothing of it', (_, settings, transport) => {
    const read = cfdpTransport({ protocol: 'pus-c', settings }, { name: 's', transport } as never);
    expect(read).toEqual({
      ok: false,
      faults: ['link "s" carries no CFDP; add cfdp to its transport and to its driver'],
    });
  });

  it('MC-CFDP-001 a PDU is a frame without an APID', () => {
    const { frameOf, pduIn } = transport();
    expect(pduIn(frameOf(PDU))).toEqual(PDU);
    expect(frameOf(PDU)).toEqual(PDU);
  });

  it('MC-CFDP-001 cfdp-transport.X1 with an APID it is the data of a space packet, counted', () => {
    const { frameOf, pduIn } = transport({}, { apid: 100 });
    const counts = Array.from({ length: SEQUENCE_COUNTS + 1 }, () => readSpacePacket(frameOf(PDU)));
    expect(counts[0]).toMatchObject({ type: 'telecommand', apid: 100, sequenceCount: 0 });
    expect(counts.at(-2)).toMatchObject({ sequenceCount: SEQUENCE_COUNTS - 1 });
    expect(counts.at(-1)).toMatchObject({ sequenceCount: 0 });
    expect(pduIn(packet())).toEqual(PDU);
  });

  it.each<[string, Buffer]>([
    ['another APID', packet({ apid: 101 })],
    ['a telecommand that came back', packet({ type: 'telecommand' })],
    ['a secondary header', packet({ secondaryHeader: true })],
    ['a part of a packet', packet({ sequenceFlags: 'first' })],
    ['a packet cut off', packet().subarray(0, -1)],
    ['no bytes', Buffer.alloc(0)],
  ])('cfdp-transport.X1 %s is no PDU', (_, frame) => {
    expect(transport({}, { apid: 100 }).pduIn(frame)).toBeUndefined();
  });
});
