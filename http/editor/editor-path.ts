/**
 * Which address of the editor a request below `/v1/editor/` goes to. Mission Control Service, section 4.9.
 *
 * P1. The path is passed on byte by byte, behind the path of the configured address. Whatever two readers could take
 *     for different paths is refused, also behind one more decoding: dot segments, empty segments, escaped slashes and
 *     backslashes, control characters, broken escapes.
 * P2. The query is passed on byte by byte, without what is called `token`: that name is ours, and its value a
 *     credential for this service.
 */

import { refuse } from '../errors.ts';
import type { Handled } from '../reply.ts';

/** Below it everything is the editor's. */
export const EDITOR_PREFIX = '/v1/editor';

const NOT_VISIBLE = /[^\u0021-\u007e]/;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
/** `.` `/` `\` and control characters, escaped once or more often. */
const HIDDEN = /%(?:25)*(?:2e|2f|5c|7f|[01][0-9a-f])/i;
/** Some readers cut a segment at its first semicolon. */
const DOTS = /^\.{1,2}(?:;|$)/;

/** Path and query at the editor; `path` is that of the request as it came, `base` the configured address. */
export function addressAtEditor(path: string, query: string, base: URL): Handled<string> {
  const problem = problemOf(path, query);
  if (problem !== undefined)
    return refuse('api::invalid-body', `the path ${problem}`, {
      help: 'Send a plain path, with each segment percent-encoded.',
    });
  const kept = withoutToken(query);
  const below = base.pathname.replace(/\/+$/, '') + path.slice(EDITOR_PREFIX.length);
  return { ok: true, value: kept === '' ? below : `${below}?${kept}` };
}

function problemOf(path: string, query: string): string | undefined {
  if (NOT_VISIBLE.test(path) || NOT_VISIBLE.test(query))
    return 'holds characters that must be percent-encoded';
  if (path.includes('#') || query.includes('#')) return 'holds a fragment';
  if (path.includes('\\')) return 'holds a backslash';
  if (BROKEN_ESCAPE.test(path)) return 'holds a percent sign that escapes nothing';
  if (HIDDEN.test(path)) return 'hides a dot, a slash or a control character behind an escape';
  if (path.includes('//')) return 'holds an empty segment';
  return path.split('/').some((segment) => DOTS.test(segment)) ? 'holds a dot segment' : undefined;
}

/** P2 */
function withoutToken(query: string): string {
  if (query === '') return '';
  const isToken = (part: string): boolean => [...new URLSearchParams(part).keys()].includes('token');
  return query
    .split('&')
    .filter((part) => !isToken(part))
    .join('&');
}
