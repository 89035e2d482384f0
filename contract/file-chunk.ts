/**
 * A chunk of a file that comes down, as it travels on `mcs.file.chunk.<target>.<file>`. Mission Control Service,
 * sections 2.8, 4.7 rule 3 and 6.
 *
 * F1. A generation or an offset is a whole number that a double holds exactly; what is not is no chunk. Rounded, it
 *     would name another generation, or another place in the file (MC-GEN-022).
 */

import { header } from './bus/headers.ts';

/** The identifier of a file on board: a decimal number without leading zeros. */
export const FILE_ID_PATTERN = '^(0|[1-9][0-9]{0,19})$';
const FILE_ID = new RegExp(FILE_ID_PATTERN);
const WHOLE = /^(0|[1-9][0-9]{0,15})$/;

export interface FileChunk {
  readonly file: string;
  /** Which writing of the file it is of. */
  readonly generation: number;
  /** Of its first byte in the file. */
  readonly offset: number;
  readonly data: Uint8Array;
}

export function isFileId(text: unknown): text is string {
  return typeof text === 'string' && FILE_ID.test(text);
}

/** The headers of its message; its data is the body. */
export function chunkHeaders({ generation, offset }: FileChunk): Record<string, string> {
  return { [header.generation]: String(generation), [header.offset]: String(offset) };
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
  if (!isFileId(file) || generation === undefined || offset === undefined) return undefined;
  return { file, generation, offset, data: message.data };
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !WHOLE.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
