/**
 * What the simulated spacecraft is and does, without packets: modes, switches, batteries, camera, memory. Time comes in
 * as elapsed seconds. `functions.ts` commands it, `housekeeping.ts` reports it.
 *
 * Y1. The same calls with the same times and the same seed give the same state.
 */

import type { Random } from '../../ports/clock.ts';
import { Battery } from './battery.ts';
import type { OnboardFiles } from './onboard-files.ts';
import { MODE } from './onboard-mode.ts';
import { isSunlit } from './orbit.ts';

/** How long a boot takes: long enough to be seen in several housekeeping packets. */
const BOOT_S = 6;
const PANEL_MA = 2_400;
/** Load of the platform and of the payload, shared by the two batteries. */
const PLATFORM_MA = 700;
const PAYLOAD_MA = 800;
/** Most that one step of the model advances; a longer gap is walked in steps, or the heaters would oscillate. */
const STEP_S = 10;
/** Most steps of one call, two orbits: a clock that jumped further ahead finds the model at its settled point. */
const MAX_STEPS = 1_140;

export class OnboardState {
  mode: number = MODE.SAFE;
  /** Telecommands accepted since the last boot. */
  counter = 0;
  watchdogS = 60;
  readonly batteries: readonly [Battery, Battery] = [new Battery(), new Battery()];
  payload = false;
  heater = true;
  images = 0;
  /** How often it was rebooted. */
  reboots = 0;
  lastExposureMs = 0;
  readonly files: OnboardFiles;
  temperatureDegC = 22;
  panelMa = 0;
  readonly #random: Random;
  #elapsedS = 0;
  #bootedAtS = 0;

  constructor(random: Random, files: OnboardFiles) {
    this.#random = random;
    this.files = files;
  }

  /** Seconds since the last boot. */
  get uptimeS(): number {
    return this.#elapsedS - this.#bootedAtS;
  }

  /** Brings the state to `elapsedS` since the start of the flight. */
  advanceTo(elapsedS: number): void {
    let left = Math.min(elapsedS - this.#elapsedS, STEP_S * MAX_STEPS);
    while (left > 0) {
      const step = Math.min(left, STEP_S);
      this.#step(step);
      left -= step;
    }
    this.#elapsedS = Math.max(this.#elapsedS, elapsedS);
    if (this.mode === MODE.BOOT && this.uptimeS >= BOOT_S) this.mode = MODE.SAFE;
  }

  reboot(): void {
    this.mode = MODE.BOOT;
    this.reboots += 1;
    this.#bootedAtS = this.#elapsedS;
    this.counter = 0;
    this.images = 0;
  }

  /** A reading with the noise of its sensor, uniform within `spread`. */
  sensed(value: number, spread: number): number {
    return value + (this.#random.next() * 2 - 1) * spread;
  }

  #step(seconds: number): void {
    this.#elapsedS += seconds;
    const sunlit = isSunlit(this.#elapsedS);
    this.panelMa = sunlit ? PANEL_MA : 0;
    const load = PLATFORM_MA + (this.payload ? PAYLOAD_MA : 0);
    const offered = (this.panelMa - load) / 2;
    for (const battery of this.batteries) battery.advance(seconds, offered, sunlit, this.heater);
    const settled = (sunlit ? 28 : 12) + (this.payload ? 6 : 0);
    this.temperatureDegC += (settled - this.temperatureDegC) * -Math.expm1(-seconds / 600);
  }
}
