/**
 * The alarm service: what the leader of `alarms` runs. Sole writer of alarms; one cell for each alarm that is not at
 * rest, and none for the others. Mission Control Service, sections 2.4, 3.3 and 4.4.
 *
 * S1. Record and stream of an alarm are brought together before anything else happens to it (`record-comparison.ts`;
 *     MC-ALM-054, MC-ALM-055): here of all that may differ, and by the store of any that is needed earlier.
 * S2. A shelving that has a term and a reaction that is not over go on under a new leader, whether or not anything is
 *     evaluated.
 * S3. What the mission does not have any more stays recorded and listed.
 * S4. Changes of alarms come through queues of their targets, so many at once in all; commands go to the cells directly
 *     and wait for no storm.
 * S5. Failures of reactions of one alarm are reported one after the other, in the order of their numbers: two at once
 *     would be one activation.
 * S7. A record that was written and is not there any more was lost: nobody removes one. The leader begins again, and it
 *     is recorded as it was published (alarm/recovery.V2).
 * S8. What changes while an alarm is quarantined is not recorded. Once a person has resumed or reset it, and what its
 *     cell still had to do is done, how it stands is compared with its record as at a start (target-alarms.T5, T6).
 * S6. So many targets are taken up at once: each asks the bus ten times, and none waits for all that are before it.
 */

import type { AlarmEvent, StoredAlarm } from '../../contract/alarm.ts';
import { type AlarmName, alarmKey, alarmNamed, reactionAlarm } from '../../contract/alarm-name.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import {
  ALARM_EDGES_UNDER_WAY,
  ALARM_SETTLE_MS,
  ALARM_TARGETS_OPENING,
} from '../../contract/limits/alarm.ts';
import type { AlarmChartEvent, AlarmEffect, ConditionChanged } from '../../machines/alarm/protocol.ts';
import { isActive, NEVER_EVALUATED } from '../../machines/alarm/record.ts';
import { inTurns } from '../../messaging/in-turns.ts';
import { pastIsGone } from '../../messaging/low-water-mark.ts';
import { pause } from '../../messaging/pause.ts';
import type { Mission, Target } from '../../mission/mission.ts';
import type { ReadValues } from '../../ports/alarm-watch.ts';
import type { Bus, Stoppable } from '../../ports/bus.ts';
import type { CellOwner, Cells, Gone } from '../../ports/cells.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { eventOf, type KnownHead } from './alarm-event.ts';
import type { AlarmServices } from './binding.ts';
import { ComparedMark, type Writing } from './compared-mark.ts';
import { serveControl } from './control.ts';
import type { Reactions } from './reactions.ts';
import { takeOver } from './record-comparison.ts';
import type { AlarmTerm } from './record-store.ts';
import { Requests } from './requests.ts';
import { shownText } from './shown-text.ts';
import { Slots } from './slots.ts';
import { type KnownOf, TargetAlarms, type WatchOf } from './target-alarms.ts';

export interface AlarmServiceOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: MissionSource;
  /** Fencing token of the leader. */
  readonly epoch: number;
  /** Whether this process still leads, now. */
  readonly holds: () => boolean;
  /** The service cannot continue: its leader starts it again. */
  readonly failed: (error: unknown) => void;
  readonly cells: Cells<unknown, AlarmChartEvent>;
  readonly watchOf: WatchOf;
  readonly knownOf: KnownOf;
  readonly readValues: ReadValues;
  readonly reactions: Reactions;
  /** Called with each transition published here. */
  readonly transition: (event: AlarmEvent) => void;
}

/** Before a change is sent again to a cell that could not take it. */
const TELL_AGAIN_MS = 100;

export class AlarmService implements AlarmTerm, AlarmServices, CellOwner {
  readonly epoch: number;
  readonly reactions: Reactions;
  readonly heads = new Map<string, KnownHead>();
  readonly #options: AlarmServiceOptions;
  readonly #requests: Requests;
  readonly #compared: ComparedMark;
  readonly #stopping = new AbortController();
  /** Every record, as it stands in the bucket. */
  readonly #records = new Map<string, StoredAlarm>();
  /** Keys of the records of each target. */
  readonly #keysOf = new Map<string, Set<string>>();
  readonly #targets = new Map<string, TargetAlarms>();
  readonly #slots = new Slots(ALARM_EDGES_UNDER_WAY);
  /** The failure of a reaction reported last, by alarm (S5). */
  readonly #reports = new Map<string, Promise<boolean>>();
  /** Missions are taken up one after the other. */
  #mission: Promise<void> = Promise.resolve();
  #control: Stoppable | undefined;
  #unwatch: (() => void) | undefined;

  constructor(options: AlarmServiceOptions) {
    this.#options = options;
    this.epoch = options.epoch;
    this.reactions = options.reactions;
    this.#requests = new Requests(options.clock);
    const { bus, clock, log, epoch } = options;
    this.#compared = new ComparedMark({ bus, clock, log, epoch, lost: (error) => this.#failed(error) });
  }

  /** Takes the alarms over. Rejects with `Outage`. */
  async start(): Promise<void> {
    const { bus, log } = this.#options;
    const known = (): void => {
      this.#control = this.#serve();
    };
    await takeOver({ bus, log, term: this, compared: this.#compared, signal: this.#stopping.signal, known });
    if (this.#stopped) return;
    this.#wakeAll();
    this.#unwatch = this.#options.missions.onChange((mission) => {
      this.#mission = this.#mission
        .then(() => this.#takeUp(mission))
        .catch((error: unknown) => this.#failed(error));
    });
    await this.#mission;
  }

  /** Leaves every alarm where it stands: the next leader goes on from the records. */
  async stop(): Promise<void> {
    this.#stopping.abort('stopped');
    this.#unwatch?.();
    this.#requests.stop();
    // A target that takes a mission up reads on until it is stopped; none is opened any more.
    await Promise.all([this.#control?.stop(), ...[...this.#targets.values()].map((target) => target.stop())]);
    await this.#mission;
    for (const key of [...this.#options.cells.ids()]) this.#options.cells.drop(key);
    await this.#compared.stop();
  }

  /** The cell of an alarm is gone; `quarantined` waits for a person (S8). */
  async gone(key: string, why: Gone): Promise<void> {
    if (why === 'reset') return this.resumed(key);
    if (why !== 'fenced') return;
    const known = this.#records.get(key);
    const entry = await this.#options.bus
      .bucket(buckets.alarms)
      .get(key)
      .catch(() => 'unknown' as const);
    if (entry !== undefined || known === undefined || !this.holds())
      return this.#failed(new Error(`another leader writes alarm ${key}`));
    // S7
    this.eventsLost(key, Date.parse(known.record.changed_at ?? '') || this.#options.clock.now());
    this.#failed(pastIsGone(buckets.alarms));
  }

  /** S8 */
  async resumed(key: string): Promise<void> {
    this.#compareAgain(key).catch((error: unknown) => this.#failed(error));
  }

  eventsLost(key: string, until: number): void {
    const { bus, log } = this.#options;
    const at = new Date(until).toISOString();
    log.error({ alarm: key, until: at }, 'what was acknowledged of an alarm is lost');
    bus.lost?.(until);
  }

  writing(key: string): Writing {
    return this.#compared.writing(key);
  }

  comparing(key: string): Writing {
    return this.#compared.comparing(key);
  }

  epochOf(): number {
    return this.epoch;
  }

  /** Changes of alarms not recorded yet. */
  get waiting(): number {
    return [...this.#targets.values()].reduce((sum, target) => sum + target.waiting, 0);
  }

  // For the cells ----------------------------------------------------------------------------------------------------

  holds(): boolean {
    return !this.#stopped && this.#options.holds();
  }

  lost(error: Error): void {
    this.#failed(error);
  }

  written(key: string, stored: StoredAlarm): void {
    this.#records.set(key, stored);
    const target = targetOf(key);
    const known = this.#keysOf.get(target);
    if (known === undefined) this.#keysOf.set(target, new Set([key]));
    else known.add(key);
  }

  published(name: AlarmName, { record }: StoredAlarm): void {
    this.#options.transition(eventOf(name, record));
  }

  oldest(): number {
    const { clock, missions } = this.#options;
    return clock.now() - (missions.current?.settings.alarmRetentionMs ?? streams.alarms.maxAgeMs);
  }

  replied({ type: _, ...reply }: Extract<AlarmEffect, { type: 'effect.reply' }>): void {
    this.#requests.replied(reply);
  }

  /** S5 */
  report(name: AlarmName, failed: { readonly report: number; readonly reason: string }): Promise<boolean> {
    const key = alarmKey(name);
    const before = this.#reports.get(key) ?? Promise.resolve(true);
    const told = before.catch(() => false).then(() => this.#report(name, failed));
    this.#reports.set(key, told);
    const over = (): void => {
      if (this.#reports.get(key) === told) this.#reports.delete(key);
    };
    told.then(over, over);
    return told;
  }

  async #report(
    name: AlarmName,
    { report, reason }: { readonly report: number; readonly reason: string },
  ): Promise<boolean> {
    const failure = { ...name, alarm: reactionAlarm(name.alarm) };
    const told = (severity: 'critical' | null, at: number): Promise<boolean> =>
      this.#record(failure, {
        type: 'condition.changed',
        at: this.#options.clock.now(),
        severity,
        value: reason,
        evaluated: { position: report, at },
      });
    return (await told('critical', 0)) && (await told(null, 1));
  }

  // Taking over ------------------------------------------------------------------------------------------------------

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #failed(error: unknown): void {
    if (!this.#stopped) this.#options.failed(error);
  }

  /** S2 */
  #wakeAll(): void {
    for (const [key, { record, reactions = [] }] of this.#records)
      if (record.shelved_until !== undefined || reactions.length > 0) this.#options.cells.wake(key);
  }

  #serve(): Stoppable {
    const { bus, clock, missions, cells } = this.#options;
    return serveControl({
      bus,
      clock,
      requests: this.#requests,
      holds: () => this.holds(),
      // A person may have seen it before the answer to its write has come back here.
      isRecorded: async (key) =>
        this.#records.has(key) || (await bus.bucket(buckets.alarms).get(key)) !== undefined,
      maxShelveMs: () => missions.current?.settings.maxShelveMs ?? 0,
      tell: (key, command) => cells.tell(key, command),
    });
  }

  // The mission ------------------------------------------------------------------------------------------------------

  async #takeUp(mission: Mission): Promise<void> {
    for (const [name, open] of this.#targets) {
      if (mission.targets.has(name)) continue;
      this.#targets.delete(name);
      await open.stop();
    }
    // S6
    await inTurns([...mission.targets.values()], ALARM_TARGETS_OPENING, (target) =>
      this.#takeUpTarget(target),
    );
    if (!this.#stopped) await this.#clearRemoved(mission);
  }

  async #takeUpTarget(target: Target): Promise<void> {
    if (this.#stopped) return;
    const open = this.#targets.get(target.name);
    if (open !== undefined) return open.update(target);
    const { bus, clock, log, watchOf, knownOf, readValues } = this.#options;
    const alarms = new TargetAlarms({
      bus,
      clock,
      log,
      target,
      watchOf,
      knownOf,
      readValues,
      epoch: this.epoch,
      slots: this.#slots,
      standsOf: (key) => this.#records.get(key),
      activeOnes: () => this.#activeOnes(target.name),
      record: async (name, change) => void (await this.#record(name, change)),
      failed: (error) => this.#failed(error),
    });
    this.#targets.set(target.name, alarms);
    await alarms.start();
  }

  /** Active alarms of targets that the mission does not have any more are back to normal (target-alarms.T6). */
  async #clearRemoved(mission: Mission): Promise<void> {
    const at = this.#options.clock.now();
    for (const [key, { record, evaluated }] of this.#records) {
      const name = isActive(record.state) ? alarmNamed(key) : undefined;
      if (name === undefined || mission.targets.has(name.target)) continue;
      const behind = { position: evaluated.position, at: Math.max(at, evaluated.at + 1) };
      await this.#record(name, { type: 'condition.changed', at, severity: null, evaluated: behind });
    }
  }

  /** S8 */
  async #compareAgain(key: string): Promise<void> {
    const { clock, missions } = this.#options;
    // Changes nothing: it is answered behind all that waited for the cell.
    const last = { type: 'condition.changed', severity: null, evaluated: NEVER_EVALUATED } as const;
    if ((await this.#tell(key, { ...last, at: clock.now() })) !== 'accepted') return;
    const target = this.#targets.get(targetOf(key));
    if (target !== undefined) target.compareAgain();
    else if (missions.current !== undefined) await this.#clearRemoved(missions.current);
  }

  #activeOnes(target: string): string[] {
    const isActiveOne = (key: string): boolean => isActive(this.#records.get(key)!.record.state);
    return [...(this.#keysOf.get(target) ?? [])].filter(isActiveOne);
  }

  /** Has a change recorded, unless its alarm is quarantined (S8); false when the term is over before. */
  async #record(name: AlarmName, change: ConditionChanged): Promise<boolean> {
    const key = alarmKey(name);
    const told = await this.#tell(key, shortened(change));
    if (told === 'quarantined')
      this.#options.log.error({ alarm: key, change }, 'change of an alarm that is set aside: not recorded');
    return told !== undefined;
  }

  /** Sends the change to the cell of an alarm until it is recorded; undefined when the term is over before. */
  async #tell(key: string, change: ConditionChanged): Promise<'accepted' | 'quarantined' | undefined> {
    const { cells, clock } = this.#options;
    while (!this.#stopped) {
      const { outcome } = await this.#requests.ask(
        (request) => cells.tell(key, { ...change, request }),
        ALARM_SETTLE_MS,
      );
      if (outcome === 'accepted' || outcome === 'quarantined') return outcome;
      await pause(clock, TELL_AGAIN_MS, this.#stopping.signal);
    }
    return undefined;
  }
}

function shortened(change: ConditionChanged): ConditionChanged {
  const { value } = change;
  return typeof value === 'string' ? { ...change, value: shownText(value) } : change;
}

/** The target in the key of a record: what stands before the first dot. */
function targetOf(key: string): string {
  return key.slice(0, key.indexOf('.'));
}
