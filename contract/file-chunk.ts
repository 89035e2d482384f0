/**
 * A chunk of a file that comes down, as it travels on `mcs.file.chunk.<target>.<file>`. Mission Control Service,
 * sections 2.8, 4.7 rule 3 and 6.
 *
 * F1. A generation or an offset is a whole number that a double holds exactly; what is not is no chunk. Rounded, it
 *     would name another generation, or another place in the file (MC-GEN-022).
 * F2. Chunks that name different transactions may be of different writings of the file, of the same generation as far
 *     as anybody knows: their bytes are never joined. Those that name none belong together.
 */

import { header } from './bus/headers.ts';
import { CHUNK_TRANSACTION_CHARACTERS } from './limits/transfer.ts';

/** The identifier of a file on board: a decimal number without leading zeros. */
export const FILE_ID_PATTERN = '^(0|[1-9][0-9]{0,19})$';
const FILE_ID = new RegExp(FILE_ID_PATTERN);
const TRANSACTION = new RegExp(`^[A-Za-z0-9._:-]{1,${CHUNK_TRANSACTION_CHARACTERS}}$`);
const WHOLE = /^(0|[1-9][0-9]{0,15})$/;

export interface FileChunk {
  readonly file: string;
  /** Which writing of the file it is of. */
  readonly generation: number;
  /** Of its first byte in the file. */
  readonly offset: number;
  readonly data: Uint8Array;
  /** What brought it, where that is a protocol that knows no generations (F2). */
  readonly transaction?: string;
}

export function isFileId(text: unknown): text is string {
  return typeof text === 'string' && FILE_ID.test(text);
}

/** The headers of its message; its data is the body. */
export function chunkHeaders({ generation, offset, transaction }: FileChunk): Record<string, string> {
  const headers = { [header.generation]: String(generation), [header.offset]: String(offset) };
  return transaction === undefined ? headers : { ...headers, [header.transaction]: transaction };
}

/** The chunk in a message of stream FILE_CHUNKS; undefined for anything else. */
export function readFileChunk(message: {
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: Uint8Array;
}): FileChunk | undefined {
  const file = message.subject.split('.').at(-1) ?? '';
  const generation = wholeNumber(message.headers[header.generation]);
  const offset = wholeNumber(message.headers[header.offset]);
  const transaction = message.headers[header.transaction];
  if (!isFileId(file) || generation === undefined || offset === undefined) return undefined;
  const chunk = { file, generation, offset, data: message.data };
  if (transaction === undefined) return chunk;
  return isTransaction(transaction) ? { ...chunk, transaction } : undefined;
}

export function isTransaction(text: unknown): text is string {
  return typeof text === 'string' && TRANSACTION.test(text);
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !WHOLE.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
