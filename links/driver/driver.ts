/**
 * A driver turns resolved telecommands into frames and frames into samples, for one protocol. Mission Control Service,
 * sections 2.1 (encode, decode) and 4.1, rules 7 and 8. It sends nothing and publishes nothing;
 * `links/driver-service.ts` and `links/frame-decoder.ts` put it on the bus.
 *
 * D1. A verb a driver lacks is absent from the object, and is answered `driver::no-verb`.
 * D2. `read` never throws on what a gateway received: frames it cannot use are counted by reason.
 * D3. An outage (the bus that keeps a counter) is thrown as `Outage`; everything else is an answer.
 */

import type { BlockBuilder, VerificationReport } from '../../contract/batch.ts';
import type {
  DecodeCall,
  DecodeReply,
  DriverAnswer,
  DriverFault,
  EncodeCall,
  EncodeReply,
} from '../../contract/link.ts';
import { refused } from '../../contract/result.ts';
import type { Link, Mission, Target } from '../../mission/mission.ts';
import type { FileReadings, PacketOutcome, Platform } from '../../mission/platform.ts';

/** A link with what is needed to read its frames. */
export interface LinkSource {
  readonly target: Target;
  readonly link: Link;
  readonly platform: Platform;
}

/** What reading frames adds to: samples, files, reports, and what could not be read. */
export interface Reading {
  readonly samples: BlockBuilder;
  readonly files: FileReadings;
  readonly reports: VerificationReport[];
  fault(detail: string): void;
}

export interface Driver {
  encode?(call: EncodeCall, mission: Mission): Promise<DriverAnswer<EncodeReply>>;
  decode?(call: DecodeCall, mission: Mission): DriverAnswer<DecodeReply>;
  /** Reads one frame of a gateway that the link is bound to. */
  read(frame: Buffer, groundMs: number, source: LinkSource, into: Reading): void;
}

export type DriverRefusal = { readonly ok: false; readonly faults: readonly [DriverFault, ...DriverFault[]] };

export function encodeFailed(message: string): DriverRefusal {
  return refused({ code: 'driver::encode-failed', message });
}

export function decodeFailed(message: string): DriverRefusal {
  return refused({ code: 'driver::decode-failed', message });
}

/** Reports what reading a packet could not use. */
export function reportFaults(outcome: PacketOutcome | undefined, into: Reading): void {
  if (outcome === undefined) return;
  if ('fault' in outcome) into.fault(outcome.fault);
  else for (const detail of outcome.left ?? []) into.fault(detail);
}
