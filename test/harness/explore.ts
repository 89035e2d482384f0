/**
 * Walks a chart into every corner: from the start, each of the given events, each armed deadline and each wait asked
 * for, in every state found, breadth first. The way to each state is therefore a shortest one.
 *
 * Every step is driven again from the start and not computed: time, deadlines and effects are as they would be. What
 * differs only in its context counts as one state unless `distinguish` tells it apart, so a chart that counts is
 * explored once per state.
 *
 * G1. Deterministic: same chart and options, same states, paths and edges in the same order.
 * G2. Bounded: more states than `limit` are a failure, never an endless walk.
 */

import { isDeepStrictEqual } from 'node:util';
import type { AnyStateMachine, ContextFrom } from 'xstate';
import { HeapClock } from '../../supervision/clock.ts';
import {
  Driven,
  type DriveOptions,
  type Driving,
  type EffectOf,
  type EventOf,
  type RecordOf,
} from './drive.ts';
import { type Duration, deadlineName, milliseconds } from './duration.ts';
import { covers, everyName, type StateName } from './state-name.ts';
import { shown } from './story.ts';

/** One step of a path: an event, the next deadline, or a time in which none is due. */
export type Step<Chart extends AnyStateMachine> =
  | { readonly send: EventOf<Chart> }
  | { readonly deadline: string }
  | { readonly wait: Duration };

export interface ExploreOptions<Chart extends AnyStateMachine> extends DriveOptions<Chart> {
  /** Events to try in every state. */
  readonly events: readonly EventOf<Chart>[];
  /** Times to let pass in every state, beside those that armed deadlines ask for. */
  readonly waits?: readonly Duration[];
  /** Reports apart what is the same state by name, for example by a count in the context. */
  readonly distinguish?: (driven: Driven<Chart>) => string;
  /** States at most, default 2,000. */
  readonly limit?: number;
}

/** One step out of a reachable state, also when nothing came of it. */
export interface Edge<Chart extends AnyStateMachine> {
  readonly path: readonly Step<Chart>[];
  readonly step: Step<Chart>;
  readonly from: string;
  readonly to: string;
  readonly before: ContextFrom<Chart>;
  readonly after: ContextFrom<Chart>;
  readonly effects: readonly EffectOf<Chart>[];
  readonly records: readonly RecordOf<Chart>[];
  /** The state has another name, or another context, or something was emitted. */
  readonly moved: boolean;
  /** `from` was final. */
  readonly ended: boolean;
}

export interface Path<Chart extends AnyStateMachine> {
  readonly state: string;
  readonly steps: readonly Step<Chart>[];
  /** The chart, driven there again. */
  drive(): Driven<Chart>;
}

/** Enough for every chart that is looked at by state; more means that `distinguish` reports too much apart. */
const STATES = 2_000;

/** What can be reached and how; throws when there are more states than the limit or when the chart fails on the way. */
export function explore<Chart extends AnyStateMachine>(
  chart: Chart,
  options: Driving<Chart, ExploreOptions<Chart>> & Pick<ExploreOptions<Chart>, 'events'>,
): Explored<Chart> {
  return new Explored(chart, options as ExploreOptions<Chart>);
}

export class Explored<Chart extends AnyStateMachine> {
  /** A shortest path to each state, nearest first. */
  readonly paths: Path<Chart>[] = [];
  /** Every step out of every state, in the order of the paths. */
  readonly edges: Edge<Chart>[] = [];
  readonly #chart: Chart;
  readonly #options: ExploreOptions<Chart>;
  readonly #known = new Set<string>();
  readonly #entered = new Set<string>();

  constructor(chart: Chart, options: ExploreOptions<Chart>) {
    this.#chart = chart;
    this.#options = options;
    this.#find([], this.#drive([]));
    // `paths` grows while it is walked: that is the breadth-first queue.
    for (const path of this.paths) this.#leave(path);
  }

  /** Names of the states reached, as `Driven.state` has them, each once. */
  get states(): string[] {
    return [...new Set(this.paths.map(({ state }) => state))];
  }

  /** Innermost states of the chart in which no path has ever been, not even in passing. */
  get unreached(): string[] {
    return everyName(this.#chart).filter((name) => !covers(name, [...this.#entered]));
  }

  /** A shortest path to the state; throws when there is none, saying what can be reached. */
  to(name: StateName<Chart>): Path<Chart> {
    const found = this.paths.find(({ state }) => covers(name as string, state.split(' & ')));
    if (found !== undefined) return found;
    throw new Error(`no path leads to ${name}; these states can be reached: ${this.states.join(', ')}`);
  }

  /** Calls `check` with each step out of each state; what it throws is thrown on with the path. */
  everyPath(check: (edge: Edge<Chart>) => void): this {
    for (const edge of this.edges) {
      try {
        check(edge);
      } catch (cause) {
        const { story } = this.#drive([...edge.path, edge.step]);
        throw new Error(`${(cause as Error).message}\n${story}`, { cause });
      }
    }
    return this;
  }

  #drive(steps: readonly Step<Chart>[]): Driven<Chart> {
    const { input, at = 0 } = this.#options;
    const driven = new Driven(this.#chart, new HeapClock(at), { input });
    for (const step of steps) take(driven, step);
    return driven;
  }

  #find(steps: readonly Step<Chart>[], driven: Driven<Chart>): void {
    for (const name of driven.entered) this.#entered.add(name);
    const key = `${driven.state} ${this.#options.distinguish?.(driven) ?? ''}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    const { limit = STATES } = this.#options;
    if (this.#known.size > limit)
      throw new Error(`more than ${limit} states: distinguish less or raise the limit`);
    this.paths.push({ state: driven.state, steps, drive: () => this.#drive(steps) });
  }

  #leave(path: Path<Chart>): void {
    for (const step of this.#stepsFrom(path.drive())) {
      const driven = path.drive();
      const { state: from, context: before, ended } = driven;
      driven.takeEffects();
      driven.takeRecords();
      take(driven, step);
      const { state: to, context: after } = driven;
      const [effects, records] = [driven.takeEffects(), driven.takeRecords()];
      const emitted = effects.length + records.length > 0;
      const moved = from !== to || emitted || !isDeepStrictEqual(before, after);
      this.edges.push({ path: path.steps, step, from, to, before, after, effects, records, moved, ended });
      this.#find([...path.steps, step], driven);
    }
  }

  #stepsFrom(driven: Driven<Chart>): Step<Chart>[] {
    const sends = this.#options.events.map((send) => ({ send }));
    const deadlines = driven.timers.slice(0, 1).map((timer) => ({ deadline: deadlineName(timer) }));
    const waits = (this.#options.waits ?? []).map((wait) => ({ wait }));
    return [...sends, ...deadlines, ...waits];
  }
}

/** Takes the step. */
export function take<Chart extends AnyStateMachine>(driven: Driven<Chart>, step: Step<Chart>): void {
  if ('send' in step) driven.send(step.send);
  else if ('deadline' in step) driven.toNextDeadline();
  else driven.advance(step.wait);
}

/** The step in a line. */
export function stepText<Chart extends AnyStateMachine>(step: Step<Chart>): string {
  if ('send' in step) return shown(step.send as object);
  return 'deadline' in step ? step.deadline : `${milliseconds(step.wait) / 1000} s pass`;
}
