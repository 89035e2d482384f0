/**
 * The holds of runs on targets (bucket `mcs_leases`): taken all or none, taken from others by reactions, given back.
 * Mission Control Service, sections 3.2, 4.1 rule 5 and 4.4 reaction rules 4 and 5.
 *
 * B1. A hold is of a run, not of a process: who takes the run over finds it held already.
 * B2. An exclusive hold excludes every other; shared ones share (MC-STM-032).
 * B3. Targets are taken in one order by everybody, and a run waits for none: two runs never wait for each other.
 * B4. Who takes and who gives back writes the entry of each target, whatever stands there: a write that an owner of
 *     before has still under way meets another revision. An owner that was overtaken, or slept so long that it may
 *     be, writes no more: to it that is an outage, which ends when it holds the run again or knows that it lost it.
 * B5. A reaction takes a target from everybody but another reaction, in one write, and that write says from whom: from
 *     then on no telecommand of those runs leaves, whoever dies, until a person gives them the target again
 *     (MC-REACT-017).
 * B6. Before a run gives its targets back, or a reaction takes them, its hold is marked as leaving (`stand-down.ts`).
 *     Who takes a target writes from which submission on the hold counts: what its run submitted under an earlier one
 *     never leaves.
 * B8. A write may be stored when its run is not this owner's any more: its shard has begun again over a store that went
 *     back, where nothing is left of the run and nobody would ever give the target back. So it is taken back, unless
 *     somebody has written since: the next owner of a run writes before it counts on a hold (B4).
 * B7. Nobody takes a target whose entry cannot be read, reactions included, and nobody writes over it: who holds it is
 *     not known. Nothing of any run leaves for it (target-holds.H1), so that whoever gives it back is done.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { TAKEN_HOLDS } from '../../contract/limits/alarm.ts';
import type { Program, ProgramLease } from '../../contract/program.ts';
import {
  type Holder,
  readHolds,
  type TakenHold,
  type TargetHolds,
  unreadableReason,
} from '../../contract/target-holds.ts';
import type { Bucket, Bus, Entry } from '../../ports/bus.ts';
import { assertStillHeld } from './still-held.ts';

/** A target that other runs keep from this one. */
export interface Held {
  readonly target: string;
  readonly holders: readonly Holder[];
  /** `alarm <key>`: a reaction took it from this run, which nobody has resumed since. */
  readonly takenBy?: string;
  /** Its entry cannot be read (B7). */
  readonly unreadable?: true;
}

/** A run that is the reaction of an alarm. */
export interface Reaction {
  readonly run: string;
  /** `alarm <key>` */
  readonly by: string;
  readonly alarm: string;
}

export interface HeldTarget {
  readonly run: string;
  readonly target: string;
}

/** Whether the run is still this owner's, now (B4). */
type IsOwner = () => boolean;

interface Taking {
  readonly isOwner: IsOwner;
  /** It had the targets before and nobody has resumed it: what a reaction took from it stays taken (MC-REACT-018). */
  readonly again?: boolean;
}

const ALWAYS: IsOwner = () => true;

/** Throws `Outage` wherever the bus is away; asked again, each goes on where it stood. */
export class Leases {
  readonly #bus: Bus;
  readonly #bucket: Bucket;

  constructor(bus: Bus) {
    this.#bus = bus;
    this.#bucket = bus.bucket(buckets.leases);
  }

  /** Takes every target for the run, or gives back what it took and says what is held by whom. */
  async take(
    run: string,
    wanted: readonly ProgramLease[],
    how: Taking = { isOwner: ALWAYS },
  ): Promise<readonly Held[]> {
    const taken: string[] = [];
    const held: Held[] = [];
    for (const { target, mode } of inOrder(wanted)) {
      // Behind one that is held the others are only looked at: what is taken to be given back could refuse somebody
      // else.
      const outcome = await this.#takeOne(target, { run, mode }, how, held.length > 0);
      if (outcome === 'taken') taken.push(target);
      else if (typeof outcome !== 'string') held.push({ target, ...outcome });
    }
    if (held.length > 0) await this.release(run, taken, how.isOwner);
    return held;
  }

  /**
   * Takes every target for a reaction, whichever runs hold it (B5), or says which other reaction holds one. Asked
   * again, it goes on where it stood. `asked`: runs that gave their targets back because it asked them to.
   */
  async seize(
    reaction: Reaction,
    wanted: readonly ProgramLease[],
    isOwner: IsOwner = ALWAYS,
    asked: readonly HeldTarget[] = [],
  ): Promise<Held | undefined> {
    for (const { target } of inOrder(wanted)) {
      const runs = asked.flatMap((each) => (each.target === target ? [each.run] : []));
      const held = await this.#seizeOne(target, reaction, isOwner, runs);
      if (held !== undefined) return { target, ...held };
    }
    return undefined;
  }

  /** The runs that a reaction would take these targets from; none where another reaction holds one. */
  async inTheWay(run: string, wanted: readonly ProgramLease[]): Promise<readonly HeldTarget[]> {
    const found: HeldTarget[] = [];
    for (const { target } of wanted) {
      const { holders } = holdsOf(await this.#bucket.get(target));
      const others = holders.filter((holder) => holder.run !== run);
      if (others.some(({ alarm }) => alarm !== undefined)) return [];
      found.push(...others.map((holder) => ({ run: holder.run, target })));
    }
    return found;
  }

  /** The runs that the reaction took one of these targets from and that nobody has resumed since. */
  async takenBy(reaction: string, wanted: readonly ProgramLease[]): Promise<ReadonlySet<string>> {
    const runs = new Set<string>();
    for (const { target } of wanted) {
      const { taken = [] } = holdsOf(await this.#bucket.get(target));
      for (const each of taken) if (each.reaction === reaction && each.upTo === undefined) runs.add(each.run);
    }
    return runs;
  }

  /**
   * Marks what the run holds of these targets as leaving: nothing of it leaves any more, and nobody else has them yet.
   */
  async leave(run: string, targets: Iterable<string>, isOwner: IsOwner = ALWAYS): Promise<void> {
    for (const target of targets) await this.#leaveOne(target, run, isOwner);
  }

  /** Gives back what the run holds of these targets. */
  async release(run: string, targets: Iterable<string>, isOwner: IsOwner = ALWAYS): Promise<void> {
    for (const target of targets) await this.#releaseOne(target, run, isOwner);
  }

  /** Gives back everything the run holds anywhere: for one whose program is not known. */
  async releaseAll(run: string): Promise<void> {
    const entries = await this.#bucket.list('*');
    const held = entries.filter((entry) => holdsOf(entry).holders.some((holder) => holder.run === run));
    await this.release(
      run,
      held.map(({ key }) => key),
    );
  }

  async #takeOne(
    target: string,
    wanted: Holder,
    { isOwner, again = false }: Taking,
    onlyLook: boolean,
  ): Promise<'taken' | 'had' | 'free' | Omit<Held, 'target'>> {
    for (;;) {
      const entry = await this.#bucket.get(target);
      const { holders, taken = [], unreadable } = holdsOf(entry);
      if (unreadable === true) return { holders, unreadable };
      const others = holders.filter(({ run }) => run !== wanted.run);
      const blocking = others.filter(({ mode }) => mode === 'exclusive' || wanted.mode === 'exclusive');
      const lost = again ? lostBy(wanted.run, taken) : undefined;
      if (blocking.length > 0 || lost !== undefined)
        return { holders: blocking, ...(lost !== undefined && { takenBy: lost.by }) };
      const has = holders.length > others.length;
      if (onlyLook) return has ? 'had' : 'free';
      assertStillHeld(wanted.run, isOwner);
      const had = holders.find(({ run, leaving }) => run === wanted.run && leaving === undefined);
      const from = had === undefined ? await this.#lastSubmitted(target) : had.from;
      const next: TargetHolds = {
        holders: [...others, { ...wanted, ...(from !== undefined && from > 0 && { from }) }],
        taken: givenBack(taken, wanted.run, from ?? 0),
      };
      const stored = await this.#write(target, next, entry?.revision ?? 0);
      if (stored === undefined) continue;
      if (!has && !isOwner()) {
        await this.#write(target, { holders, taken }, stored);
        assertStillHeld(wanted.run, isOwner);
        continue;
      }
      return has ? 'had' : 'taken';
    }
  }

  /** Where a hold begins: what is submitted from now on comes behind. */
  async #lastSubmitted(target: string): Promise<number> {
    return (await this.#bus.last(streams.telecommands, subject.tcSubmit(target)))?.seq ?? 0;
  }

  /** What keeps the target from the reaction; undefined once it is its own. */
  async #seizeOne(
    target: string,
    { run, by, alarm }: Reaction,
    isOwner: IsOwner,
    asked: readonly string[],
  ): Promise<Omit<Held, 'target'> | undefined> {
    for (;;) {
      const entry = await this.#bucket.get(target);
      const { holders, taken = [], unreadable } = holdsOf(entry);
      if (unreadable === true) return { holders, unreadable };
      const others = holders.filter((holder) => holder.run !== run);
      const reactions = others.filter((holder) => holder.alarm !== undefined);
      if (reactions.length > 0) return { holders: reactions };
      assertStillHeld(run, isOwner);
      const had = taken.flatMap((each) =>
        each.reaction === run && each.upTo === undefined ? [each.run] : [],
      );
      const lost = new Set([...asked, ...others.map((holder) => holder.run)]);
      const from = [...lost]
        .filter((each) => !had.includes(each))
        .map((each) => ({ run: each, reaction: run, by }));
      const next: TargetHolds = {
        holders: [{ run, mode: 'exclusive', alarm }],
        taken: [...taken, ...from].slice(-TAKEN_HOLDS),
      };
      if (await this.#put(target, next, entry)) return undefined;
    }
  }

  async #leaveOne(target: string, run: string, isOwner: IsOwner): Promise<void> {
    for (;;) {
      const entry = await this.#bucket.get(target);
      const { holders, taken = [] } = holdsOf(entry);
      const hold = holders.find((holder) => holder.run === run);
      if (hold === undefined || hold.leaving === true) return;
      assertStillHeld(run, isOwner);
      const marked = holders.map((holder) =>
        holder === hold ? { ...hold, leaving: true as const } : holder,
      );
      if (await this.#put(target, { holders: marked, taken }, entry)) return;
    }
  }

  async #releaseOne(target: string, run: string, isOwner: IsOwner): Promise<void> {
    for (;;) {
      const entry = await this.#bucket.get(target);
      assertStillHeld(run, isOwner);
      const { holders, taken = [], unreadable } = holdsOf(entry);
      if (unreadable === true) return;
      const others = holders.filter((holder) => holder.run !== run);
      if (await this.#put(target, { holders: others, taken }, entry)) return;
    }
  }

  async #put(target: string, holds: TargetHolds, entry: Entry | undefined): Promise<boolean> {
    return (await this.#write(target, holds, entry?.revision ?? 0)) !== undefined;
  }

  /**
   * The revision it is stored at; undefined when somebody else wrote first. A free target keeps its entry: its change
   * reaches who watches at once, a removal would not.
   */
  async #write(
    target: string,
    { holders, taken = [] }: TargetHolds,
    revision: number,
  ): Promise<number | undefined> {
    const holds: TargetHolds = { holders, ...(taken.length > 0 && { taken }) };
    const written = await this.#bucket.put(target, Buffer.from(JSON.stringify(holds)), revision);
    return written.outcome === 'written' ? written.revision : undefined;
  }
}

/** The targets of a program. */
export function targetsOf({ leases }: Program): readonly string[] {
  return leases.map(({ target }) => target);
}

/** What is said of held targets, naming every holder and the alarm of a reaction. */
export function heldReason(held: readonly Held[]): string {
  return held
    .map(({ target, holders, takenBy, unreadable }) => {
      if (unreadable === true) return unreadableReason(target);
      if (holders.length === 0) return `${target} was taken from it by ${takenBy ?? 'a reaction'}`;
      return `${target} is held by ${holders.map(holderInWords).join(', ')}`;
    })
    .join('; ');
}

function holderInWords({ run, alarm }: Holder): string {
  return alarm === undefined ? `run ${run}` : `run ${run}, the reaction to alarm ${alarm}`;
}

function inOrder(leases: readonly ProgramLease[]): readonly ProgramLease[] {
  return [...leases].sort((a, b) => (a.target < b.target ? -1 : 1));
}

/** What it submitted before it lost the target stays behind; what it submits from now on may leave. */
function givenBack(taken: readonly TakenHold[], run: string, upTo: number): readonly TakenHold[] {
  return taken.map((each) => (each.run === run && each.upTo === undefined ? { ...each, upTo } : each));
}

function lostBy(run: string, taken: readonly TakenHold[]): TakenHold | undefined {
  return taken.find((each) => each.run === run && each.upTo === undefined);
}

function holdsOf(entry: Entry | undefined): TargetHolds {
  return readHolds(entry?.value);
}
