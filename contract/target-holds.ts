/**
 * Which runs hold which target: the entries of `mcs_leases`, and what follows from one. Mission Control Service,
 * sections 3.2, 4.1 rule 5 and 4.4.
 *
 * H1. An entry that cannot be read is no free target: until it is corrected nobody sends to its target or takes it.
 */

import { buckets } from './bus/buckets.ts';
import { objectIn } from './json-bytes.ts';

/** Body of `mcs_leases` under `<target>`: the runs that hold the target (section 4.1 rule 5). */
export interface TargetHolds {
  readonly holders: readonly Holder[];
  /** Runs that a reaction took the target from, oldest first. */
  readonly taken?: readonly TakenHold[];
  /** The entry is malformed, and who holds the target is not known (H1). Never stored. */
  readonly unreadable?: true;
}

export interface Holder {
  readonly run: string;
  readonly mode: 'exclusive' | 'shared';
  /** Key of the alarm whose reaction the run is (section 4.4 reaction rule 4). */
  readonly alarm?: string;
  /** Position of TC_COMMANDS when it took the target: what it submitted up to there belongs to an earlier hold. */
  readonly from?: number;
  /** It is giving the target back: nothing of it leaves any more, and nobody else has the target yet. */
  readonly leaving?: true;
}

/** The hold that a telecommand of a run needs to leave: of this run, taken before this position of TC_COMMANDS. */
export interface NeededHold {
  readonly run: string;
  /** Of its submission in TC_COMMANDS. */
  readonly position: number;
}

/** A hold that a reaction took. */
export interface TakenHold {
  /** The run that had it. */
  readonly run: string;
  /** The reaction, and `alarm <key>`. */
  readonly reaction: string;
  readonly by: string;
  /** Once the run has the target again: of what it submitted, nothing up to this position of TC_COMMANDS may leave. */
  readonly upTo?: number;
}

const FREE: TargetHolds = { holders: [] };

const UNREADABLE: TargetHolds = { holders: [], unreadable: true };

/** What an entry of `mcs_leases` says; nobody holds a target without one, or with an empty one. Never throws (H1). */
export function readHolds(value: Uint8Array | undefined): TargetHolds {
  if (value === undefined || value.length === 0) return FREE;
  const read: Partial<Record<keyof TargetHolds, unknown>> = objectIn(value) ?? {};
  const { holders, taken = [] } = read;
  const isWhole = Array.isArray(holders) && holders.every(isHolder) && isListOf(taken, isTaken);
  return isWhole ? { ...(read as TargetHolds), holders } : UNREADABLE;
}

function isListOf(value: unknown, isOne: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}

function isHolder(item: unknown): item is Holder {
  const { run, mode, from = 0 } = (item ?? {}) as Partial<Record<keyof Holder, unknown>>;
  return typeof run === 'string' && (mode === 'exclusive' || mode === 'shared') && typeof from === 'number';
}

function isTaken(item: unknown): boolean {
  const { run, reaction, by, upTo = 0 } = (item ?? {}) as Partial<Record<keyof TakenHold, unknown>>;
  return [run, reaction, by].every((text) => typeof text === 'string') && typeof upTo === 'number';
}

/** What is said of a target whose entry cannot be read (H1). */
export function unreadableReason(target: string): string {
  return `who holds ${target} is not known, its entry in bucket ${buckets.leases.name} cannot be read: \`mcs bus check\``;
}

/** Why a telecommand that a run submitted at this position never leaves: its target was taken from it. */
export function takenFrom({ taken = [] }: TargetHolds, run: string, position: number): TakenHold | undefined {
  return taken.find((each) => each.run === run && position <= (each.upTo ?? position));
}

/**
 * Why a telecommand of a run may not leave as the holds of its target stand: the run does not hold it, is giving it
 * back, or holds it again since the submission (A-71). Undefined when it may.
 */
export function unheldReason(
  holds: TargetHolds,
  target: string,
  { run, position }: NeededHold,
): string | undefined {
  if (holds.unreadable === true) return unreadableReason(target);
  const taken = takenFrom(holds, run, position);
  if (taken !== undefined) return `${target} was taken from run ${run} by ${taken.by}`;
  const hold = holds.holders.find((holder) => holder.run === run);
  if (hold === undefined) return `run ${run} no longer holds ${target}`;
  if (hold.leaving === true) return `run ${run} is releasing ${target}`;
  if (position > (hold.from ?? 0)) return undefined;
  return `run ${run} submitted it before it was suspended, and has taken ${target} again since`;
}

/** Why a telecommand may not be sent to the target, naming every other holder (H1); undefined when it may. */
export function blockedReason(
  { holders, unreadable }: TargetHolds,
  target: string,
  { changesState, run }: { readonly changesState: boolean; readonly run?: string | undefined },
): string | undefined {
  if (unreadable === true) return unreadableReason(target);
  const blocking = blockingHolders(holders, changesState, run);
  if (blocking.length === 0) return undefined;
  return `${target} is held by ${blocking.map((holder) => `run ${holder.run}`).join(', ')}`;
}

/**
 * The runs that keep a telecommand from the target: every holder if one holds exclusively or the telecommand changes
 * the state, else none. What a run sends is not kept back by its own hold.
 */
export function blockingHolders(
  holders: readonly Holder[],
  changesState: boolean,
  run?: string,
): readonly Holder[] {
  const others = run === undefined ? holders : holders.filter((holder) => holder.run !== run);
  return changesState || others.some(({ mode }) => mode === 'exclusive') ? others : [];
}
