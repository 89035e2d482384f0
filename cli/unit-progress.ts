/**
 * How far an update or a reboot is, from what the fleet shows of the unit before and now. Pure.
 *
 * P1. It is done when the unit has started again since and lives: with the version asked for, or it has failed.
 * P2. A unit that does not say when it started is back once it was seen away, or with the new version.
 */

import type { UnitView } from '../contract/unit.ts';
import { activityText } from './unit-columns.ts';

export interface UnitStep {
  readonly text: string;
  readonly end?: 'done' | 'failed';
}

export class UnitProgress {
  readonly #before: UnitView | undefined;
  readonly #version: string | undefined;
  #wasAway = false;

  /** `version`: of an update, the one asked for. */
  constructor(before: UnitView | undefined, version: string | undefined) {
    this.#before = before;
    this.#version = version;
  }

  /** What to show; undefined `now`: the fleet does not have it. */
  step(now: UnitView | undefined): UnitStep {
    if (now === undefined || !now.alive) {
      this.#wasAway = true;
      return { text: 'down' };
    }
    if (!this.#isBack(now)) return { text: activityText(now) || 'up' };
    const { version } = now.software;
    if (this.#version === undefined || version === this.#version)
      return { text: `back with version ${version}`, end: 'done' };
    return { text: `back with version ${version}, not ${this.#version}`, end: 'failed' };
  }

  #isBack({ boot, registered_at, software }: UnitView): boolean {
    const before = this.#before;
    if (before?.boot !== undefined && boot !== undefined) return boot !== before.boot;
    if (
      this.#version !== undefined &&
      software.version === this.#version &&
      before?.software.version !== this.#version
    )
      return true;
    return this.#wasAway && registered_at !== before?.registered_at;
  }
}
