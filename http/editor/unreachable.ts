/** Why the editor could not be reached, in words that name no address: the answer goes to anybody who may call. */

export const NOT_HTTP = 'what it answers is not HTTP';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections',
  ECONNRESET: 'it closed the connection without an answer',
  EPIPE: 'it closed the connection without an answer',
  ENOTFOUND: 'its name does not resolve',
  EAI_AGAIN: 'its name does not resolve',
  ETIMEDOUT: 'its machine does not answer',
  EHOSTUNREACH: 'its machine cannot be reached',
  ENETUNREACH: 'its machine cannot be reached',
};

/** Completes "the editor does not answer: …". */
export function whyNot(error: unknown): string {
  const { code = '' } = error as { code?: string };
  if (/^(?:CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code))
    return 'its certificate is not trusted here';
  if (code.startsWith('HPE_')) return NOT_HTTP;
  return WORDS[code] ?? 'the connection failed';
}
