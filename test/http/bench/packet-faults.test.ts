/**
 * What is wrong with a packet is said of its field, not of the union of all packets. RF Bench Service, section 4, rule
 * 11.
 */

import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { TransmitBody } from '../../../contract/bench/datapath.ts';
import { readJsonBody } from '../../../http/json-body.ts';

const validator = Compile(TransmitBody);

const RIGHT: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  raw: { protocol: 'raw', payload_hex: 'deadbeef' },
  csp: {
    protocol: 'csp',
    payload_hex: '00',
    header: {
      version: 1,
      pri: 2,
      src: 1,
      dst: 2,
      dport: 10,
      sport: 33,
      flags: 0,
      crc32: true,
      crc_covers: 'payload',
    },
  },
  ccsds: {
    protocol: 'ccsds',
    payload_hex: '00',
    crc16: true,
    header: { apid: 1, type: 'tm', sec_hdr: false, seq_flags: 3, seq_count: 0 },
  },
};

/** Each field in turn wrong: of no type that any field has. */
function* spoiled(): Generator<readonly [path: string, packet: Record<string, unknown>]> {
  for (const packet of Object.values(RIGHT)) {
    for (const field of Object.keys(packet)) {
      if (field !== 'protocol') yield [`/${field}`, { ...packet, [field]: [] }];
      const { [field]: _, ...rest } = packet;
      if (field !== 'crc16') yield [`/${field}`, rest];
    }
    for (const field of Object.keys((packet['header'] ?? {}) as object))
      yield [`/header/${field}`, { ...packet, header: { ...(packet['header'] as object), [field]: [] } }];
    yield ['/unknown', { ...packet, unknown: 1 }];
    yield ['/protocol', { ...packet, protocol: 'ax25' }];
  }
}

function faultsOf(packets: readonly unknown[]): { path?: string; message: string }[] {
  const read = readJsonBody(Buffer.from(JSON.stringify({ packets })), validator, 'validation_failed');
  return read.ok ? [] : [...read.faults];
}

describe('a packet that is wrong', () => {
  it.each([...spoiled()])(
    'RB-TX-014 at %s is refused with that field, beside packets that are right',
    (path, packet) => {
      expect(faultsOf(Object.values(RIGHT))).toEqual([]);
      const faults = faultsOf([RIGHT['raw'], packet, RIGHT['ccsds']]);
      expect(faults.map((fault) => fault.path)).toEqual([`/packets/1${path}`]);
      for (const { message } of faults) expect(message).not.toMatch(/one of the shapes/);
    },
  );

  it('RB-TX-014 names the protocols that there are', () => {
    expect(faultsOf([{ protocol: 'ax25', payload_hex: '00' }])[0]?.message).toBe(
      '/packets/0/protocol must be "raw" or "csp" or "ccsds"',
    );
  });
});
