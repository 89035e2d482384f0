/** What goes wrong on the bus, in the terms of the service: outages, and refusals of JetStream by their number. */

import { ErrorCode, NatsError } from 'nats';
import { Outage } from '../contract/outage.ts';

/** Numbers of JetStream's refusals that decide something here. */
export const apiError = {
  noPeers: 10005,
  tooFewResources: 10023,
  noMessage: 10037,
  streamExists: 10058,
  noStream: 10059,
  wrongLastSequence: 10071,
  notClustered: 10074,
  wrongLastSequenceConstant: 10164,
} as const;

/** A refusal by JetStream. From 500 on it is an inability: no leader, no quorum, no space. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly number: number;

  constructor(status: number, number: number, description: string) {
    super(description);
    this.status = status;
    this.number = number;
  }

  is(...numbers: readonly number[]): boolean {
    return numbers.includes(this.number);
  }
}

/** The outage that an error of the client means for the caller of `what`. */
export function toOutage(error: unknown, what: string): Outage {
  if (error instanceof Outage) return error;
  const code = error instanceof NatsError ? error.code : undefined;
  if (code === ErrorCode.NoResponders)
    return new Outage('bus.no-responder', `nobody serves ${what}`, { cause: error });
  if (code === ErrorCode.Timeout)
    return new Outage('bus.timeout', `no answer from ${what} in time`, { cause: error });
  return new Outage('bus.unavailable', `${what}: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });
}
