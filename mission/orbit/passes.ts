/**
 * The passes of one satellite over one station that touch a window of time.
 *
 * W1. A pass that touches the window is given whole: its AOS may lie before the window and its LOS behind it. So a
 *     snapshot of the window replaces the pass under way by the same pass, never by a piece of it.
 * W2. Only what rises and sets is a pass. What is up longer than `REACH_MS` beyond the window is reported, not cut.
 * W3. Where the model fails, the passes until then count, and the time is reported.
 */

import { type Crossing, isUp, nextCrossing } from './crossing.ts';
import { culmination } from './culmination.ts';
import { type Ephemeris, NoOrbit } from './ephemeris.ts';
import { type Sight, Track } from './horizon.ts';
import type { GroundStation } from './station.ts';

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface StationPass {
  readonly aosMs: number;
  readonly culminationMs: number;
  readonly losMs: number;
  readonly maxElevationDeg: number;
  readonly aosAzimuthDeg: number;
  readonly losAzimuthDeg: number;
}

/** A time in which the satellite is up without end, as far as it was followed. */
export interface Standing {
  /** Absent: it was up already `REACH_MS` before the window. */
  readonly aosMs?: number;
  /** Absent: it is up still `REACH_MS` after the window. */
  readonly losMs?: number;
}

export interface StationPasses {
  readonly passes: readonly StationPass[];
  readonly standing: readonly Standing[];
  readonly failure?: NoOrbit;
}

/** How far AOS and LOS are followed out of the window: the longest passes, of eccentric orbits of a day, last less. */
const REACH_MS = 2 * 86_400_000;

/** Every pass that touches the window, in order. */
export function passesOf(ephemeris: Ephemeris, station: GroundStation, window: Window): StationPasses {
  const search = new PassSearch(new Track(ephemeris, station), window);
  const { passes, standing } = search;
  try {
    search.run();
    return { passes, standing };
  } catch (error) {
    if (!(error instanceof NoOrbit)) throw error;
    return { passes, standing, failure: error };
  }
}

/** What has been found by now, also when the model fails in the middle (W3). */
class PassSearch {
  readonly passes: StationPass[] = [];
  readonly standing: Standing[] = [];
  readonly #track: Track;
  readonly #window: Window;

  constructor(track: Track, window: Window) {
    this.#track = track;
    this.#window = window;
  }

  run(): void {
    const first = this.#track.at(this.#window.fromMs);
    let down = isUp(first) ? this.#underWay(first) : first;
    while (down !== undefined && down.timeMs < this.#window.toMs) {
      const rise = nextCrossing(this.#track, down, this.#window.toMs);
      down = rise === undefined ? undefined : this.#fromRise(rise);
    }
  }

  /** The pass that is under way as the window begins; the sight after it, if it ends (W1). */
  #underWay(sight: Sight): Sight | undefined {
    const rise = nextCrossing(this.#track, sight, this.#window.fromMs - REACH_MS);
    if (rise !== undefined) return this.#fromRise(rise);
    const set = nextCrossing(this.#track, sight, this.#window.toMs + REACH_MS);
    this.standing.push(set === undefined ? {} : { losMs: set.timeMs });
    return set?.down;
  }

  /** The pass that begins with the rise; the sight after it, if it ends. */
  #fromRise({ timeMs: aosMs, up }: Crossing): Sight | undefined {
    const sights = [up];
    const end = this.#window.toMs + REACH_MS;
    const set = nextCrossing(this.#track, up, end, (sight) => sights.push(sight));
    if (set === undefined) {
      this.standing.push({ aosMs });
      return undefined;
    }
    sights.push(set.up);
    const highest = culmination(this.#track, sights);
    this.passes.push({
      aosMs,
      culminationMs: highest.timeMs,
      losMs: set.timeMs,
      maxElevationDeg: highest.elevationDeg,
      aosAzimuthDeg: this.#track.azimuthDeg(up),
      losAzimuthDeg: this.#track.azimuthDeg(set.up),
    });
    return set.down;
  }
}
