/**
 * Content as an answer: bytes that are read in pieces and never held whole, with what HTTP knows of parts and versions
 * of them (RFC 9110, sections 13 and 14). Mission Control Service, section 4.7. Knows no transport.
 *
 * V1. A part is given only of the version that was asked for: `If-Range` that names another one gets the whole.
 * V2. A `Range` that is no range of bytes, or several of them, is ignored, as the RFC allows.
 */

import type { Handled, Reply } from './reply.ts';

export interface ServedContent {
  readonly bytes: number;
  /** Hexadecimal: what it is called by who has it already. */
  readonly sha256: string;
  /** What it is stored as by who saves it: letters, digits, `.`, `-` and `_`. */
  readonly fileName: string;
  /** The bytes [start, end) in pieces; whoever reads them says when there is room for the next. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** What a request says of the version it has, and of the part it wants. */
export interface Conditions {
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

type Span = readonly [start: number, end: number];

const FILE_NAME = /^[A-Za-z0-9._-]{1,255}$/;
/** One range of bytes, or the last so many. */
const ONE_RANGE = /^bytes=(?:(\d{1,16})-(\d{1,16})?|-(\d{1,16}))$/i;

/** 200, 206 or 304; refuses `api::unsatisfiable-range` (416) where nothing of it is in the part that is wanted. */
export function contentReply(content: ServedContent, conditions: Conditions = {}): Handled<Reply> {
  const etag = `"${content.sha256}"`;
  if (!FILE_NAME.test(content.fileName)) throw new TypeError(`not a file name: ${content.fileName}`);
  const headers = {
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': `attachment; filename="${content.fileName}"`,
    'x-content-type-options': 'nosniff',
  };
  const contentType = 'application/octet-stream';
  const { bytes } = content;
  const whole = { bytes, pieces: () => content.read(0, bytes) };
  if (isNamedVersion(etag, conditions.ifNoneMatch))
    return { ok: true, value: { status: 304, contentType, headers, stream: whole } };
  const isSame = conditions.ifRange === undefined || conditions.ifRange === etag;
  const span = isSame ? spanOf(conditions.range, bytes) : undefined;
  if (span === 'none')
    return {
      ok: false,
      faults: [
        {
          code: 'api::unsatisfiable-range',
          message: `the content has ${bytes} bytes: none of them is in the range asked for`,
          help: 'Ask without a Range to begin again.',
        },
      ],
    };
  if (span === undefined) return { ok: true, value: { status: 200, contentType, headers, stream: whole } };
  const [start, end] = span;
  const part = { 'content-range': `bytes ${start}-${end - 1}/${bytes}` };
  const stream = { bytes: end - start, pieces: () => content.read(start, end) };
  return { ok: true, value: { status: 206, contentType, headers: { ...headers, ...part }, stream } };
}

/** Whether the list of versions that a client has names this one. */
export function isNamedVersion(etag: string, list: string | undefined): boolean {
  if (list === undefined) return false;
  if (list.trim() === '*') return true;
  return list.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}

/** The part that is wanted; undefined: all of it (V2). */
function spanOf(range: string | undefined, bytes: number): Span | 'none' | undefined {
  const [, from, to, last] = ONE_RANGE.exec(range?.trim() ?? '') ?? [];
  if (last !== undefined) {
    const count = Math.min(Number(last), bytes);
    return count === 0 ? 'none' : [bytes - count, bytes];
  }
  if (from === undefined) return undefined;
  const start = Number(from);
  const end = to === undefined ? bytes : Math.min(bytes, Number(to) + 1);
  if (to !== undefined && Number(to) < start) return undefined;
  return start >= bytes ? 'none' : [start, end];
}
