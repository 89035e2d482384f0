/**
 * The API of JetStream over a connection: questions, answers, refusals, and trying again until a deadline.
 *
 * J1. Only what may be repeated without harm goes through `retrying`: reads, and writes that carry an id.
 * J2. What is still unanswered at the deadline is `bus.unavailable`, whatever the last attempt met.
 * J3. A limit that is reached is `bus.unavailable` at once: no room is made within a deadline, and each attempt costs
 *     the server a message that it stores and removes again.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { BUS_ATTEMPT_MS, BUS_REQUEST_MS } from '../contract/limits.ts';
import { Outage } from '../contract/outage.ts';
import type { Headers } from '../ports/bus.ts';
import type { Connection } from './connection.ts';
import { ApiError, isOutage, toOutage } from './fault.ts';
import { Room } from './room.ts';

export interface PublishAck {
  readonly stream: string;
  readonly seq: number;
  readonly duplicate?: boolean;
}

interface ErrorReply {
  readonly error?: { readonly code: number; readonly err_code?: number; readonly description?: string };
}

const RETRY_MS = 25;
const RETRY_LONGEST_MS = 250;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class JetStream {
  readonly connection: Connection;
  readonly #room: Room;

  constructor(connection: Connection) {
    this.connection = connection;
    this.#room = new Room((timeoutMs) => this.ask('INFO', undefined, timeoutMs));
  }

  /** Asks the API once; rejects with `ApiError` or an outage. */
  async ask<Reply>(verb: string, body: object | undefined, timeoutMs: number): Promise<Reply> {
    const data = body === undefined ? EMPTY : encoder.encode(JSON.stringify(body));
    const reply = await this.connection.request(`$JS.API.${verb}`, data, timeoutMs);
    return parse<Reply>(reply.data);
  }

  /** `ask`, again until `deadlineMs` have passed; rejects with `ApiError` or `bus.unavailable`. */
  read<Reply>(verb: string, body: object | undefined, deadlineMs?: number): Promise<Reply> {
    return this.retrying(deadlineMs, (left) => this.ask<Reply>(verb, body, left()));
  }

  /** Publishes once into whatever stream holds the subject; rejects with `ApiError` or an outage. */
  async publish(subject: string, data: Uint8Array, headers: Headers, timeoutMs: number): Promise<PublishAck> {
    await this.#room.demand(data.length, timeoutMs);
    const reply = await this.connection.request(subject, data, timeoutMs, headers);
    try {
      return parse<PublishAck>(reply.data);
    } catch (error) {
      if (isLimit(error)) this.#room.refused(toOutage(error, 'the bus'));
      throw error;
    }
  }

  /**
   * The first result of `attempt`, over outages and inabilities, until `deadlineMs` (default `BUS_REQUEST_MS`); `left`
   * reports how long one more question may take. With `once` there is no second attempt.
   */
  async retrying<Value>(
    deadlineMs: number | undefined,
    attempt: (left: () => number, round: number) => Promise<Value>,
    { once = false } = {},
  ): Promise<Value> {
    const deadline = performance.now() + (deadlineMs ?? BUS_REQUEST_MS);
    for (let round = 0; ; round++) {
      await this.connection.ready(deadline, deadlineMs !== undefined);
      try {
        return await attempt(() => Math.min(BUS_ATTEMPT_MS, deadline - performance.now()), round);
      } catch (error) {
        if (!isOutage(error)) throw error;
        if (isLimit(error) || (error instanceof Outage && error.remedy !== undefined))
          throw toOutage(error, 'the bus');
        const waitMs = Math.min(RETRY_MS * 2 ** Math.min(round, 8), RETRY_LONGEST_MS);
        if (once || performance.now() + waitMs >= deadline) throw unavailable(error);
        await pause(waitMs);
      }
    }
  }
}

const EMPTY = new Uint8Array(0);

function parse<Reply>(data: Uint8Array): Reply {
  const reply = JSON.parse(decoder.decode(data)) as Reply & ErrorReply;
  if (reply.error === undefined) return reply;
  const { code, err_code, description } = reply.error;
  throw new ApiError(code, err_code ?? 0, description ?? 'refused by JetStream');
}

function isLimit(error: unknown): boolean {
  return error instanceof ApiError && error.kind === 'limit';
}

function unavailable(error: unknown): Outage {
  const outage = toOutage(error, 'the bus');
  return outage.code === 'bus.unavailable'
    ? outage
    : new Outage('bus.unavailable', outage.message, { cause: error });
}
