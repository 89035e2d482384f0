/**
 * What a process reports about its supervision tree and its cells, asked for over the bus by the inspector (ours; JSON,
 * request and reply on `subject.inspectVerb`, live frames on `subject.inspectWatch`). Nothing here is needed to fly:
 * whoever does not ask pays nothing.
 *
 * N1. Ids are stable: `<kind>:<id>` names an entity in every process and after every restart.
 * N2. Frames have the shapes of `@statelyai/inspect`, with fields of ours beside them, so its tools take them as they
 *     are.
 * N3. A watch ends by itself: it lives `INSPECT_WATCH_MS` from the last time it was asked for.
 */

import type { Result } from './result.ts';

/** Asked of one process; the processes are the keys `member.*` of `mcs_members`. */
export const INSPECT_VERBS = [
  'tree',
  'find',
  'entity',
  'chart',
  'history',
  'watch',
  'unwatch',
  'resume',
  'reset',
] as const;
export type InspectVerb = (typeof INSPECT_VERBS)[number];

// The tree
// -------------------------------------------------------------------------------------------------------------

export type ChildState = 'starting' | 'running' | 'restarting' | 'quarantined' | 'stopping';

/** A child of a supervisor: a role of a process, a partition, or a cell in trouble. */
export interface ChildView {
  readonly name: string;
  readonly state: ChildState;
  /** Crashes inside the window of the supervisor. */
  readonly crashes: number;
  /** Why it is in trouble. */
  readonly reason?: string;
}

export interface PartitionView extends ChildView {
  /** Fencing token of the ownership. */
  readonly epoch: number;
}

export interface KindView {
  readonly kind: string;
  readonly chartVersion: number;
  /** Cells alive here. */
  readonly live: number;
  /** Entities without a live cell that are known here. */
  readonly loading: number;
  /** Path of the supervisor, for `resume` and `reset`. */
  readonly supervisor: string;
  /** Only what is in trouble. */
  readonly trouble: readonly ChildView[];
}

export interface RoleView extends ChildView {
  readonly partitions: readonly {
    /** `lane`, `decoder`, … */
    readonly prefix: string;
    readonly supervisor: string;
    /** What this process owns. */
    readonly owned: readonly PartitionView[];
  }[];
  readonly kinds: readonly KindView[];
}

/** Reply of `tree`. */
export interface ProcessView {
  readonly instance: string;
  /** ms since 1970 */
  readonly startedAt: number;
  readonly at: number;
  readonly draining: boolean;
  /** Path of the supervisor of its roles. */
  readonly supervisor: string;
  readonly roles: readonly RoleView[];
  /** Until when something is lost of what the bus held, ms since 1970; absent: nothing that it knows of. */
  readonly lostUntil?: number;
  readonly deadLetters: { readonly count: number; readonly newest: readonly DeadLetterView[] };
}

export interface DeadLetterView {
  readonly kind: string;
  readonly id: string;
  readonly at: number;
  readonly event: string;
  readonly error: string;
}

// Entities
// -------------------------------------------------------------------------------------------------------------

export interface EntityName {
  readonly kind: string;
  readonly id: string;
}

/** Query of `find`; all that is given must hold. */
export interface FindCall {
  readonly kind?: string;
  /** Part of the id or of the label. */
  readonly id?: string;
  readonly target?: string;
  /** A state the entity is in, at any depth of the chart. */
  readonly state?: string;
  /** Only these, by their whole ids. */
  readonly ids?: readonly string[];
  readonly limit: number;
}

export interface EntitySummary extends EntityName {
  /** What people call it beside its id: of a run, its procedure. */
  readonly label?: string;
  /** The target, or all of them joined by a comma. */
  readonly target?: string;
  readonly status: 'live' | 'loading' | 'restarting' | 'quarantined' | 'finished';
  /** Innermost active states, joined by a space; empty without a live actor. */
  readonly state: string;
  readonly revision: number;
  /** Last event, ms since 1970. */
  readonly at: number;
  /** The process that has it; absent where none says so. */
  readonly instance?: string;
  /** What its store has of it, where that is looked at. */
  readonly stored?: StoredView;
}

/** What stands in the bucket of an entity: the envelope that is kept beside its log, or its record. */
export interface StoredView {
  /** When it was written, ms since 1970. */
  readonly at: number;
  /** Fencing token of the owner that wrote it. */
  readonly epoch: number;
  readonly chartVersion: number;
  readonly state: string;
  readonly revision: number;
  /** Position of its log up to which it says everything; absent where it is the record itself. */
  readonly position?: number;
  readonly timers: EntityView['timers'];
  readonly effects: readonly { readonly key: string; readonly type: string }[];
}

/** Reply of `find`. */
export interface Found {
  readonly entities: readonly EntitySummary[];
  /** How many more match. */
  readonly more: number;
}

/** Reply of `entity`. */
export interface EntityView extends EntitySummary {
  readonly instance: string;
  readonly chart: { readonly kind: string; readonly version: number };
  readonly epoch: number;
  /** The supervisor above it, for `resume` and `reset`. */
  readonly supervisor: string;
  readonly reason?: string;
  /** Ids of the active states, `telecommand.open.sent`, outermost first. */
  readonly active: readonly string[];
  /** JSON; what is no JSON is shown as text, what is long is cut. */
  readonly context: unknown;
  readonly effects: readonly { readonly key: string; readonly type: string; readonly detail: unknown }[];
  /** Soonest first. */
  readonly timers: readonly { readonly event: string; readonly dueAt: number }[];
  /** Event types it would accept now, by name. */
  readonly accepts: readonly string[];
  /** Event types its chart knows and it would ignore or refuse now. */
  readonly refuses: readonly string[];
}

// Charts
// ---------------------------------------------------------------------------------------------------------------

export interface ChartNode {
  /** `telecommand.open.sent` */
  readonly id: string;
  readonly key: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly initial: boolean;
  readonly description?: string;
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  readonly children: readonly ChartNode[];
}

export interface ChartEdge {
  /** Stable within a version: `<source>|<event>|<n>`. */
  readonly id: string;
  readonly source: string;
  readonly target: string;
  /** As a person reads it: `gateway.sent`, `after 30 s`, `always`. */
  readonly event: string;
  readonly guard?: string;
  readonly actions: readonly string[];
}

/** Reply of `chart`. */
export interface ChartView {
  readonly kind: string;
  readonly version: number;
  /** Of the definition: two builds of one version differ in it. */
  readonly digest: string;
  readonly root: ChartNode;
  readonly edges: readonly ChartEdge[];
  /** `machine.config` as JSON text, for the tools of `@statelyai/inspect`. */
  readonly definition: string;
}

/** One step of an entity's log, replayed through its chart. */
export interface HistoryStep {
  /** Position in the log, from 1. */
  readonly n: number;
  readonly at: number;
  /** What the log says: `SENT`, … */
  readonly event: string;
  readonly detail?: string;
  readonly record: unknown;
  readonly active: readonly string[];
  readonly context: unknown;
  /** The edges on the way here, when the chart names them. */
  readonly taken: readonly string[];
}

/** Reply of `history`. */
export interface HistoryView extends EntityName {
  readonly chart: { readonly kind: string; readonly version: number };
  readonly final: boolean;
  readonly steps: readonly HistoryStep[];
}

// Live frames
// ----------------------------------------------------------------------------------------------------------

/** Call of `watch` and `unwatch`: frames go to `subject.inspectWatch(watcher)` until it is over (N3). */
export interface WatchCall extends EntityName {
  readonly watcher: string;
}

/** Reply of `watch` and `unwatch`. */
export interface WatchLease {
  /** When the watch is over unless it is asked for again, ms since 1970; now, for `unwatch`. */
  readonly until: number;
}

/** How long a watch lives without being renewed. */
export const INSPECT_WATCH_MS = 10_000;

interface InspectionUpdateBase {
  /** `<kind>:<id>` (N1). */
  readonly sessionId: string;
  readonly rootId: string;
  /** ms since 1970, as text: the wire form of `@statelyai/inspect`. */
  readonly createdAt: string;
  readonly id: null;
  readonly _version: string;
  // Ours:
  readonly revision: number;
  readonly at: number;
}

export interface ActorUpdate extends InspectionUpdateBase {
  readonly type: '@xstate.actor';
  readonly name: string;
  /** The supervisor above it. */
  readonly parentId?: string;
  readonly definition: string;
  readonly snapshot: InspectedSnapshot;
  readonly view: EntityView;
}

export interface EventUpdate extends InspectionUpdateBase {
  readonly type: '@xstate.event';
  readonly event: { readonly type: string };
  readonly sourceId?: string;
}

export interface SnapshotUpdate extends InspectionUpdateBase {
  readonly type: '@xstate.snapshot';
  readonly event: { readonly type: string };
  readonly snapshot: InspectedSnapshot;
  readonly view: EntityView;
  /** Ids of the edges taken since the frame before. */
  readonly taken: readonly string[];
  /** Macrosteps folded into this frame: 1 unless the entity is faster than its watchers are shown. */
  readonly steps: number;
}

export interface InspectedSnapshot {
  readonly status: string;
  readonly value: unknown;
  readonly context: unknown;
  readonly children: Readonly<Record<string, never>>;
  readonly tags: readonly string[];
}

export type InspectionUpdate = ActorUpdate | EventUpdate | SnapshotUpdate;

// Quarantine
// -----------------------------------------------------------------------------------------------------------

/** Call of `resume` (go on from the record) and `reset` (forget it here; its record stays). */
export interface ReleaseCall {
  readonly supervisor: string;
  readonly child: string;
  /** Who asks, for the log. */
  readonly by: string;
}

/** Reply of `resume` and `reset`. */
export interface Released {
  readonly supervisor: string;
  readonly child: string;
}

export type InspectCode =
  | 'inspect::unknown-entity'
  | 'inspect::unknown-chart'
  | 'inspect::no-history'
  | 'inspect::not-quarantined'
  | 'inspect::invalid';

export interface InspectFault {
  readonly code: InspectCode;
  readonly message: string;
}

export type InspectAnswer<Value> = Result<Value, InspectFault>;
