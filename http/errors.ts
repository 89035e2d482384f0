/**
 * From refusals and outages to answers. Mission Control Service, section 7.1: a status and `{errors: [{code, message,
 * help?}]}`, clients match on the code. Faults are values until here.
 */

import Type from 'typebox';
import { type ErrorCode, statusOf } from '../contract/errors.ts';
import { Outage } from '../contract/outage.ts';
import { TooLarge } from '../contract/too-large.ts';
import { boundedFaults } from './bounded-faults.ts';
import { type Refusal, type Reply, refusal } from './reply.ts';

export const ErrorItem = Type.Object(
  {
    code: Type.String({ pattern: '^[a-z]+::[a-z-]+$' }),
    message: Type.String(),
    help: Type.Optional(Type.String({ description: 'How to fix it.' })),
  },
  { additionalProperties: false, title: 'ErrorItem' },
);

/** One fault as a refusal. */
export function refuse(
  code: ErrorCode,
  message: string,
  more: { help?: string; path?: string } = {},
): Refusal {
  return refusal(code, message, more);
}

/** The answer of a refusal: the status it chose, else the usual one of its first fault. */
export function refusalReply(refusal: Refusal): Reply {
  const { faults, status } = refusal;
  // The place of a fault stands in its message: an item has these three fields and no other (section 7.1).
  const errors = boundedFaults(refusal).map(({ code, message, help }) => ({
    code,
    message,
    ...(help !== undefined && { help }),
  }));
  return { status: status ?? statusOf(faults[0].code), body: { errors } };
}

/** The refusal that a failure of the bus, or what is too large for it, amounts to; undefined for a defect. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof TooLarge) return refuse('api::too-large', error.message, { help: error.remedy });
  return error instanceof Outage && error.code === 'bus.unavailable' ? busUnavailable(error) : undefined;
}

/** What the outage itself says to do is said to the caller, who may be the one who can. */
export function busUnavailable(outage?: Outage): Refusal {
  if (outage?.remedy !== undefined)
    return refuse('api::unavailable', outage.message, { help: outage.remedy });
  return refuse('api::unavailable', 'the message bus does not answer', { help: 'Try again in a moment.' });
}

/** Of the identifier that a client chose, in the body of its request. */
export function invalidId(id: string): Refusal {
  return refuse('api::invalid-id', `${JSON.stringify(id)} is not a ULID`, {
    help: 'A ULID is 26 characters of 0-9 and A-Z without I, L, O and U.',
    path: '/id',
  });
}
