/**
 * What `/ws/transmit` answers to each message, in the order of the messages. RF Bench Service, section 6; the shapes
 * are not shown there.
 */

import Type, { type Static } from 'typebox';
import { ApiError } from './errors.ts';

export const TransmitFeedAnswer = Type.Object(
  {
    seq: Type.Integer({
      minimum: 1,
      description: 'Which message of this socket it answers, counted from 1.',
    }),
    accepted: Type.Boolean({
      description: 'The packet is queued; on the air only when its block is complete.',
    }),
    pending_bytes: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Bytes that wait for their block to be complete.' }),
    ),
    error: Type.Optional(ApiError),
  },
  {
    additionalProperties: false,
    title: 'TransmitFeedAnswer',
    examples: [{ seq: 1, accepted: true, pending_bytes: 256 }],
  },
);
export type TransmitFeedAnswer = Static<typeof TransmitFeedAnswer>;
