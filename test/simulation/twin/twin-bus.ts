/**
 * The bus in memory, for seeded simulation and for tests: one of these per simulated process, on a server they share.
 * It keeps ports/bus.P1 to P6 as the adapter of NATS does, and passes the same contract tests. All time comes from the
 * clocks it is given, all chance from the weather.
 *
 * T1. Addresses are checked by the code of the adapter (`bus/address.ts`).
 * T2. A write is asked for again under the same id and the same mark; its own earlier attempt is a success.
 */

import { checkBucket, checkFilter, checkHeaders, checkName, checkSubject } from '../../../bus/address.ts';
import { isOwnInbox } from '../../../bus/identity.ts';
import { askUntilSettled } from '../../../bus/settling.ts';
import type { BucketDefinition, ObjectsDefinition } from '../../../contract/bus/buckets.ts';
import type { StreamDefinition } from '../../../contract/bus/streams.ts';
import { BUS_ATTEMPT_MS, BUS_REQUEST_MS } from '../../../contract/limits/bus.ts';
import { MEMBER_TTL_MS } from '../../../contract/limits/membership.ts';
import { Outage } from '../../../contract/outage.ts';
import { TooLarge } from '../../../contract/too-large.ts';
import type {
  Appended,
  AppendOptions,
  Bucket,
  Bus,
  CoreMessage,
  Follower,
  FollowFrom,
  Headers,
  KnownMessage,
  Objects,
  ServeOptions,
  Stoppable,
  StreamMessage,
} from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { Pump } from './pump.ts';
import type { Subscriber, TwinServer } from './server.ts';
import { matcher, type PublishAnswer } from './stored-stream.ts';
import { openTwinBucket, type TwinCalls, type TwinWrite } from './twin-bucket.ts';
import { followTwin, shown } from './twin-follow.ts';
import { openTwinObjects } from './twin-objects.ts';
import type { Weather } from './weather.ts';
import { Wire } from './wire.ts';

export interface TwinOptions {
  readonly server: TwinServer;
  /** Names the process. */
  readonly name: string;
  /** Time of the world, and of the process. */
  readonly outside: Clock;
  readonly inside: Clock;
  /** Brings what arrives into the process; default: its clock. */
  readonly arrivals?: Clock;
  /** The same for what is pulled from streams and buckets. */
  readonly pulled?: Clock;
  readonly weather: Weather;
  readonly log: Log;
  /** As of the adapter of NATS; default `MEMBER_TTL_MS`. */
  readonly settleMs?: number;
  /** Where answers to this process come to; default: below its name, as of the adapter of NATS. */
  readonly inboxPrefix?: string;
}

const RETRY_MS = 25;
const RETRY_LONGEST_MS = 250;

/** How long the adapter waits for what is still on its way to who is stopped. */
const DRAIN_MS = 1_000;

interface Subscription {
  readonly subject: string;
  readonly subscriber: Subscriber;
}

export class TwinBus implements Bus, TwinCalls {
  readonly #options: TwinOptions;
  readonly #wire: Wire;
  readonly #subscriptions = new Set<Subscription>();
  readonly #stoppables = new Set<() => void>();
  #writes = 0;
  #lostUntil: number | undefined;

  constructor(options: TwinOptions) {
    this.#options = options;
    checkName(options.name);
    this.#wire = new Wire(options);
    this.#wire.onChange((connected) => {
      if (connected) for (const { subscriber } of this.#subscriptions) this.#attach(subscriber);
      else for (const { subscriber } of this.#subscriptions) options.server.unsubscribe(subscriber);
    });
  }

  get connected(): boolean {
    return this.#wire.connected;
  }

  onConnection(listener: (connected: boolean) => void): () => void {
    return this.#wire.onChange(listener);
  }

  /** The connection breaks and is made again. */
  breakConnection(): void {
    this.#wire.break();
  }

  /** The process died: nothing of it acts any more. */
  cut(): void {
    this.#wire.cut();
    this.#release();
  }

  async close(): Promise<void> {
    this.#wire.close();
    this.#release();
  }

  #release(): void {
    for (const { subscriber } of this.#subscriptions) this.#options.server.unsubscribe(subscriber);
    for (const stop of [...this.#stoppables]) stop();
  }

  // Messages that nobody keeps ---------------------------------------------------------------------------------------

  publish(subject: string, data: Uint8Array, headers: Headers = {}): void {
    checkSubject(subject);
    const message = { subject, data: copied(data), headers: checkHeaders(headers) };
    if (this.#reached(`publish ${subject}`) || this.#options.weather.losesMessage()) return;
    this.#wire.up(() => {
      for (const subscriber of this.#options.server.listeners(subject)) subscriber.deliver(message);
    });
  }

  subscribe(
    subject: string,
    handle: (message: CoreMessage) => void,
    { queue }: { queue?: string } = {},
  ): Stoppable {
    return this.#listen(subject, queue, (message) => {
      try {
        handle(message);
      } catch (error) {
        this.#options.log.error({ err: error, subject }, 'handler of a bus message threw');
      }
    });
  }

  serve(
    subject: string,
    answer: (message: CoreMessage) => Promise<Uint8Array>,
    { queue, asker }: ServeOptions = {},
  ): Stoppable {
    const take = (message: CoreMessage, respond?: (reply: Uint8Array) => void, inbox?: string): void => {
      const isForeign =
        asker !== undefined && inbox !== undefined && !isOwnInbox(asker, message.subject, inbox);
      if (!isForeign) void this.#respond(subject, answer, message, respond);
    };
    return this.#listen(subject, queue, take, true);
  }

  async #respond(
    subject: string,
    answer: (message: CoreMessage) => Promise<Uint8Array>,
    message: CoreMessage,
    respond: ((reply: Uint8Array) => void) | undefined,
  ): Promise<void> {
    const { weather, log } = this.#options;
    const service = weather.service(subject);
    try {
      if (service.beforeMs > 0) await this.#pause(service.beforeMs);
      if (!this.#wire.alive) return;
      const reply = copied(await answer(message));
      if (service.afterMs > 0) await this.#pause(service.afterMs);
      if (respond === undefined || service.fails || weather.losesMessage()) return;
      if (this.#reached(`reply ${subject}`)) return;
      this.#wire.up(() => respond(reply));
    } catch (error) {
      log.error({ err: error, subject }, 'request was not answered');
    }
  }

  #listen(
    subject: string,
    queue: string | undefined,
    handle: Subscriber['deliver'],
    drains = false,
  ): Stoppable {
    checkFilter(subject);
    if (queue !== undefined) checkName(queue);
    let stopped = false;
    const subscriber: Subscriber = {
      by: this.#options.name,
      matches: matcher(subject),
      queue,
      deliver: (message, respond, inbox) =>
        this.#wire.down(() => {
          if (!stopped) handle(message, respond, inbox);
        }),
    };
    const subscription = { subject, subscriber };
    this.#subscriptions.add(subscription);
    this.#attach(subscriber);
    return {
      stop: async () => {
        stopped = !drains;
        this.#subscriptions.delete(subscription);
        const gone = new Promise<void>((resolve) =>
          this.#wire.up(() => {
            this.#options.server.unsubscribe(subscriber);
            this.#wire.down(resolve);
          }),
        );
        if (!drains || !this.#wire.connected) return;
        await Promise.race([gone, this.#pause(DRAIN_MS)]);
        stopped = true;
      },
    };
  }

  #attach(subscriber: Subscriber): void {
    this.#wire.up(() => {
      const wanted = [...this.#subscriptions].some((each) => each.subscriber === subscriber);
      if (wanted && this.#wire.alive) this.#options.server.subscribe(subscriber);
    });
  }

  async request(
    subject: string,
    data: Uint8Array,
    { timeoutMs, headers = {} }: { timeoutMs: number; headers?: Headers },
  ): Promise<Uint8Array> {
    checkSubject(subject);
    const message = { subject, data: copied(data), headers: checkHeaders(headers) };
    const { inside, settleMs = MEMBER_TTL_MS } = this.#options;
    return askUntilSettled((left) => this.#deliver(message, left), {
      subject,
      timeoutMs,
      now: () => inside.monotonic(),
      pause: (ms) => new Promise((resolve) => void inside.setTimeout(resolve, ms)),
      unsettledMs: () => this.#wire.changedAt + settleMs - inside.monotonic(),
    });
  }

  async #deliver(message: CoreMessage, timeoutMs: number): Promise<Uint8Array> {
    const { subject } = message;
    const { inside, server, weather, name, inboxPrefix = `_MCS.${name}` } = this.#options;
    const start = inside.monotonic();
    await this.#wire.ready(start + timeoutMs, false);
    const left = timeoutMs - (inside.monotonic() - start);
    const late = (): Outage => new Outage('bus.timeout', `no answer on ${subject}`);
    return this.#wire.flight<Uint8Array>(left, late, (settle, fail) => {
      if (this.#reached(`request ${subject}`)) return;
      const lost = weather.losesMessage();
      const doubled = weather.doublesRequest();
      this.#wire.up(() => {
        if (lost) return;
        const asked = server.listeners(subject);
        if (asked.length === 0) {
          this.#wire.down(() => fail(new Outage('bus.no-responder', `no responder on ${subject}`)));
        }
        for (const each of asked) {
          const respond = (reply: Uint8Array): void => this.#wire.down(() => settle(reply));
          const inbox = `${inboxPrefix}.answers`;
          each.deliver(message, respond, inbox);
          if (doubled) each.deliver(message, respond, inbox);
        }
      });
    });
  }

  // Streams ----------------------------------------------------------------------------------------------------------

  async append(
    stream: StreamDefinition,
    subject: string,
    data: Uint8Array,
    { id, expectLastSubjectSeq, headers = {}, deadlineMs, once = false }: AppendOptions = {},
  ): Promise<Appended> {
    checkSubject(subject);
    checkHeaders({ ...headers, ...(id !== undefined && { id }) });
    return this.write({
      stream: this.#options.server.stream(stream),
      subject,
      data,
      headers,
      ...(id !== undefined && { id }),
      ...(expectLastSubjectSeq !== undefined && { expect: expectLastSubjectSeq }),
      ...(deadlineMs !== undefined && { deadlineMs }),
      once,
    });
  }

  async last(definition: StreamDefinition, subject: string): Promise<StreamMessage | undefined> {
    checkSubject(subject);
    const stream = this.#options.server.stream(definition);
    const found = await this.read(`last ${subject}`, () => stream.last(subject));
    return found && shown(found, 0);
  }

  async follow(
    definition: StreamDefinition,
    subject: string,
    from: FollowFrom,
    handle: (message: StreamMessage) => void | Promise<void>,
    { wentBack }: { wentBack?: () => void } = {},
  ): Promise<Follower> {
    checkFilter(subject);
    const stream = this.#options.server.stream(definition);
    const stands = await this.read(`look ${stream.name}`, () => stream.lastSeq);
    return followTwin({
      stream,
      matches: matcher(subject),
      from,
      stands,
      handle,
      wentBack: (takenAt) => {
        this.lost(takenAt);
        this.log.error({ stream: stream.name, filter: subject }, 'stream lost its newest messages');
        wentBack?.();
      },
      pump: (take) => this.pump(take),
      onConnection: (listener) => this.onConnection(listener),
      stopper: (...given) => this.stopper(...given),
    });
  }

  async stillHolds(
    definition: StreamDefinition,
    { seq, at, subject, isYoung }: KnownMessage,
  ): Promise<boolean> {
    const stream = this.#options.server.stream(definition);
    const [held, lastSeq] = await this.read(
      `look ${stream.name}`,
      () => [stream.at(seq), stream.lastSeq] as const,
    );
    const isHeld =
      held === undefined
        ? seq <= lastSeq && isYoung !== true
        : (at ?? held.at) === held.at && (subject ?? held.subject) === held.subject;
    if (!isHeld) this.lost(at);
    return isHeld;
  }

  holesUntil(definition: StreamDefinition): Promise<number | undefined> {
    const stream = this.#options.server.stream(definition);
    return this.read(`look ${stream.name}`, () => stream.holesUntil);
  }

  leftUntil(definition: StreamDefinition): Promise<number> {
    const stream = this.#options.server.stream(definition);
    return this.read(`look ${stream.name}`, () => stream.leftUntil);
  }

  get lostUntil(): number | undefined {
    return this.#lostUntil;
  }

  lost(at: number | undefined): void {
    if (at !== undefined) this.#lostUntil = Math.max(at, this.#lostUntil ?? at);
  }

  objects({ name }: ObjectsDefinition): Objects {
    checkBucket(name);
    return openTwinObjects(this, this.#options.server.bucket({ name }), name);
  }

  bucket(definition: BucketDefinition): Bucket {
    checkBucket(definition.name);
    return openTwinBucket(this, this.#options.server.bucket(definition), definition.name);
  }

  // What streams and buckets have in common --------------------------------------------------------------------------

  /** Stores once or answers why not (T2); rejects with `bus.unavailable` at the deadline. */
  async write(wanted: TwinWrite): Promise<Appended> {
    const { server, name } = this.#options;
    this.#writes += 1;
    const writer = `${name}.${this.#writes}`;
    const { stream, subject, expect, removal = false, headers = {} } = wanted;
    const made = expect === undefined || expect === 0 ? writer : `${subject}@${expect}`;
    const id = wanted.id ?? made;
    if (wanted.data.length > server.maxPayload)
      throw new TooLarge('a message', wanted.data.length, server.maxPayload);
    const data = copied(wanted.data);
    const publication = { subject, data, headers, id, expect, writer, by: name, removal };
    let attempts = 0;
    const attempt = async (left: () => number): Promise<Appended> => {
      attempts += 1;
      const first = attempts === 1;
      const answer = await this.#ask(`append ${subject}`, left(), () => server.publish(stream, publication));
      if (answer.outcome === 'stored' || first) return outcomeOf(answer, wanted.id);
      const stands = await this.#ask(`read ${subject}`, left(), () =>
        answer.outcome === 'duplicate' ? stream.at(answer.seq) : stream.last(subject),
      );
      if (stands?.writer === writer) return { outcome: 'stored', seq: stands.seq };
      return outcomeOf(answer, wanted.id);
    };
    return this.retrying(wanted.deadlineMs, attempt, { once: wanted.once === true });
  }

  read<Value>(what: string, look: () => Value): Promise<Value> {
    return this.retrying(undefined, (left) => this.#ask(what, left(), look));
  }

  /** The first result of `attempt` over outages, until the deadline. */
  async retrying<Value>(
    deadlineMs: number | undefined,
    attempt: (left: () => number) => Promise<Value>,
    { once = false } = {},
  ): Promise<Value> {
    const { inside } = this.#options;
    const deadline = inside.monotonic() + (deadlineMs ?? BUS_REQUEST_MS);
    const left = (): number => Math.min(BUS_ATTEMPT_MS, deadline - inside.monotonic());
    for (let round = 0; ; round += 1) {
      await this.#wire.ready(deadline, deadlineMs !== undefined);
      try {
        return await attempt(left);
      } catch (error) {
        if (!(error instanceof Outage)) throw error;
        const waitMs = Math.min(RETRY_MS * 2 ** Math.min(round, 8), RETRY_LONGEST_MS);
        if (once || inside.monotonic() + waitMs >= deadline)
          throw new Outage('bus.unavailable', error.message);
        await this.#pause(waitMs);
      }
    }
  }

  #ask<Value>(what: string, timeoutMs: number, done: () => Value): Promise<Value> {
    const { weather } = this.#options;
    const late = (): Outage => new Outage('bus.timeout', `no answer: ${what}`);
    return this.#wire.flight<Value>(timeoutMs, late, (settle) => {
      if (this.#reached(what)) return;
      this.#wire.up(() => {
        if (!weather.isHeard()) return;
        const value = done();
        weather.reached(what, 'done');
        this.#wire.down(() => settle(value));
      });
    });
  }

  pump<Item>(handle: (item: Item, pending: number) => void | Promise<void>): Pump<Item> {
    const { inside, log } = this.#options;
    return new Pump(this.#wire, inside, log, handle);
  }

  stopper(pump: { stop(): void }, forget: () => void, reject: (error: Outage) => void): () => Promise<void> {
    const stop = (): void => {
      pump.stop();
      forget();
      this.#stoppables.delete(stop);
      reject(new Outage('bus.unavailable', 'it was stopped'));
    };
    this.#stoppables.add(stop);
    return async () => stop();
  }

  get log(): Log {
    return this.#options.log;
  }

  /** Whether the process ended at this point. */
  #reached(what: string): boolean {
    this.#options.weather.reached(what, 'asked');
    return !this.#wire.alive;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.inside.setTimeout(resolve, ms));
  }
}

function outcomeOf(answer: PublishAnswer, id: string | undefined): Appended {
  return answer.outcome === 'duplicate' && id === undefined ? { outcome: 'conflict' } : answer;
}

function copied(data: Uint8Array): Uint8Array {
  return new Uint8Array(data);
}
