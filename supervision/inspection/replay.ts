/**
 * Replays the log of an entity through its chart, record by record, without any of its effects: the history of the
 * inspector. Architecture, "The inspector".
 *
 * R1. The log is the truth. Where the chart, reported what the log implies, does not come to the state of the record,
 *     it is put there, and no edge is named.
 * R2. Replaying asks nothing of the world and sets no timer.
 */

import { type AnyActor, type AnyMachineSnapshot, createActor } from 'xstate';
import type { HistoryStep, HistoryView } from '../../contract/inspection.ts';
import {
  INSPECT_CONTEXT_CHARACTERS,
  INSPECT_HISTORY_CHARACTERS,
  INSPECT_HISTORY_STEPS,
} from '../../contract/limits/inspect.ts';
import type { EntityEvent, EntityLog, LoggedStep } from '../../ports/entity.ts';
import { type CompiledChart, compileChart } from './chart.ts';
import { activeIds, isIn, shownContext } from './entity-view.ts';
import type { InspectedBinding } from './inspected.ts';
import { readable } from './readable.ts';

/** The history of an entity as its chart went through it; the newest steps when there are very many. */
export function replay(binding: InspectedBinding, id: string, log: EntityLog): HistoryView {
  const { kind, version } = binding;
  const replayed = new Replay(binding, log);
  const from = log.from ?? 1;
  const views = log.steps.map((step, index) => replayed.step(step, from + index));
  const shown = views.slice(-INSPECT_HISTORY_STEPS);
  const characters = Math.min(
    INSPECT_CONTEXT_CHARACTERS,
    Math.floor(INSPECT_HISTORY_CHARACTERS / Math.max(1, shown.length) / 2),
  );
  return {
    kind,
    id,
    chart: { kind, version },
    final: replayed.final,
    steps: shown.map((view) => ({
      ...view,
      record: readable(view.record, characters),
      context: readable(shownContext(binding, view.context), characters),
    })),
  };
}

/** A step of the chart inside a macrostep. */
interface Microstep {
  readonly snapshot: AnyMachineSnapshot;
  readonly taken: readonly object[];
}

/** Timers of a replayed chart never fire (R2). */
const NO_CLOCK = { setTimeout: () => undefined, clearTimeout: () => undefined };

class Replay {
  readonly #binding: InspectedBinding;
  readonly #chart: CompiledChart;
  readonly #byTurn: boolean;
  #actor: AnyActor;
  /** Steps the chart has taken that no record has shown yet: several records may be made in one macrostep. */
  #ahead: Microstep[] = [];
  #shown: AnyMachineSnapshot | undefined;

  constructor(binding: InspectedBinding, { input, byTurn = false }: EntityLog) {
    this.#binding = binding;
    this.#byTurn = byTurn;
    this.#chart = compileChart(binding.kind, binding.version, binding.chart);
    this.#actor = this.#begin({ input });
  }

  /** Whether the last record shown left nothing to come. */
  get final(): boolean {
    return this.#shown?.status === 'done';
  }

  step(step: LoggedStep, n: number): HistoryStep {
    const taken = this.#advance(step);
    const snapshot = this.#shown;
    return {
      n,
      at: step.at,
      event: step.event,
      ...(step.detail !== undefined && { detail: step.detail }),
      record: step.record,
      active: snapshot === undefined ? [] : activeIds(snapshot),
      context: snapshot?.context,
      taken: this.#chart.edgesOf(taken),
    };
  }

  #begin(origin: { input: unknown } | { snapshot: unknown }): AnyActor {
    const options = { ...origin, clock: NO_CLOCK, inspect: (seen: unknown) => this.#see(seen as Seen) };
    const actor = createActor(this.#binding.chart, options as never) as AnyActor;
    // A chart that throws is put where the log says (R1).
    actor.subscribe({ error: () => undefined });
    actor.start();
    return actor;
  }

  #see({ type, snapshot, _transitions }: Seen): void {
    if (type === '@xstate.microstep') this.#ahead.push({ snapshot, taken: _transitions ?? [] });
  }

  /** Brings the chart to where the record was made; the transitions taken on the way. */
  #advance({ state, told, put }: LoggedStep): readonly object[] {
    if (put !== undefined) this.#putTo(put);
    if (this.#byTurn) return this.#feedTurn(told);
    if (state === undefined) return this.#feedBeside(told);
    if (this.#shown === undefined) return this.#beginIn(state);
    const known = this.#takeUntil(state);
    if (known !== undefined) return known;
    this.#tell(told);
    return this.#takeUntil(state) ?? this.#put(state);
  }

  /** A malformed record of a state: reported only to a chart that has shown everything, and never moves the others. */
  #feedBeside(reported: readonly EntityEvent[]): readonly object[] {
    if (this.#ahead.length > 0) return [];
    this.#tell(reported);
    return this.#takeAll();
  }

  #feedTurn(announced: readonly EntityEvent[]): readonly object[] {
    this.#tell(announced);
    const taken = this.#takeAll();
    // A chart that begins in one step has taken no step that could be seen.
    this.#shown ??= this.#actor.getSnapshot();
    return taken;
  }

  /** The first record is made while the chart begins; a log whose beginning is lost begins later. */
  #beginIn(state: string): readonly object[] {
    const initial = this.#chart.view.root.children.find((child) => child.initial);
    if (initial?.key !== state) return this.#takeUntil(state) ?? this.#put(state);
    const left = this.#ahead.findIndex(({ snapshot }) => !isIn(snapshot, state));
    const within = this.#ahead.splice(0, left === -1 ? this.#ahead.length : left);
    this.#shown = within.at(-1)?.snapshot ?? this.#resolved(state, this.#actor.getSnapshot().context);
    return within.flatMap(({ taken }) => taken);
  }

  /** Shows the steps ahead up to the last one in that state; undefined when none of them is. */
  #takeUntil(state: string): readonly object[] | undefined {
    const start = this.#ahead.findIndex(({ snapshot }) => isIn(snapshot, state));
    if (start === -1) return undefined;
    const end = this.#ahead.findIndex(({ snapshot }, index) => index > start && !isIn(snapshot, state));
    const steps = this.#ahead.splice(0, end === -1 ? this.#ahead.length : end);
    this.#shown = steps.at(-1)?.snapshot;
    return steps.flatMap(({ taken }) => taken);
  }

  #takeAll(): readonly object[] {
    const steps = this.#ahead.splice(0);
    this.#shown = steps.at(-1)?.snapshot ?? this.#shown;
    return steps.flatMap(({ taken }) => taken);
  }

  #tell(emitted: readonly EntityEvent[]): void {
    for (const event of emitted)
      if (this.#actor.getSnapshot().status === 'active') this.#actor.send(event as never);
  }

  /** A new owner began there. */
  #putTo(snapshot: unknown): void {
    this.#ahead = [];
    this.#actor = this.#begin({ snapshot });
    this.#ahead = [];
    this.#shown = this.#actor.getSnapshot();
  }

  /** The chart does not come there by itself (R1). */
  #put(state: string): readonly object[] {
    this.#ahead = [];
    const snapshot = this.#resolved(state, this.#shown?.context ?? this.#actor.getSnapshot().context);
    if (snapshot === undefined) return [];
    this.#shown = snapshot;
    this.#actor = this.#begin({ snapshot: this.#binding.chart.getPersistedSnapshot(snapshot) });
    this.#ahead = [];
    return [];
  }

  #resolved(state: string, context: unknown): AnyMachineSnapshot | undefined {
    try {
      return this.#binding.chart.resolveState({ value: state as never, context: context as never });
    } catch {
      return undefined;
    }
  }
}

interface Seen {
  readonly type: string;
  readonly snapshot: AnyMachineSnapshot;
  readonly _transitions?: readonly object[];
}
