/**
 * A file that came down, offered to the driver of its target: request and reply (JSON) on `mcs.file.decode.<target>`.
 * Mission Control Service, sections 3.5 and 4.7 rule 6.
 */

import { type Foreign, oneOf, readReply, textIn } from './reply.ts';

export interface DecodeFileCall {
  readonly file_id: string;
  readonly generation: number;
  readonly file_type: number;
  /** In object store `mcs_files`. */
  readonly object: string;
}

/** The offer; undefined for a malformed one. */
export function readDecodeFileCall(bytes: Uint8Array): DecodeFileCall | undefined {
  const call = readReply(bytes);
  const [file_id, object] = [call && textIn(call, 'file_id'), call && textIn(call, 'object')];
  const { generation, file_type } = call ?? {};
  if (file_id === undefined || object === undefined) return undefined;
  return isWhole(generation) && isWhole(file_type) ? { file_id, generation, file_type, object } : undefined;
}

export type DecodeFileReply =
  | {
      readonly outcome: 'decoded';
      readonly samples: number;
      /** What of the file gave no samples, where there is some (ours). */
      readonly left_out?: string;
    }
  /** `reason` is ours. */
  | { readonly outcome: 'not_decodable'; readonly reason?: string }
  | { readonly outcome: 'failed'; readonly reason: string };

/** What a driver answered; undefined for a malformed reply. */
export function readDecodeFileReply(bytes: Uint8Array): DecodeFileReply | undefined {
  const reply = readReply(bytes);
  const outcome = reply && oneOf(reply, 'outcome', ['decoded', 'not_decodable', 'failed'] as const);
  switch (outcome) {
    case 'decoded': {
      const samples = reply?.['samples'];
      return isWhole(samples) ? { outcome, samples, ...said(reply, 'left_out') } : undefined;
    }
    case 'not_decodable':
      return { outcome, ...said(reply, 'reason') };
    case 'failed':
      return { outcome, reason: (reply && textIn(reply, 'reason')) ?? 'no reason given' };
    default:
      return undefined;
  }
}

function said<Key extends string>(reply: Foreign | undefined, key: Key): { [key in Key]?: string } {
  const text = reply && textIn(reply, key);
  return text === undefined ? {} : ({ [key]: text } as { [key in Key]: string });
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
