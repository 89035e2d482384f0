/**
 * Whether the service answers, asked each second.
 *
 * L1. A second without an answer is asked again; `LOST_MS` without one is a lost connection, and is shown as such.
 * L2. What was followed before is followed again from the beginning afterwards: a socket over a network that was
 *     away may look open for minutes.
 * L3. An answer that was on its way while the computer slept says nothing of now: neither that the service answers, nor
 *     what time it is.
 */

import { every, measured, now } from '../../browser-clock.ts';
import { askAs } from '../../service.ts';
import { ServiceError } from '../../service-error.ts';
import type { ServiceClock } from './service-clock.ts';

const EVERY_MS = 1_000;
const ANSWER_MS = 1_500;
/** The browser gives up before: who reads one later was asleep, or had much else to do. */
const LATE_MS = 2 * ANSWER_MS;
const LOST_MS = 2_500;
const LONG_HIDDEN_MS = 30_000;

export interface ConnectionState {
  readonly lost: boolean;
  /** How long ago the last answer came. */
  readonly silentMs: number;
  /** What the service waits for; empty when it can do all of its work. */
  readonly missing: readonly string[];
}

interface Readiness {
  readonly missing: readonly string[];
}

export class Connection {
  readonly #clock: ServiceClock;
  readonly #changed: () => void;
  readonly #recovered: () => void;
  #sinceAnswer = measured();
  #isLost = false;
  #missing: readonly string[] = [];
  #isAsking = false;

  constructor(clock: ServiceClock, changed: () => void, recovered: () => void) {
    this.#clock = clock;
    this.#changed = changed;
    this.#recovered = recovered;
    every(() => void this.#turn(), EVERY_MS);
    document.addEventListener('visibilitychange', () => this.#seenAgain());
    void this.#turn();
  }

  get state(): ConnectionState {
    return { lost: this.#isLost, silentMs: this.#sinceAnswer(), missing: this.#missing };
  }

  /** A page that was hidden was not asked for: it is not lost, but what it follows may have been (L2). */
  #seenAgain(): void {
    if (document.visibilityState !== 'visible' || this.#isLost) return;
    if (this.#sinceAnswer() > LONG_HIDDEN_MS) this.#recovered();
    this.#sinceAnswer = measured();
    void this.#turn();
  }

  async #turn(): Promise<void> {
    // Taken before anything else: the computer may sleep from here on (L3).
    const sinceAsked = measured();
    this.#look();
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      await this.#ask(sinceAsked);
    } catch {
      // L1
    } finally {
      this.#isAsking = false;
    }
  }

  async #ask(sinceAsked: () => number): Promise<void> {
    const askedAt = now();
    const response = await fetch('/readyz', { signal: AbortSignal.timeout(ANSWER_MS), cache: 'no-store' });
    const arrivedAt = now();
    const { missing } = (await response.json()) as Readiness;
    if (sinceAsked() > LATE_MS) return;
    this.#clock.take(response.headers.get('date'), askedAt, arrivedAt);
    const differs = missing.join() !== this.#missing.join();
    this.#missing = missing;
    this.#sinceAnswer = measured();
    if (this.#isLost) this.#found();
    else if (differs) this.#changed();
  }

  #look(): void {
    if (this.#isLost || this.#sinceAnswer() < LOST_MS) return;
    this.#isLost = true;
    this.#changed();
  }

  #found(): void {
    this.#isLost = false;
    this.#recovered();
    this.#changed();
  }
}

/** The answer, or undefined with the refusal handed to `failed`; any other failure is a defect and is thrown. */
export async function asked<Answer>(
  path: string,
  failed: (error: ServiceError) => void,
  user = '',
): Promise<Answer | undefined> {
  try {
    return await askAs<Answer>(path, user);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    failed(error);
    return undefined;
  }
}
