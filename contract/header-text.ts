/**
 * Names of people in the headers `X-Mcs-User` and `X-Mcs-Role`. Mission Control Service, section 5.
 *
 * N1. Only printable ASCII arrives in a header as it was sent: `José` may arrive as `Jos`. A text with other characters
 *     is sent as RFC 8187 writes it, `UTF-8''Jos%C3%A9`.
 */

const PRINTABLE = /^[\u0020-\u007e]*$/;
const ENCODED = /^utf-8'[a-z0-9-]*'(.*)$/i;

/** As it is sent. */
export function headerText(text: string): string {
  if (PRINTABLE.test(text) && !ENCODED.test(text)) return text;
  return `UTF-8''${encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))}`;
}

/** The text that was sent; undefined where it cannot be recovered (N1). */
export function textOfHeader(value: string): string | undefined {
  if (!PRINTABLE.test(value)) return undefined;
  const encoded = ENCODED.exec(value)?.[1];
  try {
    return encoded === undefined ? value : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
