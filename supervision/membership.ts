/**
 * Which processes of the cell are alive and what roles they have: each writes a heartbeat, each judges the others by its
 * own clock (bucket `mcs_members`, keys `member.<instance>`).
 *
 * E1. A member is alive for an observer while the observer has seen its heartbeat move within the time to live; no two
 *     clocks are compared.
 * E2. A member that could not write its own heartbeat for 70 % of the time to live, counted from before the writing,
 *     considers itself dead before anybody else does, and stops owning anything.
 * E3. A process of the same machine that is gone is dead at once.
 * E4. Before something is taken from a silent member the bus is asked: its heartbeat may have been written and not heard
 *     here, by a watch that is late or a process that slept itself.
 */

import { buckets } from '../contract/subject.ts';
import type { Bus, Entry, Watch } from '../ports/bus.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type Machine, realMachine } from './machine.ts';

export interface Member {
  readonly instance: string;
  readonly roles: readonly string[];
  readonly host: string;
  readonly pid: number;
  /** It is leaving in order: what it owned is free. */
  readonly left?: true;
}

interface Seen {
  readonly member: Member;
  readonly revision: number;
  /** Own time at which the heartbeat was last seen to move. */
  readonly movedAt: number;
}

interface MembershipOptions {
  readonly bus: Bus;
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

/** Share of the time to live after which a process without a heartbeat gives up by itself (E2). */
const HOLD = 0.7;

export class Membership {
  readonly #options: MembershipOptions;
  readonly #machine: Machine;
  readonly #seen = new Map<string, Seen>();
  #watch: Watch | undefined;
  #timer: TimerHandle | undefined;
  #watchdog: TimerHandle | undefined;
  /** Own time before the last heartbeat that was written. */
  #beatenAt = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#machine = options.machine ?? realMachine;
  }

  async start(): Promise<void> {
    const bucket = this.#options.bus.bucket(buckets.members);
    await this.#beat();
    this.#watch = await bucket.watch('member.*', (key, entry) => this.#saw(key, entry));
    await this.#watch.ready;
    this.#beatLater();
  }

  /** Instances with the role that are alive as far as this process knows; itself only while its own heartbeat holds. */
  alive(role: string): string[] {
    const members = [...this.#seen.values()].filter(({ member }) => member.roles.includes(role));
    return members.map(({ member }) => member.instance).filter((instance) => this.isAlive(instance));
  }

  isAlive(instance: string): boolean {
    const { clock, ttlMs, instance: own } = this.#options;
    if (instance === own) return this.holds;
    const seen = this.#seen.get(instance);
    if (seen === undefined || seen.member.left === true || this.#isGoneHere(seen.member)) return false;
    return clock.now() - seen.movedAt < ttlMs;
  }

  /** Whether the process of that name is known to have ended, on this machine (E3). */
  isGone(instance: string): boolean {
    const seen = this.#seen.get(instance);
    return seen !== undefined && instance !== this.#options.instance && this.#isGoneHere(seen.member);
  }

  /**
   * Whether the bus has no later heartbeat of the member than the one heard here (E4); a later one counts as heard now.
   * Rejects with `Outage`.
   */
  async isSilent(instance: string): Promise<boolean> {
    const key = `member.${instance}`;
    const entry = await this.#options.bus.bucket(buckets.members).get(key);
    if (entry !== undefined) this.#saw(key, entry);
    return !this.isAlive(instance);
  }

  /** Whether the others still have to consider this process alive (E2). */
  get holds(): boolean {
    const { clock, ttlMs } = this.#options;
    return !this.#stopped && clock.now() - this.#beatenAt < HOLD * ttlMs;
  }

  /** Says goodbye, so that others need not wait. */
  async leave(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const timer of [this.#timer, this.#watchdog]) {
      if (timer !== undefined) this.#options.clock.clearTimeout(timer);
    }
    await this.#write({ ...this.#self(), left: true }).catch(() => undefined);
    await this.#watch?.stop();
  }

  #self(): Member {
    const { instance, roles } = this.#options;
    const { host, pid } = this.#machine;
    return { instance, roles, host, pid };
  }

  async #write(member: Member): Promise<void> {
    const bucket = this.#options.bus.bucket(buckets.members);
    await bucket.overwrite(`member.${member.instance}`, Buffer.from(JSON.stringify(member)));
  }

  async #beat(): Promise<void> {
    const before = this.#options.clock.now();
    await this.#write(this.#self());
    this.#beatenAt = before;
    this.#expectNext(before);
    this.#seen.set(this.#options.instance, { member: this.#self(), revision: 0, movedAt: before });
  }

  /** Without another heartbeat in time this process is dead to itself, whatever its writes are waiting for (E2). */
  #expectNext(before: number): void {
    const { clock, ttlMs, changed } = this.#options;
    if (this.#watchdog !== undefined) clock.clearTimeout(this.#watchdog);
    this.#watchdog = clock.setTimeout(changed, Math.max(0, before + HOLD * ttlMs - clock.now()));
  }

  #beatLater(): void {
    const { clock, log, ttlMs, changed } = this.#options;
    this.#timer = clock.setTimeout(() => {
      this.#beat()
        .catch((error: unknown) => log.warn({ err: error }, 'heartbeat not written'))
        .finally(() => {
          if (this.#stopped) return;
          changed();
          this.#beatLater();
        });
    }, ttlMs / 3);
  }

  #saw(key: string, entry: Entry | undefined): void {
    const instance = key.slice('member.'.length);
    if (instance === this.#options.instance) return;
    if (entry === undefined) this.#seen.delete(instance);
    else {
      const before = this.#seen.get(instance);
      if (before !== undefined && before.revision >= entry.revision) return;
      const member = JSON.parse(Buffer.from(entry.value).toString()) as Member;
      this.#seen.set(instance, { member, revision: entry.revision, movedAt: this.#options.clock.now() });
      // Only a new or leaving member changes anything; a mere heartbeat does not.
      if (before !== undefined && member.left !== true) return;
    }
    if (!this.#stopped) this.#options.changed();
  }

  #isGoneHere({ host, pid }: Member): boolean {
    return host === this.#machine.host && !this.#machine.isRunning(pid);
  }
}
