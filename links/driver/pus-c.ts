/**
 * The driver with protocol `pus-c`: telecommands and telemetry after ECSS-E-ST-70-41C in space packets, one packet a
 * frame. Reports of service 1 become verification reports; every packet is offered to the layouts of the platform.
 *
 * E3. A packet of another APID than the link's transport names belongs to another link and is skipped in silence; so is
 *     one that carries a PDU of CFDP beside the telecommands of the link.
 */

import { BlockBuilder } from '../../contract/batch.ts';
import type { DecodeCall, DecodeReply, DriverAnswer } from '../../contract/link.ts';
import { accepted, type Result } from '../../contract/result.ts';
import type { DecodedSample } from '../../contract/telecommand.ts';
import type { Link, Mission } from '../../mission/mission.ts';
import { type PusTelemetry, readPusTelemetry } from '../../protocol/pus-telemetry.ts';
import {
  type RequestReport,
  readVerification,
  VERIFICATION_SERVICE,
} from '../../protocol/pus-verification.ts';
import { IDLE_APID, readPrimaryHeader } from '../../protocol/space-packet.ts';
import { apidBeside } from './cfdp-transport.ts';
import type { CounterBlocks } from './counter-blocks.ts';
import { decodedFiles, decodedSamples, noFiles } from './decoded-samples.ts';
import { type Driver, decodeFailed, type LinkSource, type Reading, reportFaults } from './driver.ts';
import { locate, transportApid } from './link-address.ts';
import { encodePus } from './pus-encoding.ts';
import { type PusSettings, pusSettings } from './pus-settings.ts';

/** A PUS-C driver; refuses settings it does not know. */
export function createPusDriver(
  settings: Readonly<Record<string, unknown>>,
  counters: CounterBlocks,
): Result<Driver, string> {
  const read = pusSettings(settings);
  if (!read.ok) return read;
  const pus = read.value;
  return accepted({
    encode: (call, mission) => encodePus(call, mission, pus, counters),
    decode: (call, mission) => decodePus(call, mission, pus),
    read: (frame, groundMs, source, into) => readFrame(frame, groundMs, source, into, pus),
  });
}

function readFrame(
  frame: Buffer,
  groundMs: number,
  source: LinkSource,
  into: Reading,
  settings: PusSettings,
): void {
  if (isForeign(frame, source.link)) return;
  const telemetry = readPusTelemetry(frame, settings.timeBytes);
  if (!telemetry.ok) {
    into.fault(telemetry.faults[0]);
    return;
  }
  const report = reportOf(telemetry.value, settings);
  if (report?.ok === true) into.reports.push({ ...report.value, at: groundMs });
  if (report?.ok === false) into.fault(report.faults[0]);
  reportFaults(source.platform.packets.read(frame, groundMs, into.samples, into.files), into);
}

/** E3; bytes that do not begin like a packet are damaged and not foreign. */
function isForeign(frame: Buffer, link: Link): boolean {
  const header = readPrimaryHeader(frame);
  if (header === undefined) return false;
  const apid = transportApid(link);
  if (header.apid === IDLE_APID || header.apid === apidBeside(link)) return true;
  return apid !== undefined && header.apid !== apid;
}

function reportOf(telemetry: PusTelemetry, settings: PusSettings): Result<RequestReport, string> | undefined {
  if (telemetry.service !== VERIFICATION_SERVICE) return undefined;
  return readVerification(telemetry.subtype, telemetry.data, settings.report);
}

function decodePus(call: DecodeCall, mission: Mission, settings: PusSettings): DriverAnswer<DecodeReply> {
  const source = locate(call, mission);
  if (!source.ok) return decodeFailed(source.faults[0]);
  const frame = Buffer.from(call.frame, 'hex');
  const telemetry = readPusTelemetry(frame, settings.timeBytes);
  if (!telemetry.ok) return decodeFailed(telemetry.faults[0]);
  const report = reportOf(telemetry.value, settings);
  if (report?.ok === false) return decodeFailed(report.faults[0]);
  const builder = new BlockBuilder();
  const files = noFiles();
  const { platform } = source.value;
  const layout = platform.packets.read(frame, Number.NaN, builder, files);
  if (layout !== undefined && 'fault' in layout) return decodeFailed(layout.fault);
  const reported = report?.ok === true ? reportSamples(report.value) : [];
  const samples = [
    ...reported,
    ...decodedSamples(builder.take(), platform),
    ...decodedFiles(files, platform),
  ];
  return accepted({ samples });
}

/** A report has no measures in the catalogue, so its samples have no value: they are for the eye of the caller. */
function reportSamples(report: RequestReport): DecodedSample[] {
  return Object.entries(report).map(([measure, raw]) => ({
    component: 'verification',
    measure,
    raw,
    value: null,
  }));
}
