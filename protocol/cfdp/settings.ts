/**
 * What can be set of an entity, with its defaults; `docs/cfdp.md` explains each. Times are in milliseconds of running
 * time: they stand still while the link is down.
 */

import { checksumType } from './checksum.ts';
import type { FaultHandlers } from './condition.ts';
import { headerBytes, type PduHeader } from './header.ts';
import { CRC_BYTES } from './pdu.ts';

export interface CfdpSettings {
  /** Identifier of this entity. */
  readonly local: bigint;
  /** Width of entity identifiers and of sequence numbers, 1 to 8 octets. */
  readonly idBytes: number;
  readonly sequenceBytes: number;
  /** The largest PDU that is sent, header and CRC included. */
  readonly pduBytes: number;
  /** The most file data of one PDU; what fits is taken where it is less. */
  readonly segmentBytes: number;
  /** Whether a CRC ends each PDU that is sent, and whether received PDUs without one are refused. */
  readonly crc: boolean;
  readonly crcRequired: boolean;
  readonly checksumType: number;
  /** How long EOF and Finished wait for their acknowledgement, and how often they are sent at most. */
  readonly ackMs: number;
  readonly ackLimit: number;
  /** How long what was asked for may bring nothing new, and how often it is asked for in vain at most. */
  readonly nakMs: number;
  readonly nakLimit: number;
  /** Whether gaps are asked for when they are seen, or only behind the end of the file. */
  readonly naks: 'immediate' | 'deferred';
  /** How long a gap stands before it is asked for: PDUs overtake each other. */
  readonly gapMs: number;
  /** What was just sent again is not sent once more within this time, twice it at most: the link doubles NAKs. */
  readonly repeatMs: number;
  readonly inactivityMs: number;
  /** Class 1: how long and how often the rest of a file is waited for behind its end. */
  readonly checkMs: number;
  readonly checkLimit: number;
  /** How long a requested file may not begin to arrive. */
  readonly noProgressMs: number;
  /** How many bytes a receiver may be behind what was sent, as it says in keep alive PDUs. */
  readonly keepAliveBytes: number;
  /** The largest file that is received. */
  readonly fileBytes: number;
  /** Whether an incomplete file is kept when its transaction is cancelled. */
  readonly keepIncomplete: boolean;
  readonly faultHandlers: FaultHandlers;
}

export const DEFAULT_SETTINGS: Omit<CfdpSettings, 'local'> = {
  idBytes: 2,
  sequenceBytes: 4,
  pduBytes: 1_024,
  segmentBytes: 0xffff,
  crc: true,
  crcRequired: true,
  checksumType: checksumType.modular,
  ackMs: 10_000,
  ackLimit: 5,
  nakMs: 10_000,
  nakLimit: 5,
  naks: 'immediate',
  gapMs: 100,
  repeatMs: 200,
  inactivityMs: 300_000,
  checkMs: 10_000,
  checkLimit: 5,
  noProgressMs: 120_000,
  keepAliveBytes: Number.POSITIVE_INFINITY,
  fileBytes: Number.MAX_SAFE_INTEGER,
  keepIncomplete: false,
  faultHandlers: {},
};

/** Octets of a PDU that header and CRC leave to the data field. */
export function roomOf(
  settings: Pick<CfdpSettings, 'pduBytes'>,
  form: Pick<PduHeader, 'idBytes' | 'sequenceBytes' | 'crc'>,
): number {
  return settings.pduBytes - headerBytes(form) - (form.crc ? CRC_BYTES : 0);
}
