/**
 * Starts campaigns that schedule themselves. RF Bench Service, section 2 (`cron`).
 *
 * C1. A board has no clock of its own: what falls due while the clock is not trusted is an event, and not started.
 * C2. A start that is refused is an event and never made up for: nothing queues.
 * C3. A clock that is set fires nothing of the time it jumped over, and what fired once does not fire again when it
 *     steps back.
 */

import type { Campaign } from '../../../contract/bench/campaign.ts';
import type { BenchFault } from '../../../contract/bench/errors.ts';
import type { Result } from '../../../contract/result.ts';
import type { Clock, TimerHandle } from '../../../ports/clock.ts';
import { type Cron, nextFiring, parseCron } from '../../../radio/document/cron.ts';
import type { EventSink } from '../radio/board-user.ts';
import { reasonOf } from '../scenario/timeline.ts';

const MINUTE_MS = 60_000;
/** A firing may be noticed so late; what is older was jumped over. */
const GRACE_MS = 90_000;

interface CronOptions {
  readonly campaigns: ReadonlyMap<string, Campaign>;
  readonly clock: Clock;
  readonly clockTrusted: () => boolean;
  readonly events: EventSink;
  readonly start: (name: string) => Promise<Result<unknown, BenchFault>>;
}

interface Entry {
  readonly name: string;
  readonly cron: Cron;
  /** The firing that was last noticed, ms since 1970. */
  last: number;
}

export class CampaignTimetable {
  readonly #options: CronOptions;
  readonly #entries: Entry[] = [];
  #seenUntil: number;
  #timer: TimerHandle | undefined;

  constructor(options: CronOptions) {
    this.#options = options;
    this.#seenUntil = options.clock.now();
    for (const { name, cron } of options.campaigns.values()) {
      const parsed = cron === undefined ? undefined : parseCron(cron);
      if (parsed?.ok) this.#entries.push({ name, cron: parsed.value, last: Number.NEGATIVE_INFINITY });
    }
  }

  start(): void {
    this.#seenUntil = this.#options.clock.now();
    if (this.#entries.length > 0) this.#tickLater();
  }

  stop(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** At each full minute: a clock that is set meanwhile is noticed at the next. */
  #tickLater(): void {
    const { clock } = this.#options;
    const now = clock.now();
    this.#timer = clock.setTimeout(
      () => {
        this.#tick(clock.now());
        this.#tickLater();
      },
      MINUTE_MS - (now % MINUTE_MS),
    );
  }

  #tick(now: number): void {
    const since = Math.max(Math.min(this.#seenUntil, now), now - GRACE_MS);
    this.#seenUntil = now;
    for (const entry of this.#entries) {
      const due = nextFiring(entry.cron, since);
      if (due === undefined || due > now || due === entry.last) continue;
      entry.last = due;
      void this.#fire(entry.name);
    }
  }

  async #fire(name: string): Promise<void> {
    const { clockTrusted, start } = this.#options;
    if (!clockTrusted())
      return this.#tell('clock_not_set', `campaign ${name} is due, but the clock was never set: not started`);
    const started = await start(name);
    if (!started.ok) this.#tell('cron_skipped', `campaign ${name} is due: ${reasonOf(started.faults)}`);
  }

  #tell(kind: string, message: string): void {
    this.#options.events.record({ kind, source: 'campaign', severity: 'warning', message });
  }
}
