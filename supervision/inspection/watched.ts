/**
 * One watched entity: looks at its cell, whichever that is at the moment, and informs its watchers of what it becomes.
 * Knows no bus and no leases.
 *
 * F1. Frames of one entity are at least `INSPECT_FRAME_MS` apart; steps between them are folded into the next, and the
 *     last state is never lost.
 * F2. The first frame a watcher gets is `@xstate.actor` with the present; the last, of a finished entity, has status
 *     `done`, and no other has: the end is shown when it is durable.
 * F3. A cell that crashes, sleeps or is dropped is waited for: the watch goes on with the next cell of the entity.
 */

import type { AnyMachineSnapshot } from 'xstate';
import type { EntitySummary, InspectionUpdate } from '../../contract/inspection.ts';
import { INSPECT_FRAME_MS } from '../../contract/limits/inspect.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { EntityWatcher, Left } from '../cells/watchers.ts';
import { compileChart } from './chart.ts';
import type { InspectedCell } from './inspected.ts';
import { factsOf, type KindHere, present, presentOf, snapshotOf } from './known-entity.ts';
import type { Step } from './observation.ts';
import { actorUpdate, eventUpdate, type Present, snapshotUpdate } from './update.ts';

interface WatchedOptions {
  readonly here: KindHere;
  readonly id: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly show: (updates: readonly InspectionUpdate[]) => void;
  /** It is over here: no cell of it will come again. */
  readonly over: () => void;
}

/** What happened since the last frame. */
interface Unshown {
  event: { readonly type: string };
  taken: string[];
  steps: number;
}

/** Nothing of the entity: its cell came or went. */
const CELL_CHANGED = { type: 'inspect.cell' };

export class Watched implements EntityWatcher {
  readonly #options: WatchedOptions;
  readonly #forget: () => void;
  #cell: InspectedCell | undefined;
  #detach: () => void = () => undefined;
  /** Where the actor last stood: a cell that is gone has forgotten it. */
  #snapshot: AnyMachineSnapshot | undefined;
  #unshown: Unshown | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;
  #timer: TimerHandle | undefined;
  #asleep = false;

  constructor(options: WatchedOptions) {
    this.#options = options;
    const { here, id } = options;
    this.#forget = here.kind.watch(id, this);
    const cell = here.kind.look(id)?.cell;
    if (cell !== undefined) this.#look(cell);
  }

  /** Whether the entity is here, or will be when something wakes it. */
  get isHere(): boolean {
    const { here, id } = this.#options;
    return this.#asleep || here.kind.look(id) !== undefined;
  }

  /** The frame a new watcher begins with; undefined when there is nothing to show (F2). */
  async first(): Promise<InspectionUpdate | undefined> {
    const { here, id, clock } = this.#options;
    const before = here.kind.look(id)?.status;
    const now = await presentOf(here, id, clock.now());
    if (here.kind.look(id)?.status !== before) return this.first();
    this.#snapshot ??= now?.snapshot;
    const shown = now ?? (this.#asleep ? this.#present('live') : undefined);
    const { kind, version, chart } = here.kind.binding;
    return shown && actorUpdate(shown, compileChart(kind, version, chart).view.definition);
  }

  stop(): void {
    this.#forget();
    this.#detach();
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unshown = undefined;
  }

  // The cell ---------------------------------------------------------------------------------------------------------

  opened(cell: InspectedCell): void {
    this.#look(cell);
    this.#note(CELL_CHANGED, [], 0);
  }

  left(why: Left): void {
    this.#detach();
    this.#asleep = why === 'asleep';
    if (why === 'finished') {
      // A last step that stores nothing ends the cell before its observers receive of it.
      this.#snapshot = (this.#cell?.lastSnapshot as AnyMachineSnapshot | undefined) ?? this.#snapshot;
      return this.#end();
    }
    if (why === 'restarting' || why === 'quarantined') {
      // It did not come to that end: what was not stored never happened.
      if (this.#snapshot?.status !== 'active') this.#snapshot = undefined;
      this.#note(CELL_CHANGED, [], 0);
    }
    if (why === 'reset' || why === 'too-large' || why === 'given-up') this.#options.over();
  }

  #look(cell: InspectedCell): void {
    this.#detach();
    this.#asleep = false;
    this.#cell = cell;
    this.#snapshot = snapshotOf(cell);
    this.#detach = cell.watch({
      stepped: (step) => this.#stepped(step),
      failed: (error) => this.#options.log.error({ err: error, id: this.#options.id }, 'watching failed'),
    });
  }

  #stepped({ event, snapshot, taken }: Step): void {
    const { kind, version, chart } = this.#options.here.kind.binding;
    this.#snapshot = snapshot;
    this.#note(event, compileChart(kind, version, chart).edgesOf(taken), 1);
  }

  // Frames -----------------------------------------------------------------------------------------------------------

  #note(event: { readonly type: string }, taken: readonly string[], steps: number): void {
    this.#unshown ??= { event, taken: [], steps: 0 };
    // What a cell did is worth more than that it came.
    if (steps > 0 || this.#unshown.steps === 0) this.#unshown.event = { type: event.type };
    this.#unshown.taken = [...new Set([...this.#unshown.taken, ...taken])];
    this.#unshown.steps += steps;
    if (this.#timer === undefined) this.#showLater();
  }

  /** Never inside the step of the actor: the first at once after it, others when it is time (F1). */
  #showLater(): void {
    const { clock } = this.#options;
    const delayMs = Math.max(0, this.#shownAt + INSPECT_FRAME_MS - clock.now());
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      this.#guarded(() => this.#show(this.#options.here.kind.look(this.#options.id)?.status ?? 'finished'));
    }, delayMs);
  }

  /** Outside the step of an actor nobody else catches what is thrown. */
  #guarded(show: () => void): void {
    try {
      show();
    } catch (error) {
      const { log, id, over } = this.#options;
      log.error({ err: error, id }, 'update not shown: the watch is over');
      over();
    }
  }

  #show(status: EntitySummary['status']): void {
    const unshown = this.#unshown;
    if (unshown === undefined) return;
    if (this.#snapshot?.status === 'done' && status !== 'finished') return;
    this.#unshown = undefined;
    this.#shownAt = this.#options.clock.now();
    const shown = this.#present(status);
    const { event, taken, steps } = unshown;
    const reported = steps > 0 ? [eventUpdate(shown, event)] : [];
    this.#options.show([...reported, snapshotUpdate(shown, event, taken, steps)]);
  }

  #end(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unshown ??= { event: CELL_CHANGED, taken: [], steps: 0 };
    this.#show('finished');
    this.#options.over();
  }

  /** Where it stands; when its cell is gone, by what was seen of it last. */
  #present(status: EntitySummary['status']): Present {
    const { here, id, clock } = this.#options;
    const cell = this.#cell;
    const known = here.kind.look(id);
    const facts = factsOf(here, id, {
      status,
      cell: cell?.alive === true ? cell : undefined,
      epoch: known?.epoch ?? cell?.epoch ?? 0,
      at: known?.at ?? cell?.lastEventAt ?? clock.now(),
    });
    return present({ ...facts, revision: cell?.revision ?? 0 }, this.#snapshot, clock.now());
  }
}
