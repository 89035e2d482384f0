/**
 * When "nobody serves it" is a fact where one process of the cell at a time serves it: a gateway. Between two processes
 * nobody does, and that is a hand-over, no refusal. Decision 66.
 *
 * G1. Whoever finds nobody there asks again, for as long as another process may take to be there: twice the time to
 *     live of a member, since one that has just come may wait for one (membership.E10), and `TAKEOVER_MS` to claim and
 *     begin. That is the bound, also where nobody will ever come. Most hand-overs last less than a tenth of a second:
 *     it pauses for as long as nobody has served it so far, and never longer than where the bus is away.
 * G2. Behind a hand-over that did not come nobody waits again: who asks while it is known to be absent learns so at
 *     once. It is known for `ABSENCE_KNOWN_MS` behind the last who looked; later it may have come and gone.
 * G3. Whatever a gateway answers, it is there: the next absence begins by itself.
 */

import { BUS_RETRY_MS } from '../contract/limits/bus.ts';
import {
  ABSENCE_KNOWN_MS,
  HAND_OVER_LOOK_MS,
  HAND_OVER_MS_MOST,
  MEMBER_TTL_MS,
  TAKEOVER_MS,
} from '../contract/limits/membership.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import { type Asked, askSettled, type Question } from './ask.ts';
import { pause } from './pause.ts';

/** How long a hand-over is waited for in a cell whose members live so long (G1). */
export function handOverMs(memberTtlMs = MEMBER_TTL_MS): number {
  return Math.min(2 * memberTtlMs + TAKEOVER_MS, HAND_OVER_MS_MOST);
}

/** Nobody serves it, since a moment of the monotonic clock. */
export interface Absence {
  readonly since: number;
  /** For so long nobody has, as far as was looked. */
  readonly ms: number;
  /** Another process would be there by now (G1). */
  readonly isOver: boolean;
  /** Pause before the next look (G1). */
  readonly pauseMs: number;
}

interface Waiting {
  /** What is asked for, as it is known to everybody who asks. */
  readonly name: string;
  /** A process of the cell serves it, one at a time. One of others is there or is not. */
  readonly isOfCell: boolean;
  readonly signal: AbortSignal;
  /** False: whoever asks has no right to it any more, and is let go. Default: always. */
  readonly mayAsk?: () => boolean;
}

export class HandOvers {
  readonly #clock: Clock;
  readonly #waitMs: number;
  /** By name; there are as many as gateways that missions declare. */
  readonly #absent = new Map<string, { readonly since: number; readonly seenAt: number }>();

  constructor(clock: Clock, waitMs = handOverMs()) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /** Somebody serves it (G3). */
  served(name: string): void {
    this.#absent.delete(name);
  }

  /** Nobody does; `before` is what the same asker found the last time, while it waits. */
  unserved(name: string, before?: Absence): Absence {
    const now = this.#clock.monotonic();
    const known = this.#absent.get(name);
    const shared = known !== undefined && now - known.seenAt <= ABSENCE_KNOWN_MS ? known.since : now;
    const since = Math.min(shared, before?.since ?? now);
    this.#absent.set(name, { since, seenAt: now });
    const ms = now - since;
    const pauseMs = Math.min(Math.max(ms, HAND_OVER_LOOK_MS), BUS_RETRY_MS, Math.max(this.#waitMs - ms, 0));
    return { since, ms, isOver: ms >= this.#waitMs, pauseMs };
  }

  /**
   * As `askSettled`, again while another process may be about to serve it; with `unserved` comes since when nobody has.
   * Undefined once whoever asks is let go. Throws `Outage`.
   */
  async ask<Answer>(
    bus: Pick<Bus, 'request'>,
    question: Question<Answer>,
    { name, isOfCell, signal, mayAsk = () => true }: Waiting,
  ): Promise<{ readonly asked: Asked<Answer>; readonly absence?: Absence } | undefined> {
    let absence: Absence | undefined;
    while (!signal.aborted && mayAsk()) {
      const asked = await askSettled(bus, question);
      if (asked.outcome !== 'unserved') this.served(name);
      if (asked.outcome !== 'unserved' || !isOfCell) return { asked };
      absence = this.unserved(name, absence);
      if (absence.isOver) return { asked, absence };
      await pause(this.#clock, absence.pauseMs, signal);
    }
    return undefined;
  }
}

/** What is said of one that nobody serves. */
export function notRunning(absence: Absence | undefined): string {
  if (absence === undefined) return 'is not running';
  return `is not running: nobody has served it for ${Math.round(absence.ms / 1000)} s`;
}
