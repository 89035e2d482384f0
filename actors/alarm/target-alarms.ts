/**
 * The alarms of one target: reads its values, lets them be evaluated, and has what changes recorded. Mission Control
 * Service, section 4.4 (evaluation, recovery). Architecture, "Life of a sample".
 *
 * T1. Values are read by position from the low-water mark on, and evaluated from the span of the conditions before it:
 *     what was evaluated up to the low-water mark is fed and not reported again. Between the low-water mark and the
 *     head the records say what was reported.
 * T2. The low-water mark covers a message only when everything it changed is recorded (`progress.ts`).
 * T3. While many changes wait to be recorded no further message is taken.
 * T4. Time passes for conditions only while no stored message is still to come: a value that is late on the bus is not
 *     missed.
 * T5. Once the head is reached, after each change of the mission, and when an alarm has left quarantine, how the alarms
 *     stand is compared with their records: what nobody saw change is recorded then, at that time. Behind the head that
 *     waits until it is reached.
 * T6. An alarm the mission does not have any more is evaluated by nobody: one that was active is back to normal, and
 *     what is not acknowledged stays so.
 * T7. A measure that comes more seldom than what is read back is judged by its current value, before what is read
 *     (alarm-watch.W6): no failover makes an alarm blind.
 * T9. Where the value stream went back, what was read of it before counts for nothing: the evaluation begins where the
 *     stream ends, and a record that names a position it does not have is behind everything that happens now.
 * T8. A mission changes between two messages: what it judges again is read back to the last one taken, and no other is
 *     taken meanwhile.
 */

import { alarmNamed, reactionAlarm } from '../../contract/alarm-name.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { KnownIn } from '../../messaging/known-past.ts';
import { LowWaterMark, pastIsGone } from '../../messaging/low-water-mark.ts';
import type { Target } from '../../mission/mission.ts';
import type { AlarmEdge, AlarmWatch, KnownSample, ReadValues } from '../../ports/alarm-watch.ts';
import type { Bus, Follower, StreamMessage } from '../../ports/bus.ts';
import type { TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { ChangeRecorder, type RecorderOptions } from './change-recorder.ts';
import { knownAlarms } from './known-alarms.ts';
import type { Stands } from './progress.ts';
import { firstRead, primeBefore, StoredValues } from './stored-values.ts';

/**
 * Opens the evaluation of a target; undefined where there is nothing to evaluate by. `before` is what it goes on from,
 * `filled` one that has read what is stored, for what is not in `before`.
 */
export type WatchOf = (
  target: Target,
  tell: (edge: AlarmEdge) => void,
  before: AlarmWatch | undefined,
  filled: AlarmWatch | undefined,
) => AlarmWatch | undefined;

/** The current values of a target, those in real time. Rejects with `Outage`. */
export type KnownOf = (target: Target) => Promise<readonly KnownSample[]>;

interface TargetAlarmsOptions extends RecorderOptions {
  readonly bus: Bus;
  readonly log: Log;
  readonly epoch: number;
  readonly target: Target;
  readonly watchOf: WatchOf;
  readonly knownOf: KnownOf;
  readonly readValues: ReadValues;
  /** Alarms of the target whose record is active. */
  readonly activeOnes: () => Iterable<string>;
}

export class TargetAlarms {
  readonly #options: TargetAlarmsOptions;
  readonly #changes: ChangeRecorder;
  readonly #values: StoredValues;
  #target: Target;
  #watch: AlarmWatch | undefined;
  #mark: LowWaterMark<Stands> | undefined;
  /** The last message taken behind the low-water mark, and the time passed since. */
  #now: Stands = { position: 0, at: 0, stored: 0 };
  /** Whether no message was behind the last one. */
  #atHead = false;
  /** Whether how the alarms stand is still to be compared with their records (T5). */
  #uncompared = false;
  /** Position of the last message taken, also of one below the low-water mark. */
  #heard = 0;
  /** From when on messages are handed over. */
  #from = 0;
  #live = false;
  /** The current values, until the head is reached (T7). */
  #known: readonly KnownSample[] = [];
  /** A change of the mission in progress (T8). */
  #updating: Promise<void> | undefined;
  #follower: Follower | undefined;
  #timer: TimerHandle | undefined;
  #stopped = false;

  constructor(options: TargetAlarmsOptions) {
    this.#options = options;
    this.#target = options.target;
    const { bus, log, target, readValues } = options;
    this.#values = new StoredValues({ bus, log, readValues, target: target.name });
    this.#changes = new ChangeRecorder({
      ...options,
      target: target.name,
      now: () => this.#now,
      advanced: () => this.#mark?.moved(),
      end: () => (this.#live ? this.#now.position : undefined),
    });
  }

  /** Takes the target over and follows its values. Rejects with `Outage`. */
  async start(): Promise<void> {
    const { bus, clock, log, epoch, failed } = this.#options;
    const mark = new LowWaterMark<Stands>({
      bus,
      clock,
      log,
      epoch,
      name: `alarms.${this.#target.name}`,
      lost: failed,
      first: await this.#first(),
      stands: () => this.#changes.recorded,
      known: () => knownOf(this.#changes.recorded),
      reportsMoves: true,
    });
    const taken = await mark.take();
    const stands = mark.wentBack === undefined ? taken : await this.#first();
    this.#changes.begin(stands);
    this.#now = stands;
    this.#watch = this.#open(this.#target, undefined);
    this.#known = await this.#options.knownOf(this.#target);
    this.#from = firstRead(stands.stored, this.#watch);
    primeBefore(this.#watch, this.#known, this.#from);
    if (this.#stopped) return;
    this.#mark = mark;
    await this.#follow(this.#from);
    mark.keep();
  }

  /** Takes the target up as a new mission has it (T8). Rejects with `Outage`. */
  async update(target: Target): Promise<void> {
    this.#disarm();
    const updating = this.#takeUp(target);
    this.#updating = updating.catch(() => undefined);
    try {
      await updating;
    } catch (error) {
      if (!this.#stopped) throw error;
    } finally {
      this.#updating = undefined;
      this.#arm();
    }
  }

  /** What changed may not be in the records (T5). */
  compareAgain(): void {
    this.#uncompared = true;
    this.#arm();
  }

  /** Leaves it where it stands. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#disarm();
    await Promise.all([this.#changes.stop(), this.#follower?.stop(), this.#values.stop()]);
    await this.#mark?.stop();
  }

  /** Changes not recorded yet. */
  get waiting(): number {
    return this.#changes.size;
  }

  /** A target nobody has evaluated before begins where its values end: what was before is no longer reported. */
  async #first(): Promise<Stands> {
    const { bus, clock } = this.#options;
    const last = await bus.last(streams.values, subject.values(this.#target.name));
    return { position: last?.seq ?? 0, at: 0, stored: last?.at ?? clock.now() };
  }

  #open(
    target: Target,
    before: AlarmWatch | undefined,
    filled: AlarmWatch | undefined = undefined,
  ): AlarmWatch | undefined {
    return this.#options.watchOf(target, (edge) => this.#changes.report(edge), before, filled);
  }

  async #follow(at: number): Promise<void> {
    const { bus, failed } = this.#options;
    const from = { from: 'time', at } as const;
    const values = subject.values(this.#target.name);
    const follower = await bus.follow(streams.values, values, from, (message) => this.#hear(message), {
      wentBack: () => failed(pastIsGone(streams.values)),
      together: true,
      atHead: () => this.#reachHead(),
    });
    this.#follower = follower;
    if (this.#stopped) return follower.stop();
    follower.caughtUp
      .then(() => this.#caughtUp())
      .catch((error: unknown) => {
        if (!this.#stopped) failed(error);
      });
  }

  // A new mission ----------------------------------------------------------------------------------------------------

  async #takeUp(target: Target): Promise<void> {
    const { clock } = this.#options;
    const now = this.#atPresent ? clock.now() : undefined;
    if (now !== undefined) this.#passUntil(now);
    const before = this.#watch;
    let watch = this.#open(target, before);
    if (watch?.whole === false) watch = this.#open(target, before, await this.#filled(target, now));
    if (this.#stopped) return;
    this.#target = target;
    this.#watch = watch;
    // A message that came meanwhile may end what is due since then.
    if (now !== undefined) this.#compare(this.#atPresent ? clock.now() : now);
    else this.#uncompared = true;
  }

  /**
   * An evaluation that has read what is stored, up to the last message taken, and for which time has passed up to
   * `now`; it reports nothing.
   */
  async #filled(target: Target, now: number | undefined): Promise<AlarmWatch | undefined> {
    const watch = this.#options.watchOf(target, () => undefined, undefined, undefined);
    const known = await this.#options.knownOf(target);
    if (watch === undefined) return undefined;
    const from = firstRead(this.#now.stored, watch);
    primeBefore(watch, known, from);
    await this.#values.read(watch, from, (message) => this.#isTaken(message));
    if (this.#live) watch.prime(known);
    else this.#known = known;
    if (now !== undefined) watch.pass(now);
    return watch;
  }

  /** Whether it is not handed over any more: before the first one, what is older than where the reading begins. */
  #isTaken({ seq, at }: StreamMessage): boolean {
    return this.#heard === 0 ? at < this.#from : seq <= this.#heard;
  }

  /** Whether everything stored has been taken (T4). */
  get #atPresent(): boolean {
    return this.#live && this.#atHead;
  }

  // Evaluation -------------------------------------------------------------------------------------------------------

  #hear(message: StreamMessage): Promise<void> | undefined {
    if (this.#stopped) return undefined;
    if (this.#updating !== undefined) {
      this.#atHead = false;
      return this.#updating.then(() => this.#hear(message));
    }
    const batch = this.#values.batchOf(message);
    const before = this.#heard === 0 ? message.seq - 1 : this.#heard;
    if (batch !== undefined) this.#watch?.apply(batch, message.seq);
    this.#heard = message.seq;
    this.#atHead = message.pending === 0;
    if (message.seq > this.#now.position) this.#now = { position: message.seq, at: 0, stored: message.at };
    this.#changes.take(before);
    this.#arm();
    return this.#changes.room();
  }

  /** What stood behind the last message was another target's (T4). */
  #reachHead(): void {
    this.#atHead = true;
    this.#arm();
  }

  async #caughtUp(): Promise<void> {
    // What comes during a change of the mission is behind this.
    this.#atHead = true;
    while (this.#updating !== undefined) await this.#updating;
    this.#live = true;
    this.#watch?.prime(this.#known);
    this.#known = [];
    this.compareAgain();
  }

  /** T4 */
  #arm(): void {
    this.#disarm();
    if (!this.#atPresent || this.#updating !== undefined || this.#stopped) return;
    const { clock } = this.#options;
    const now = clock.now();
    if (this.#uncompared) this.#compare(now);
    const deadline = this.#watch?.deadline(now);
    if (deadline === undefined) return;
    this.#timer = clock.setTimeout(() => this.#pass(), Math.max(1, deadline - now));
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #pass(): void {
    const now = this.#options.clock.now();
    const room = this.#changes.room();
    if (room !== undefined) return void room.then(() => this.#arm());
    this.#passUntil(now);
    this.#arm();
  }

  #passUntil(now: number): void {
    this.#watch?.pass(now);
    this.#now = { ...this.#now, at: now };
    this.#changes.take(this.#now.position);
  }

  /** T5 */
  #compare(found: number): void {
    this.#uncompared = false;
    // What was due meanwhile comes first: a condition that has held for its duration would seem not to hold.
    this.#passUntil(found);
    const edges = [...(this.#watch?.standing() ?? []), ...this.#removed()];
    this.#changes.takeFound(edges, found);
  }

  /** What is said of alarms that are not in the mission (T6); behind what of them is still to be recorded. */
  #removed(): AlarmEdge[] {
    const known = knownAlarms(this.#target);
    if (known === undefined) return [];
    const keys = new Set([...this.#options.activeOnes(), ...this.#changes.keys]);
    return [...keys]
      .filter((key) => !known.has(key) && !key.endsWith(reactionAlarm('')))
      .map((key) => ({ ...alarmNamed(key)!, severity: null, evaluated: this.#now }));
  }
}

function knownOf({ position, stored }: Stands): KnownIn[] {
  return position === 0 ? [] : [{ stream: streams.values, seq: position, at: stored }];
}
