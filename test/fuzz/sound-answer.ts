/**
 * What every answer of the service must be, whatever it was asked: as the interface description says, never a failure
 * of the service, and a refusal in the form of section 7.1 with the status of its code.
 */

import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { follows, routes } from '../../http/front-end.ts';
import { Description } from '../support/conformance.ts';
import { demand } from './demand.ts';
import type { RawAnswer } from './raw-http.ts';

const description = new Description(routes, follows);

/**
 * What uWebSockets.js itself answers to bytes that are no HTTP/1.1 request, before any route is known; then it closes.
 * The only answers without an error body.
 */
export const FRAMING_ANSWERS: Readonly<Record<number, string>> = {
  400: '<h1>Bad Request</h1><hr><i>uWebSockets/20 Server</i>',
  431: '<h1>Request Header Fields Too Large</h1><hr><i>uWebSockets/20 Server</i>',
  505: '<h1>HTTP Version Not Supported</h1><p>This server does not support HTTP/1.0.</p><hr><i>uWebSockets/20 Server</i>',
};

/**
 * The failures that a sound request can bring about at will: asking a driver for a verb it does not have, and asking
 * for the past, since no archive is running beside what is fuzzed.
 */
const ASKED_FOR: ReadonlySet<string> = new Set<ErrorCode>(['driver::no-verb', 'archive::none']);

/** Throws unless the answer is sound. */
export function checkSound(method: string, target: string, answer: RawAnswer): void {
  const { status, headers, body } = answer;
  const contentType = headers.get('content-type') ?? '';
  const isJson = contentType.startsWith('application/json');
  const value: unknown = isJson && body !== '' ? JSON.parse(body) : body;
  if (status >= 400 && method !== 'HEAD') checkErrorBody(status, contentType, value);
  const isAskedFor = method !== 'HEAD' && ASKED_FOR.has(codeOf(value) ?? '');
  demand(
    // What it is asked for that is not there (503) stands in the body, which a HEAD does not get.
    status < 500 ||
      (status === 501 && method !== 'HEAD') ||
      (status === 503 && method === 'HEAD') ||
      isAskedFor,
    () => `status ${status}: ${body}`,
  );
  // Of a path that fits no route: what the described routes say is not its business.
  if (status === 404 && body.includes('"api::unknown-route"')) return;
  const url = URL.parse(target.split('?')[0]!, 'http://127.0.0.1');
  const problems =
    url === null ? [] : description.answerProblems(method, url.href, { status, contentType, body: value });
  demand(problems.length === 0, () => problems.join('\n'));
}

/** The first error of a body; undefined where there is none. */
function codeOf(body: unknown): string | undefined {
  return (body as { readonly errors?: readonly { readonly code?: string }[] } | undefined)?.errors?.[0]?.code;
}

function checkErrorBody(status: number, contentType: string, body: unknown): void {
  const shown = (): string => `${status} ${contentType} ${JSON.stringify(body)}`;
  demand(contentType === 'application/json', shown);
  const { errors, ...more } = body as { errors: readonly Record<string, unknown>[] };
  demand(Array.isArray(errors) && errors.length > 0 && Object.keys(more).length === 0, shown);
  for (const { code, message, help, ...rest } of errors) {
    demand(typeof code === 'string' && Object.hasOwn(ERRORS, code), shown);
    demand(typeof message === 'string' && message !== '', shown);
    demand((help === undefined || typeof help === 'string') && Object.keys(rest).length === 0, shown);
    if (status >= 500) demand(ASKED_FOR.has(code), shown);
  }
  const { status: statuses } = ERRORS[errors[0]!['code'] as ErrorCode];
  demand((statuses as readonly number[]).includes(status), shown);
}
