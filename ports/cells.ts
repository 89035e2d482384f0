/**
 * The cells of one kind as whoever owns their entities uses them, and the owner as its cells use it: a lane, a shard of
 * runs, the alarm service, the radio, the runs of the bench. Types only; `supervision/cells/` has the cells.
 */

import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom } from 'xstate';
import type { EntityEvent, Stored } from './entity.ts';

/** What became of an event for an entity: `full` when too many wait, `gone` when its process takes no more. */
export type Told = 'accepted' | 'full' | 'gone' | 'quarantined';

export type CellStatus = 'live' | 'loading' | 'restarting' | 'quarantined';

/**
 * Why an entity has no cell here any more; after `quarantined` a person decides. `too-large`: something of it does not
 * fit into a message of the bus (`Binding.endsTooLarge`).
 */
export type Gone = 'finished' | 'fenced' | 'quarantined' | 'given-up' | 'reset' | 'too-large';

export interface Cells<Input = unknown, Event extends EntityEvent = EntityEvent, Context = unknown> {
  /** Begins an entity; it must not be live. `epoch` is the fencing token of its owner. */
  start(id: string, input: Input, epoch: number): void;
  /** Goes on with an entity whose record is at hand. */
  restore(id: string, stored: Stored, epoch: number): void;
  /** Gives it an event, and brings it to life from its record where it has no cell. */
  tell(id: string, event: Event): Told;
  /** Brings it to life from its record, as an event for it would. */
  wake(id: string): void;
  /** Stops its cell without a word: the record stays as it is. */
  drop(id: string): void;
  /** How it is with an entity here; undefined for one that has no cell and waits for none. */
  status(id: string): CellStatus | undefined;
  /** Where its chart stands; undefined while it has no cell. */
  context(id: string): Context | undefined;
  /** Why it is quarantined or restarted; undefined when it is in no trouble. */
  trouble(id: string): string | undefined;
  /** Of all that live or wait to. */
  ids(): Iterable<string>;
}

/** The cells of the entities of this chart. */
export type CellsOf<Chart extends AnyStateMachine> = Cells<
  InputFrom<Chart>,
  Extract<EventFromLogic<Chart>, EntityEvent>,
  ContextFrom<Chart>
>;

export interface CellOwner {
  /** Fencing token under which an entity is brought to life by an event; default: 0. */
  epochOf?(id: string): number;
  /** The cell is gone for good; for `reset` with the trouble it was in and who gave it up, for `too-large` with what. */
  gone(id: string, why: Gone, detail?: string): void | Promise<void>;
  /** A person resumes it: it goes on from its record once this resolves; default: at once. */
  resumed?(id: string): Promise<void>;
}
