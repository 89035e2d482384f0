/**
 * Bytes as text, two hexadecimal digits each, in either case.
 *
 * A frame has up to 64,000 digits, and each process on its way looks at them: a class that repeats is several times
 * faster than a group that does.
 */

const DIGITS = /^[0-9a-f]*$/i;

/** Whether the text is whole bytes in hexadecimal; no bytes are. */
export function isHexadecimal(text: string): boolean {
  return text.length % 2 === 0 && DIGITS.test(text);
}
