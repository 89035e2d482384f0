/** Places in a run request, for the `path` of a fault. Mission Control Service, section 7.1. */

/** A JSON pointer (RFC 6901). */
export function pointer(...segments: readonly (string | number)[]): string {
  return segments
    .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
