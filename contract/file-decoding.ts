/**
 * A file that came down, offered to the driver of its target: request and reply (JSON) on `mcs.file.decode.<target>`.
 * Mission Control Service, sections 3.5 and 4.7 rule 6.
 */

import { oneOf, readReply, textIn } from './reply.ts';

export interface DecodeFileCall {
  readonly file_id: string;
  readonly generation: number;
  readonly file_type: number;
  /** In object store `mcs_files`. */
  readonly object: string;
}

export type DecodeFileReply =
  | { readonly outcome: 'decoded'; readonly samples: number }
  | { readonly outcome: 'not_decodable' }
  | { readonly outcome: 'failed'; readonly reason: string };

/** What a driver answered; undefined for a malformed reply. */
export function readDecodeFileReply(bytes: Uint8Array): DecodeFileReply | undefined {
  const reply = readReply(bytes);
  const outcome = reply && oneOf(reply, 'outcome', ['decoded', 'not_decodable', 'failed'] as const);
  switch (outcome) {
    case 'decoded': {
      const samples = reply?.['samples'];
      return Number.isSafeInteger(samples) && Number(samples) >= 0
        ? { outcome, samples: Number(samples) }
        : undefined;
    }
    case 'not_decodable':
      return { outcome };
    case 'failed':
      return { outcome, reason: (reply && textIn(reply, 'reason')) ?? 'no reason given' };
    default:
      return undefined;
  }
}
