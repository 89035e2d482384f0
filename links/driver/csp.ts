/**
 * The driver with protocol `csp`: telecommands and telemetry in packets of the Cubesat Space Protocol. The data of a
 * telecommand is packed by its `encode`; the data of a received packet is read by the layouts of the platform that name
 * its ports or its sender. Mission Control Service, sections 2.1 and 4.1 rules 7 and 8.
 *
 * B1. A packet of a node that is not of this link, or for another address, belongs to another link and is skipped in
 *     silence.
 * B2. A link that asks for a CRC takes no packet without one.
 * B3. On a KISS link a frame of the medium is a KISS frame, with the CRC that KISS adds to every packet. One flagged to
 *     have a CRC of its own and sent with that of KISS alone is taken: some senders flag and append once.
 * B4. Nothing comes back that names a telecommand: verification is by conditions on telemetry.
 */

import { BlockBuilder } from '../../contract/batch.ts';
import type { DecodeCall, DecodeReply, DriverAnswer, EncodeCall, EncodeReply } from '../../contract/link.ts';
import { accepted, type Result, refused, refusedAll } from '../../contract/result.ts';
import type { Mission } from '../../mission/mission.ts';
import type { FileReadings, PacketOutcome } from '../../mission/platform.ts';
import {
  appendCrc,
  type CspPacket,
  cspFlag,
  MAX_CSP_DATA_BYTES,
  MAX_CSP_PORT,
  readCsp,
  takeCrc,
  writeCsp,
} from '../../protocol/csp.ts';
import { KissReader, writeKiss } from '../../protocol/kiss.ts';
import { type CspTransport, cspTransport } from './csp-transport.ts';
import { decodedFiles, decodedSamples, noFiles } from './decoded-samples.ts';
import {
  type Driver,
  decodeFailed,
  encodeFailed,
  type LinkSource,
  type Reading,
  reportFaults,
} from './driver.ts';
import { locate } from './link-address.ts';
import { printableText } from './printable-text.ts';

/** A CSP driver; refuses settings, for it has none. */
export function createCspDriver(settings: Readonly<Record<string, unknown>>): Result<Driver, string> {
  const unknown = Object.keys(settings).filter((key) => key !== 'description');
  if (unknown.length > 0)
    return refusedAll(
      unknown.map((key) => `unknown setting "${key}"; csp has no settings; use the transport of the link`),
    );
  return accepted({ encode: encodeCsp, decode: decodeCsp, read: readFrame });
}

// Towards the spacecraft -------------------------------------------------------------------------------------------

async function encodeCsp(call: EncodeCall, mission: Mission): Promise<DriverAnswer<EncodeReply>> {
  const source = locate(call, mission);
  if (!source.ok) return encodeFailed(source.faults[0]);
  const frame = frameOf(call, source.value);
  if (!frame.ok) return encodeFailed(`${call.component}.${call.telecommand}: ${frame.faults.join('; ')}`);
  const text = printableText(frame.value);
  return accepted({ frame: frame.value.toString('hex'), ...(text !== undefined && { text }) });
}

function frameOf(call: EncodeCall, { link, platform }: LinkSource): Result<Buffer, string> {
  const transport = cspTransport(link);
  if (!transport.ok) return transport;
  const telecommand = platform.components.get(call.component)?.telecommands.get(call.telecommand);
  if (telecommand === undefined) return refused(`platform ${platform.id} has no such telecommand`);
  const { encoding } = telecommand;
  if (encoding === undefined) return refused('the catalogue does not define its encoding; add `encode`');
  if (encoding.line !== undefined) return refused('it is encoded as a line of text, not as a CSP packet');
  const port = transport.value.portOf(telecommand);
  if (port === undefined || port > MAX_CSP_PORT)
    return refused(`no port from 0 to ${MAX_CSP_PORT}: add it to its \`encode\` or to the transport`);
  const missing = telecommand.args.filter(({ name }) => call.args[name] === undefined);
  if (missing.length > 0) return refused(`no value for ${missing.map(({ name }) => name).join(', ')}`);
  let data: Buffer;
  try {
    data = encoding.data(call.args, call.instance);
  } catch (error) {
    // It can only throw to say that a value does not fit its field.
    return refused(error instanceof Error ? error.message : String(error));
  }
  if (data.length > MAX_CSP_DATA_BYTES)
    return refused(`${data.length} bytes of data; a packet holds ${MAX_CSP_DATA_BYTES}`);
  return accepted(packed(transport.value, call.component, port, data));
}

function packed(transport: CspTransport, component: string, destinationPort: number, data: Buffer): Buffer {
  const { version, source, sourcePort, priority, crc, kiss } = transport;
  const header = {
    priority,
    source,
    sourcePort,
    destinationPort,
    destination: transport.destinationOf(component),
    flags: crc ? cspFlag.crc : 0,
  };
  const packet = writeCsp(version, header, data);
  return kiss ? writeKiss(appendCrc(version, packet)) : packet;
}

// From the spacecraft ----------------------------------------------------------------------------------------------

function readFrame(frame: Buffer, groundMs: number, source: LinkSource, into: Reading): void {
  const transport = cspTransport(source.link);
  if (!transport.ok) {
    into.fault(transport.faults[0]);
    return;
  }
  for (const packet of packetsIn(frame, transport.value)) {
    if (!packet.ok) into.fault(packet.faults[0]);
    else if (transport.value.isOwn(packet.value.source, packet.value.destination)) {
      reportFaults(readData(packet.value, groundMs, source, into.samples, into.files), into);
    }
  }
}

function decodeCsp(call: DecodeCall, mission: Mission): DriverAnswer<DecodeReply> {
  const source = locate(call, mission);
  if (!source.ok) return decodeFailed(source.faults[0]);
  const transport = cspTransport(source.value.link);
  if (!transport.ok) return decodeFailed(transport.faults[0]);
  const builder = new BlockBuilder();
  const files = noFiles();
  for (const packet of packetsIn(Buffer.from(call.frame, 'hex'), transport.value)) {
    if (!packet.ok) return decodeFailed(packet.faults[0]);
    const read = readData(packet.value, Number.NaN, source.value, builder, files);
    if (read === undefined) return decodeFailed(unreadable(packet.value, source.value));
    if ('fault' in read) return decodeFailed(read.fault);
  }
  const { platform } = source.value;
  return accepted({
    samples: [...decodedSamples(builder.take(), platform), ...decodedFiles(files, platform)],
  });
}

function unreadable({ source, sourcePort, destinationPort }: CspPacket, { platform }: LinkSource): string {
  return `no packet of platform ${platform.id} is for port ${destinationPort} from ${source}:${sourcePort} and fits`;
}

function readData(
  packet: CspPacket,
  groundMs: number,
  { platform }: LinkSource,
  into: BlockBuilder,
  files: FileReadings,
): PacketOutcome | undefined {
  const { source, sourcePort, destinationPort, data } = packet;
  return platform.datagrams.read({ port: destinationPort, sourcePort, source }, data, groundMs, into, files);
}

/** The packets of a frame: one, or on a KISS link those of its KISS frames; at least one, or why there is none. */
function packetsIn(frame: Buffer, transport: CspTransport): Result<CspPacket, string>[] {
  if (!transport.kiss) return [readPacket(frame, transport)];
  const reader = new KissReader();
  const contents = reader.push(frame);
  reader.end();
  const packets = contents.map((content) => readKissPacket(content, transport));
  if (reader.damaged > 0) packets.push(refused(`${reader.damaged} damaged KISS frames`));
  return packets.length > 0 ? packets : [refused('not a KISS frame: one begins and ends with C0')];
}

/** B3 */
function readKissPacket(content: Buffer, transport: CspTransport): Result<CspPacket, string> {
  const packet = takeCrc(transport.version, content);
  if (!packet.ok) return packet;
  const whole = readPacket(packet.value, transport);
  return whole.ok ? whole : onceFlagged(content, whole, transport);
}

function onceFlagged(
  content: Buffer,
  otherwise: Result<CspPacket, string>,
  transport: CspTransport,
): Result<CspPacket, string> {
  const packet = readPacket(content, transport);
  return packet.ok && (packet.value.flags & cspFlag.crc) !== 0 ? packet : otherwise;
}

/** B2 */
function readPacket(bytes: Buffer, { version, crc }: CspTransport): Result<CspPacket, string> {
  const packet = readCsp(version, bytes);
  if (packet.ok && crc && (packet.value.flags & cspFlag.crc) === 0)
    return refused('the packet has no CRC, but the link requires one');
  return packet;
}
