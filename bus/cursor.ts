/**
 * A reading position in a stream: pulls messages of one filter in order and survives every loss of its consumer on
 * the server. Followers, watches and lists are made of it.
 *
 * C1. Messages are handed over in the order of the stream, none twice, none left out: each carries the count of its
 *     consumer, and the first gap makes a new consumer from the position reached.
 * C2. What one pull asks for waits here at most, twice as much after a renewal; the next is sent when it is gone.
 * C3. A handler that returns nothing costs no turn of the event loop.
 * C4. No pull is left to expire while messages are wanted (pull.K1).
 * C5. The head is what was stored last when the reading began, not what is stored last now: what is written all the
 *     time is read to its head all the same. Where values are replaced, `ReplayedKeys` decides when each has come
 *     (`replayed-keys.ts`).
 * C6. In a cluster the servers draw where a consumer lives, also among those that have just gone away, and while they
 *     elect who draws nobody does: such a question is never answered. So it is repeated while it is pending, the first
 *     consumer that is made counts, and others are removed. One that is made behind its attempt goes after
 *     `INACTIVE_MS`.
 */

import type { ConsumerInfo, Msg } from 'nats';
import { AckPolicy, createInbox, nanos, ReplayPolicy } from 'nats';
import type { Stoppable } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { AssetHandle, Standing } from './asset.ts';
import { ApiError, apiError } from './fault.ts';
import { firstOf } from './first-answer.ts';
import type { JetStream } from './jetstream.ts';
import type { Position } from './message.ts';
import { positionOf } from './message.ts';
import type { Pace, PullConsumer } from './pull.ts';
import { inboxOf, newPullConsumer, pullRequestFor } from './pull.ts';
import { ReplayedKeys, subjectsOf } from './replayed-keys.ts';

/** Where a new consumer begins, in the words of the API. */
export type Start =
  | { readonly deliver_policy: 'by_start_sequence'; readonly opt_start_seq: number }
  | { readonly deliver_policy: 'by_start_time'; readonly opt_start_time: string }
  | { readonly deliver_policy: 'last_per_subject' };

export interface Reading {
  readonly stream: string;
  /** Subject with wildcards, as the stream knows it. */
  readonly filter: string;
  readonly asset: AssetHandle;
  /** Called before each start with the stream as it stands; rejects when it cannot be read yet. */
  readonly start: (stands: Standing) => Start | Promise<Start>;
  /** Whether a message is still to be delivered: a copy of the stream that lags begins too early. */
  readonly wanted: (position: Position) => boolean;
  /** Takes a message; a promise holds back the next one, a rejection or a throw hands the same one over again. */
  readonly deliver: (message: Msg, position: Position) => void | Promise<void>;
  /** Called whenever nothing that was stored before the present start of the consumer is left to deliver. */
  readonly atHead: () => void;
  /** Called now and then while it reads. */
  readonly tend?: () => void;
}

/** Its bytes are used up, or its messages: nats-server says that from 2.10 on, behind each pull that names both. */
const PULL_IS_OVER = /maxbytes|batch completed/i;
/** The server forgets a consumer that nobody pulls from. */
const INACTIVE_MS = 60_000;
const CREATE_MS = 2_000;
const RESTART_FIRST_MS = 20;
const RESTART_LONGEST_MS = 1_000;
const FAILURES_WORTH_A_WARNING = 5;
const REPEAT_FIRST_MS = 50;
const REPEAT_LONGEST_MS = 5_000;

const encoder = new TextEncoder();

export class Cursor {
  readonly #jetstream: JetStream;
  readonly #reading: Reading;
  readonly #log: Log;
  readonly #pace: (isCopied: boolean) => Pace;
  readonly #queue: { message: Msg; position: Position }[] = [];
  #pullConsumer: PullConsumer | undefined;
  #subscription: Stoppable | undefined;
  #generation = 0;
  #failures = 0;
  /** Of these, how many in a row were of a consumer that had been made. */
  #endings = 0;
  #startedAt = 0;
  /** Whether its stream has copies on several servers, as it was seen last. */
  #isCopied = false;
  #busy = false;
  #atHead = false;
  /** The last message of the stream when the present consumer was made. */
  #headSeq = 0;
  /** Who is still to come before the head, where values are replaced. */
  #replayedKeys: ReplayedKeys | undefined;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(jetstream: JetStream, reading: Reading, log: Log, pace: (isCopied: boolean) => Pace) {
    this.#jetstream = jetstream;
    this.#reading = reading;
    this.#log = log.child({ stream: reading.stream, filter: reading.filter });
    this.#pace = pace;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#drop();
  }

  /** Leaves the consumer there may be and makes a new one from the position reached. */
  restart(reason: string): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#drop();
    this.#log.debug({ reason }, 'cursor starts');
    this.#startedAt = performance.now();
    const generation = this.#generation;
    this.#begin(generation).catch((error: unknown) => {
      if (generation === this.#generation) this.#again(error);
    });
  }

  /** Leaves a consumer that went silent, and renews a pull that grows old; to be called every `tendMs`. */
  tend(): void {
    const pullConsumer = this.#pullConsumer;
    if (pullConsumer === undefined || !this.#jetstream.connection.connected) return;
    this.#reading.tend?.();
    const now = performance.now();
    const { expiresMs, silenceMs } = this.#pace(this.#isCopied);
    if (this.#replayedKeys?.namesAsked) void this.#askNames(this.#replayedKeys);
    const pulls = pullConsumer.awaited > 0 && now - pullConsumer.pulledAt < expiresMs;
    if (pulls && now - pullConsumer.lastReceivedAt > silenceMs) this.restart('consumer is silent');
    else this.#pullWhenSpent();
  }

  #drop(): void {
    this.#generation += 1;
    this.#queue.length = 0;
    void this.#subscription?.stop();
    this.#subscription = undefined;
    this.#replayedKeys = undefined;
    if (this.#pullConsumer !== undefined)
      this.#send(`CONSUMER.DELETE.${this.#reading.stream}.${this.#pullConsumer.name}`);
    this.#pullConsumer = undefined;
  }

  #again(error: unknown): void {
    clearTimeout(this.#timer);
    this.#endings = this.#pullConsumer === undefined ? 0 : this.#endings + 1;
    this.#drop();
    this.#failures += 1;
    if (error instanceof ApiError && error.is(apiError.noStream)) this.#reading.asset.forget();
    const fields = { err: error, failures: this.#failures };
    if (this.#failures === FAILURES_WORTH_A_WARNING)
      this.#log.warn(fields, 'cursor failed to read its stream');
    else this.#log.debug(fields, 'cursor failed to start');
    this.#timer = setTimeout(() => this.restart('again'), this.#delayMs());
  }

  /**
   * From the beginning of the attempt that failed: one that waited in vain is followed at once. Behind a consumer that
   * was made at last, and ended, the pauses begin again.
   */
  #delayMs(): number {
    const rounds = Math.min(this.#endings === 0 ? this.#failures : this.#endings, 10);
    const delayMs = Math.min(RESTART_FIRST_MS * 2 ** rounds, RESTART_LONGEST_MS) * (0.5 + Math.random() / 2);
    return Math.max(RESTART_FIRST_MS / 2, delayMs - (performance.now() - this.#startedAt));
  }

  async #begin(generation: number): Promise<void> {
    if (!this.#jetstream.connection.connected) return;
    const stands = await this.#reading.asset.look(CREATE_MS);
    if (generation !== this.#generation) return;
    this.#isCopied = stands.replicas > 1;
    this.#atHead = false;
    this.#headSeq = stands.lastSeq;
    const start = await this.#reading.start(stands);
    if (generation !== this.#generation) return;
    const info = await this.#createConsumer(start);
    if (generation !== this.#generation) return;
    const pullConsumer = newPullConsumer(
      info.name,
      this.#inbox(),
      pullRequestFor(start.deliver_policy, stands),
    );
    this.#pullConsumer = pullConsumer;
    if (start.deliver_policy === 'last_per_subject')
      this.#replayedKeys = new ReplayedKeys(info.num_pending, this.#headSeq);
    this.#subscription = this.#jetstream.connection.subscribe(`${pullConsumer.inbox}.*`, (message) =>
      this.#receive(pullConsumer, message),
    );
    this.#pull(pullConsumer);
    if (info.num_pending === 0) this.#reachHead();
  }

  async #createConsumer(start: Start): Promise<ConsumerInfo> {
    const { stream, filter } = this.#reading;
    const config = {
      ...start,
      filter_subject: filter,
      ack_policy: AckPolicy.None,
      replay_policy: ReplayPolicy.Instant,
      inactive_threshold: nanos(INACTIVE_MS),
      mem_storage: true,
      num_replicas: 1,
    };
    const body = { stream_name: stream, config };
    const make = (left: number): Promise<ConsumerInfo> =>
      this.#jetstream.ask<ConsumerInfo>(`CONSUMER.CREATE.${stream}`, body, left);
    const others = ({ name }: ConsumerInfo): void => this.#send(`CONSUMER.DELETE.${stream}.${name}`);
    return firstOf(CREATE_MS, this.#pace(this.#isCopied).createAgainMs, make, others);
  }

  #inbox(): string {
    return createInbox(this.#jetstream.connection.inboxPrefix);
  }

  #send(verb: string, body?: object, reply?: string): void {
    const data = encoder.encode(body === undefined ? '' : JSON.stringify(body));
    this.#jetstream.connection.send(`$JS.API.${verb}`, data, reply === undefined ? {} : { reply });
  }

  #pull(pullConsumer: PullConsumer): void {
    pullConsumer.pulls += 1;
    pullConsumer.awaited = pullConsumer.request.batch;
    pullConsumer.pulledAt = performance.now();
    pullConsumer.lastReceivedAt = pullConsumer.pulledAt;
    const { expiresMs, heartbeatMs } = this.#pace(this.#isCopied);
    const request = {
      ...pullConsumer.request,
      expires: nanos(expiresMs),
      idle_heartbeat: nanos(heartbeatMs),
    };
    this.#send(
      `CONSUMER.MSG.NEXT.${this.#reading.stream}.${pullConsumer.name}`,
      request,
      inboxOf(pullConsumer),
    );
  }

  #receive(pullConsumer: PullConsumer, message: Msg): void {
    if (pullConsumer !== this.#pullConsumer) return;
    pullConsumer.lastReceivedAt = performance.now();
    const position = positionOf(message.reply ?? '');
    if (position === undefined) this.#receiveStatus(pullConsumer, message);
    else if (position.delivery !== pullConsumer.delivery + 1) this.restart('gap in the deliveries');
    else this.#receiveNext(pullConsumer, message, position);
  }

  #receiveNext(pullConsumer: PullConsumer, message: Msg, position: Position): void {
    this.#failures = 0;
    this.#endings = 0;
    pullConsumer.delivery = position.delivery;
    pullConsumer.awaited -= 1;
    const waits = this.#busy || this.#queue.length > 0;
    if (!this.#reading.wanted(position)) {
      if (!waits) this.#handled(message, position);
    } else if (waits) this.#queue.push({ message, position });
    else this.#hand(message, position);
    this.#pullWhenSpent();
  }

  /** 100: alive and nothing to deliver; 408, 409 of `PULL_IS_OVER`: the pull is over; anything else: the consumer is. */
  #receiveStatus(pullConsumer: PullConsumer, message: Msg): void {
    const code = message.headers?.code;
    if (code === 100) {
      this.#failures = 0;
      this.#endings = 0;
      if (!this.#busy && this.#queue.length === 0) this.#reachHead();
      return;
    }
    const text = message.headers?.description ?? '';
    if (code !== 408 && !(code === 409 && PULL_IS_OVER.test(text)))
      this.#again(new Error(`consumer ended: ${code} ${text}`));
    else if (message.subject === inboxOf(pullConsumer)) {
      pullConsumer.awaited = 0;
      this.#pullWhenSpent();
    }
  }

  #pullWhenSpent(): void {
    const pullConsumer = this.#pullConsumer;
    if (pullConsumer === undefined || this.#busy || this.#queue.length > 0) return;
    if (
      pullConsumer.awaited <= 0 ||
      performance.now() - pullConsumer.pulledAt >= this.#pace(this.#isCopied).renewMs
    )
      this.#pull(pullConsumer);
  }

  #hand(message: Msg, position: Position): void {
    try {
      const taking = this.#reading.deliver(message, position);
      if (taking === undefined) this.#handled(message, position);
      else this.#await(taking, message, position);
    } catch (error) {
      this.#repeat(message, position, error);
    }
  }

  #await(taking: Promise<void>, message: Msg, position: Position, round = 0): void {
    this.#busy = true;
    taking.then(
      () => this.#resume(message, position),
      (error: unknown) => this.#repeat(message, position, error, round),
    );
  }

  #handled({ subject }: Msg, position: Position): void {
    if (this.#atHead) return;
    const last = position.pending === 0 && this.#queue.length === 0;
    const replayed = this.#replayedKeys;
    replayed?.delivered(subject, position);
    if (!last && position.seq < this.#headSeq) return;
    if (replayed === undefined || replayed.complete) this.#reachHead();
    else if (!replayed.namesAsked) void this.#askNames(replayed);
  }

  /** Asks who is still to come; where names are gone meanwhile, or nobody answers, `tend` asks again. */
  async #askNames(replayedKeys: ReplayedKeys): Promise<void> {
    replayedKeys.namesAsked = true;
    const subjects = await subjectsOf(this.#jetstream, this.#reading, CREATE_MS).catch(() => undefined);
    if (subjects === undefined || replayedKeys !== this.#replayedKeys) return;
    replayedKeys.expectOnly(subjects);
    if (replayedKeys.complete) this.#reachHead();
  }

  #resume(message: Msg, position: Position): void {
    this.#busy = false;
    if (this.#stopped) return;
    this.#handled(message, position);
    while (!this.#busy) {
      const next = this.#queue.shift();
      if (next === undefined) break;
      this.#hand(next.message, next.position);
    }
    this.#pullWhenSpent();
  }

  /** Hands the same message over again, later each time: the handler is broken, the message must not be lost. */
  #repeat(message: Msg, position: Position, error: unknown, round = 0): void {
    this.#busy = true;
    const delayMs = Math.min(REPEAT_FIRST_MS * 2 ** Math.min(round, 10), REPEAT_LONGEST_MS);
    this.#log.error({ err: error, seq: position.seq, delayMs }, 'handler of a message failed');
    setTimeout(() => {
      if (this.#stopped) return;
      const taking = async () => this.#reading.deliver(message, position);
      this.#await(taking(), message, position, round + 1);
    }, delayMs);
  }

  #reachHead(): void {
    if (this.#atHead) return;
    this.#atHead = true;
    this.#replayedKeys = undefined;
    this.#reading.atHead();
  }
}
