/**
 * What goes wrong on the bus, in the terms of the service: outages, limits reached, and refusals of JetStream by their
 * number.
 *
 * F1. What an error of JetStream means is decided here and nowhere else, by its number where that says more than its
 *     status: limits of an account come with status 400, as a bad request does.
 * F2. A limit that is reached (storage, streams, consumers) is an outage and no defect: what failed succeeds as soon as
 *     there is room. Its outage says what to do.
 * F3. A stream that is full by limits of its own says nothing about the others.
 */

import { ErrorCode, NatsError } from 'nats';
import { Outage } from '../contract/outage.ts';

/** Numbers of JetStream's refusals that decide something here. */
export const apiError = {
  accountResources: 10002,
  noPeers: 10005,
  noConsumer: 10014,
  tooFewResources: 10023,
  noMessage: 10037,
  streamExists: 10058,
  storageResources: 10047,
  noStream: 10059,
  notStored: 10077,
  wrongLastId: 10070,
  wrongLastSequence: 10071,
  notClustered: 10074,
  accountStreamBytes: 10122,
  inProcess: 10158,
  wrongLastSequenceConstant: 10164,
} as const;

/** Limits of an account, a server or a stream: they hold until somebody makes room. */
const LIMITS: ReadonlySet<number> = new Set([
  10002, // resource limits exceeded for account
  10023, // insufficient resources
  10026, // maximum consumers limit reached
  10027, // maximum number of streams reached
  10028, // insufficient memory resources available
  10047, // insufficient storage resources available
  10053, // limits of streams exceeded
  10077, // a message could not be stored: maximum messages or bytes exceeded, no space left on the device
  10120, // no limits for the account
  10122, // stream max bytes exceeds account limit max stream bytes
]);

/** What passes by itself although its status is below 500. */
const PASSING: ReadonlySet<number> = new Set([
  10005, // no suitable peers for the stream: servers of the cluster are missing
  10124, // stream move in progress
  10158, // duplicate message id is in process
  10167, // too many requests
  10226, // stream reconfiguration in progress
]);

/** `limit`: until there is room; `passing`: no leader, no quorum, not now; `refusal`: as often as it is asked (F1). */
export type FaultKind = 'limit' | 'passing' | 'refusal';

export function kindOf(status: number, number: number): FaultKind {
  if (LIMITS.has(number)) return 'limit';
  return status >= 500 || PASSING.has(number) ? 'passing' : 'refusal';
}

/** A refusal by JetStream. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly number: number;

  constructor(status: number, number: number, description: string) {
    super(description);
    this.status = status;
    this.number = number;
  }

  get kind(): FaultKind {
    return kindOf(this.status, this.number);
  }

  /** The account or the server has no room for anything; not so a stream that is full by its own limits. */
  get isWithoutRoom(): boolean {
    return this.kind === 'limit' && !this.isOfOneStream;
  }

  /** A stream that discards what is new has reached its own size, count or age. */
  get isOfOneStream(): boolean {
    return this.number === apiError.notStored && /^maximum .* exceeded$/.test(this.message);
  }

  is(...numbers: readonly number[]): boolean {
    return numbers.includes(this.number);
  }
}

/** Whether trying again may help: by itself, or as soon as there is room. */
export function isOutage(error: unknown): boolean {
  return error instanceof Outage || (error instanceof ApiError && error.kind !== 'refusal');
}

const MAKE_ROOM =
  'Raise the JetStream limits of the account or server of nats-server, or free space in it (`nats account info`).';

const ENLARGE_STREAM =
  'Raise the size of this stream of nats-server, or remove its limit (`nats stream edit`), or free space in it.';

/** The outage of a limit that is reached, at what was asked for (F2). */
function limitOutage(error: ApiError, what: string): Outage {
  const message = `${what} has reached a JetStream limit: ${error.message} (${error.number})`;
  const remedy = error.isOfOneStream ? ENLARGE_STREAM : MAKE_ROOM;
  return new Outage('bus.unavailable', message, { cause: error, remedy });
}

/** The outage that an error of the client means for the caller of `what`. */
export function toOutage(error: unknown, what: string): Outage {
  if (error instanceof Outage) return error;
  if (error instanceof ApiError && error.kind === 'limit') return limitOutage(error, what);
  const code = error instanceof NatsError ? error.code : undefined;
  if (code === ErrorCode.NoResponders)
    return new Outage('bus.no-responder', `no responder on ${what}`, { cause: error });
  if (code === ErrorCode.Timeout)
    return new Outage('bus.timeout', `no answer from ${what} in time`, { cause: error });
  return new Outage('bus.unavailable', `${what}: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });
}
