/**
 * What an actor kind gives the runtime and what the runtime gives it back: the binding of a chart, the envelope a
 * revision is kept in, and the store that makes it durable. Types only; `supervision/cells/cell.ts` keeps the rules.
 */

import type { AnyStateMachine } from 'xstate';

/** An event of a chart. Events from outside carry `at`, ms since 1970 (C4). */
export interface EntityEvent {
  readonly type: string;
}

/** Something a chart emitted: an effect it asks for, or a record of its log. */
export interface Emitted {
  readonly type: string;
}

export interface PendingEffect {
  /** Idempotency key `<kind>:<id>:<revision>:<n>` (C3). */
  readonly key: string;
  readonly effect: Emitted;
}

/** An armed `after` of a chart. */
export interface ArmedTimer {
  /** The event it will send; its name is also the name of the timer. */
  readonly event: EntityEvent;
  readonly id: string;
  /** ms since 1970 */
  readonly dueAt: number;
}

/** Everything a cell needs to come back (C5). */
export interface Envelope {
  readonly kind: string;
  readonly id: string;
  /** Version of the chart that wrote it. */
  readonly version: number;
  readonly revision: number;
  /** Fencing token of the owner that wrote it. */
  readonly epoch: number;
  /** The persisted snapshot of the chart. */
  readonly snapshot: unknown;
  readonly timers: readonly ArmedTimer[];
  /** Effects asked for and not known to be done: they are asked again, under the same keys. */
  readonly effects: readonly PendingEffect[];
}

/** The envelope of an entity whose truth is a log, kept beside that log (`messaging/kept-envelopes.ts`). */
export interface KeptEnvelope extends Envelope {
  /** The last message of the log that is in it. */
  readonly covers: LogPlace;
  /** What its owner knows of the whole log beside the chart. */
  readonly facts?: unknown;
}

/** A message of a log: where it stands, and how the log's kind knows it again. */
export interface LogPlace {
  readonly position: number;
  readonly mark: string;
}

export interface Stored {
  readonly envelope: Envelope;
  /** Where the store will expect the next commit: a bucket revision or a position of a log. */
  readonly position: number;
  /** Of the message of a log at that position. */
  readonly mark?: string;
  /** What is kept beside the log covers that position. */
  readonly isKept?: boolean;
}

export interface Commit<Item extends Emitted = Emitted> {
  readonly id: string;
  readonly epoch: number;
  /** Position of the last commit; 0 when there is none. */
  readonly position: number;
  /** Records of the log since the last commit, in order. */
  readonly records: readonly Item[];
  /** Made on demand: a store that keeps only the log does not pay for it. */
  readonly envelope: () => Envelope;
  /** The chart has reached a final state. */
  readonly final: boolean;
}

export type Committed =
  | { readonly outcome: 'committed'; readonly position: number; readonly mark?: string }
  /** Somebody else wrote: the cell is dropped and its effects never run (O1). */
  | { readonly outcome: 'fenced' };

export interface LoadOptions {
  /** From the log alone: what is kept beside it may be what the entity crashed of. */
  readonly fromLog?: boolean;
}

/** Makes revisions durable. Throws `Outage` while the bus is away: the cell asks again. */
export interface Store<Item extends Emitted = Emitted> {
  load(id: string, how?: LoadOptions): Promise<Stored | undefined>;
  commit(commit: Commit<Item>): Promise<Committed>;
}

export interface EffectRun {
  readonly id: string;
  readonly key: string;
  readonly epoch: number;
  /** Aborted when the cell goes: nobody waits for the reply any more. */
  readonly signal: AbortSignal;
}

/** One record of an entity's log, and how its chart came to it. */
export interface LoggedStep {
  readonly at: number;
  /** What the log says, `SENT`. */
  readonly event: string;
  readonly detail?: string;
  readonly record: unknown;
  /** State of the chart in which the record was made; undefined when a record is none of a state. */
  readonly state?: string;
  /** The persisted snapshot it was put to before it received them: a new owner began there. */
  readonly put?: unknown;
  /** What the chart received since the record before; nothing when both are of one macrostep. */
  readonly told: readonly EntityEvent[];
}

/** The log of an entity, ready to be replayed through its chart. */
export interface EntityLog {
  readonly input: unknown;
  /** A record is shown with everything its turn of the chart led to: the log names no states. */
  readonly byTurn?: boolean;
  readonly steps: readonly LoggedStep[];
  /** Number of the first of them, when the log is longer; else 1. */
  readonly from?: number;
}

/** Restart when it crashed: always, only by its supervisor's patience, or never. */
export type RestartPolicy = 'permanent' | 'transient' | 'temporary';

/** Carries out an effect; what it resolves to goes back to the chart. */
export type EffectHandler<Effect extends Emitted = Emitted, Event extends EntityEvent = EntityEvent> = (
  effect: Effect,
  run: EffectRun,
) => Promise<Event | undefined> | Event | undefined;

/** A chart tied to the world, as the runtime takes it: made by `defineBinding`, which knows the types of the chart. */
export interface Binding<Chart extends AnyStateMachine = AnyStateMachine> {
  readonly kind: string;
  readonly version: number;
  readonly chart: Chart;
  readonly store: Store;
  /**
   * `log`: a revision is one macrostep that emitted records; what emits none changes nothing durable.
   * `snapshot`: a revision is one macrostep that changed anything.
   */
  readonly durability: 'log' | 'snapshot';
  /** By the type of the effect. */
  readonly effects: Readonly<Record<string, EffectHandler>>;
  readonly restart: RestartPolicy;
  /**
   * Whether its owner ends an entity of which something does not fit into a message of the bus, with that as the
   * reason: it never will. Default: quarantined like any other that crashes.
   */
  readonly endsTooLarge?: true;
  /** After this long without an event a cell with nothing pending is persisted and stopped; null: never (C7). */
  readonly idleMs: number | null;
  /** Pure steps from an older chart version to the next; a version without a path is quarantined (C5). */
  readonly migrations: Readonly<Record<number, (envelope: Envelope) => Envelope>>;
  /** The target an entity belongs to, for who searches by target. */
  readonly targetOf?: (id: string) => string | undefined;
  /** All of them, for a kind whose entities belong to several. */
  readonly targetsOf?: (id: string) => readonly string[];
  /** What people call an entity beside its id. */
  readonly labelOf?: (id: string) => string | undefined;
  /** What a person is shown of its context; all of it when absent. */
  readonly shownContext?: (context: unknown) => unknown;
  /** Of a kind whose truth is a log: its envelope is kept beside it, with this. Absent: none is. */
  readonly kept?: {
    /** Whether it is still this process's: one that slept may have been overtaken by an owner that has ended it. */
    readonly isOwned: (id: string) => boolean;
    /** What of the context is kept; all of it when absent. */
    readonly context?: (context: unknown) => unknown;
    /** What its owner knows of the whole log beside the chart. */
    readonly facts?: (id: string) => unknown;
  };
  /**
   * The log of any entity of the kind, alive or long over; undefined when there is none. Kinds without a log lack it.
   */
  readonly history?: (id: string) => Promise<EntityLog | undefined>;
}
