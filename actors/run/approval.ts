/**
 * Answers to questions and decisions as they come over the bus, and who gave them. Mission Control Service, section 4.2
 * rule 6.
 *
 * A1. Who publishes on the subject may write anything: what a token says of identity and roles counts, not what stands
 *     beside it.
 * A2. A token that does not hold, or is of somebody else than the answer says, is reported to the chart as a fault of
 *     identity; the chart alone decides whether the answer is taken (MC-ANS-005).
 * A3. Which question it may answer follows from what the log had when it was given: the front end has looked before it
 *     published (`Mcs-Seen`). Of one that does not say, it is what the bus had stored before it (`run-log.ts`).
 * A4. What is longer than any answer is none: a refusal repeats it, and the log must be able to hold that.
 */

import { header } from '../../contract/bus/headers.ts';
import { RUN_ANSWER_BYTES } from '../../contract/limits/run.ts';
import type { RunValue } from '../../contract/run-event.ts';
import type { Approval } from '../../contract/run-wire.ts';
import type { AnswerGiven } from '../../machines/run/protocol.ts';
import type { Headers } from '../../ports/bus.ts';
import type { Tokens } from '../../ports/tokens.ts';

/** The answer of a message; undefined when it is none. */
export function readApproval(data: Uint8Array): Approval | undefined {
  if (data.length > RUN_ANSWER_BYTES) return undefined;
  const body = parsed(data);
  if (body === null || typeof body !== 'object') return undefined;
  const { path, accepted, value, question, by, roles, token } = body as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string' || typeof accepted !== 'boolean' || !isAnswerValue(value)) return undefined;
  if (question !== undefined && !isEventNumber(question)) return undefined;
  return {
    path,
    accepted,
    roles: Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [],
    ...(value !== undefined && { value }),
    ...(question !== undefined && { question }),
    ...(typeof by === 'string' && { by }),
    ...(typeof token === 'string' && { token }),
  };
}

/**
 * What the log of the run had when the answer was given, as who published it says (`seen`); undefined where it says
 * nothing.
 */
export function seenIn(headers: Headers): number | undefined {
  const text = headers[header.seen];
  const seen = text === undefined ? undefined : Number(text);
  return seen !== undefined && Number.isSafeInteger(seen) && seen >= 0 ? seen : undefined;
}

interface Given {
  readonly tokens: Tokens;
  readonly at: number;
  readonly source: number;
  readonly seen: number;
}

/** The answer as the chart receives it, its token checked. */
export async function answerGiven(
  { path, accepted, value, question, by, roles, token }: Approval,
  { tokens, at, source, seen }: Given,
): Promise<AnswerGiven> {
  const answer = {
    type: 'answer',
    at,
    path,
    accepted,
    source,
    seen,
    ...(value !== undefined && { value }),
    ...(question !== undefined && { question }),
  } as const;
  const declared = { ...answer, ...(by !== undefined && { by }), roles };
  if (token === undefined) return { ...declared, verified: false };
  const verified = await tokens.verify(token);
  if (!verified.ok) {
    return { ...declared, verified: false, identityFault: verified.faults[0].message };
  }
  const { name, roles: held } = verified.value;
  if (by !== undefined && by !== name) {
    return { ...declared, verified: false, identityFault: `its token is of ${name}, not of ${by}` };
  }
  return { ...answer, by: name, roles: held, verified: true };
}

function isAnswerValue(value: unknown): value is Exclude<RunValue, null> | undefined {
  return value === undefined || ['string', 'number', 'boolean'].includes(typeof value);
}

function isEventNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function parsed(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString());
  } catch {
    return undefined;
  }
}
