/**
 * Evaluates the schedules of the cell: looks at each when something it depends on changes and when its start is there,
 * and sends it what was found. Mission Control Service, sections 3.4 and 4.6. Any number of processes do so beside each
 * other; what becomes of a schedule is decided by the conditional write of its record (schedule-store.R1).
 *
 * V1. What a schedule depends on is its record, its pass, the other schedules of that pass, the configuration, and the
 *     time of its start: a change of one of them looks at the schedules it concerns, and nothing else costs anything.
 * V2. Nothing fires before its start: the time of day is asked when a timer is over, and at least once a second, since
 *     it may be set.
 * V3. Nothing is found while the bus is away, or while passes, schedules or the configuration are not known.
 * V4. One that was sent what was found is looked at again a moment later, as long as its record does not show it: the
 *     write may have lost.
 * V5. A fired schedule whose run is not known to be submitted is brought to life, whoever fired it; by others than who
 *     ranks first only when that one has had the time to do it.
 * V9. A schedule whose record outgrows a message of the bus is missed, and says why: it could be neither fired nor
 *     ended any more.
 * V8. Where the store went back, a schedule whose start was there before may have been fired: its record of that is
 *     lost, and its run may have sent. It is missed and says why, unless somebody has made it since. A record that is
 *     gone while something was to become of it is said.
 * V7. A record that was resolved with a configuration that this process never had may be ahead of it: before its start
 *     it is left to others for a second, by then this process has that configuration. Else two would undo each other.
 * V10. A schedule that cannot be evaluated stops no other one: it is logged once until its record changes, and looked
 *     at again a moment later.
 */

import { createHash } from 'node:crypto';
import { buckets } from '../../contract/bus/buckets.ts';
import {
  CONFIGURATIONS_KNOWN,
  SCHEDULE_IDLE_LOOKS,
  SCHEDULE_SLICE,
  SCHEDULE_TICK_MS,
} from '../../contract/limits/schedule.ts';
import type { StoredPass } from '../../contract/pass.ts';
import { FINAL_STATES, type StoredSchedule } from '../../contract/stored-schedule.ts';
import { ulidOf } from '../../contract/telecommand-id.ts';
import { isSameRecord, moved, wouldChange } from '../../machines/schedule/record.ts';
import type { scheduleMachine } from '../../machines/schedule/schedule.ts';
import type { PassBook } from '../../messaging/pass-book.ts';
import { isOpen, type ScheduleBook } from '../../messaging/schedule-book.ts';
import { surroundingsOf } from '../../messaging/schedule-changes.ts';
import type { Mission } from '../../mission/mission.ts';
import { assess, type Found, lateReasons } from '../../mission/schedule/assess.ts';
import { isPlacedAlike, startOf } from '../../mission/schedule/schedule.ts';
import type { Bus } from '../../ports/bus.ts';
import type { CellOwner, CellsOf, Gone } from '../../ports/cells.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { DueQueue } from './due-queue.ts';
import { Resolutions } from './resolutions.ts';
import { turnOf } from './turns.ts';

export interface SchedulerOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: MissionSource;
  readonly passes: PassBook;
  readonly schedules: ScheduleBook;
  readonly cells: CellsOf<typeof scheduleMachine>;
  readonly instance: string;
  /** Living schedulers, as far as this process knows. */
  readonly schedulers: () => readonly string[];
}

/** What a look at a schedule leads to, if it is this process's turn. */
type Wanted = { readonly do: 'wake' } | { readonly do: 'tell'; readonly found: Found; readonly due: boolean };

export class Scheduler implements CellOwner {
  readonly #options: SchedulerOptions;
  readonly #due = new DueQueue();
  readonly #resolutions: Resolutions;
  /** To be looked at. */
  readonly #marked = new Set<string>();
  /** Since when each waits for its turn here. */
  readonly #standby = new Map<string, number>();
  /** How often the cell of each was given something, and had another record (V6). */
  readonly #idle = new Map<string, number>();
  /** Revisions of configurations that this process had, the latest last (V7). */
  readonly #configurations = new Set<string>();
  /** When those were created that are open again and were fired, as this process has seen (V8). */
  readonly #fired = new Map<string, string>();
  /** Those that could not be evaluated, as the log says (V10). */
  readonly #failed = new Set<string>();
  readonly #off: (() => void)[] = [];
  #timer: TimerHandle | undefined;
  #armedFor = Number.POSITIVE_INFINITY;
  #looking: TimerHandle | undefined;
  #stopped = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { bus, clock, log } = options;
    this.#resolutions = new Resolutions({ bus, clock, log, known: (id) => this.#mark(id) });
  }

  start(): void {
    const { schedules, passes, missions, bus, clock } = this.#options;
    this.#off.push(
      schedules.onChange((id, now, before) => this.#scheduleChanged(id, now, before)),
      passes.onChange(({ target, id }) => this.#markPass(target, id)),
      missions.onChange((mission) => this.#configured(mission)),
      bus.onConnection((connected) => {
        // The watches have to catch up first; what is decided before is decided by the bus (schedule-store.R2).
        if (connected) clock.setTimeout(() => this.#markAll(), SCHEDULE_TICK_MS / 4);
      }),
    );
    void Promise.all([schedules.ready, passes.ready]).then(() => this.#markAll());
    this.#arm();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const off of this.#off) off();
    this.#resolutions.stop();
    const { clock } = this.#options;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    if (this.#looking !== undefined) clock.clearTimeout(this.#looking);
  }

  /** V4: the write of its cell has lost, or what it would have done may not be done any more. */
  async gone(id: string, why: Gone, detail = ''): Promise<void> {
    if (why === 'too-large') await this.#endTooLarge(id, detail);
    if (this.#options.schedules.open.has(id)) this.#lookIn(id, SCHEDULE_TICK_MS / 10);
  }

  /** V9 */
  async #endTooLarge(id: string, detail: string): Promise<void> {
    const { schedules, bus, log, clock } = this.#options;
    const [schedule, revision] = [schedules.open.get(id), schedules.revisionOf(id)];
    if (schedule === undefined || revision === undefined || FINAL_STATES.has(schedule.state)) return;
    const ended = moved(
      { ...schedule, changes: [] },
      { state: 'missed', reasons: [detail], at: clock.now() },
    );
    log.error({ schedule: id, detail }, 'schedule does not fit into a message of the bus: ended');
    try {
      await bus.bucket(buckets.schedules).put(id, Buffer.from(JSON.stringify(ended)), revision);
    } catch (error) {
      log.error({ schedule: id, err: error }, 'end of a schedule not stored');
    }
  }

  /** Whether a schedule still ends as this record says, by its pass as the bus has it now (schedule-store.R2). */
  endsSo(ended: StoredSchedule, pass: StoredPass | undefined): boolean {
    const { missions, clock } = this.#options;
    const mission = missions.current;
    if (mission === undefined || this.#stopped) return false;
    if (ended.state === 'cancelled') return pass?.status === 'cancelled';
    const around = { ...surroundingsOf(ended, mission, this.#options), pass };
    const resolution = this.#resolutions.of(ended, mission);
    if (resolution === undefined) return false;
    const planned = { ...ended, state: 'scheduled' as const };
    const found = assess(planned, { ...around, resolution });
    const now = clock.now();
    if (found.cancelled !== undefined || Date.parse(found.fireAt) > now) return false;
    const late = [...lateReasons(planned, { ...around, resolution }, now), ...this.#lostReasons(planned)];
    const isInTime = found.reasons.length === 0 && late.length === 0;
    if (ended.state === 'fired') return isInTime;
    // What was at risk to the last is missed, also where it would fit now.
    return !isInTime || ended.changes.at(-2)?.state !== 'scheduled';
  }

  // What changes -----------------------------------------------------------------------------------------------------

  #configured({ revision }: Mission): void {
    this.#configurations.add(revision);
    for (const oldest of this.#configurations) {
      if (this.#configurations.size <= CONFIGURATIONS_KNOWN) break;
      this.#configurations.delete(oldest);
    }
    this.#markAll();
  }

  /** V1 */
  #scheduleChanged(id: string, now: StoredSchedule | undefined, before: StoredSchedule | undefined): void {
    this.#standby.delete(id);
    this.#idle.delete(id);
    this.#failed.delete(id);
    if (now === undefined && before !== undefined && isOpen(before)) this.#gone(before);
    if (now === undefined || FINAL_STATES.has(now.state)) this.#fired.delete(id);
    else if (before?.state === 'fired') this.#fired.set(id, now.created_at);
    if (now === undefined || !isOpen(now)) this.#resolutions.forget(id);
    if (now !== undefined && before !== undefined && isPlacedAlike(now, before)) return this.#mark(id);
    for (const each of [now, before]) if (each !== undefined) this.#markPass(each.target, each.pass);
    this.#mark(id);
  }

  /** V8 */
  #gone({ id, state, updated_at }: StoredSchedule): void {
    const { log, bus } = this.#options;
    log.error(
      { schedule: id, state, at: updated_at },
      'the record of an open schedule is gone: the bus lost it',
    );
    bus.lost?.(Date.parse(updated_at));
  }

  #markPass(target: string, pass: string): void {
    for (const { id } of this.#options.schedules.onPass(target, pass)) this.#mark(id);
  }

  /** The earliest first: one of thousands may be due. */
  #markAll(): void {
    const open = [...this.#options.schedules.open.values()];
    open.sort((one, other) => startOf(one) - startOf(other));
    for (const { id } of open) this.#mark(id);
  }

  #mark(id: string): void {
    if (this.#stopped || !this.#options.schedules.open.has(id)) return;
    this.#marked.add(id);
    this.#looking ??= this.#options.clock.setTimeout(() => this.#lookAtMarked(), 0);
  }

  /** A slice of those that are marked, and then others have their turn. */
  #lookAtMarked(): void {
    this.#looking = undefined;
    let left = SCHEDULE_SLICE;
    for (const id of this.#marked) {
      if (left === 0) break;
      left -= 1;
      this.#marked.delete(id);
      this.#tryLook(id);
    }
    if (this.#marked.size > 0) this.#looking = this.#options.clock.setTimeout(() => this.#lookAtMarked(), 0);
  }

  // Time -------------------------------------------------------------------------------------------------------------

  #lookIn(id: string, ms: number): void {
    this.#lookAt(id, this.#options.clock.now() + ms);
  }

  #lookAt(id: string, at: number): void {
    this.#due.put(at, id);
    if (at < this.#armedFor) this.#arm();
  }

  /** V2: at most a second ahead. */
  #arm(): void {
    const { clock } = this.#options;
    if (this.#stopped) return;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    const now = clock.now();
    const inMs = Math.min(Math.max(0, (this.#due.next ?? Number.POSITIVE_INFINITY) - now), SCHEDULE_TICK_MS);
    this.#armedFor = now + inMs;
    this.#timer = clock.setTimeout(() => this.#tick(), inMs);
  }

  #tick(): void {
    const now = this.#options.clock.now();
    for (let left = SCHEDULE_SLICE; left > 0; left -= 1) {
      const id = this.#due.take(now);
      if (id === undefined) break;
      this.#tryLook(id);
    }
    this.#arm();
  }

  // Looking ----------------------------------------------------------------------------------------------------------

  /** V10 */
  #tryLook(id: string): void {
    try {
      this.#look(id);
    } catch (error) {
      if (!this.#failed.has(id))
        this.#options.log.error({ schedule: id, err: error }, 'schedule not evaluated');
      this.#failed.add(id);
      this.#lookIn(id, SCHEDULE_TICK_MS);
    }
  }

  #look(id: string): void {
    const { schedules, passes, missions, clock, bus } = this.#options;
    const schedule = schedules.open.get(id);
    const mission = missions.current;
    if (schedule === undefined || this.#stopped) return void this.#standby.delete(id);
    const isKnown = mission !== undefined && bus.connected && schedules.live && passes.live;
    // V3: whatever was missed meanwhile is marked when they are known, and asked about until then.
    if (!isKnown) return this.#lookIn(id, SCHEDULE_TICK_MS);
    const now = clock.now();
    const wanted = this.#wanted(schedule, mission, now);
    if (wanted === undefined) return void this.#standby.delete(id);
    if (this.#isMyTurn(id, now, this.#isLeftToOthers(schedule, wanted))) this.#act(schedule, wanted, now);
  }

  /** V5, V7 */
  #isLeftToOthers({ config }: StoredSchedule, wanted: Wanted): boolean {
    return wanted.do === 'wake' || (!wanted.due && !this.#configurations.has(config));
  }

  #wanted(schedule: StoredSchedule, mission: Mission, now: number): Wanted | undefined {
    if (schedule.state === 'fired') return { do: 'wake' };
    const resolution = this.#resolutions.of(schedule, mission);
    if (resolution === undefined) return undefined;
    const found = assess(schedule, { ...surroundingsOf(schedule, mission, this.#options), resolution });
    const start = Date.parse(found.fireAt);
    if (start <= now) return { do: 'tell', found, due: true };
    this.#lookAt(schedule.id, start);
    return wouldChange(schedule, found) ? { do: 'tell', found, due: false } : undefined;
  }

  /** Whoever ranks first acts at once; another looks again when it should have been done. */
  #isMyTurn(id: string, now: number, isLeftToOthers: boolean): boolean {
    const since = this.#standby.get(id) ?? now;
    this.#standby.set(id, since);
    const turn = turnOf(id, this.#options);
    const waits = since + turn + (isLeftToOthers ? SCHEDULE_TICK_MS : 0) - now;
    // A clock that was set back does not keep it waiting for longer than its turn.
    if (waits <= 0 || now < since) return true;
    this.#lookIn(id, waits);
    return false;
  }

  #act(schedule: StoredSchedule, wanted: Wanted, at: number): void {
    const { id } = schedule;
    const { cells, schedules } = this.#options;
    this.#lookIn(id, SCHEDULE_TICK_MS);
    this.#dropOther(schedule);
    if (wanted.do === 'wake') return cells.wake(id);
    const { found, due } = wanted;
    const revision = schedules.revisionOf(id);
    const seen = revision === undefined ? {} : { seen: revision };
    if (!due) return void cells.tell(id, { type: 'evaluated', at, found, ...seen });
    const reasons = this.#lateReasons(schedule, found, at);
    const run = this.#runOf(schedule, at);
    cells.tell(id, { type: 'start.reached', at, found, reasons, run, ...seen });
  }

  /**
   * V6. What it may be about to write is left to it for a while; where it has an end or an older record, there is
   * nothing to wait for.
   */
  #dropOther(schedule: StoredSchedule): void {
    const { id, updated_at } = schedule;
    const { cells } = this.#options;
    const held = cells.context(id)?.record;
    if (held === undefined || isSameRecord(held, schedule)) return void this.#idle.delete(id);
    const times = (this.#idle.get(id) ?? 0) + 1;
    this.#idle.set(id, times);
    if (isOpen(held) && held.updated_at >= updated_at && times < SCHEDULE_IDLE_LOOKS) return;
    this.#idle.delete(id);
    cells.drop(id);
  }

  #lateReasons(schedule: StoredSchedule, found: Found, now: number): readonly string[] {
    const mission = this.#options.missions.current;
    if (mission === undefined) return [];
    const planned = { ...schedule, ...found.plan, fire_at: found.fireAt };
    const around = surroundingsOf(schedule, mission, this.#options);
    const late = lateReasons(planned, { ...around, resolution: { outcome: 'same' } }, now);
    return [...late, ...this.#lostReasons(planned)];
  }

  /** V8 */
  #lostReasons({ id, fire_at, created_at }: StoredSchedule): readonly string[] {
    const { lostUntil = 0 } = this.#options.bus;
    if (this.#fired.get(id) === created_at) return ['the bus went back in time, and it was fired before'];
    if (Date.parse(fire_at) > lostUntil || Date.parse(created_at) > lostUntil) return [];
    const until = new Date(lostUntil).toISOString();
    return [`the bus went back in time, and what it held until ${until} is lost: it may have been fired`];
  }

  /** An identifier that no other attempt has, here or elsewhere. */
  #runOf({ id, pass, created_at }: StoredSchedule, at: number): string {
    const { instance } = this.#options;
    const digest = createHash('sha256')
      .update([id, pass, created_at, `${at}`, instance].join('\n'))
      .digest();
    return ulidOf(at, digest);
  }
}
