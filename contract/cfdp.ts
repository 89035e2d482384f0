/**
 * The verb `cfdp` of a driver: a file of a spacecraft is brought down or up by CFDP class 2 (JSON, request and reply, a
 * `Result` as with the other verbs). Mission Control Service, section 4.7 rule 7.
 *
 * C1. A call names one transfer, the same one for as long as its fields are the same: repeated, it begins nothing while
 *     that is under way (MC-CFDP-004). Behind `failed` the next call begins again (MC-CFDP-006).
 * C2. The driver keeps nothing across its restart: it then begins again as if it had never been asked (MC-CFDP-009).
 * C3. What is called for no more, while its link is there, stands still: the verb has no word for stopping.
 * C4. Chunks of a download come over the bus as those of the chunked protocol, never in a reply.
 * C5. Any process that serves the driver takes the call and hands it on to the one that has the files of the gateway
 *     that serves the link now. The first judges it by the mission of the call; the other has its links by the mission
 *     it knows, and refuses a link that it does not have (yet): asked again in five seconds, both have the same.
 */

import { isFileId } from './file-chunk.ts';
import { UPLOAD_BYTES } from './limits/transfer.ts';
import { type Foreign, oneOf, readResult, textIn } from './reply.ts';
import { accepted, type Result, refused } from './result.ts';
import { isToken } from './token.ts';
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

const CFDP_CODES = ['driver::no-verb', 'driver::cfdp-failed'] as const;

interface CfdpFault {
  readonly code: (typeof CFDP_CODES)[number];
  readonly message: string;
}

export type CfdpAnswer = Result<CfdpReply, CfdpFault>;

/** As one process hands it on to the other (C5). */
export interface CfdpLinkCall extends CfdpCall {
  readonly link: string;
}

/** What a driver answered to `cfdp`; undefined for a malformed reply. */
export function readCfdpReply(bytes: Uint8Array): CfdpAnswer | undefined {
  return readResult(bytes, isCfdpReply, CFDP_CODES);
}

export function cfdpFailed(message: string): CfdpAnswer {
  return refused({ code: 'driver::cfdp-failed', message });
}

const SOURCE = /^[0-9a-f]{64}$/;

/** A call as it came over the bus; else what it lacks. */
export function readCfdpCall(call: object | undefined): Result<CfdpCall, string> {
  if (call === undefined) return refused('the call is not a JSON object');
  const { target, file_id, generation, direction, file_type, size, source } = call as Foreign;
  if (typeof target !== 'string' || !isToken(target)) return refused('the call lacks `target`');
  if (!isFileId(file_id)) return refused('`file_id` is no decimal number of up to twenty digits');
  if (!isWhole(generation)) return refused('`generation` is no whole number up to 2^53 - 1');
  if (direction !== 'download' && direction !== 'upload')
    return refused('`direction` is neither download nor upload');
  if (!isWhole(size)) return refused('`size` is no whole number up to 2^53 - 1');
  if (file_type !== undefined && !isWhole(file_type)) return refused('`file_type` is no whole number');
  const of = { target, file_id, generation, size, ...(file_type !== undefined && { file_type }) };
  if (direction === 'download') return accepted({ direction, ...of });
  if (size > UPLOAD_BYTES)
    return refused(`a file of ${size} bytes is too long: uploads have at most ${UPLOAD_BYTES}`);
  if (typeof source !== 'string' || !SOURCE.test(source))
    return refused('an upload names its content by `source`, a SHA-256 in hexadecimal');
  return accepted({ direction, source, ...of });
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
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
