/**
 * The resolved runs of bucket `mcs_ir`, read when a run is taken up. Mission Control Service, section 4.2 rule 5.
 *
 * Runs of the same program share it in memory, for as long as one of them is open.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import type { Program } from '../../contract/program.ts';
import { isKey } from '../../contract/token.ts';
import { readStoredProgram } from '../../messaging/stored-program.ts';
import type { Bucket, Bus } from '../../ports/bus.ts';

export class Programs {
  readonly #bucket: Bucket;
  readonly #known = new Map<string, WeakRef<Program>>();

  constructor(bus: Bus) {
    this.#bucket = bus.bucket(buckets.programs);
  }

  /** The program under a key; a text saying why there is none. Throws `Outage`. */
  async of(ir: string): Promise<Program | string> {
    const known = this.#known.get(ir)?.deref();
    if (known !== undefined) return known;
    // What can be no key names none.
    const entry = isKey(ir) ? await this.#bucket.get(ir) : undefined;
    if (entry === undefined) return `its program ${ir} is not stored`;
    const program = readStoredProgram(entry.value, ir);
    if (typeof program !== 'string') this.#keep(ir, program);
    return program;
  }

  #keep(ir: string, program: Program): void {
    for (const [key, kept] of this.#known) if (kept.deref() === undefined) this.#known.delete(key);
    this.#known.set(ir, new WeakRef(program));
  }
}
