/**
 * The platforms the columns on the bus may have been compiled from: those of the missions this process has seen, and
 * those of earlier revisions that messages name.
 *
 * L1. A digest that was looked for in vain is not looked for again until another mission is taken up.
 */

import type { Mission } from '../../mission/mission.ts';
import type { Platform } from '../../mission/platform.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MissionSource } from '../../ports/mission-source.ts';

export class KnownPlatforms {
  readonly #missions: MissionSource;
  readonly #clock: Clock;
  /** By digest. Grows by one per changed catalogue, which an operator publishes by hand. */
  readonly #platforms = new Map<string, Platform>();
  readonly #missing = new Set<string>();
  readonly #waiting = new Set<() => void>();
  readonly #stop: () => void;

  constructor(missions: MissionSource, clock: Clock) {
    this.#missions = missions;
    this.#clock = clock;
    this.#stop = missions.onChange((mission) => this.#takeUp(mission));
  }

  get(digest: string): Platform | undefined {
    return this.#platforms.get(digest);
  }

  /**
   * The platform of the digest: known, or of the named revision, or of the next mission if one comes within `waitMs`.
   * Undefined when none of them has it. Rejects with `Outage` when the bus cannot be asked.
   */
  async find(digest: string, revision: string | undefined, waitMs: number): Promise<Platform | undefined> {
    if (this.#missing.has(digest)) return undefined;
    if (!this.#platforms.has(digest) && revision !== undefined) await this.#learnRevision(revision);
    if (!this.#platforms.has(digest) && waitMs > 0) await this.#nextMission(waitMs);
    if (!this.#platforms.has(digest)) this.#missing.add(digest);
    return this.#platforms.get(digest);
  }

  /** Those of a mission that somebody else has found. */
  learn(mission: Mission): void {
    for (const platform of mission.platforms.values()) {
      this.#platforms.set(platform.digest, platform);
      this.#missing.delete(platform.digest);
    }
  }

  stop(): void {
    this.#stop();
    for (const wake of [...this.#waiting]) wake();
  }

  async #learnRevision(revision: string): Promise<void> {
    const mission = await this.#missions.at(revision);
    if (mission !== undefined) this.learn(mission);
  }

  #takeUp(mission: Mission): void {
    this.learn(mission);
    this.#missing.clear();
    for (const wake of [...this.#waiting]) wake();
  }

  #nextMission(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#clock.clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = this.#clock.setTimeout(wake, waitMs);
      this.#waiting.add(wake);
    });
  }
}
