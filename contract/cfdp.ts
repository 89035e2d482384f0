/**
 * The verb `cfdp` of a driver: a file of a spacecraft is brought down or up by CFDP class 2 (JSON, request and reply, a
 * `Result` as with the other verbs). Mission Control Service, section 4.7 rule 7.
 *
 * C1. A call names one transfer, the same one for as long as its fields are the same: repeated, it begins nothing while
 *     that is under way (MC-CFDP-004). Behind `failed` the next call begins again (MC-CFDP-006).
 * C2. The driver keeps nothing across its restart: it then begins again as if it had never been asked (MC-CFDP-009).
 * C3. What is called for no more, while its link is there, stands still: the verb has no word for stopping.
 * C4. Chunks of a download come over the bus as those of the chunked protocol, never in a reply.
 */

import { DRIVER_CODES, type DriverAnswer } from './link.ts';
import { type Foreign, oneOf, readResult, textIn } from './reply.ts';
import type { Transfer } from './transfer.ts';

/** Fields as those of the transfer; `file_type` as it is listed, `source` of an upload. */
export type CfdpCall = Pick<
  Transfer,
  'target' | 'file_id' | 'generation' | 'direction' | 'file_type' | 'size' | 'source'
>;

export type CfdpReply =
  | {
      readonly outcome: 'running';
      /** Of the file: those received, or those sent. The spacecraft need not have these yet. */
      readonly bytes: number;
    }
  /** Both ends have the whole file; chunks of a download may still be on their way over the bus. */
  | { readonly outcome: 'completed' }
  | { readonly outcome: 'failed'; readonly reason: string };

/** What a driver answered to `cfdp`; undefined for a malformed reply. */
export function readCfdpReply(bytes: Uint8Array): DriverAnswer<CfdpReply> | undefined {
  return readResult(bytes, isCfdpReply, DRIVER_CODES);
}

function isCfdpReply(reply: Foreign): boolean {
  switch (oneOf(reply, 'outcome', ['running', 'completed', 'failed'])) {
    case 'running':
      return Number.isSafeInteger(reply.bytes) && (reply.bytes as number) >= 0;
    case 'completed':
      return true;
    case 'failed':
      return textIn(reply, 'reason') !== undefined;
    default:
      return false;
  }
}
