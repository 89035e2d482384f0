/**
 * Drives one state chart by hand: events in, effects and records out, time moved as the test says. The chart runs in
 * the actor that the service runs it in; nothing of the world is there, so whatever the chart asks for is only noted.
 *
 * The assertions throw plain errors that say what was expected, what was found and how the chart got there: any test
 * runner takes them. Charts that invoke or spawn actors are not driven: charts of this service ask by effects.
 *
 * D1. Same chart, input and steps: same story. Time is the harness's clock and moves only by `advance`,
 *     `toNextDeadline` and `crash`.
 * D2. An event without `at` happens at the time of the clock.
 * D3. What is saved is what a store would give back: a context that does not survive the store is refused.
 */

import { isDeepStrictEqual } from 'node:util';
import {
  type Actor,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type ContextFrom,
  createActor,
  type EmittedFrom,
  type EventFromLogic,
  type InputFrom,
  type InspectionEvent,
} from 'xstate';
import type { ArmedTimer } from '../../ports/entity.ts';
import { HeapClock } from '../../supervision/clock.ts';
import { acceptedTypes } from './accepted.ts';
import { type Duration, deadlineName, milliseconds } from './duration.ts';
import { type Saved, stored } from './saved.ts';
import { activeNames, covers, nameOf, type StateName, stateLine } from './state-name.ts';
import { type Line, listed, shown, storyText } from './story.ts';

/** The events of a chart as a test writes them: `at` may be left to the clock (D2). */
export type EventOf<Chart extends AnyStateMachine> = Timed<EventFromLogic<Chart>>;
type Timed<Event> = Event extends { at: number } ? Omit<Event, 'at'> & { readonly at?: number } : Event;

export type EffectOf<Chart extends AnyStateMachine> = Exclude<EmittedFrom<Chart>, { type: 'record' }>;
export type RecordOf<Chart extends AnyStateMachine> = Extract<EmittedFrom<Chart>, { type: 'record' }>;

export interface DriveOptions<Chart extends AnyStateMachine> {
  readonly input: InputFrom<Chart>;
  /** Time of the start, ms since 1970; 0 when left out. */
  readonly at?: number;
}

/** The options, which only a chart without input can do without. */
export type Driving<Chart extends AnyStateMachine, Options = DriveOptions<Chart>> =
  undefined extends InputFrom<Chart> ? Partial<Options> : Options;

/** The chart, started with the input; refuses a chart that fails at its start. */
export function drive<Chart extends AnyStateMachine>(
  chart: Chart,
  ...[options]: undefined extends InputFrom<Chart> ? [options?: Driving<Chart>] : [options: Driving<Chart>]
): Driven<Chart> {
  const clock = new HeapClock(options?.at ?? 0);
  return new Driven(chart, clock, { input: options?.input as InputFrom<Chart> });
}

/** The chart as it was saved, at that time or a later one; deadlines that passed meanwhile fire at once. */
export function restore<Chart extends AnyStateMachine>(
  chart: Chart,
  saved: Saved,
  { at = saved.at }: { readonly at?: number } = {},
): Driven<Chart> {
  return new Driven(chart, new HeapClock(at), { saved });
}

type Origin<Chart extends AnyStateMachine> = { readonly input: InputFrom<Chart> } | { readonly saved: Saved };

export class Driven<Chart extends AnyStateMachine> {
  readonly #chart: Chart;
  readonly #clock: HeapClock;
  #actor: Actor<Chart>;
  readonly #story: Line[] = [];
  readonly #emitted: EmittedFrom<Chart>[] = [];
  readonly #entered = new Set<string>();
  readonly #dueAt = new WeakMap<object, number>();
  #effectsRead = 0;
  #recordsRead = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(chart: Chart, clock: HeapClock, origin: Origin<Chart>) {
    this.#chart = chart;
    this.#clock = clock;
    this.#actor = this.#begin('saved' in origin ? 'restored' : 'start', origin);
  }

  // What it is now ---------------------------------------------------------------------------------------------------

  /** ms since 1970. */
  get now(): number {
    return this.#clock.now();
  }

  /** The innermost active states, as `PENDING.checking`; those of parallel regions joined by ` & `. */
  get state(): string {
    return stateLine(this.#snapshot.value);
  }

  get context(): ContextFrom<Chart> {
    return this.#snapshot.context as ContextFrom<Chart>;
  }

  get ended(): boolean {
    return this.#snapshot.status !== 'active';
  }

  matches(name: StateName<Chart>): boolean {
    return covers(name as string, activeNames(this.#snapshot.value));
  }

  /** Everything emitted so far, in order. */
  get emitted(): readonly EmittedFrom<Chart>[] {
    return this.#emitted;
  }

  /** Every effect asked for so far. */
  get effects(): readonly EffectOf<Chart>[] {
    return this.#emitted.filter((item): item is EffectOf<Chart> => item.type !== 'record');
  }

  /** Every record so far. */
  get records(): readonly RecordOf<Chart>[] {
    return this.#emitted.filter((item): item is RecordOf<Chart> => item.type === 'record');
  }

  /** The effects asked for since the last call or `expectEffects`. */
  takeEffects(): readonly EffectOf<Chart>[] {
    const all = this.effects;
    const fresh = all.slice(this.#effectsRead);
    this.#effectsRead = all.length;
    return fresh;
  }

  /** The records since the last call or `expectRecords`. */
  takeRecords(): readonly RecordOf<Chart>[] {
    const all = this.records;
    const fresh = all.slice(this.#recordsRead);
    this.#recordsRead = all.length;
    return fresh;
  }

  /** Armed deadlines, soonest first. */
  get timers(): readonly ArmedTimer[] {
    return Object.values(this.#actor.system.getSnapshot()._scheduledEvents)
      .map((entry) => ({ id: entry.id, event: entry.event, dueAt: this.#dueAt.get(entry) ?? this.now }))
      .sort((a, b) => a.dueAt - b.dueAt);
  }

  /** Every state it has been in, also those it left in the same step. */
  get entered(): ReadonlySet<string> {
    return this.#entered;
  }

  /** How it got here, as text. */
  get story(): string {
    return storyText(this.#story);
  }

  /**
   * The types of the events that would do something now. A guard that looks into the event needs an example of it;
   * refuses a type whose guards fail without.
   */
  accepts(...examples: readonly EventOf<Chart>[]): string[] {
    return this.#telling(() =>
      acceptedTypes(this.#snapshot, examples as readonly { type: string }[], this.now),
    );
  }

  // What happens to it -----------------------------------------------------------------------------------------------

  /** Gives it the events, one after the other; throws when the chart fails. One that has ended takes no more. */
  send(...events: readonly EventOf<Chart>[]): this {
    for (const event of events) {
      const timed = { at: this.now, ...(event as object) } as EventFromLogic<Chart>;
      if (this.ended) this.#tell(shown(event as object), this.state, 0, true);
      else this.#step(shown(event as object), () => this.#actor.send(timed));
    }
    return this;
  }

  /** Lets time pass; deadlines due on the way fire in order, each at its time. */
  advance(by: Duration): this {
    const ms = milliseconds(by);
    const steps = this.#story.length;
    this.#clock.advance(ms);
    if (this.#story.length === steps) this.#tell(`${ms / 1000} s pass`, this.state, this.#emitted.length);
    return this;
  }

  /** Lets time pass until the next deadline has fired; refuses when none is armed. */
  toNextDeadline(): this {
    const next = this.timers[0];
    if (next === undefined) throw this.#complaint('expected an armed deadline, and there is none');
    this.#clock.advanceTo(next.dueAt);
    return this;
  }

  /** What a store would hold of it now; refuses a context that does not survive being stored (D3). */
  snapshot(): Saved {
    const snapshot = this.#actor.getPersistedSnapshot();
    return this.#telling(() => stored({ at: this.now, snapshot, timers: this.timers }));
  }

  /** Its process dies now and comes back after the time given: it goes on from what was stored, with its deadlines. */
  crash(downFor: Duration = 0): this {
    const downMs = milliseconds(downFor);
    const saved = this.snapshot();
    this.#actor.stop();
    this.#clock.advance(downMs);
    this.#actor = this.#begin(`crash, down for ${downMs / 1000} s`, { saved });
    return this;
  }

  // What is expected of it -------------------------------------------------------------------------------------------

  /** Throws unless it is in every one of the states. */
  expectState(...names: readonly StateName<Chart>[]): this {
    const active = activeNames(this.#snapshot.value);
    const missing = (names as readonly string[]).filter((name) => !covers(name, active));
    if (missing.length > 0)
      throw this.#complaint(`expected state ${missing.join(' & ')}, found ${this.state}`);
    return this;
  }

  /** Throws unless the effects since the last look are these, each by its type or in full. */
  expectEffects(...expected: readonly (EffectOf<Chart>['type'] | EffectOf<Chart>)[]): this {
    return this.#expectItems('effects', expected as readonly (string | object)[], this.takeEffects());
  }

  /** Throws unless the records since the last look are these, in full. */
  expectRecords(...expected: readonly RecordOf<Chart>[]): this {
    return this.#expectItems('records', expected as readonly object[], this.takeRecords());
  }

  /** Throws unless these types of events, and no others, would do something now; see `accepts`. */
  expectAccepts(
    types: readonly EventFromLogic<Chart>['type'][],
    ...examples: readonly EventOf<Chart>[]
  ): this {
    const found = this.accepts(...examples).sort();
    const expected = [...types].sort();
    if (isDeepStrictEqual(found, expected)) return this;
    throw this.#complaint(
      [`in ${this.state}`, listed('expected to accept', expected), listed('accepts', found)].join('\n'),
    );
  }

  #expectItems(what: string, expected: readonly (string | object)[], found: readonly object[]): this {
    const fits = (item: object, at: number): boolean => {
      const wanted = expected[at];
      return typeof wanted === 'string'
        ? wanted === (item as { type: string }).type
        : isDeepStrictEqual(item, wanted);
    };
    if (found.length === expected.length && found.every(fits)) return this;
    throw this.#complaint([listed(`expected ${what}`, expected), listed('found', found)].join('\n'));
  }

  /** What `look` finds; what it throws comes with the path so far. */
  #telling<Found>(look: () => Found): Found {
    try {
      return look();
    } catch (error) {
      throw this.#complaint((error as Error).message, { cause: error });
    }
  }

  /** The error of an expectation that does not hold, with the path so far. */
  #complaint(text: string, options?: ErrorOptions): Error {
    return new Error(`${text}\n${this.story}`, options);
  }

  // The actor --------------------------------------------------------------------------------------------------------

  get #snapshot(): AnyMachineSnapshot {
    return this.#actor.getSnapshot() as AnyMachineSnapshot;
  }

  #begin(what: string, origin: Origin<Chart>): Actor<Chart> {
    const saved = 'saved' in origin ? origin.saved : undefined;
    const actor = createActor(this.#chart, {
      clock: this.#xstateClock(),
      inspect: (event: InspectionEvent) => this.#inspect(event),
      ...(saved === undefined ? origin : { snapshot: saved.snapshot, input: undefined }),
    } as never) as Actor<Chart>;
    this.#actor = actor;
    actor.on('*', (item) => void this.#emitted.push(item as EmittedFrom<Chart>));
    actor.subscribe({
      error: (error: unknown) => {
        this.#failure = { error };
      },
    });
    this.#step(what, () => actor.start(), undefined);
    for (const timer of saved?.timers ?? []) {
      actor.system.scheduler.schedule(
        actor,
        actor,
        timer.event,
        Math.max(0, timer.dueAt - this.now),
        timer.id,
      );
    }
    this.#noteTimers();
    // What came due meanwhile fires now, as in the service.
    this.#clock.advance(0);
    return actor;
  }

  #xstateClock(): { setTimeout(fire: () => void, ms: number): unknown; clearTimeout(timer: unknown): void } {
    return {
      setTimeout: (fire, ms) => this.#clock.setTimeout(() => this.#step(undefined, fire), ms),
      clearTimeout: (timer) => this.#clock.clearTimeout(timer as never),
    };
  }

  #step(what: string | undefined, act: () => void, from: string | undefined = this.#whereabouts()): void {
    const emitted = this.#emitted.length;
    const due = what ?? deadlineName(this.timers[0]);
    act();
    this.#noteTimers();
    const failure = this.#failure;
    if (failure !== undefined) {
      const reason = failure.error instanceof Error ? failure.error.message : String(failure.error);
      throw this.#complaint(`the chart failed at ${due}: ${reason}`, { cause: failure.error });
    }
    this.#tell(due, from, emitted);
  }

  #whereabouts(): string | undefined {
    return this.#story.length === 0 ? undefined : this.state;
  }

  #tell(what: string, from: string | undefined, emittedBefore: number, ignored = false): void {
    const emitted = ignored ? [] : this.#emitted.slice(emittedBefore);
    this.#story.push({ at: this.now, what, from, to: this.state, emitted, ignored });
  }

  /** Total: an inspector that throws would break the actor. */
  #inspect(event: InspectionEvent): void {
    if (event.type !== '@xstate.microstep') return;
    for (const { source } of event._transitions) this.#entered.add(nameOf(source));
    const { value } = event.snapshot as AnyMachineSnapshot;
    for (const name of activeNames(value)) this.#entered.add(name);
  }

  #noteTimers(): void {
    for (const entry of Object.values(this.#actor.system.getSnapshot()._scheduledEvents)) {
      if (!this.#dueAt.has(entry)) this.#dueAt.set(entry, this.now + entry.delay);
    }
  }
}
