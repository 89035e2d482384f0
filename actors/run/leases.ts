/**
 * The holds of runs on targets (bucket `mcs_leases`): taken all or none, given back. Mission Control Service, sections 3.2
 * and 4.1 rule 5.
 *
 * B1. A hold is of a run, not of a process: who takes the run over finds it held already.
 * B2. An exclusive hold excludes every other; shared ones share (MC-STM-032).
 * B3. Targets are taken in one order by everybody, and a run waits for none: two runs never wait for each other.
 * B4. Who takes and who gives back writes the entry of each target, whatever stands there: a write that an owner of before
 *     has still under way meets another revision. An owner that was overtaken writes no more.
 */

import type { Program, ProgramLease } from '../../contract/program.ts';
import { buckets } from '../../contract/subject.ts';
import type { Holder, TargetHolds } from '../../contract/telecommand.ts';
import type { Bucket, Bus, Entry } from '../../ports/bus.ts';

/** A target that other runs keep from this one. */
export interface Held {
  readonly target: string;
  readonly holders: readonly Holder[];
}

/** Whether the run is still this owner's (B4). */
type IsOwner = () => boolean;

const ALWAYS: IsOwner = () => true;

/** Throws `Outage` wherever the bus is away; asked again, each goes on where it stood. */
export class Leases {
  readonly #bucket: Bucket;

  constructor(bus: Bus) {
    this.#bucket = bus.bucket(buckets.leases);
  }

  /** Takes every target for the run, or gives back what it took and says what is held by whom. */
  async take(
    run: string,
    wanted: readonly ProgramLease[],
    isOwner: IsOwner = ALWAYS,
  ): Promise<readonly Held[]> {
    const taken: string[] = [];
    const held: Held[] = [];
    for (const { target, mode } of inOrder(wanted)) {
      // Behind one that is held the others are only looked at: what is taken to be given back could refuse somebody else.
      const outcome = await this.#takeOne(target, { run, mode }, isOwner, held.length > 0);
      if (outcome === 'taken') taken.push(target);
      else if (typeof outcome !== 'string') held.push({ target, holders: outcome });
    }
    if (held.length > 0) await this.release(run, taken, isOwner);
    return held;
  }

  /** Gives back what the run holds of these targets. */
  async release(run: string, targets: Iterable<string>, isOwner: IsOwner = ALWAYS): Promise<void> {
    for (const target of targets) await this.#releaseOne(target, run, isOwner);
  }

  /** Gives back everything the run holds anywhere: for one whose program is not known. */
  async releaseAll(run: string): Promise<void> {
    const entries = await this.#bucket.list('*');
    const held = entries.filter((entry) => holdersOf(entry).some((holder) => holder.run === run));
    await this.release(
      run,
      held.map(({ key }) => key),
    );
  }

  async #takeOne(
    target: string,
    wanted: Holder,
    isOwner: IsOwner,
    onlyLook: boolean,
  ): Promise<'taken' | 'had' | 'free' | readonly Holder[]> {
    for (;;) {
      const entry = await this.#bucket.get(target);
      const holders = holdersOf(entry);
      const others = holders.filter(({ run }) => run !== wanted.run);
      const blocking = others.filter(({ mode }) => mode === 'exclusive' || wanted.mode === 'exclusive');
      if (blocking.length > 0) return blocking;
      const has = holders.length > others.length;
      if (onlyLook || !isOwner()) return has ? 'had' : 'free';
      if (await this.#put(target, [...others, wanted], entry)) return has ? 'had' : 'taken';
    }
  }

  async #releaseOne(target: string, run: string, isOwner: IsOwner): Promise<void> {
    for (;;) {
      const entry = await this.#bucket.get(target);
      if (!isOwner()) return;
      const others = holdersOf(entry).filter((holder) => holder.run !== run);
      if (await this.#put(target, others, entry)) return;
    }
  }

  /** A free target keeps its entry: its change reaches who watches at once, a removal would not. */
  async #put(target: string, holders: readonly Holder[], entry: Entry | undefined): Promise<boolean> {
    const value = Buffer.from(JSON.stringify({ holders } satisfies TargetHolds));
    return (await this.#bucket.put(target, value, entry?.revision ?? 0)).outcome === 'written';
  }
}

/** The targets of a program. */
export function targetsOf({ leases }: Program): readonly string[] {
  return leases.map(({ target }) => target);
}

/** What is said of held targets, naming every holder. */
export function heldReason(held: readonly Held[]): string {
  return held
    .map(({ target, holders }) => `${target} is held by ${holders.map(({ run }) => `run ${run}`).join(', ')}`)
    .join('; ');
}

function inOrder(leases: readonly ProgramLease[]): readonly ProgramLease[] {
  return [...leases].sort((a, b) => (a.target < b.target ? -1 : 1));
}

function holdersOf(entry: Entry | undefined): readonly Holder[] {
  if (entry === undefined || entry.value.length === 0) return [];
  return (JSON.parse(Buffer.from(entry.value).toString()) as TargetHolds).holders;
}
