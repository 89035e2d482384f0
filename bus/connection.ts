/**
 * One connection to the bus that is always on its way back: it may be opened before the server is there, and
 * survives every end of it. Mission Control Service, section 6.
 *
 * N1. What waits for an answer when the connection is lost is reported at once: the answer cannot come any more.
 * N2. Subscriptions belong to this object, not to the client beneath: they are there again after each return.
 * N3. Replies go to an inbox of our own: holders of follower credentials may listen on the common one.
 * N4. Why the bus is not reached is logged once for each reason, and said with each outage until it is reached. A
 *     server that refuses the credentials is asked seldom.
 * N5. A server that has fallen silent (pulse.U1), or over which no leader of JetStream is reached (leader-reach.E2), is
 *     left where there are others: by itself the client keeps to the one for 15 s, to the other for good.
 */

import type { Msg, MsgHdrs, NatsConnection, Status, Subscription } from 'nats';
import { connect, Events, headers as emptyHeaders, NatsError } from 'nats';
import { BUS_ATTEMPT_MS } from '../contract/limits/bus.ts';
import { MEMBER_TTL_MS } from '../contract/limits/membership.ts';
import { Outage } from '../contract/outage.ts';
import { TooLarge } from '../contract/too-large.ts';
import type { Headers, Stoppable } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import { checkName } from './address.ts';
import type { Credentials } from './credentials.ts';
import { serverOptions, withoutSecrets } from './credentials.ts';
import { Outgoing } from './outgoing.ts';
import { Pulse } from './pulse.ts';
import { Questions } from './questions.ts';
import { isRefusal, unreached } from './unreached.ts';

export interface ConnectionSettings {
  readonly url: string;
  readonly name: string;
  readonly credentials?: Credentials;
  /** File of the authorities that sign the certificates of the servers; default: those of the system. */
  readonly ca?: string;
  readonly log: Log;
  /** Where answers come to; default: below the name, where only the service may listen (N3). */
  readonly inboxPrefix?: string;
  /** How long behind each connecting others may still be on their way back; default `MEMBER_TTL_MS`. */
  readonly settleMs?: number;
}

interface Registered {
  readonly subject: string;
  readonly queue?: string;
  readonly handle: (message: Msg) => void;
  current?: Subscription;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (outage: Outage) => void;
  readonly timer: NodeJS.Timeout;
}

/** Short, so that everybody is back well within a second; the jitter spreads the processes of one cell. */
const RECONNECT_MS = 100;
const RECONNECT_JITTER_MS = 50;
/** Credentials are renewed by people: a server that refuses them writes each attempt into its log. */
const REFUSED_RECONNECT_MS = 2_000;
const DIAL_MS = 2_000;
/** A silent server is noticed after two of these. */
const PING_MS = 5_000;
const CLOSE_MS = 1_000;
/** `NATS/1.0`, and the empty line behind the headers. */
const HEADER_FRAME_BYTES = 12;

export class Connection {
  readonly inboxPrefix: string;
  readonly log: Log;
  /** Whether the server answers. */
  readonly pulse: Pulse;
  readonly #settings: ConnectionSettings;
  readonly #listeners = new Set<(connected: boolean) => void>();
  readonly #registered = new Set<Registered>();
  readonly #questions: Questions;
  readonly #outgoing = new Outgoing();
  readonly #waiters = new Set<Waiter>();
  #client: NatsConnection | undefined;
  #connected = false;
  #closed = false;
  #changedAt = performance.now();
  #epoch = 0;
  #failure: string | undefined;
  #isRefused = false;
  #largest = 0;
  /** The server that is being left, and how often the client may yet take it again. */
  #left: { readonly server: string; tries: number } | undefined;

  /** Starts to connect at once; throws on an address or a name that can never work. */
  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    this.log = settings.log;
    const { name, inboxPrefix = `_MCS.${checkName(name)}` } = settings;
    this.inboxPrefix = inboxPrefix;
    this.#questions = new Questions(this.inboxPrefix);
    this.pulse = new Pulse(() => (this.#connected ? this.#client?.flush() : undefined));
    this.pulse.onSilence(() => this.leave('does not answer'));
    serverOptions(settings.url, settings.credentials, settings.ca);
    void this.#live();
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** Host and port of the server; undefined without a connection. */
  get server(): string | undefined {
    return this.#connected ? this.#client?.getServer() : undefined;
  }

  /** Why there is no connection, when that is known (N4). */
  get unreached(): string | undefined {
    return this.#failure;
  }

  /** ms until whoever is not there by then is not there (`settling.ts`); 0 from then on. */
  get unsettledMs(): number {
    const { settleMs = MEMBER_TTL_MS } = this.#settings;
    return Math.max(0, this.#changedAt + settleMs - performance.now());
  }

  /** The largest message sent so far, and the largest that the server takes; undefined before it is connected. */
  get largest(): { readonly bytes: number; readonly maxBytes: number } | undefined {
    const most = this.#client?.info?.max_payload;
    return most === undefined ? undefined : { bytes: this.#largest, maxBytes: most };
  }

  /** Rises with each return of the connection: what was known of the server before may be wrong. */
  get epoch(): number {
    return this.#epoch;
  }

  onChange(listener: (connected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves when connected. Rejects with `bus.unavailable` at `deadline` (of `performance.now`), or at once when the
   * bus is known to be away for longer than an attempt and the caller is not patient.
   */
  ready(deadline: number, patient: boolean): Promise<void> {
    if (this.#connected) return Promise.resolve();
    if (this.#closed) return Promise.reject(new Outage('bus.unavailable', 'the bus is closed'));
    const now = performance.now();
    const until = patient ? deadline : Math.min(deadline, this.#changedAt + BUS_ATTEMPT_MS);
    if (until <= now) return Promise.reject(this.#away());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(this.#away());
      }, until - now);
      const waiter = { resolve, reject, timer };
      this.#waiters.add(waiter);
    });
  }

  /** Sends, or drops while there is no connection; throws `TooLarge` beyond the server's largest message. */
  send(subject: string, data: Uint8Array, options: { headers?: Headers; reply?: string } = {}): void {
    const client = this.#client;
    if (!this.#connected || client === undefined) return;
    this.#measure(client, data, options.headers);
    this.#outgoing.add({
      subject,
      data,
      options: {
        ...(options.headers === undefined ? {} : { headers: encodeHeaders(options.headers) }),
        ...(options.reply === undefined ? {} : { reply: options.reply }),
      },
      refused: (error) => this.log.error({ err: error, subject }, 'the client of the bus takes no message'),
    });
  }

  /** One question and its answer; rejects with an outage in time and when the connection is lost, with `TooLarge`. */
  request(subject: string, data: Uint8Array, timeoutMs: number, headers?: Headers): Promise<Msg> {
    const client = this.#client;
    if (!this.#connected || client === undefined) return Promise.reject(this.#away());
    try {
      this.#measure(client, data, headers);
      const encoded = headers === undefined ? undefined : encodeHeaders(headers);
      return this.#questions.ask(this.#outgoing, subject, data, timeoutMs, encoded);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Hands each message to `handle`, over every reconnect, until stopped; what `handle` throws is logged. One that
   * `drains` is handed what the server had sent it when it was stopped, and has stopped behind that.
   */
  subscribe(subject: string, handle: (message: Msg) => void, queue?: string, drains = false): Stoppable {
    const registered: Registered = { subject, handle, ...(queue === undefined ? {} : { queue }) };
    this.#registered.add(registered);
    if (this.#client !== undefined) this.#attach(this.#client, registered);
    return {
      stop: async () => {
        this.#registered.delete(registered);
        const { current } = registered;
        if (!drains || current === undefined || !this.#connected) return current?.unsubscribe();
        await Promise.race([current.drain().catch(() => undefined), pause(CLOSE_MS)]);
      },
    };
  }

  /** Takes another server where there is one (N5); `why`: what is said of this one. */
  leave(why: string): void {
    const { log, url } = this.#settings;
    const client = this.#client;
    const servers = Math.max(url.split(',').length, client?.info?.connect_urls?.length ?? 0);
    if (client === undefined || !this.#connected || servers < 2) return;
    log.warn({ server: this.server }, `a server of the bus ${why}: connecting to another one`);
    this.#left = { server: client.getServer(), tries: servers };
    void client.reconnect();
  }

  /** The client may take the one again that it was to leave: its list begins with the one that it was first connected to. */
  #hasLeft(client: NatsConnection): boolean {
    const left = this.#left;
    if (left === undefined || client.getServer() !== left.server || left.tries === 0) {
      this.#left = undefined;
      return true;
    }
    left.tries -= 1;
    return false;
  }

  /** Sends what is still in the buffers and closes for good. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.pulse.stop();
    const client = this.#client;
    this.#outgoing.flush();
    if (client !== undefined && this.#connected)
      await Promise.race([client.flush().catch(() => {}), pause(CLOSE_MS)]);
    this.#turn(false);
    for (const waiter of this.#waiters) settle(waiter, () => waiter.reject(this.#away()));
    this.#waiters.clear();
    await client?.close();
  }

  async #live(): Promise<void> {
    while (!this.#closed) {
      const client = await this.#dial();
      if (client === undefined) await pause(this.#pauseMs());
      else if (this.#closed) await client.close();
      else await this.#attend(client);
    }
  }

  async #dial(): Promise<NatsConnection | undefined> {
    const { url, credentials, ca, name } = this.#settings;
    try {
      return await connect({
        ...serverOptions(url, credentials, ca),
        name,
        inboxPrefix: this.inboxPrefix,
        timeout: DIAL_MS,
        maxReconnectAttempts: -1,
        reconnectDelayHandler: () => this.#pauseMs(),
        pingInterval: PING_MS,
        maxPingOut: 2,
        ignoreAuthErrorAbort: true,
        noAsyncTraces: true,
      });
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  /** Logged once per reason: attempts go on many times a second while the bus is away (N4); of one given up, not at all. */
  #failed(error: unknown): void {
    if (this.#closed) return;
    const { log, url, credentials } = this.#settings;
    const { reason, refused } = unreached(error, credentials !== undefined || url.includes('@'));
    if (reason !== this.#failure) log.warn({ reason, servers: withoutSecrets(url) }, 'cannot reach the bus');
    this.#failure = reason;
    this.#isRefused = refused;
  }

  #pauseMs(): number {
    return this.#isRefused ? REFUSED_RECONNECT_MS : RECONNECT_MS + Math.random() * RECONNECT_JITTER_MS;
  }

  #away(): Outage {
    const why = this.#failure === undefined ? '' : `: ${this.#failure}`;
    return new Outage('bus.unavailable', `no connection to the bus${why}`);
  }

  async #attend(client: NatsConnection): Promise<void> {
    const { log } = this.#settings;
    this.#client = client;
    this.#outgoing.attach(client);
    this.#questions.attach(client);
    for (const registered of this.#registered) this.#attach(client, registered);
    this.#turn(true);
    for await (const status of client.status()) {
      if (status.type === Events.Disconnect) this.#turn(false);
      else if (status.type === Events.Reconnect && !this.#hasLeft(client)) void client.reconnect();
      else if (status.type === Events.Reconnect) this.#turn(true);
      else if (status.type === Events.Error) this.#refused(status);
      else log.debug({ status: status.type }, 'bus status');
    }
    this.#client = undefined;
    this.#turn(false);
  }

  #measure({ info }: NatsConnection, data: Uint8Array, headers: Headers | undefined): void {
    const bytes = data.length + headerBytes(headers);
    const most = info?.max_payload;
    if (most !== undefined && bytes > most) throw new TooLarge('a message', bytes, most);
    if (bytes > this.#largest) this.#largest = bytes;
  }

  #attach(client: NatsConnection, registered: Registered): void {
    const { log } = this.#settings;
    const { subject, queue, handle } = registered;
    registered.current = client.subscribe(subject, {
      ...(queue === undefined ? {} : { queue }),
      callback: (error, message) => {
        // Whatever is thrown here would end the client's reader.
        try {
          if (error) log.error({ err: error, subject }, 'bus subscription refused');
          else handle(message);
        } catch (thrown) {
          log.error({ err: thrown, subject }, 'handler of a bus message threw');
        }
      },
    });
  }

  #turn(connected: boolean): void {
    if (connected === this.#connected) return;
    this.#connected = connected;
    this.#changedAt = performance.now();
    if (connected) {
      this.#epoch += 1;
      this.pulse.heard();
      this.#failure = undefined;
      this.#isRefused = false;
    }
    this.#settings.log.info({ connected }, connected ? 'bus connected' : 'bus connection lost');
    if (connected) this.#release();
    else this.#lose();
    for (const listener of this.#listeners) this.#tell(listener, connected);
  }

  #lose(): void {
    this.#outgoing.clear();
    this.#questions.abandon('the connection was lost before the bus answered');
  }

  #tell(listener: (connected: boolean) => void, connected: boolean): void {
    try {
      listener(connected);
    } catch (error) {
      this.#settings.log.error({ err: error }, 'listener of the bus connection threw');
    }
  }

  #release(): void {
    for (const waiter of this.#waiters) settle(waiter, waiter.resolve);
    this.#waiters.clear();
  }

  /** A question that the server does not let through is never answered. */
  #refused(status: Status): void {
    if (isRefusal(status.data)) return this.#failed(new NatsError(String(status.data), String(status.data)));
    this.#settings.log.warn({ error: status.data, context: status }, 'bus error');
    const { operation, subject } = status.permissionContext ?? {};
    if (operation === 'publish') this.#questions.abandon('refused by the bus', subject);
  }
}

function settle(waiter: Waiter, how: () => void): void {
  clearTimeout(waiter.timer);
  how();
}

/** Of what the server counts against its limit. */
function headerBytes(headers: Headers | undefined): number {
  if (headers === undefined) return 0;
  let bytes = HEADER_FRAME_BYTES;
  for (const name in headers) bytes += Buffer.byteLength(name) + Buffer.byteLength(headers[name] ?? '') + 4;
  return bytes;
}

function encodeHeaders(headers: Headers): MsgHdrs {
  const encoded = emptyHeaders();
  for (const name in headers) encoded.set(name, headers[name] ?? '');
  return encoded;
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
