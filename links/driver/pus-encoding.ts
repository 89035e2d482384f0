/**
 * The encode verb of PUS-C: one resolved telecommand to one space packet. Mission Control Service, section 4.1, rule 7;
 * ECSS-E-ST-70-41C, section 7.4.4. With a transport or without, what leaves the driver is the packet: it is the unit
 * that a space packet transport carries and the frame of a medium that has no other.
 *
 * E1. The acknowledgement flags ask for exactly the reports that the verification of the telecommand awaits.
 * E2. The sequence count is drawn last, so that a refused telecommand consumes none.
 */

import type { DriverAnswer, EncodeCall, EncodeReply } from '../../contract/link.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Encoding, Telecommand } from '../../mission/platform.ts';
import {
  acknowledgement,
  MAX_APPLICATION_DATA_BYTES,
  requestIdOf,
  writePusTelecommand,
} from '../../protocol/pus-telecommand.ts';
import type { CounterBlocks } from './counter-blocks.ts';
import { encodeFailed, type LinkSource } from './driver.ts';
import { isApid, locate, transportApid } from './link-address.ts';
import { printableText } from './printable-text.ts';
import type { PusSettings } from './pus-settings.ts';

interface Draft {
  readonly apid: number;
  readonly flags: number;
  readonly service: number;
  readonly subtype: number;
  readonly source: number;
  readonly data: Buffer;
}

/** The packet of a telecommand with its request identifier; refuses what the catalogue does not say how to write. */
export async function encodePus(
  call: EncodeCall,
  mission: Mission,
  settings: PusSettings,
  counters: CounterBlocks,
): Promise<DriverAnswer<EncodeReply>> {
  const source = locate(call, mission);
  if (!source.ok) return encodeFailed(source.faults[0]);
  const draft = draftOf(call, source.value, settings);
  if (!draft.ok) return encodeFailed(`${call.component}.${call.telecommand}: ${draft.faults[0]}`);
  const count = await counters.next(`${call.target}-${draft.value.apid}`);
  if (!count.ok) return encodeFailed(count.faults[0]);
  const packet = writePusTelecommand({ ...draft.value, sequenceCount: count.value });
  if (!packet.ok) return encodeFailed(packet.faults[0]);
  const text = printableText(packet.value);
  return accepted({
    frame: packet.value.toString('hex'),
    reference: requestIdOf(packet.value),
    ...(text !== undefined && { text }),
  });
}

function draftOf(
  call: EncodeCall,
  { link, platform }: LinkSource,
  settings: PusSettings,
): Result<Draft, string> {
  const telecommand = platform.components.get(call.component)?.telecommands.get(call.telecommand);
  if (telecommand === undefined) return refused(`platform ${platform.id} has no such telecommand`);
  const { encoding } = telecommand;
  if (encoding === undefined) return refused('the catalogue does not define its encoding; add `encode`');
  const { service, subtype } = encoding.header;
  if (!isByte(service) || !isByte(subtype)) {
    return refused('PUS-C needs `service` and `subtype` in `encode`, each from 0 to 255');
  }
  const apid = encoding.header['apid'] ?? transportApid(link) ?? settings.apid;
  if (!isApid(apid)) return refused(`no APID: add it to the transport of link "${link.name}"`);
  const data = dataOf(encoding, call, telecommand);
  if (!data.ok) return data;
  return accepted({
    apid,
    flags: flagsOf(telecommand),
    service,
    subtype,
    source: settings.source,
    data: data.value,
  });
}

/** `Encoding.data` can only throw to say that a value does not fit its field; here that becomes a refusal. */
function dataOf(encoding: Encoding, call: EncodeCall, telecommand: Telecommand): Result<Buffer, string> {
  const missing = telecommand.args.filter(({ name }) => call.args[name] === undefined);
  if (missing.length > 0) return refused(`no value for ${missing.map(({ name }) => name).join(', ')}`);
  let data: Buffer;
  try {
    data = encoding.data(call.args, call.instance);
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
  if (data.length <= MAX_APPLICATION_DATA_BYTES) return accepted(data);
  return refused(`${data.length} bytes of data; a packet holds ${MAX_APPLICATION_DATA_BYTES}`);
}

/** E1; a telecommand whose completion is awaited asks for acceptance as well, because 1,2 reports a refusal first. */
function flagsOf({ verify }: Telecommand): number {
  if (verify?.reports === undefined) return 0;
  if (verify.reports === 'acceptance') return acknowledgement.acceptance;
  return acknowledgement.acceptance | acknowledgement.completion;
}

function isByte(value: number | undefined): value is number {
  return Number.isInteger(value) && value! >= 0 && value! <= 0xff;
}
