/**
 * The API of JetStream over a connection: questions, answers, refusals, and trying again until a deadline.
 *
 * J1. Only what may be repeated without harm goes through `retrying`: reads, and writes that carry an id.
 * J2. What is still unanswered at the deadline is `bus.unavailable`, whatever the last attempt met.
 * J3. A limit that is reached is `bus.unavailable` at once: no room is made within a deadline, and each attempt costs
 *     the server a message that it stores and removes again.
 * J4. A stream that does not answer costs the time of a request once; those that come meanwhile are refused at once
 *     (`silences.ts`).
 * J6. A question that meets a stream without a leader is lost, and its answer never comes. So what changes nothing is
 *     repeated while it is pending (`askAgain`): who asked has the answer soon after an election.
 * J5. An acknowledgement without a position says nothing: the leader has begun to store a message of that id, and may
 *     yet lose the leadership and it (nats-server 2.10; later ones refuse with 10158). It is asked again, and where it
 *     was lost another leader is asked for (`stuck-ids.ts`).
 */

import { setTimeout as pause } from 'node:timers/promises';
import { BUS_ATTEMPT_MS, BUS_REQUEST_MS } from '../contract/limits/bus.ts';
import { Outage } from '../contract/outage.ts';
import type { Headers } from '../ports/bus.ts';
import type { Connection } from './connection.ts';
import { ApiError, apiError, isOutage, toOutage } from './fault.ts';
import { firstOf } from './first-answer.ts';
import { LeaderReach } from './leader-reach.ts';
import { plainBytes } from './message.ts';
import { type AccountInfo, Room } from './room.ts';
import { Silences } from './silences.ts';
import { StuckIds } from './stuck-ids.ts';

export interface PublishAck {
  readonly stream: string;
  readonly seq: number;
  readonly duplicate?: boolean;
}

/** A message with the bytes it was stored with. */
interface DirectMessage {
  readonly subject: string;
  readonly seq: number;
  readonly data: Uint8Array;
}

interface ErrorReply {
  readonly error?: { readonly code: number; readonly err_code?: number; readonly description?: string };
}

/** `left`: ms that one more question may take; rounds from 0. */
type Attempt<Value> = (left: () => number, round: number) => Promise<Value>;

interface RetryOptions {
  readonly once?: boolean;
  /** Whose answer it is about. */
  readonly stream?: string;
}

/** A leader answers within milliseconds; one that is busy is asked four times more at most. */
const ASKED_AGAIN_MS = 400;
const RETRY_MS = 25;
const RETRY_LONGEST_MS = 250;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class JetStream {
  readonly connection: Connection;
  readonly room: Room;
  /** Of streams that were asked for and did not answer (J4). */
  readonly silences = new Silences();
  readonly #reach: LeaderReach;
  readonly #stuckIds: StuckIds;

  constructor(connection: Connection) {
    this.connection = connection;
    this.#reach = new LeaderReach(() => connection.leave('reaches no leader of JetStream'));
    this.#stuckIds = new StuckIds({
      ask: (verb, timeoutMs) => this.ask(verb, undefined, timeoutMs),
      log: connection.log,
    });
    this.room = new Room((timeoutMs) => this.ask<AccountInfo>('INFO', undefined, timeoutMs));
  }

  /** Asks the API once; rejects with `ApiError` or an outage. */
  ask<Reply>(verb: string, body: object | undefined, timeoutMs: number): Promise<Reply> {
    const data = body === undefined ? EMPTY : encoder.encode(JSON.stringify(body));
    return this.#reach.around(false, async () => {
      const reply = await this.connection.request(`$JS.API.${verb}`, data, timeoutMs);
      return parse<Reply>(reply.data);
    });
  }

  /** `ask`, and again every `ASKED_AGAIN_MS` until the first answer or the timeout (J6). */
  askAgain<Reply>(verb: string, timeoutMs: number): Promise<Reply> {
    return this.#reach.around(false, async () => {
      const reply = await firstOf(timeoutMs, ASKED_AGAIN_MS, (left) =>
        this.connection.request(`$JS.API.${verb}`, EMPTY, left),
      );
      return parse<Reply>(reply.data);
    });
  }

  /**
   * The message at a position with the bytes it has, in no JSON, from whichever copy answers; undefined where that has
   * none, or none answers. Rejects with an outage.
   */
  async direct(stream: string, seq: number, timeoutMs: number): Promise<DirectMessage | undefined> {
    const verb = `$JS.API.DIRECT.GET.${stream}`;
    const reply = await this.connection
      .request(verb, encoder.encode(JSON.stringify({ seq })), timeoutMs)
      .catch((error: unknown) => {
        // One that was made before is not read like this until it is brought up to date.
        if (error instanceof Outage && error.code === 'bus.no-responder') return undefined;
        throw error;
      });
    const subject = reply?.headers?.get('Nats-Subject') ?? '';
    return reply === undefined || subject === '' ? undefined : { subject, seq, data: plainBytes(reply.data) };
  }

  /** `ask`, again until `deadlineMs` have passed; rejects with `ApiError` or `bus.unavailable`. */
  read<Reply>(verb: string, body: object | undefined, deadlineMs?: number): Promise<Reply> {
    return this.retrying(deadlineMs, (left) => this.ask<Reply>(verb, body, left()));
  }

  /** Publishes once into whatever stream holds the subject; rejects with `ApiError` or an outage. */
  async publish(subject: string, data: Uint8Array, headers: Headers, timeoutMs: number): Promise<PublishAck> {
    await this.room.demand(data.length, timeoutMs);
    const { 'Nats-Msg-Id': id = '', 'Nats-Expected-Stream': stream = '' } = headers;
    try {
      const ack = await this.#reach.around(true, async () => {
        const reply = await this.connection.request(subject, data, timeoutMs, headers);
        return positioned(parse<PublishAck>(reply.data));
      });
      this.#stuckIds.over(stream, id);
      return ack;
    } catch (error) {
      if (error instanceof ApiError && error.isWithoutRoom) this.room.refused(toOutage(error, 'the bus'));
      if (error instanceof ApiError && error.is(apiError.inProcess)) this.#stuckIds.refused(stream, id);
      else this.#stuckIds.over(stream, id);
      throw error;
    }
  }

  /**
   * The first result of `attempt`, over outages and inabilities, until `deadlineMs` (default `BUS_REQUEST_MS`); `left`
   * reports how long one more question may take. With `once` there is no second attempt; with `stream` it is refused at
   * once while that one is known to be silent (J4).
   */
  async retrying<Value>(
    deadlineMs: number | undefined,
    attempt: Attempt<Value>,
    { once = false, stream }: RetryOptions = {},
  ): Promise<Value> {
    if (stream === undefined) return this.#retrying(deadlineMs, attempt, once);
    const leave = this.silences.enter(stream, deadlineMs !== undefined);
    try {
      const value = await this.#retrying(deadlineMs, attempt, once);
      this.silences.answered(stream);
      return value;
    } catch (error) {
      if (isAnswer(error)) this.silences.answered(stream);
      else if (this.connection.connected) this.silences.unanswered(stream);
      throw error;
    } finally {
      leave();
    }
  }

  async #retrying<Value>(
    deadlineMs: number | undefined,
    attempt: Attempt<Value>,
    once: boolean,
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
/** The refusal of most questions by far; who asks takes it for an answer, and its stack says nothing. */
const NO_MESSAGE = new ApiError(404, apiError.noMessage, 'no message found');

function parse<Reply>(data: Uint8Array): Reply {
  const reply = JSON.parse(decoder.decode(data)) as Reply & ErrorReply;
  if (reply.error === undefined) return reply;
  const { code, err_code, description } = reply.error;
  if (err_code === apiError.noMessage) throw NO_MESSAGE;
  throw new ApiError(code, err_code ?? 0, description ?? 'refused by JetStream');
}

/** J5 */
function positioned(ack: PublishAck): PublishAck {
  if (ack.seq > 0) return ack;
  throw new ApiError(409, apiError.inProcess, `a message of this id is being stored in ${ack.stream}`);
}

/** The stream has answered: with a refusal, or that it has no room. */
function isAnswer(error: unknown): boolean {
  return !isOutage(error) || (error instanceof Outage && error.remedy !== undefined);
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
