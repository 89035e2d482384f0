/**
 * Which processes of the cell are alive and what roles they have: each writes a heartbeat, each judges the others by
 * its own clock (bucket `mcs_members`, keys `member.<instance>`).
 *
 * E1. A member is alive for an observer while the observer has seen its heartbeat move within the time to live, on its
 *     own monotonic clock: no two clocks are compared, and a time of day that is set changes nothing.
 * E2. A member that could not write its own heartbeat for 70 % of the time to live, counted from before the writing,
 *     considers itself dead before anybody else does, and stops owning anything.
 * E3. A process that is gone is dead at once, for those who can know it: they share its boot and its PID namespace.
 * E4. Before something is taken from a silent member the bus is asked: its heartbeat may have been written and not seen
 *     here, by a watch that is late or a process that slept itself.
 * E5. Whoever was silent before this process came counts for nothing until it moves, but keeps what it owned for the
 *     time to live. Keys of the dead are removed by the first of the living, a few at each heartbeat.
 * E6. A member that moves on after it was taken for gone is judged by its age from then on: a copy of a machine shares
 *     its boot and its namespaces, and not its processes.
 * E7. The heartbeat waits for nothing: it has a connection of its own, and is due by the time of the last one, not
 *     behind whatever its answer starts. It is not written while the connection for the work is lost.
 * E8. A process whose heartbeat is late has too much to do already: it takes nothing more until it is in time again.
 * E9. A heartbeat says until when something is lost of what the bus held, and whoever reads it knows it as well
 *     (`shared-losses.ts`). What is found is said at once.
 * E10. Where others are late when a process comes, and are not known to have ended, the store may have gone back and
 *     they know of it: they have the time to live to say so before this process takes anything.
 * E11. Where the time to live is long, heartbeats follow each other as closely as where it is short: what is left of it
 *      when the bus begins to elect a leader has to last longer than the election.
 * E12. A name belongs to one living process: two of one name take everything from each other without end. Who begins
 *      and finds a heartbeat of another process under its name, which may live, looks whether it moves, and does not
 *      begin where it does.
 */

import { isDeepStrictEqual } from 'node:util';
import { buckets } from '../../contract/bus/buckets.ts';
import {
  MEMBER_SILENT_MS,
  MEMBERS_FORGOTTEN_AT_ONCE,
  NAMESAKE_LOOK_MS,
  NAMESAKE_MS,
} from '../../contract/limits/membership.ts';
import { HEARTBEAT_MS_MOST } from '../../contract/limits/request.ts';
import { Outage } from '../../contract/outage.ts';
import { pause } from '../../messaging/pause.ts';
import type { Bus, Entry, Watch } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { KnownMembers, type Member, memberIn } from './known-members.ts';
import { type Machine, realMachine } from './machine.ts';
import { SharedLosses } from './shared-losses.ts';

interface MembershipOptions {
  readonly bus: Bus;
  /** Carries heartbeats and nothing else; default: `bus`. */
  readonly pulse?: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly instance: string;
  readonly roles: readonly string[];
  readonly ttlMs: number;
  /** Default: the one this runs on. */
  readonly machine?: Machine;
  /** Called when who is alive may have changed, and at each heartbeat. */
  readonly changed: () => void;
}

/** Nobody calls who begins. */
const NEVER = new AbortController().signal;
/** Share of the time to live after which a process without a heartbeat gives up by itself (E2). */
const HOLD = 0.7;
/** Share after which a heartbeat is late: one was due at a third at the latest. */
const IN_TIME = 0.5;
/** The least heartbeats in a time to live, and attempts where one fails. */
const BEATS = 3;
const ATTEMPTS = 12;

/** E11 */
function everyMs(ttlMs: number): number {
  return Math.min(ttlMs / BEATS, HEARTBEAT_MS_MOST);
}

interface Asked {
  /** Own monotonic time before the question. */
  readonly at: number;
  readonly answer: Promise<void>;
  answeredAt: number | undefined;
}

export class Membership {
  readonly #options: MembershipOptions;
  readonly #machine: Machine;
  readonly #known: KnownMembers;
  readonly #losses: SharedLosses;
  /** Questions to the bus about silent members, each good for a moment (E4). */
  readonly #asked = new Map<string, Asked>();
  #watch: Watch | undefined;
  #timer: TimerHandle | undefined;
  #watchdog: TimerHandle | undefined;
  /** Own monotonic time before the last heartbeat that was written. */
  #beatenAt = Number.NEGATIVE_INFINITY;
  /** The same heartbeat by the clock of the bus. */
  #storedAt: number | undefined;
  #beating: Promise<unknown> = Promise.resolve();
  #isBeating = false;
  /** Own monotonic time before the last heartbeat that was begun. */
  #begunAt = Number.NEGATIVE_INFINITY;
  /** Own monotonic time from which on this process takes anything (E10). */
  #takesFrom = Number.NEGATIVE_INFINITY;
  #forgetting = false;
  #stopped = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
    const { bus, clock, ttlMs, machine = realMachine } = options;
    this.#machine = machine;
    this.#losses = new SharedLosses({ bus, clock, ttlMs });
    this.#known = new KnownMembers({ clock, machine, ttlMs, lost: (until) => this.#losses.adopt(until) });
  }

  async start(): Promise<void> {
    const bucket = this.#options.bus.bucket(buckets.members);
    await this.#demandName();
    await this.#beat();
    this.#watch ??= await bucket.watch('member.*', (key, entry) => this.#saw(key, entry));
    await this.#watch.ready;
    if (this.#storedAt !== undefined) this.#arrive(this.#storedAt);
    this.#beatAt(this.#beatenAt + everyMs(this.#options.ttlMs));
  }

  /** E12 */
  async #demandName(): Promise<void> {
    const { bus, clock, instance } = this.#options;
    const bucket = bus.bucket(buckets.members);
    const key = `member.${instance}`;
    const first = await bucket.get(key);
    if (first === undefined || this.#namesakeIn(first) === undefined) return;
    const end = clock.monotonic() + NAMESAKE_MS;
    while (clock.monotonic() < end && !this.#stopped) {
      await pause(clock, NAMESAKE_LOOK_MS, NEVER);
      const now = await bucket.get(key);
      const other = now && now.revision > first.revision ? this.#namesakeIn(now) : undefined;
      if (other !== undefined)
        throw new Error(
          `another running process is named ${instance} (process ${other.pid} on ${other.host}): give each process its own MCS_INSTANCE`,
        );
    }
  }

  /** What a heartbeat says of a process that is another one than this, and may live. */
  #namesakeIn(entry: Entry): Member | undefined {
    const member = memberIn(entry, this.#options.instance);
    const { process } = member;
    if (process === undefined || member.left === true) return undefined;
    if (isDeepStrictEqual(process, this.#machine.self)) return undefined;
    return this.#machine.isRunning(process) === false ? undefined : member;
  }

  #arrive(storedAt: number): void {
    const { ttlMs } = this.#options;
    if (this.#known.hasLate(storedAt, IN_TIME * ttlMs)) this.#takesFrom = this.#beatenAt + ttlMs;
    this.#known.sortOut(storedAt);
  }

  /** Instances with the role that are alive as far as this process knows; itself only while its own heartbeat holds. */
  alive(role: string): string[] {
    const { instance, roles } = this.#options;
    const others = this.#known.living().filter((member) => member.roles.includes(role));
    const own = roles.includes(role) && this.holds ? [instance] : [];
    return [...own, ...others.map((member) => member.instance)];
  }

  isAlive(instance: string): boolean {
    return instance === this.#options.instance ? this.holds : this.#known.isAlive(instance);
  }

  /** Whether the process of that name is known to have ended (E3). */
  isGone(instance: string): boolean {
    return instance !== this.#options.instance && this.#known.isGone(instance);
  }

  /**
   * Whether the bus has no later heartbeat of the member than the one seen here (E4); a later one counts as seen now.
   * Rejects with `Outage`.
   */
  async isSilent(instance: string): Promise<boolean> {
    const { clock, ttlMs } = this.#options;
    const asked = this.#question(instance);
    await asked.answer;
    // Whoever slept since asks again.
    return clock.monotonic() - asked.at < ttlMs && !this.isAlive(instance);
  }

  /** Whether the others still have to consider this process alive (E2). */
  get holds(): boolean {
    const { clock, ttlMs } = this.#options;
    return !this.#stopped && clock.monotonic() - this.#beatenAt < HOLD * ttlMs;
  }

  /** Whether this process may take more upon itself: its heartbeat is in time, and it knows the others (E8, E10). */
  get mayTake(): boolean {
    const { clock, ttlMs } = this.#options;
    const now = clock.monotonic();
    return this.holds && now - this.#beatenAt < IN_TIME * ttlMs && now >= this.#takesFrom;
  }

  /** Says goodbye, so that others need not wait. */
  async leave(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const timer of [this.#timer, this.#watchdog]) {
      if (timer !== undefined) this.#options.clock.clearTimeout(timer);
    }
    // A heartbeat that is still on its way would be its last word.
    await this.#beating;
    await this.#write({ ...this.#self(), left: true }).catch(() => undefined);
    await this.#watch?.stop();
    this.#losses.stop();
  }

  // Heartbeats of this process
  // ------------------------------------------------------------------------------------------

  #self(): Member {
    const { instance, roles } = this.#options;
    const { host, self } = this.#machine;
    return { instance, roles, host, pid: self.pid, process: self, ...this.#losses.known };
  }

  async #write(member: Member): Promise<void> {
    const { bus, pulse = bus } = this.#options;
    const value = Buffer.from(JSON.stringify(member));
    await pulse.bucket(buckets.members).overwrite(`member.${member.instance}`, value);
  }

  async #beat(): Promise<void> {
    const { bus, pulse, clock } = this.#options;
    const before = clock.monotonic();
    if (pulse !== undefined && !bus.connected)
      throw new Outage('bus.unavailable', 'the connection for the work is lost');
    this.#begunAt = before;
    const self = this.#self();
    await this.#write(self);
    this.#losses.said(self);
    this.#beatenAt = before;
    this.#expectNext(before);
  }

  /** Without another heartbeat in time this process is dead to itself, whatever its writes are waiting for (E2). */
  #expectNext(before: number): void {
    const { clock, ttlMs, changed } = this.#options;
    if (this.#watchdog !== undefined) clock.clearTimeout(this.#watchdog);
    if (this.#stopped) return;
    this.#watchdog = clock.setTimeout(changed, Math.max(0, before + HOLD * ttlMs - clock.monotonic()));
  }

  #beatAt(due: number): void {
    const { clock } = this.#options;
    if (this.#stopped) return;
    this.#timer = clock.setTimeout(
      () => {
        this.#beating = this.#beatOnce();
      },
      Math.max(0, due - clock.monotonic()),
    );
  }

  /** E9: behind the heartbeat that is on its way, if there is one. */
  #beatSoon(): void {
    if (this.#timer === undefined || this.#isBeating || !this.#losses.hasNews) return;
    this.#options.clock.clearTimeout(this.#timer);
    this.#beatAt(this.#options.clock.monotonic());
  }

  async #beatOnce(): Promise<void> {
    const { clock, log, ttlMs, changed } = this.#options;
    const begun = clock.monotonic();
    let every = everyMs(ttlMs);
    this.#isBeating = true;
    try {
      await this.#beat();
      if (this.#losses.hasNews) every = 0;
    } catch (error) {
      log.warn({ err: error }, 'heartbeat not written');
      every = ttlMs / ATTEMPTS;
    }
    this.#isBeating = false;
    if (this.#stopped) return;
    this.#beatAt(begun + every);
    this.#known.age();
    this.#asked.clear();
    changed();
    void this.#forgetSome();
  }

  // The others --------------------------------------------------------------------------------------------------------

  #saw(key: string, entry: Entry | undefined): void {
    const instance = key.slice('member.'.length);
    if (entry?.rewound === true) this.#losses.wentBack();
    if (instance === this.#options.instance) this.#sawOwn(entry);
    else if (this.#known.saw(instance, entry) && !this.#stopped) this.#options.changed();
    this.#beatSoon();
  }

  #sawOwn(entry: Entry | undefined): void {
    if (entry === undefined) return;
    this.#storedAt = entry.at;
    if (entry.rewound !== true) this.#losses.stored(entry.at, this.#begunAt);
  }

  /** One question for all that is taken from the same member at about the same time. */
  #question(instance: string): Asked {
    const at = this.#options.clock.monotonic();
    const known = this.#asked.get(instance);
    if (known !== undefined && at - (known.answeredAt ?? at) < MEMBER_SILENT_MS) return known;
    const answer = this.#ask(instance);
    const asked: Asked = { at, answer, answeredAt: undefined };
    this.#asked.set(instance, asked);
    const answered = (): void => {
      asked.answeredAt = this.#options.clock.monotonic();
    };
    answer.then(answered, answered);
    return asked;
  }

  /**
   * Nothing can be later than what the bus answers but what was seen since it was asked: the store may have gone back.
   */
  async #ask(instance: string): Promise<void> {
    const key = `member.${instance}`;
    const before = this.#known.revisionOf(instance);
    const entry = await this.#options.bus.bucket(buckets.members).get(key, before);
    if (entry === undefined) return;
    const wentBack = entry.revision < before && this.#known.revisionOf(instance) === before;
    this.#saw(key, wentBack ? { ...entry, rewound: true } : entry);
  }

  /** E5: the first by name does it, so that the living do not all do it at once. */
  async #forgetSome(): Promise<void> {
    const { bus, instance, log } = this.#options;
    if (this.#forgetting || this.#known.living().some((other) => other.instance < instance)) return;
    const dead = this.#known.forgettable(MEMBERS_FORGOTTEN_AT_ONCE);
    if (dead.length === 0) return;
    this.#forgetting = true;
    const bucket = bus.bucket(buckets.members);
    const removed = await Promise.allSettled(
      dead.map(async (each) => {
        // One that has come back is not removed: its revision is another.
        const { outcome } = await bucket.remove(`member.${each.instance}`, each.revision);
        if (outcome === 'written') this.#known.saw(each.instance, undefined);
      }),
    );
    this.#forgetting = false;
    const failed = removed.find(({ status }) => status === 'rejected');
    log.debug({ members: dead.length, err: failed }, 'removing dead members');
  }
}
