/**
 * What a process knows of the other members of its cell: their heartbeats as far as they were seen, and who of them is
 * dead. The rules are those of `membership.ts` (membership.E1, E3, E5, E6).
 */

import { isInstant } from '../../contract/instant.ts';
import { MEMBER_FORGOTTEN_TTLS } from '../../contract/limits/membership.ts';
import type { Entry } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Machine } from './machine.ts';

export interface Member {
  readonly instance: string;
  readonly roles: readonly string[];
  /** For people. */
  readonly host: string;
  readonly pid: number;
  /** Absent in a member of an earlier release: it is judged by its age alone. */
  readonly process?: Machine['self'];
  /** It is leaving in order: what it owned is free. */
  readonly left?: true;
  /** Until when something is lost of what the bus held, as far as it knows (membership.E9). */
  readonly lostUntil?: number;
}

interface Seen {
  readonly member: Member;
  readonly revision: number;
  /** When the bus stored the heartbeat, by the clock of the bus. */
  readonly at: number;
  /** Own monotonic time at which the heartbeat was last seen to move. */
  readonly movedAt: number;
  /** It was taken for gone and moved on: what it says of its machine is not to be believed (membership.E6). */
  readonly mistaken: boolean;
  gone: boolean;
  judgedAt: number;
}

interface KnownMembersOptions {
  readonly clock: Clock;
  readonly machine: Machine;
  readonly ttlMs: number;
  /** A member says until when something is lost. */
  readonly lost: (until: number) => void;
}

/**
 * How long a verdict that a process runs is good for: asking costs two system calls, and many partitions ask at once.
 */
const JUDGED_MS = 100;

export class KnownMembers {
  readonly #options: KnownMembersOptions;
  /** Those who may be alive, which are few. */
  readonly #present = new Map<string, Seen>();
  /** Those who left, or were silent for the time to live: never looked through as a whole but to forget them. */
  readonly #silent = new Map<string, Seen>();

  constructor(options: KnownMembersOptions) {
    this.#options = options;
  }

  /** Takes a heartbeat, or the removal of one; true when who is alive may have changed by it. */
  saw(instance: string, entry: Entry | undefined): boolean {
    const before = this.#of(instance);
    if (entry === undefined) {
      this.#present.delete(instance);
      return this.#silent.delete(instance) || before !== undefined;
    }
    const moved = before === undefined || (entry.revision > before.revision && entry.rewound !== true);
    if (!moved && entry.rewound !== true) return false;
    const member = memberIn(entry, instance);
    if (member.lostUntil !== undefined) this.#options.lost(member.lostUntil);
    const now = this.#options.clock.monotonic();
    const isNews = !this.#present.has(instance) || before?.gone === true || member.left === true;
    this.#keep({
      member,
      revision: entry.revision,
      at: entry.at,
      gone: false,
      judgedAt: Number.NEGATIVE_INFINITY,
      movedAt: moved ? now : before.movedAt,
      mistaken: before !== undefined && (before.mistaken || (before.gone && moved)),
    });
    // Who comes or goes makes everybody look: they look at what is so now.
    if (isNews) for (const other of this.#present.values()) other.judgedAt = Number.NEGATIVE_INFINITY;
    return isNews;
  }

  /**
   * membership.E5: whoever was silent before this process came, by the one clock of the bus, is ranked only when it
   * moves.
   */
  sortOut(ownAt: number): void {
    for (const seen of [...this.#present.values()]) {
      if (ownAt - seen.at > this.#options.ttlMs) this.#retire(seen);
    }
  }

  /** Whether somebody has been silent for so long who is not known to have ended, by the clock of the bus. */
  hasLate(ownAt: number, silentMs: number): boolean {
    for (const seen of [...this.#present.values(), ...this.#silent.values()])
      if (seen.member.left !== true && ownAt - seen.at > silentMs && !this.#isGone(seen)) return true;
    return false;
  }

  /** Puts those aside who have been silent for the time to live; to be called now and then. */
  age(): void {
    const oldest = this.#options.clock.monotonic() - this.#options.ttlMs;
    for (const seen of [...this.#present.values()]) if (seen.movedAt <= oldest) this.#retire(seen);
  }

  living(): Member[] {
    return [...this.#present.values()].filter((seen) => this.#isAlive(seen)).map(({ member }) => member);
  }

  /** False for whoever is not known. */
  isAlive(instance: string): boolean {
    const seen = this.#of(instance);
    return seen !== undefined && this.#isAlive(seen);
  }

  /** Whether its process is known to have ended (membership.E3). */
  isGone(instance: string): boolean {
    const seen = this.#of(instance);
    return seen !== undefined && this.#isGone(seen);
  }

  /** Revision of the newest heartbeat that is known; 0 for whoever is not. */
  revisionOf(instance: string): number {
    return this.#of(instance)?.revision ?? 0;
  }

  /**
   * At most so many members that have been dead for long, with the revision under which they may be removed
   * (membership.E5).
   */
  forgettable(most: number): { instance: string; revision: number }[] {
    const { clock, ttlMs } = this.#options;
    const now = clock.monotonic();
    const found: { instance: string; revision: number }[] = [];
    for (const [instance, { member, movedAt, revision }] of this.#silent) {
      if (found.length === most) break;
      const ageMs = member.left === true ? ttlMs : MEMBER_FORGOTTEN_TTLS * ttlMs;
      if (now - movedAt >= ageMs) found.push({ instance, revision });
    }
    return found;
  }

  #of(instance: string): Seen | undefined {
    return this.#present.get(instance) ?? this.#silent.get(instance);
  }

  #keep(seen: Seen): void {
    const { instance } = seen.member;
    if (seen.member.left === true) return this.#retire(seen);
    this.#silent.delete(instance);
    this.#present.set(instance, seen);
  }

  #retire(seen: Seen): void {
    const { instance } = seen.member;
    this.#present.delete(instance);
    this.#silent.set(instance, seen);
  }

  /** Its age first: nobody asks the machine about whoever is dead by its silence. */
  #isAlive(seen: Seen): boolean {
    if (seen.member.left === true) return false;
    const { clock, ttlMs } = this.#options;
    return clock.monotonic() - seen.movedAt < ttlMs && !this.#isGone(seen);
  }

  #isGone(seen: Seen): boolean {
    const { process } = seen.member;
    if (seen.gone || seen.mistaken || process === undefined) return seen.gone;
    const { clock, machine } = this.#options;
    const now = clock.monotonic();
    if (now - seen.judgedAt < JUDGED_MS) return false;
    seen.judgedAt = now;
    seen.gone = machine.isRunning(process) === false;
    return seen.gone;
  }
}

/**
 * What cannot be read is a member without roles, alive for as long as it moves. A loss until what is no time is none:
 * everybody would say it from then on, and nobody could show it.
 */
export function memberIn({ value }: Entry, instance: string): Member {
  try {
    const member = JSON.parse(Buffer.from(value).toString()) as Partial<Member> | null;
    if (Array.isArray(member?.roles)) {
      const { lostUntil, ...said } = member;
      const isTime = typeof lostUntil === 'number' && isInstant(lostUntil);
      return { host: '', pid: 0, ...said, ...(isTime && { lostUntil }), roles: member.roles, instance };
    }
  } catch {
    // Below.
  }
  return { instance, roles: [], host: '', pid: 0 };
}
