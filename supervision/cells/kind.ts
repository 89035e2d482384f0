/**
 * All cells of one kind in this process: activation, passivation, restart, quarantine. A plain map, no parent actor.
 *
 * C1. At most one cell per id, whatever is sent to it while it loads or restarts.
 * C5. An envelope of an unknown chart version is quarantined, never guessed.
 * C6. A full inbox answers the caller; what killed an actor goes to the dead letters.
 * C12. What is too large for the bus now will be so again: where its owner can end the entity, it is not restarted.
 * C11. A cell that crashed comes back from its log alone: what is kept beside it may be what it crashed of.
 * C7. A cell exists from its first event until it is idle or final; its deadlines wake it.
 */

import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import { CELL_INBOX } from '../../contract/limits/cell.ts';
import { Outage } from '../../contract/outage.ts';
import { TooLarge } from '../../contract/too-large.ts';
import type { SupervisorInput } from '../../machines/supervisor/supervisor.ts';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { CellStatus, Gone } from '../../ports/cells.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Binding, EntityEvent, LoadOptions, Stored } from '../../ports/entity.ts';
import type { Log } from '../../ports/log.ts';
import { DEFAULT_INTENSITY, Supervisor } from '../supervisor.ts';
import { Cell, type Down, type Origin, type Receipt } from './cell.ts';
import type { DeadLetters } from './dead-letters.ts';
import { KeptWriter } from './kept-writer.ts';
import { Sleep } from './sleep.ts';
import { type EntityWatcher, Watchers } from './watchers.ts';

export interface KindOptions {
  readonly binding: Binding;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly deadLetters: DeadLetters;
  /** Where envelopes are kept beside the logs of the kind; absent: nowhere. */
  readonly kept?: KeptEnvelopes;
  /** Fencing token under which an id is activated by an event. */
  readonly epochOf?: (id: string) => number;
  readonly intensity?: Partial<Omit<SupervisorInput, 'name'>>;
  /** The cell is gone for good in this process, why, and in words where there is more to say (`CellOwner.gone`). */
  readonly onGone?: (id: string, why: Gone, detail?: string) => void;
  /** An operator resumes it: it goes on from its record once this resolves. */
  readonly onResume?: (id: string) => Promise<void>;
  /** The kind is beyond repair: its role decides. */
  readonly onEscalated: (reason: string) => void;
}

/** An entity as its kind knows it. */
export interface Known {
  readonly status: CellStatus;
  readonly cell: Cell | undefined;
  readonly epoch: number;
  /** Last event, or since when it has no cell. */
  readonly at: number;
}

/** An id without a live cell: loading, waiting for its restart, or quarantined. */
interface Absent {
  readonly why: 'loading' | 'restarting' | 'quarantined';
  readonly inbox: EntityEvent[];
  readonly epoch: number;
  readonly since: number;
  /** What a cell that crashed was begun with: until its first revision is durable it has no record. */
  readonly begun?: Origin;
}

const WAITS_SAID_EVERY_MS = 30_000;

export class Kind {
  readonly name: string;
  readonly #options: KindOptions;
  readonly #cells = new Map<string, Cell>();
  readonly #absent = new Map<string, Absent>();
  readonly #watchers: Watchers;
  readonly #sleep: Sleep;
  /** What to say of the entity that is being reset. */
  #givenUp: string | undefined;
  readonly #supervisor: Supervisor;
  readonly #keeper: KeptWriter | undefined;
  readonly #rests: ((cell: Cell) => void) | undefined;
  #draining = false;
  /** When a wait for the bus was said last. */
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(options: KindOptions) {
    this.#options = options;
    this.name = options.binding.kind;
    const { clock, random, log, kept } = options;
    this.#keeper = kept && new KeptWriter({ kind: this.name, kept, clock, log });
    this.#supervisor = new Supervisor({
      input: { ...DEFAULT_INTENSITY, ...options.intensity, name: this.name },
      clock,
      random,
      log,
      children: {
        restart: (id) => this.#load(id),
        quarantined: (id) => this.#gone(id, 'quarantined'),
        released: (id, reset) => this.#released(id, reset),
        escalated: options.onEscalated,
      },
    });
    const keeper = this.#keeper;
    this.#rests = keeper && ((cell) => keeper.changed(cell));
    this.#watchers = new Watchers(this.name, log);
    this.#sleep = new Sleep({
      clock,
      idleMs: options.binding.idleMs,
      cells: () => this.#cells.values(),
      putAway: (cell) => this.#putAway(cell),
      wake: (id) => this.wake(id),
    });
  }

  /** Starts the cell of a new entity. The id must not be live. */
  start(id: string, input: unknown, epoch: number): Cell {
    return this.#open(id, { input }, epoch);
  }

  /** Starts the cell of an entity whose record is at hand. */
  restore(id: string, stored: Stored, epoch: number): Cell | undefined {
    const migrated = this.#migrated(id, stored, epoch);
    return migrated === undefined ? undefined : this.#open(id, { stored: migrated }, epoch);
  }

  /** Gives an event to the entity, activating it from its record when it has no cell. */
  tell(id: string, event: EntityEvent): Receipt | 'quarantined' {
    if (this.#draining) return 'gone';
    const cell = this.#cells.get(id);
    if (cell !== undefined) return cell.tell(event);
    const absent = this.#absent.get(id) ?? this.#activate(id);
    if (absent.why === 'quarantined') return 'quarantined';
    if (absent.inbox.length >= CELL_INBOX) return 'full';
    absent.inbox.push(event);
    return 'accepted';
  }

  /** Brings an entity to life from its record, as an event for it would. */
  wake(id: string): void {
    if (!this.#draining && !this.#cells.has(id) && !this.#absent.has(id)) this.#activate(id);
  }

  peek(id: string): Cell | undefined {
    return this.#cells.get(id);
  }

  get live(): number {
    return this.#cells.size;
  }

  get binding(): Binding {
    return this.#options.binding;
  }

  /** What is known of an entity here; undefined when it has neither a cell nor trouble. */
  look(id: string): Known | undefined {
    const cell = this.#cells.get(id);
    if (cell !== undefined) return { status: 'live', cell, epoch: cell.epoch, at: cell.lastEventAt };
    const absent = this.#absent.get(id);
    return absent && { status: absent.why, cell: undefined, epoch: absent.epoch, at: absent.since };
  }

  /** Ids of every entity known here, the living first. */
  *ids(): Iterable<string> {
    yield* this.#cells.keys();
    yield* this.#absent.keys();
  }

  /** Entities without a cell that are known here. */
  get absent(): number {
    return this.#absent.size;
  }

  get supervisor(): Supervisor {
    return this.#supervisor;
  }

  trouble(): ReturnType<Supervisor['trouble']> {
    return this.#supervisor.trouble();
  }

  /** How often an entity crashed inside the window of its supervisor. */
  crashes(id: string): number {
    return this.#supervisor.crashes(id);
  }

  /** Lets a quarantined entity go on from its record; false when it is not quarantined. */
  resume(id: string): boolean {
    return this.#supervisor.resume(id);
  }

  /**
   * Gives a quarantined entity up; false when it is not quarantined. What its record then says is its role's to decide.
   */
  reset(id: string, by: string): boolean {
    this.#givenUp = `${this.trouble()[id]?.reason ?? 'unknown'}; given up by ${by}`;
    return this.#supervisor.reset(id);
  }

  /** Reports the cells of one entity until the function it returns is called. One watcher at a time. */
  watch(id: string, watcher: EntityWatcher): () => void {
    return this.#watchers.add(id, watcher);
  }

  /** Drops the cell without a word: its owner has changed. */
  drop(id: string): void {
    this.#cells.get(id)?.stop();
    this.#forget(id);
    this.#options.kept?.forget(id);
    this.#watchers.left(id, 'dropped');
  }

  /** Takes no more events, waits until what was accepted is durable, and stops every cell. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#supervisor.drain();
    this.#sleep.stopSweeping();
    this.#keeper?.stop();
    await Promise.all([...this.#cells.values()].map((cell) => cell.settled()));
    for (const id of [...this.#cells.keys()]) this.drop(id);
    this.#sleep.stopWaking();
  }

  // Activation -------------------------------------------------------------------------------------------------------

  #open(id: string, origin: Origin, epoch: number, inbox: readonly EntityEvent[] = []): Cell {
    if (this.#cells.has(id)) throw new Error(`C1: ${this.name} ${id} is live already`);
    const { binding, clock } = this.#options;
    const cell = new Cell({
      binding,
      id,
      epoch,
      clock,
      down: (down) => this.#down(id, epoch, origin, down),
      waits: (outage) => this.#waits(id, outage),
      rests: this.#rests,
    });
    this.#cells.set(id, cell);
    this.#absent.delete(id);
    this.#sleep.over(id);
    cell.start(origin, inbox);
    if (cell.alive) this.#watchers.opened(cell);
    return cell;
  }

  /** Every cell waits while the bus is away or has no room: one of them says so. */
  #waits(id: string, outage: Outage): void {
    const now = this.#options.clock.now();
    if (now - this.#saidAt < WAITS_SAID_EVERY_MS) return;
    this.#saidAt = now;
    const { message, remedy } = outage;
    this.#options.log.warn(
      { kind: this.name, id, reason: message, remedy },
      'records are not stored: waiting for the bus',
    );
  }

  #activate(id: string): Absent {
    const { clock, epochOf } = this.#options;
    const absent: Absent = { why: 'loading', inbox: [], epoch: epochOf?.(id) ?? 0, since: clock.now() };
    this.#absent.set(id, absent);
    this.#load(id);
    return absent;
  }

  #load(id: string): void {
    const absent = this.#absent.get(id);
    if (absent === undefined || this.#draining) return;
    // Whoever crashed had begun.
    void this.#loadStored(id, { fromLog: absent.begun !== undefined })
      .then((stored) => this.#loaded(id, absent, stored))
      .catch((error: unknown) => this.#notLoaded(id, absent, error));
  }

  #loaded(id: string, absent: Absent, stored: Stored | undefined): void {
    if (this.#absent.get(id) !== absent || this.#draining) return;
    if (stored === undefined && absent.begun !== undefined && 'input' in absent.begun) {
      // The uncommitted never happened: it begins again.
      this.#open(id, absent.begun, absent.epoch, absent.inbox);
      return;
    }
    if (stored === undefined) {
      this.#options.log.warn(
        { kind: this.name, id, events: absent.inbox.length },
        'event for an unknown entity',
      );
      this.#gone(id, 'given-up');
      return;
    }
    const migrated = this.#migrated(id, stored, absent.epoch);
    if (migrated !== undefined) this.#open(id, { stored: migrated }, absent.epoch, absent.inbox);
  }

  async #loadStored(id: string, how: LoadOptions): Promise<Stored | undefined> {
    return this.#options.binding.store.load(id, how);
  }

  #notLoaded(id: string, absent: Absent, error: unknown): void {
    if (this.#absent.get(id) !== absent || this.#draining) return;
    if (error instanceof Outage) {
      this.#options.clock.setTimeout(() => this.#load(id), BUS_RETRY_MS);
      return;
    }
    this.#supervisor.crashed(id, describe(error));
  }

  #migrated(id: string, stored: Stored, epoch: number): Stored | undefined {
    const { binding, clock } = this.#options;
    let envelope = stored.envelope;
    while (envelope.version < binding.version) {
      const step = binding.migrations[envelope.version];
      if (step === undefined) break;
      envelope = { ...step(envelope), version: envelope.version + 1 };
    }
    if (envelope.version === binding.version) return { ...stored, envelope };
    this.#absent.set(id, { why: 'quarantined', inbox: [], epoch, since: clock.now() });
    this.#supervisor.broken(
      id,
      `chart version ${stored.envelope.version} is unknown here (${binding.version})`,
    );
    return undefined;
  }

  // Going down -------------------------------------------------------------------------------------------------------

  #down(id: string, epoch: number, origin: Origin, down: Down): void {
    const cell = this.#cells.get(id);
    if (cell !== undefined) this.#keeper?.gone(cell);
    this.#cells.delete(id);
    switch (down.reason) {
      case 'finished':
        this.#supervisor.ended(id);
        return this.#gone(id, 'finished');
      case 'fenced':
        this.#options.log.warn({ kind: this.name, id, epoch }, 'another owner wrote: cell dropped');
        this.#options.kept?.forget(id);
        this.#supervisor.ended(id);
        return this.#gone(id, 'fenced');
      case 'crashed':
        return this.#crashed(id, epoch, origin, down);
    }
  }

  #crashed(id: string, epoch: number, begun: Origin, down: Extract<Down, { reason: 'crashed' }>): void {
    const { binding, deadLetters, clock, log } = this.#options;
    const reason = describe(down.error);
    if (down.poison === undefined) log.error({ kind: this.name, id, err: down.error }, 'cell crashed');
    else deadLetters.add({ kind: this.name, id, at: clock.now(), event: down.poison, error: reason });
    if (this.#draining) return;
    if (binding.restart === 'temporary') return this.#gone(id, 'given-up');
    if (binding.endsTooLarge === true && down.error instanceof TooLarge) {
      this.#supervisor.ended(id);
      return this.#gone(id, 'too-large', `${reason}. ${down.error.remedy}`);
    }
    const absent: Absent = { why: 'restarting', inbox: [...down.inbox], epoch, since: clock.now(), begun };
    this.#absent.set(id, absent);
    this.#supervisor.crashed(id, reason);
    if (this.#absent.get(id) === absent) this.#watchers.left(id, 'restarting');
  }

  #gone(id: string, why: Gone, detail?: string): void {
    const absent = this.#absent.get(id);
    const since = this.#options.clock.now();
    if (why === 'quarantined') {
      this.#absent.set(id, { inbox: [], epoch: 0, ...absent, why: 'quarantined', since });
    } else {
      this.#absent.delete(id);
    }
    this.#options.onGone?.(id, why, detail);
    this.#watchers.left(id, why);
  }

  #released(id: string, reset: boolean): void {
    const absent = this.#absent.get(id);
    if (absent === undefined) return;
    if (reset) return this.#gone(id, 'reset', this.#givenUp);
    const resumed: Absent = { ...absent, why: 'restarting', since: this.#options.clock.now() };
    this.#absent.set(id, resumed);
    const mayGoOn = this.#options.onResume?.(id) ?? Promise.resolve();
    void mayGoOn.then(() => {
      if (this.#absent.get(id) === resumed) this.#load(id);
    });
    this.#watchers.left(id, 'restarting');
  }

  #forget(id: string): void {
    const cell = this.#cells.get(id);
    if (cell !== undefined) this.#keeper?.gone(cell);
    this.#cells.delete(id);
    this.#absent.delete(id);
    this.#sleep.over(id);
    this.#supervisor.ended(id);
  }

  /** Passivation (C7). */
  #putAway(cell: Cell): void {
    this.#keeper?.sleeps(cell);
    cell.stop();
    this.#cells.delete(cell.id);
    this.#watchers.left(cell.id, 'asleep');
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
