/**
 * Who has the faults of a simulated gateway on. Mission Control Service, sections 2.3 and 4.9.
 *
 * L1. A fault is on while a run or a person has it on: a run that is over takes none away from another one. What a
 *     person switches off is off for everybody.
 */

import type { FaultCall } from '../../contract/link.ts';

/** A call that no run has made. */
const PERSON = '';

export class FaultHolders {
  readonly #byFault = new Map<string, Set<string>>();

  /** Whether the fault is on behind this call. */
  switch({ fault, on, run = PERSON }: FaultCall): boolean {
    const holders = this.#byFault.get(fault) ?? new Set<string>();
    if (on) holders.add(run);
    else if (run === PERSON) holders.clear();
    else holders.delete(run);
    if (holders.size === 0) this.#byFault.delete(fault);
    else this.#byFault.set(fault, holders);
    return holders.size > 0;
  }
}
