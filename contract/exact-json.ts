/**
 * JSON as the service writes it, read without rounding: a 64-bit integer may be larger than a double holds exactly.
 * Mission Control Service, section 2.2.
 *
 * X1. A whole number past 2^53 becomes its decimal digits, as text; everything else is as `JSON.parse` has it.
 */

/** What a text must contain for X1 to matter: most have nothing so long. */
const LONG = /\d{16}/;
/** A text that is not closed is one as well: else each quote in it would be looked behind to the end. */
const TOKENS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const WHOLE = /^-?\d{16,}$/;

/** Throws `SyntaxError` where the text is not JSON. */
export function parseExact(text: string): unknown {
  return JSON.parse(LONG.test(text) ? text.replace(TOKENS, exactly) : text);
}

function exactly(token: string): string {
  return WHOLE.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}
