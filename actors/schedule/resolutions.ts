/**
 * What the current configuration makes of the runs of schedules, asked once for each configuration. Mission Control
 * Service, section 4.6 (validation).
 *
 * E1. A schedule that was resolved with the current configuration is not resolved again.
 * E2. What is not known yet is no answer: whoever asks is called when it is.
 * E3. Another run is stored before anybody names it.
 * E4. What could not be asked is asked again a moment later; a configuration that is published meanwhile counts from
 *     the next schedule on.
 */

import { SCHEDULE_SLICE, SCHEDULE_TICK_MS } from '../../contract/limits.ts';
import { Outage } from '../../contract/outage.ts';
import type { StoredSchedule } from '../../contract/schedule.ts';
import { storeProgram } from '../../messaging/run-launch.ts';
import { resolveAgain } from '../../messaging/schedule-resolution.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Resolution } from '../../mission/schedule/assess.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

interface ResolutionsOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** The resolution of this schedule has become known, or could not be made now. */
  readonly known: (id: string) => void;
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
  readonly #asked = new Map<string, StoredSchedule>();
  /** The newest configuration that somebody asked about. */
  #mission: Mission | undefined;
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
    this.#mission = mission;
    this.#asked.set(schedule.id, schedule);
    if (!this.#asking) void this.#askAll();
    return undefined;
  }

  forget(id: string): void {
    this.#known.delete(id);
    this.#asked.delete(id);
  }

  stop(): void {
    this.#stopped = true;
    this.#asked.clear();
  }

  /** A few at a time: thousands of schedules become others in the moment in which a configuration is published. */
  async #askAll(): Promise<void> {
    this.#asking = true;
    try {
      while (this.#asked.size > 0 && !this.#stopped) {
        const slice = [...this.#asked.values()].slice(0, SCHEDULE_SLICE);
        await Promise.all(slice.map((schedule) => this.#ask(schedule)));
        await new Promise<void>((resolve) => this.#options.clock.setTimeout(resolve, 0));
      }
    } finally {
      this.#asking = false;
    }
  }

  async #ask(schedule: StoredSchedule): Promise<void> {
    const { bus, clock, log } = this.#options;
    const mission = this.#mission;
    const { id, content, created_at: created } = schedule;
    if (this.#asked.get(id) === schedule) this.#asked.delete(id);
    if (mission === undefined) return;
    try {
      const { resolution, run } = await resolveAgain(bus, mission, schedule);
      if (run !== undefined) await storeProgram(bus, clock, run);
      this.#known.set(id, { config: mission.revision, content, created, resolution });
      this.#isKnown(id);
    } catch (error) {
      if (!(error instanceof Outage)) log.error({ err: error, schedule: id }, 'schedule not resolved');
      clock.setTimeout(() => this.#isKnown(id), SCHEDULE_TICK_MS);
    }
  }

  #isKnown(id: string): void {
    if (!this.#stopped) this.#options.known(id);
  }
}
