/**
 * The driver with protocol `space-packet`: telemetry in space packets without a further protocol, read by the layouts
 * of the platform alone. It encodes nothing (`driver::no-verb`).
 */

import { BlockBuilder } from '../../contract/batch.ts';
import type { DecodeCall, DecodeReply, DriverAnswer } from '../../contract/link.ts';
import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import type { Mission } from '../../mission/mission.ts';
import { IDLE_APID, readSpacePacket } from '../../protocol/space-packet.ts';
import { decodedFiles, decodedSamples, noFiles } from './decoded-samples.ts';
import { type Driver, decodeFailed, type LinkSource, type Reading, reportFaults } from './driver.ts';
import { locate, transportApid } from './link-address.ts';

/** A driver of plain space packets; refuses settings, for it has none. */
export function createSpacePacketDriver(settings: Readonly<Record<string, unknown>>): Result<Driver, string> {
  const unknown = Object.keys(settings).filter((key) => key !== 'description');
  if (unknown.length > 0)
    return refusedAll(unknown.map((key) => `unknown setting "${key}"; space-packet has none`));
  return accepted({ decode: decodePacket, read: readFrame });
}

function readFrame(frame: Buffer, groundMs: number, { link, platform }: LinkSource, into: Reading): void {
  const header = readSpacePacket(frame);
  if (typeof header === 'string') {
    into.fault(header);
    return;
  }
  const apid = transportApid(link);
  if (header.apid === IDLE_APID || (apid !== undefined && header.apid !== apid)) return;
  reportFaults(platform.packets.read(frame, groundMs, into.samples, into.files), into);
}

function decodePacket(call: DecodeCall, mission: Mission): DriverAnswer<DecodeReply> {
  const source = locate(call, mission);
  if (!source.ok) return decodeFailed(source.faults[0]);
  const { platform } = source.value;
  const frame = Buffer.from(call.frame, 'hex');
  const header = readSpacePacket(frame);
  if (typeof header === 'string') return decodeFailed(header);
  const builder = new BlockBuilder();
  const files = noFiles();
  const layout = platform.packets.read(frame, Number.NaN, builder, files);
  if (layout === undefined)
    return decodeFailed(`no packet of platform ${platform.id} has APID ${header.apid} and fits`);
  if ('fault' in layout) return decodeFailed(layout.fault);
  return accepted({
    samples: [...decodedSamples(builder.take(), platform), ...decodedFiles(files, platform)],
  });
}
