/**
 * What the current configuration makes of the runs of schedules, asked once for each configuration. Mission Control
 * Service, section 4.6 (validation).
 *
 * E1. A schedule that was resolved with the current configuration is not resolved again.
 * E2. What is not known yet is undefined: whoever asks is called when it is known.
 * E3. Another run is stored before anybody names it.
 * E4. Each is resolved with the configuration it was asked for last: one that is published meanwhile counts at once.
 * E6. Of those that wait, what starts first is resolved first: thousands wait when a configuration is published, and
 *     one of them may be due.
 * E5. What could not be found out is asked for again a moment later, and not before.
 */

import { SCHEDULE_SLICE, SCHEDULE_TICK_MS } from '../../contract/limits/schedule.ts';
import { Outage } from '../../contract/outage.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import { storeProgram } from '../../messaging/run-launch.ts';
import { resolveAgain } from '../../messaging/schedule-resolution.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Resolution } from '../../mission/schedule/assess.ts';
import { startOf } from '../../mission/schedule/schedule.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { DueQueue } from './due-queue.ts';

interface ResolutionsOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** The resolution of this schedule has become known, or could not be made now. */
  readonly known: (id: string) => void;
}

interface Asked {
  readonly schedule: StoredSchedule;
  readonly mission: Mission;
}

interface Known {
  /** Of the configuration, and of the schedule as it was asked for. */
  readonly config: string;
  readonly content: string;
  readonly created: string;
  readonly resolution: Resolution;
}

const SAME: Resolution = { outcome: 'same' };

export class Resolutions {
  readonly #options: ResolutionsOptions;
  readonly #known = new Map<string, Known>();
  readonly #asked = new Map<string, Asked>();
  /** Those that were asked for, by their start (E6). */
  readonly #order = new DueQueue();
  /** What could not be found out, until it is asked for again (E5). */
  readonly #failed = new Set<string>();
  #asking = false;
  #stopped = false;

  constructor(options: ResolutionsOptions) {
    this.#options = options;
  }

  /** Undefined where it is being found out (E2). */
  of(schedule: StoredSchedule, mission: Mission): Resolution | undefined {
    if (schedule.config === mission.revision) return SAME;
    const known = this.#known.get(schedule.id);
    const isOfThis =
      known?.config === mission.revision &&
      known.content === schedule.content &&
      known.created === schedule.created_at;
    if (isOfThis) return known.resolution;
    if (this.#failed.has(schedule.id)) return undefined;
    this.#asked.set(schedule.id, { schedule, mission });
    this.#order.put(startOf(schedule), schedule.id);
    if (!this.#asking) void this.#askAll();
    return undefined;
  }

  forget(id: string): void {
    this.#known.delete(id);
    this.#asked.delete(id);
    this.#failed.delete(id);
  }

  stop(): void {
    this.#stopped = true;
    this.#asked.clear();
  }

  /** A few at a time. */
  async #askAll(): Promise<void> {
    this.#asking = true;
    try {
      while (this.#asked.size > 0 && !this.#stopped) {
        await Promise.all(this.#first(SCHEDULE_SLICE).map((asked) => this.#ask(asked)));
        await new Promise<void>((resolve) => this.#options.clock.setTimeout(resolve, 0));
      }
    } finally {
      this.#asking = false;
    }
  }

  /** Takes so many of those that wait, the earliest first (E6). */
  #first(most: number): Asked[] {
    const first: Asked[] = [];
    while (first.length < most) {
      const id = this.#order.take(Number.POSITIVE_INFINITY);
      if (id === undefined) break;
      const asked = this.#asked.get(id);
      this.#asked.delete(id);
      if (asked !== undefined) first.push(asked);
    }
    return first;
  }

  async #ask({ schedule, mission }: Asked): Promise<void> {
    const { bus, clock, log, known } = this.#options;
    const { id, content, created_at: created } = schedule;
    try {
      const { resolution, run } = await resolveAgain(bus, mission, schedule);
      if (run !== undefined) await storeProgram(bus, clock, run);
      this.#known.set(id, { config: mission.revision, content, created, resolution });
    } catch (error) {
      if (!(error instanceof Outage)) log.error({ err: error, schedule: id }, 'schedule not resolved');
      this.#failed.add(id);
      clock.setTimeout(() => {
        if (this.#failed.delete(id) && !this.#stopped) known(id);
      }, SCHEDULE_TICK_MS);
      return;
    }
    if (!this.#stopped) known(id);
  }
}
