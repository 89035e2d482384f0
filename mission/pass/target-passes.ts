/**
 * The stored passes of one target, found by what a contribution is matched by: identifier, identifier of a source,
 * station and time. Mission Control Service, section 4.5 (upsert).
 *
 * P1. A snapshot of thousands of passes is matched against as many: windows are numbers here, read once.
 */

import type { PassSource, StoredPass } from '../../contract/pass.ts';
import { overlapMs, type Window, windowOf } from './pass.ts';

interface Known extends Window {
  readonly pass: StoredPass;
}

export class TargetPasses implements Iterable<StoredPass> {
  readonly #byId = new Map<string, Known>();
  /** Stored identifiers by source and identifier; several where one was stored meanwhile under that of a contribution. */
  readonly #byContribution = new Map<string, Set<string>>();
  readonly #byStation = new Map<string, Map<string, Known>>();

  constructor(passes: Iterable<StoredPass> = []) {
    if (passes instanceof TargetPasses) for (const known of passes.#byId.values()) this.#add(known);
    else for (const pass of passes) this.set(pass);
  }

  get size(): number {
    return this.#byId.size;
  }

  *[Symbol.iterator](): Iterator<StoredPass> {
    for (const { pass } of this.#byId.values()) yield pass;
  }

  get(id: string): StoredPass | undefined {
    return this.#byId.get(id)?.pass;
  }

  /** The pass with a contribution of that source under that identifier; of several the earliest. */
  contributed(source: PassSource, id: string): StoredPass | undefined {
    let first: Known | undefined;
    for (const stored of this.#byContribution.get(`${source} ${id}`) ?? []) {
      const known = this.#byId.get(stored)!;
      if (first === undefined || isEarlier(known, first)) first = known;
    }
    return first?.pass;
  }

  /**
   * The pass over the station whose window the given one overlaps longest, of equal ones the earliest (MC-PASS-059);
   * none of those left out.
   */
  overlapping(station: string, window: Window, leftOut?: ReadonlySet<string>): StoredPass | undefined {
    let best: Known | undefined;
    let longest = 0;
    for (const known of this.#byStation.get(station)?.values() ?? []) {
      const overlap = overlapMs(known, window);
      if (overlap === 0 || overlap < longest || leftOut?.has(known.pass.id)) continue;
      if (overlap > longest || best === undefined || isEarlier(known, best)) best = known;
      longest = overlap;
    }
    return best?.pass;
  }

  /** Puts a pass in the place of the one with its identifier. */
  set(pass: StoredPass): void {
    this.delete(pass.id);
    this.#add({ pass, ...windowOf(pass) });
  }

  #add(known: Known): void {
    const { pass } = known;
    this.#byId.set(pass.id, known);
    for (const { source, id } of Object.values(pass.contributions)) {
      const name = `${source} ${id}`;
      this.#byContribution.set(name, (this.#byContribution.get(name) ?? new Set()).add(pass.id));
    }
    const ofStation = this.#byStation.get(pass.station) ?? new Map<string, Known>();
    this.#byStation.set(pass.station, ofStation.set(pass.id, known));
  }

  delete(id: string): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    this.#byId.delete(id);
    this.#byStation.get(known.pass.station)?.delete(id);
    for (const contribution of Object.values(known.pass.contributions))
      this.#byContribution.get(`${contribution.source} ${contribution.id}`)?.delete(id);
  }
}

function isEarlier(one: Known, other: Known): boolean {
  return one.aos === other.aos ? one.pass.id < other.pass.id : one.aos < other.aos;
}
