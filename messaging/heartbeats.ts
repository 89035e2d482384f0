/**
 * Who of those that register lives, as this process sees it: units of the fleet, connectors. Mission Control Service,
 * sections 2.9 and 2.11. Any number of processes do this, and none leads.
 *
 * B1. One lives while something came from it within `UNIT_PERIODS` of its periods, by time this process attended to
 *     (attended-time.A1, A2). Of one that nothing came from since this process began, what is recorded counts for three
 *     periods.
 * B2. A heartbeat of one that is not known is answered with `register`: a bucket that was emptied fills up again by
 *     itself. No more than `UNIT_ASKED_PER_S` are asked in a second: a registration is a write, and of a unit a
 *     signature.
 * B3. What changes for one in the eyes of this process is recorded once, by whoever is first, and when something last
 *     came from it every `UNIT_RECORD_MS`: what is sent costs no write. Processes that disagree do not write in turns.
 */

import { MEMBER_TTL_MS } from '../contract/limits/membership.ts';
import { UNIT_ASKED_PER_S, UNIT_LOOK_MS, UNIT_PERIODS, UNIT_RECORD_MS } from '../contract/limits/unit.ts';
import { Outage } from '../contract/outage.ts';
import type { UnitHealth } from '../contract/unit-wire.ts';
import type { CoreMessage, LimitedAsker, Stoppable } from '../ports/bus.ts';
import type { TimerHandle } from '../ports/clock.ts';
import { AttendedTime } from './attended-time.ts';
import { type BookKind, type BookTools, RegisteredBook } from './registered-book.ts';

/** What is recorded of a registration, beside what its kind adds. */
export interface Registered {
  readonly document: { readonly heartbeat_period_ms: number };
  readonly at: string;
  readonly alive: boolean;
  readonly health: UnitHealth;
  readonly last_heard: string;
}

type RegisteredIn<Stored extends { readonly registered?: Registered }> = NonNullable<Stored['registered']>;

/** What differs between units and connectors. */
export interface HeartbeatKind<
  Stored extends { readonly registered?: Registered },
  Beat extends { readonly health: UnitHealth },
> extends BookKind<Stored> {
  /** The subject of all heartbeats; its last token is the key. */
  readonly heartbeats: string;
  /** Front ends that answer share the work. */
  readonly queue: string;
  /** What one of them is called in the log, and whose inbox its answers go to (ports/bus.P6). */
  readonly noun: LimitedAsker;
  /** Undefined for a malformed one. */
  readonly readBeat: (bytes: Uint8Array) => Beat | undefined;
  /** Whether the heartbeat comes from what is registered, and not from another under its name. */
  readonly isOwn?: (registered: RegisteredIn<Stored>, beat: Beat) => boolean;
  /** Whether it says that it ends. */
  readonly ends?: (beat: Beat) => boolean;
  /** One that registered so long ago is asked to register again; default: never. */
  readonly renewalMs?: number;
  /** What is recorded of the last heartbeat beside health. */
  readonly recorded?: (beat: Beat) => Partial<RegisteredIn<Stored>>;
}

/** One that is registered, as it is now. */
export interface LivingRecord<Stored extends { readonly registered?: Registered }, Beat> {
  readonly key: string;
  readonly registered: RegisteredIn<Stored>;
  readonly alive: boolean;
  readonly health: UnitHealth;
  /** ms since 1970 */
  readonly lastHeard: number;
  /** Its last heartbeat that this process received. */
  readonly beat: Beat | undefined;
}

interface Sign<Beat> {
  /** Attended time. */
  attended: number;
  /** Monotonic time; undefined while nothing came since this process began (B1). */
  at: number | undefined;
  health: UnitHealth;
  beat: Beat | undefined;
  /** It has said that it ends. */
  ended: boolean;
  /** As this process judged it at its last look. */
  alive: boolean;
  /** Something changed in its eyes that is to be recorded (B3). */
  isNews: boolean;
  /** The registration it was first seen with. */
  registeredAt: string;
}

export class Heartbeats<
  Stored extends { readonly registered?: Registered },
  Beat extends { readonly health: UnitHealth },
> implements Stoppable
{
  readonly book: RegisteredBook<Stored>;
  readonly #tools: BookTools;
  readonly #kind: HeartbeatKind<Stored, Beat>;
  readonly #attended: AttendedTime;
  readonly #signs = new Map<string, Sign<Beat>>();
  #serving: Stoppable[] = [];
  #timer: TimerHandle | undefined;
  #recording: Promise<void> = Promise.resolve();
  #isRecording = false;
  #asked = { second: 0, count: 0 };
  #stopped = false;

  constructor(tools: BookTools, kind: HeartbeatKind<Stored, Beat>) {
    this.#tools = tools;
    this.#kind = kind;
    this.#attended = new AttendedTime({ clock: tools.clock, lookMs: UNIT_LOOK_MS, returnMs: MEMBER_TTL_MS });
    this.book = new RegisteredBook(tools, kind, (key, record) => this.#recordChanged(key, record));
  }

  /** From now on heartbeats are received and answered. */
  start(): void {
    const { bus } = this.#tools;
    const { heartbeats, queue, noun } = this.#kind;
    this.#serving = [
      bus.subscribe(heartbeats, (message) => this.#beat(message)),
      bus.serve(heartbeats, async (message) => this.#answer(message), { queue, asker: noun }),
    ];
    this.#later();
  }

  /** Whether it holds every one there is. */
  get live(): boolean {
    return this.book.live;
  }

  /** By key. */
  all(): LivingRecord<Stored, Beat>[] {
    const all = [...this.book.entries()].flatMap(([key]) => this.get(key) ?? []);
    return all.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** Undefined for one that never registered. */
  get(key: string): LivingRecord<Stored, Beat> | undefined {
    const registered = this.#registeredOf(key);
    const sign = this.#signs.get(key);
    if (registered === undefined || sign === undefined) return undefined;
    return {
      key,
      registered,
      alive: this.#lives(sign, registered),
      health: sign.health,
      lastHeard: this.#heardAt(sign) ?? Date.parse(registered.last_heard),
      beat: sign.beat,
    };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#tools.clock.clearTimeout(this.#timer);
    for (const each of this.#serving) await each.stop();
    await this.book.stop();
    await this.#recording;
  }

  #registeredOf(key: string): RegisteredIn<Stored> | undefined {
    return this.book.get(key)?.record.registered as RegisteredIn<Stored> | undefined;
  }

  // What comes from them ----------------------------------------------------------------------------------------------

  #beat(message: CoreMessage): void {
    const key = keyOf(message);
    const sign = this.#signs.get(key);
    const registered = this.#registeredOf(key);
    if (sign === undefined || registered === undefined) return;
    const { noun, readBeat, isOwn } = this.#kind;
    const beat = readBeat(message.data);
    if (beat === undefined) {
      this.#tools.log.debug({ [noun]: key }, `malformed heartbeat of a ${noun}: left out`);
      return;
    }
    if (isOwn?.(registered, beat) !== false) this.#noted(sign, beat);
  }

  #noted(sign: Sign<Beat>, beat: Beat): void {
    const { health } = beat;
    sign.attended = this.#attended.now();
    sign.at = this.#tools.clock.monotonic();
    if (sign.health.state !== health.state || sign.health.reason !== health.reason) sign.isNews = true;
    sign.health = health;
    sign.beat = beat;
    sign.ended = this.#kind.ends?.(beat) ?? false;
  }

  /** B2 */
  #answer({ data, ...message }: CoreMessage): Uint8Array {
    const register = this.book.live && this.#isDue(keyOf(message), data) && this.#mayAsk();
    return Buffer.from(JSON.stringify({ ok: true, value: { register } }));
  }

  #isDue(key: string, data: Uint8Array): boolean {
    const registered = this.#registeredOf(key);
    const { renewalMs, isOwn, readBeat, ends } = this.#kind;
    const beat = isOwn && readBeat(data);
    if (beat !== undefined && ends?.(beat) === true) return false;
    if (registered === undefined) return true;
    // Another one may take the place of one that is no more.
    if (beat !== undefined && isOwn?.(registered, beat) === false) return this.get(key)?.alive !== true;
    return renewalMs !== undefined && this.#tools.clock.now() - Date.parse(registered.at) > renewalMs;
  }

  #mayAsk(): boolean {
    const second = Math.floor(this.#tools.clock.monotonic() / 1_000);
    if (this.#asked.second !== second) this.#asked = { second, count: 0 };
    this.#asked.count += 1;
    return this.#asked.count <= UNIT_ASKED_PER_S;
  }

  // Who lives ---------------------------------------------------------------------------------------------------------

  /** A registration is a sign of life; what is there at the beginning is only what was recorded (B1). */
  #recordChanged(key: string, record: Stored | undefined): void {
    const registered = record?.registered;
    if (registered === undefined) return void this.#signs.delete(key);
    const sign = this.#signs.get(key);
    if (sign?.registeredAt === registered.at) {
      if (sign.at === undefined) sign.health = registered.health;
      return;
    }
    this.#signs.set(key, {
      attended: this.#attended.now(),
      at: this.book.live ? this.#tools.clock.monotonic() : undefined,
      health: sign?.health ?? registered.health,
      beat: undefined,
      ended: false,
      alive: registered.alive,
      isNews: false,
      registeredAt: registered.at,
    });
  }

  #lives(sign: Sign<Beat>, { document, alive }: Registered): boolean {
    const isRecent = this.#attended.now() - sign.attended <= UNIT_PERIODS * document.heartbeat_period_ms;
    return isRecent && !sign.ended && (sign.at !== undefined || alive);
  }

  #heardAt({ at }: Sign<Beat>): number | undefined {
    const { clock } = this.#tools;
    return at === undefined ? undefined : clock.now() - (clock.monotonic() - at);
  }

  #later(): void {
    this.#timer = this.#tools.clock.setTimeout(() => this.#look(), UNIT_LOOK_MS);
  }

  #look(): void {
    this.#attended.look(this.#tools.bus.connected);
    for (const [key, { record }] of this.book.entries()) {
      const sign = this.#signs.get(key);
      if (record.registered === undefined || sign === undefined) continue;
      const alive = this.#lives(sign, record.registered);
      if (alive !== sign.alive) this.#changed(key, sign, alive);
      sign.alive = alive;
    }
    this.#record();
    this.#later();
  }

  #changed(key: string, sign: Sign<Beat>, alive: boolean): void {
    sign.isNews = true;
    const { noun } = this.#kind;
    const { log } = this.#tools;
    if (alive) log.info({ [noun]: key }, `${noun} is back`);
    else if (sign.ended) log.info({ [noun]: key }, `${noun} has left`);
    else log.warn({ [noun]: key }, `${noun} fell silent`);
  }

  // What is recorded --------------------------------------------------------------------------------------------------

  #record(): void {
    if (this.#isRecording || !this.#tools.bus.connected || !this.book.live) return;
    const due = [...this.book.entries()].filter(([key, { record }]) => this.#isWorthWriting(key, record));
    if (due.length === 0) return;
    this.#isRecording = true;
    this.#recording = this.#write(due.map(([key]) => key))
      .catch((error: unknown) => this.#notRecorded(error))
      .finally(() => {
        this.#isRecording = false;
      });
  }

  #isWorthWriting(key: string, { registered }: Stored): boolean {
    const sign = this.#signs.get(key);
    if (registered === undefined || sign === undefined) return false;
    if (sign.isNews) {
      const { alive, health } = registered;
      sign.isNews =
        alive !== sign.alive || health.state !== sign.health.state || health.reason !== sign.health.reason;
      if (sign.isNews) return true;
    }
    const heardAt = this.#heardAt(sign);
    return heardAt !== undefined && heardAt - Date.parse(registered.last_heard) > UNIT_RECORD_MS;
  }

  /** B3: against others that record the same, whoever is first. */
  async #write(keys: readonly string[]): Promise<void> {
    const bucket = this.#tools.bus.bucket(this.#kind.bucket);
    for (const key of keys) {
      const known = this.book.get(key);
      const now = this.#nowOf(key);
      if (this.#stopped || known === undefined || now === undefined) continue;
      const record: Stored = { ...known.record, registered: now };
      const written = await bucket.put(key, Buffer.from(JSON.stringify(record)), known.revision);
      const sign = this.#signs.get(key);
      if (written.outcome === 'written') {
        if (sign !== undefined) sign.isNews = false;
        await this.book.seen(written.revision);
      } else if ((await bucket.get(key)) === undefined) this.book.gone(key);
    }
  }

  #nowOf(key: string): RegisteredIn<Stored> | undefined {
    const one = this.get(key);
    if (one === undefined) return undefined;
    const { registered, alive, health, lastHeard, beat } = one;
    return {
      ...registered,
      ...(beat !== undefined && this.#kind.recorded?.(beat)),
      alive,
      health,
      last_heard: new Date(lastHeard).toISOString(),
    };
  }

  #notRecorded(error: unknown): void {
    if (!(error instanceof Outage))
      this.#tools.log.error({ err: error }, `${this.#kind.noun}s could not be recorded`);
  }
}

function keyOf({ subject: about }: Pick<CoreMessage, 'subject'>): string {
  return about.slice(about.lastIndexOf('.') + 1);
}
