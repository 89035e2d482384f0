/** Packets of transmit requests against vectors of independent implementations, and what is refused. */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TransmitBody, type TransmitPacket } from '../../../contract/bench/datapath.ts';
import { type CspHeader, cspFlag, readCsp } from '../../../protocol/csp.ts';
import { readSpacePacket } from '../../../protocol/space-packet.ts';
import { shapeFaults } from '../../../radio/document/fault.ts';
import { type SequenceCounts, writePackets } from '../../../radio/packet/packet.ts';
import { cspVectors } from '../../protocol/csp-vectors.ts';

interface Vector {
  readonly id: string;
  readonly group: string;
  readonly fields: {
    readonly type: 0 | 1;
    readonly sec: 0 | 1;
    readonly apid: number;
    readonly seq_flags: number;
    readonly seq_count: number;
    readonly data_length: number;
    readonly data: string;
  };
  readonly hex: string;
}

const file = new URL('../../data/vectors/space-protocols.json', import.meta.url);
const vectors = (JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }).vectors;
const group = (name: string) => vectors.filter((vector) => vector.group === name);
const noCounts: SequenceCounts = new Map();

function hexOf(packet: TransmitPacket, counts = noCounts): string {
  const written = writePackets([packet], counts);
  if (!written.ok) throw new Error(JSON.stringify(written.faults));
  return written.value.packets[0]!.toString('hex');
}

function refusalsOf(...packets: readonly TransmitPacket[]): string[] {
  const written = writePackets(packets, noCounts);
  return written.ok ? [] : written.faults.map(({ code, path, message }) => `${code} ${path}: ${message}`);
}

const csp = { protocol: 'csp', payload_hex: 'deadbeef' } as const;
const header = { pri: 2, src: 1, dst: 2, dport: 10, sport: 33 };

describe('raw packets', () => {
  it('RB-TX-002 are their bytes', () => {
    expect(hexOf({ protocol: 'raw', payload_hex: 'DEADbeef' })).toBe('deadbeef');
  });

  it('are refused when they are empty', () => {
    expect(refusalsOf({ protocol: 'raw', payload_hex: '' })).toEqual([
      'validation_failed packets[0].payload_hex: is empty; nothing would be sent',
    ]);
  });
});

describe('CSP packets', () => {
  const written = cspVectors.filter(
    (each) => each.group !== 'csp-kiss' && (each.header.flags & cspFlag.rdp) === 0,
  );

  it.each(written)('RB-TX-003 $id is written as libcsp does', ({ version, header: from, data, bytes }) => {
    const fields = {
      version,
      pri: from.priority,
      src: from.source,
      dst: from.destination,
      dport: from.destinationPort,
      sport: from.sourcePort,
      flags: from.flags,
    };
    const packet = { protocol: 'csp', header: fields, payload_hex: data.toString('hex') } as const;
    expect(hexOf(packet)).toBe(bytes.toString('hex'));
  });

  it.each([
    [1, undefined, '8222a101deadbeeff1dc778e'],
    [1, 'payload', '8222a101deadbeeff1dc778e'],
    [1, 'packet', '8222a101deadbeef306a9d2a'],
    [2, 'payload', '80020004a841deadbeeff1dc778e'],
    [2, 'packet', '80020004a841deadbeef9eb204f0'],
  ] as const)('RB-TX-003 of version %i have a CRC over %s', (version, crc_covers, hex) => {
    const covers = crc_covers === undefined ? {} : { crc_covers };
    expect(hexOf({ ...csp, header: { ...header, version, crc32: true, ...covers } })).toBe(hex);
  });

  it('RB-TX-013 are of version 1 and normal priority unless they say otherwise', () => {
    const { pri: _, ...rest } = header;
    expect(hexOf({ ...csp, header: rest })).toBe('8222a100deadbeef');
  });

  it('are refused for each field beyond the range of their version', () => {
    const wrong = { ...csp, header: { ...header, src: 32, dst: 16_383 } };
    expect(refusalsOf(wrong)).toEqual([
      'invalid_header packets[0].header.src: is 32; the most in CSP version 1 is 31',
      'invalid_header packets[0].header.dst: is 16383; the most in CSP version 1 is 31',
    ]);
    expect(refusalsOf({ ...wrong, header: { ...wrong.header, version: 2 } })).toEqual([]);
    expect(refusalsOf({ ...csp, header: { ...header, version: 2, flags: 0x40 } })).toEqual([
      'invalid_header packets[0].header.flags: is 64; the most in CSP version 2 is 63',
    ]);
  });

  it.each([
    ['RDP', cspFlag.rdp],
    ['XTEA', cspFlag.xtea],
    ['HMAC', cspFlag.hmac],
  ])('are refused when they ask for %s, with the way out', (name, flags) => {
    const [refusal] = refusalsOf({ ...csp, header: { ...header, flags } });
    expect(refusal).toMatch(
      /^invalid_header packets\[0\]\.header\.flags: asks for .*; send such a packet whole, as raw$/,
    );
    expect(refusal).toContain(name);
  });

  it('are refused when they contradict themselves about a CRC', () => {
    const contradiction = { ...csp, header: { ...header, flags: cspFlag.crc, crc32: false } };
    expect(refusalsOf(contradiction)).toEqual([expect.stringContaining('header.crc32: is false')]);
    const covers = { ...csp, header: { ...header, crc_covers: 'packet' as const } };
    expect(refusalsOf(covers)).toEqual([
      expect.stringContaining('header.crc_covers: says what a CRC covers'),
    ]);
  });

  it('are read again as they were written, whatever the fields', () => {
    const fields = fc.record({
      version: fc.constantFrom(1, 2),
      pri: fc.nat(3),
      src: fc.nat(31),
      dst: fc.nat(31),
      dport: fc.nat(63),
      sport: fc.nat(63),
      crc32: fc.boolean(),
    });
    fc.assert(
      fc.property(fields, fc.uint8Array({ maxLength: 64 }), (from, data) => {
        const hex = hexOf({ ...csp, header: from, payload_hex: Buffer.from(data).toString('hex') });
        const read = readCsp(from.version as 1 | 2, Buffer.from(hex, 'hex'));
        const expected: CspHeader = {
          priority: from.pri,
          source: from.src,
          destination: from.dst,
          destinationPort: from.dport,
          sourcePort: from.sport,
          flags: from.crc32 ? cspFlag.crc : 0,
        };
        expect(read).toEqual({ ok: true, value: { ...expected, data: Buffer.from(data) } });
      }),
    );
  });
});

describe('space packets', () => {
  it.each(group('space-packet-header'))('RB-TX-004 $id has the header of the vector', ({ fields, hex }) => {
    const packet = {
      protocol: 'ccsds',
      header: {
        apid: fields.apid,
        type: fields.type === 1 ? ('tc' as const) : ('tm' as const),
        sec_hdr: fields.sec === 1,
        seq_flags: fields.seq_flags,
        seq_count: fields.seq_count,
      },
      payload_hex: '00'.repeat(fields.data_length + 1),
    } as const;
    expect(hexOf(packet).slice(0, 12)).toBe(hex);
  });

  it.each(group('space-packet'))('RB-TX-004 $id is the vector', ({ fields, hex }) => {
    const { apid, seq_count, data } = fields;
    expect(hexOf({ protocol: 'ccsds', header: { apid, seq_count }, payload_hex: data })).toBe(hex);
  });

  it.each(group('pus-c-tc'))('RB-TX-004 $id is the vector, with its CRC-16', ({ fields, hex }) => {
    const payload_hex = hex.slice(12, -4);
    const own = { apid: fields.apid, sec_hdr: true, seq_count: fields.seq_count };
    expect(hexOf({ protocol: 'ccsds', header: own, payload_hex, crc16: true })).toBe(hex);
  });

  it('RB-TX-013 are counted for each APID, and around the end', () => {
    const packet = (apid: number) => ({ protocol: 'ccsds', header: { apid }, payload_hex: '00' }) as const;
    const explicit = { ...packet(1), header: { apid: 1, seq_count: 9 } };
    const counts = new Map([[2, 16_383]]);
    const written = writePackets([packet(1), packet(2), explicit, packet(1), packet(2)], counts);
    if (!written.ok) throw new Error('refused');
    const given = written.value.packets.map((each) => readSpacePacket(each));
    expect(given).toMatchObject([0, 16_383, 9, 1, 0].map((sequenceCount) => ({ sequenceCount })));
    expect(written.value.counts).toEqual(
      new Map([
        [1, 2],
        [2, 1],
      ]),
    );
    expect(counts).toEqual(new Map([[2, 16_383]]));
  });

  it('are refused without data and beyond 65,536 bytes of it, the CRC counted', () => {
    const packet = (bytes: number, crc16: boolean): TransmitPacket => ({
      protocol: 'ccsds',
      header: { apid: 1 },
      crc16,
      payload_hex: '00'.repeat(bytes),
    });
    expect(
      refusalsOf(packet(0, false), packet(0, true), packet(65_535, true), packet(65_536, false)),
    ).toEqual([
      'validation_failed packets[0].payload_hex: gives 0 bytes of data; a space packet has 1 to 65536',
      'validation_failed packets[2].payload_hex: gives 65537 bytes of data; a space packet has 1 to 65536',
    ]);
  });
});

describe('a request', () => {
  const faultsOf = (body: unknown) => shapeFaults(TransmitBody, body);

  it('RB-TX-013 is in order without framing', () => {
    expect(faultsOf({ packets: [{ protocol: 'raw', payload_hex: '00' }] })).toEqual([]);
  });

  it('RB-TX-014 is refused with no packets, an unknown protocol, bad hex and unknown fields, all at once', () => {
    expect(faultsOf({ packets: [] })).toEqual([expect.stringMatching(/^packets: has 0 items/)]);
    const packets = [
      { protocol: 'ax25', payload_hex: '00' },
      { protocol: 'raw', payload_hex: '0' },
      { protocol: 'raw', payload_hex: 'xy', header: {} },
      { payload_hex: '00' },
      { protocol: 'ccsds', header: { apid: 2048 }, payload_hex: '' },
    ];
    expect(faultsOf({ packets }).map((fault) => fault.split(':')[0])).toEqual([
      'packets[0].protocol',
      'packets[1].payload_hex',
      'packets[2].payload_hex',
      'packets[2].header',
      'packets[3]',
      'packets[4].header.apid',
    ]);
  });

  it('names every packet that is wrong, and counts nothing (packet/packet.P1, P2)', () => {
    const good: TransmitPacket = { protocol: 'ccsds', header: { apid: 1 }, payload_hex: '00' };
    const bad: TransmitPacket = { protocol: 'raw', payload_hex: '' };
    expect(refusalsOf(good, bad, good, bad)).toHaveLength(2);
  });
});
