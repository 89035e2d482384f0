/**
 * A cell hosts the actor of one entity: it feeds it events, makes each revision durable, and only then runs the effects
 * that the revision asked for.
 *
 * C1. One root actor per cell; nothing is spawned under a common parent.
 * C2. The chart does no I/O: what it emits is all it may ask of the world.
 * C3. Commit before effect: the effects of a revision start after it is durable, in order, under the key
 *     `<kind>:<id>:<revision>:<n>`.
 * C4. Deadlines (`after`) are recorded in the envelope and armed again on restore (`deadlines.ts`).
 * C6. The inbox is bounded and pumped without re-entry; the event during which an actor died is reported once and never
 *     given to an actor again.
 * C8. Whoever watches is attached on demand and costs nothing before and after
 *     (`supervision/inspection/observation.ts`).
 * C10. The envelope that is kept beside a log is taken only while everything the actor knows is in that log, and its
 *     entity is certainly this process's.
 * C9. A cell goes down exactly once, and after that nothing of it runs: no effect, no commit, no event.
 */

import { type AnyActor, createActor } from 'xstate';
import { assert } from '../../contract/assert.ts';
import { deferred } from '../../contract/deferred.ts';
import { CELL_INBOX } from '../../contract/limits/cell.ts';
import type { Outage } from '../../contract/outage.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ArmedTimer,
  Binding,
  Commit,
  Committed,
  Emitted,
  EntityEvent,
  Envelope,
  KeptEnvelope,
  PendingEffect,
  Stored,
} from '../../ports/entity.ts';
import { observe, type StepSink } from '../inspection/observation.ts';
import { Deadlines } from './deadlines.ts';
import { Effects } from './effects.ts';
import { commitPatiently } from './patient-commit.ts';

export type Down =
  | { readonly reason: 'finished' }
  /** Somebody else owns the entity now (O1). */
  | { readonly reason: 'fenced' }
  | {
      readonly reason: 'crashed';
      readonly error: unknown;
      /** The event during which it died; undefined when an effect or the store failed. */
      readonly poison: EntityEvent | undefined;
      /** Accepted from outside and not begun: for the next actor of the entity. */
      readonly inbox: readonly EntityEvent[];
    };

export type Receipt = 'accepted' | 'full' | 'gone';

export type Origin = { readonly input: unknown } | { readonly stored: Stored };

interface CellOptions {
  readonly binding: Binding;
  readonly id: string;
  readonly epoch: number;
  readonly clock: Clock;
  readonly down: (down: Down) => void;
  /** Its record cannot be stored for now. */
  readonly waits?: (outage: Outage) => void;
  /** Something has changed, and everything the actor knows is stored. */
  readonly rests?: ((cell: Cell) => void) | undefined;
}

interface Snapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
}

interface Letter {
  readonly event: EntityEvent;
  /** The effect it answers: no longer pending once the event is processed, asked again if it never is. */
  readonly answers?: string;
}

export class Cell {
  readonly id: string;
  readonly #binding: Binding;
  readonly #epoch: number;
  readonly #clock: Clock;
  readonly #down: (down: Down) => void;
  readonly #waits: (outage: Outage) => void;
  readonly #rests: ((cell: Cell) => void) | undefined;
  readonly #abort = new AbortController();
  #actor: AnyActor | undefined;
  #isDown = false;
  #lastEventAt: number;

  // Inbox
  readonly #inbox: Letter[] = [];
  #pumping = false;
  #current: EntityEvent | undefined;

  // Revisions not yet durable
  #emitted: Emitted[] = [];
  #snapshot: unknown;
  #revision = 0;
  #effectsOfRevision = 0;
  #position = 0;
  /** Of the message of its log at that position. */
  #mark: string | undefined;
  #dirty = false;
  #committing = false;
  #records: Emitted[] = [];
  #settled = deferred<void>();

  readonly #effects: Effects;
  readonly #deadlines: Deadlines;

  constructor({ binding, id, epoch, clock, down, waits = () => undefined, rests }: CellOptions) {
    this.id = id;
    this.#binding = binding;
    this.#epoch = epoch;
    this.#clock = clock;
    this.#down = down;
    this.#waits = waits;
    this.#rests = rests;
    this.#lastEventAt = clock.now();
    this.#deadlines = new Deadlines(clock);
    this.#effects = new Effects({
      binding,
      id,
      epoch,
      signal: this.#abort.signal,
      replied: (key, event) => this.#replied(key, event),
      failed: (error) => this.#crash(error, undefined),
    });
  }

  /** Starts the actor: afresh from an input, or from what the store holds, asking again for its pending effects. */
  start(origin: Origin, inbox: readonly EntityEvent[] = []): void {
    assert(this.#actor === undefined, 'C1');
    const stored = 'stored' in origin ? origin.stored : undefined;
    if (stored !== undefined) {
      this.#revision = stored.envelope.revision;
      this.#effectsOfRevision = stored.envelope.effects.length;
      this.#position = stored.position;
      this.#mark = stored.mark;
    }
    this.#inbox.push(...inbox.map((event) => ({ event })));
    // A snapshot that the chart does not know kills this cell and nothing else.
    this.#guarded(undefined, () => {
      const actor = this.#create(origin);
      this.#actor = actor;
      this.#observe(actor, stored?.envelope);
      actor.start();
      if (stored !== undefined) this.#resume(actor, stored.envelope);
    });
    this.#pump();
    if (stored?.isKept === false && !this.#isDown) this.#rests?.(this);
  }

  #create(origin: Origin): AnyActor {
    return createActor(this.#binding.chart, {
      clock: this.#xstateClock(),
      ...('stored' in origin
        ? { snapshot: origin.stored.envelope.snapshot as never, input: undefined }
        : { input: origin.input }),
    } as never) as AnyActor;
  }

  /** Gives the actor an event, or says why not: `full` when too many wait, `gone` when the cell is down. */
  tell(event: EntityEvent): Receipt {
    if (this.#isDown) return 'gone';
    if (this.#inbox.length >= CELL_INBOX) return 'full';
    this.#lastEventAt = this.#clock.now();
    this.#inbox.push({ event });
    this.#pump();
    return 'accepted';
  }

  get revision(): number {
    return this.#revision;
  }

  get alive(): boolean {
    return !this.#isDown;
  }

  /** Fencing token of its owner. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Reports every step of the actor from now on, until the function it returns is called or the cell goes down (C8). A
   * sink that throws gets no more of them.
   */
  watch(sink: StepSink): () => void {
    return this.#actor === undefined ? () => undefined : observe(this.#actor, sink);
  }

  /** The actor, for inspection. */
  get actor(): AnyActor | undefined {
    return this.#actor;
  }

  /** Where its actor stood after its last step, also when the cell is down; undefined before the first. */
  get lastSnapshot(): unknown {
    return this.#snapshot;
  }

  get lastEventAt(): number {
    return this.#lastEventAt;
  }

  /** Effects asked for and not known to be done. */
  pendingEffects(): PendingEffect[] {
    return this.#effects.pending;
  }

  /** Armed deadlines, soonest first. */
  timers(): ArmedTimer[] {
    return this.#actor === undefined ? [] : this.#deadlines.armed(this.#actor);
  }

  /** Whether nothing is under way: it can be stopped and come back from its record without anybody noticing. */
  get quiet(): boolean {
    return this.#inbox.length === 0 && !this.#dirty && !this.#committing && this.#effects.none;
  }

  /** Resolves when everything accepted so far is durable, or the cell is down. */
  async settled(): Promise<void> {
    while (!this.#isDown && (this.#dirty || this.#committing)) await this.#settled.promise;
  }

  /** Stops without a word: no further effect, commit or event (C9). The record stays. */
  stop(): void {
    if (this.#isDown) return;
    this.#isDown = true;
    // A reason of one's own: without one an exception with its stack is made for each cell that ends.
    this.#abort.abort('stopped');
    this.#actor?.stop();
    this.#settled.resolve();
  }

  #goDown(down: Down): void {
    if (this.#isDown) return;
    this.stop();
    this.#down(down);
  }

  #crash(error: unknown, poison: EntityEvent | undefined): void {
    const inbox = this.#inbox.splice(0).filter((letter) => letter.answers === undefined);
    this.#goDown({ reason: 'crashed', error, poison, inbox: inbox.map((letter) => letter.event) });
  }

  // The actor --------------------------------------------------------------------------------------------------------

  #xstateClock(): { setTimeout(fire: () => void, ms: number): unknown; clearTimeout(timer: unknown): void } {
    return {
      setTimeout: (fire, ms) => this.#clock.setTimeout(() => this.#guarded(undefined, fire), ms),
      clearTimeout: (timer) => this.#clock.clearTimeout(timer as never),
    };
  }

  #observe(actor: AnyActor, envelope: Envelope | undefined): void {
    // A restored actor reports its snapshot at the start: it is already durable.
    let restored = envelope !== undefined;
    actor.on('*', (emitted: Emitted) => this.#emitted.push(emitted));
    actor.subscribe({
      next: (snapshot: unknown) => {
        this.#deadlines.note(actor);
        if (!restored) this.#macrostep(snapshot);
        restored = false;
      },
      error: (error: unknown) => this.#crash(error, this.#current),
      complete: () => this.#commitSoon(),
    });
  }

  #resume(actor: AnyActor, envelope: Envelope): void {
    if (this.#isDown) return;
    this.#deadlines.rearm(actor, envelope.timers);
    this.#effects.resume(envelope.effects);
  }

  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    for (
      let letter = this.#inbox.shift();
      letter !== undefined && !this.#isDown;
      letter = this.#inbox.shift()
    ) {
      this.#process(letter);
    }
    this.#pumping = false;
  }

  #process({ event, answers }: Letter): void {
    if (answers !== undefined) this.#effects.done(answers);
    this.#lastEventAt = this.#clock.now();
    this.#current = event;
    this.#guarded(event, () => this.#actor?.send(event as never));
    this.#current = undefined;
  }

  #guarded(event: EntityEvent | undefined, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#crash(error, event);
    }
  }

  // Revisions --------------------------------------------------------------------------------------------------------

  #macrostep(snapshot: unknown): void {
    const emitted = this.#emitted;
    if (this.#isDown || (snapshot === this.#snapshot && emitted.length === 0)) return;
    this.#emitted = [];
    this.#snapshot = snapshot;
    const records = emitted.filter((item) => item.type === 'record');
    this.#advance(records);
    for (const effect of emitted) if (effect.type !== 'record') this.#ask(effect);
    this.#commitSoon();
  }

  /** A log counts its records, so that a cell restored from the log gives its effects the keys they had. */
  #advance(records: readonly Emitted[]): void {
    const steps = this.#binding.durability === 'log' ? records.length : 1;
    if (steps === 0) return;
    this.#revision += steps;
    this.#effectsOfRevision = 0;
    this.#records.push(...records);
    this.#dirty = true;
  }

  #ask(effect: Emitted): void {
    this.#effects.ask(effect, this.#revision, this.#effectsOfRevision);
    this.#effectsOfRevision += 1;
  }

  #commitSoon(): void {
    if (this.#committing || this.#isDown) return;
    if (this.#dirty) void this.#commit();
    else this.#afterCommit();
  }

  /** One commit at a time; what happens meanwhile is in the next one. */
  async #commit(): Promise<void> {
    this.#committing = true;
    this.#dirty = false;
    const effects = this.#effects.takeWaiting();
    const commit = this.#nextCommit();
    const outcome = await this.#store(commit);
    if (this.#isDown || outcome === undefined) return;
    if (outcome.outcome === 'fenced') return this.#goDown({ reason: 'fenced' });
    this.#position = outcome.position;
    this.#mark = outcome.mark;
    this.#committing = false;
    this.#effects.run(effects);
    this.#commitSoon();
  }

  #nextCommit(): Commit {
    return {
      id: this.id,
      epoch: this.#epoch,
      position: this.#position,
      records: this.#records.splice(0),
      envelope: this.#envelopeMaker(),
      final: (this.#snapshot as Snapshot | undefined)?.status === 'done',
    };
  }

  async #store(commit: Commit): Promise<Committed | undefined> {
    try {
      return await commitPatiently(this.#binding.store, commit, this.#clock, this.#abort.signal, this.#waits);
    } catch (error) {
      this.#crash(error, undefined);
      return undefined;
    }
  }

  /** Made once per commit, so that a retry writes the same bytes; contexts of charts are never mutated. */
  #envelopeMaker(): () => Envelope {
    let envelope: Envelope | undefined;
    if (this.#binding.durability === 'snapshot') envelope = this.#envelope();
    return () => {
      envelope ??= this.#envelope();
      return envelope;
    };
  }

  #envelope(): Envelope {
    return {
      kind: this.#binding.kind,
      id: this.id,
      version: this.#binding.version,
      revision: this.#revision,
      epoch: this.#epoch,
      snapshot: this.#actor?.getPersistedSnapshot(),
      timers: this.timers(),
      effects: this.pendingEffects(),
    };
  }

  /** What is kept of it beside its log; undefined while not all of it is there (C10). */
  kept(): KeptEnvelope | undefined {
    const { kept } = this.#binding;
    const isBehind = this.#dirty || this.#committing || this.#pumping || this.#isDown;
    if (kept === undefined || isBehind || this.#mark === undefined) return undefined;
    if (!kept.isOwned(this.id)) return undefined;
    const facts = kept.facts?.(this.id);
    // Its owner has let it go.
    if (kept.facts !== undefined && facts === undefined) return undefined;
    const envelope = this.#envelope();
    const snapshot = envelope.snapshot as { readonly context: unknown };
    const context = kept.context === undefined ? snapshot.context : kept.context(snapshot.context);
    return {
      ...envelope,
      snapshot: { ...snapshot, context },
      covers: { position: this.#position, mark: this.#mark },
      ...(facts !== undefined && { facts }),
    };
  }

  #afterCommit(): void {
    this.#effects.run(this.#effects.takeWaiting());
    const settled = this.#settled;
    this.#settled = deferred();
    settled.resolve();
    if ((this.#snapshot as Snapshot | undefined)?.status === 'done') this.#goDown({ reason: 'finished' });
    else this.#rests?.(this);
  }

  #replied(key: string, event: EntityEvent): void {
    this.#inbox.push({ event, answers: key });
    this.#pump();
  }
}
