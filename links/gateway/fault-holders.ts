/**
 * Who has the faults of a simulated gateway on. Mission Control Service, sections 2.3 and 4.9.
 *
 * L1. A fault is on while a run or a person has it on: a run that is over takes none away from another one. What a
 *     person switches off is off for everybody.
 * L2. A run switches each fault of its program on once and off once. An "on" behind the "off" has been on its way for
 *     long, from an executor that slept or across a slow bus: it changes nothing, for nobody would switch that off.
 */

import { SWITCHES_OVER_KEPT } from '../../contract/limits/simulation.ts';
import type { FaultCall } from '../../contract/link.ts';

/** A call that no run has made. */
const PERSON = '';

export interface Switched {
  /** The fault is on behind the call. */
  readonly isOn: boolean;
  /** What was asked for is so. */
  readonly isDone: boolean;
}

export class FaultHolders {
  readonly #byFault = new Map<string, Set<string>>();
  /** Those that have switched it off, the oldest first (L2). */
  readonly #over = new Set<string>();

  switch({ fault, on, run = PERSON, index }: FaultCall): Switched {
    const holders = this.#byFault.get(fault) ?? new Set<string>();
    const holder = index === undefined ? run : `${run} ${index}`;
    const isLate = on && this.#over.has(holder);
    if (on) {
      if (!isLate) holders.add(holder);
    } else if (holder === PERSON) holders.clear();
    else {
      holders.delete(holder);
      if (index !== undefined) this.#isOver(holder);
    }
    const isOn = holders.size > 0;
    if (isOn) this.#byFault.set(fault, holders);
    else this.#byFault.delete(fault);
    return { isOn, isDone: isOn === on && !isLate };
  }

  #isOver(holder: string): void {
    this.#over.delete(holder);
    this.#over.add(holder);
    const [oldest] = this.#over;
    if (oldest !== undefined && this.#over.size > SWITCHES_OVER_KEPT) this.#over.delete(oldest);
  }
}
