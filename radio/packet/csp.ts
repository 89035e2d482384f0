/**
 * A CSP packet of a transmit request. Cubesat Space Protocol, libcsp; RF Bench Service, section 4, rule 11.
 *
 * C1. A header that does not fit its version is refused by the field and its range, never cut.
 * C2. What a flag asks for and nobody does here (RDP, HMAC, XTEA, fragments) is refused: such a packet comes ready as
 *     `raw`.
 */

import type { TransmitPacket } from '../../contract/bench/datapath.ts';
import { crc32c } from '../../protocol/crc.ts';
import {
  appendCrc,
  CSP_CRC_BYTES,
  type CspHeader,
  type CspVersion,
  cspFlag,
  MAX_CSP_ADDRESS,
  MAX_CSP_DATA_BYTES,
  refusedCspFlag,
  writeCspHeader,
} from '../../protocol/csp.ts';
import type { PacketRefusal } from './refusal.ts';

type CspPacket = Extract<TransmitPacket, { protocol: 'csp' }>;
type CspFields = CspPacket['header'];

/** Flags are six bits wide in version 2. */
const MAX_FLAGS = { 1: 0xff, 2: 0x3f } as const;
/** 0 critical to 3 low. */
const NORMAL_PRIORITY = 2;

/** Everything that keeps a packet of the right shape from being written. */
export function cspRefusals({ header, payload_hex }: CspPacket, path: string): PacketRefusal[] {
  const problems = [...rangeProblems(header), ...flagProblems(header)];
  const refusals = problems.map(
    ([field, message]): PacketRefusal => ({
      code: 'invalid_header',
      path: `${path}.header.${field}`,
      message,
    }),
  );
  const bytes = payload_hex.length / 2;
  if (bytes <= MAX_CSP_DATA_BYTES) return refusals;
  const message = `is ${bytes} bytes; a packet of CSP holds ${MAX_CSP_DATA_BYTES}`;
  return [...refusals, { code: 'validation_failed', path: `${path}.payload_hex`, message }];
}

/** The bytes of a packet that nothing was found against. */
export function cspBytes({ header, payload_hex }: CspPacket): Buffer {
  const version = versionOf(header);
  const packet = Buffer.concat([writeCspHeader(version, headerOf(header)), Buffer.from(payload_hex, 'hex')]);
  if (!hasCrc(header)) return packet;
  return header.crc_covers === 'packet' ? withCrcOfAll(packet) : appendCrc(version, packet);
}

function versionOf({ version = 1 }: CspFields): CspVersion {
  return version === 2 ? 2 : 1;
}

/** The flag may be set by its name or in the number. */
function hasCrc({ crc32, flags = 0 }: CspFields): boolean {
  return crc32 === true || (flags & cspFlag.crc) !== 0;
}

function headerOf(header: CspFields): CspHeader {
  return {
    priority: header.pri ?? NORMAL_PRIORITY,
    source: header.src,
    destination: header.dst,
    destinationPort: header.dport,
    sourcePort: header.sport,
    flags: (header.flags ?? 0) | (hasCrc(header) ? cspFlag.crc : 0),
  };
}

function* rangeProblems(header: CspFields): Generator<readonly [field: string, message: string]> {
  const version = versionOf(header);
  const most = { src: MAX_CSP_ADDRESS[version], dst: MAX_CSP_ADDRESS[version], flags: MAX_FLAGS[version] };
  for (const field of ['src', 'dst', 'flags'] as const) {
    const value = header[field] ?? 0;
    if (value > most[field])
      yield [field, `is ${value}; the most in CSP version ${version} is ${most[field]}`];
  }
}

function* flagProblems(header: CspFields): Generator<readonly [field: string, message: string]> {
  const { flags = 0, crc32, crc_covers } = header;
  const asked = flags > MAX_FLAGS[versionOf(header)] ? undefined : refusedCspFlag(flags);
  if (asked !== undefined) yield ['flags', `asks for ${asked}; send such a packet whole, as raw`];
  if (crc32 === false && (flags & cspFlag.crc) !== 0)
    yield ['crc32', 'is false, but flags has the bit of the CRC; leave one of them out'];
  else if (crc_covers !== undefined && !hasCrc(header))
    yield ['crc_covers', 'says what a CRC covers, but it has no CRC; set crc32'];
}

/** As libcsp 2.1 makes it, over header and payload. */
function withCrcOfAll(packet: Buffer): Buffer {
  const crc = Buffer.alloc(CSP_CRC_BYTES);
  crc.writeUInt32BE(crc32c(packet));
  return Buffer.concat([packet, crc]);
}
