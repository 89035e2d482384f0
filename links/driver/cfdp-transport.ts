/**
 * What a driver and a link say of CFDP, as its entity takes it, and PDUs as frames of the gateway. Their shape and
 * their sense were checked when the documents were compiled (`mission/check/cfdp.ts`).
 *
 * X1. A PDU is a frame; with an APID it is the data of a space packet without secondary header. Packets that are not
 *     one of these are no PDU, and of somebody else.
 */

import { accepted, type Result, refused } from '../../contract/result.ts';
import type {
  CfdpCarriedDocument,
  CfdpDriverDocument,
  CfdpTransportDocument,
} from '../../mission/document/cfdp.ts';
import type { Driver as DriverDefinition, Link } from '../../mission/mission.ts';
import { parseDuration } from '../../mission/quantity.ts';
import { checksumType } from '../../protocol/cfdp/checksum.ts';
import type { EntityOptions } from '../../protocol/cfdp/entity.ts';
import {
  PRIMARY_HEADER_BYTES,
  readSpacePacket,
  SEQUENCE_COUNTS,
  writeSpacePacket,
} from '../../protocol/space-packet.ts';

export interface CfdpTransport extends Pick<EntityOptions, 'settings' | 'peer'> {
  /** Of the packets that carry PDUs; undefined: a PDU is a frame (X1). */
  readonly apid: number | undefined;
  /** The frame that carries a PDU to the spacecraft. */
  frameOf(pdu: Buffer): Buffer;
  /** The PDU in a frame; undefined where there is none (X1). */
  pduIn(frame: Buffer): Buffer | undefined;
}

type Speaker = Pick<DriverDefinition, 'protocol' | 'settings'>;
type Carrying = Pick<Link, 'name' | 'transport'>;

/** Whether the driver speaks CFDP, over whatever links. */
export function speaksCfdp({ protocol, settings }: Speaker): boolean {
  return protocol === 'cfdp' || (protocol === 'pus-c' && settings['cfdp'] !== undefined);
}

/** Whether files can go over the link, by what its driver and its transport say. */
export function carriesCfdp(driver: Speaker, link: Carrying): boolean {
  if (!speaksCfdp(driver)) return false;
  return driver.protocol === 'cfdp' ? link.transport?.['kind'] === 'cfdp' : besideOf(link) !== undefined;
}

/** The APID of PDUs beside the telecommands of a link; undefined where it carries none. */
export function apidBeside(link: Pick<Link, 'transport'>): number | undefined {
  return besideOf(link)?.apid;
}

/** Of one link; refuses a link that does not say which entity the spacecraft is. */
export function cfdpTransport(driver: Speaker, link: Carrying): Result<CfdpTransport, string> {
  const { protocol, settings } = driver;
  if (protocol === 'cfdp') return aloneOn(settings, link);
  const ground = settings['cfdp'] as Readonly<Record<string, unknown>>;
  const beside = besideOf(link);
  if (beside === undefined || !carriesCfdp(driver, link))
    return refused(`link "${link.name}" carries no CFDP; add cfdp to its transport and to its driver`);
  const { entity, apid } = beside;
  return accepted({ settings: entitySettings(ground), peer: BigInt(entity), ...packetsOf(apid) });
}

function aloneOn(
  settings: Readonly<Record<string, unknown>>,
  { name, transport }: Carrying,
): Result<CfdpTransport, string> {
  if (transport?.['kind'] !== 'cfdp')
    return refused(`link "${name}" has no transport of kind cfdp; add the entity of the spacecraft`);
  const { entity, apid } = transport as unknown as CfdpTransportDocument;
  const carrier = apid === undefined ? DATAGRAMS : packetsOf(apid);
  return accepted({ settings: entitySettings(settings), peer: BigInt(entity), ...carrier });
}

function besideOf({ transport }: Pick<Link, 'transport'>): CfdpCarriedDocument | undefined {
  return transport?.['cfdp'] as CfdpCarriedDocument | undefined;
}

/** Settings that are not given are left out: the entity has defaults for them. */
function entitySettings(given: Readonly<Record<string, unknown>>): EntityOptions['settings'] {
  const { entity, crc, naks, checksum, ...document } = given as unknown as CfdpDriverDocument;
  const settings = {
    idBytes: document.entity_bytes,
    sequenceBytes: document.sequence_bytes,
    pduBytes: document.pdu,
    checksumType: checksum && checksumType[checksum as keyof typeof checksumType],
    crc,
    crcRequired: crc,
    naks,
    ackMs: milliseconds(document.ack_timer),
    ackLimit: document.ack_limit,
    nakMs: milliseconds(document.nak_timer),
    nakLimit: document.nak_limit,
    inactivityMs: milliseconds(document.inactivity_timer),
    noProgressMs: milliseconds(document.begin_timer),
  };
  const said = Object.entries(settings).filter(([, value]) => value !== undefined);
  return { local: BigInt(entity), ...Object.fromEntries(said) };
}

function milliseconds(text: string | undefined): number | undefined {
  const read = text === undefined ? undefined : parseDuration(text);
  return read?.ok === true ? read.value : undefined;
}

type Carrier = Pick<CfdpTransport, 'apid' | 'frameOf' | 'pduIn'>;

const DATAGRAMS: Carrier = { apid: undefined, frameOf: (pdu) => pdu, pduIn: (frame) => frame };

function packetsOf(apid: number): Carrier {
  let count = 0;
  return {
    apid,
    frameOf: (pdu) => {
      const sequenceCount = count;
      count = (count + 1) % SEQUENCE_COUNTS;
      const fields = { secondaryHeader: false, apid, sequenceFlags: 'unsegmented', sequenceCount } as const;
      return writeSpacePacket({ type: 'telecommand', ...fields }, pdu);
    },
    pduIn: (frame) => {
      const header = readSpacePacket(frame);
      const isPdu =
        typeof header !== 'string' &&
        header.apid === apid &&
        header.type === 'telemetry' &&
        !header.secondaryHeader &&
        header.sequenceFlags === 'unsegmented';
      return isPdu ? frame.subarray(PRIMARY_HEADER_BYTES) : undefined;
    },
  };
}
