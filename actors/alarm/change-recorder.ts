/**
 * What the evaluation of one target reports, on its way into the records of its alarms: placed in the stream, in the
 * order of each alarm, and only what changes something (target-alarms.T1, T2, T9).
 */

import type { EvaluatedAt, StoredAlarm } from '../../contract/alarm.ts';
import { type AlarmName, alarmKey } from '../../contract/alarm-name.ts';
import { ALARM_EDGES_WAITING } from '../../contract/limits/alarm.ts';
import type { ConditionChanged } from '../../machines/alarm/protocol.ts';
import { isActive, isAfter } from '../../machines/alarm/record.ts';
import type { AlarmEdge } from '../../ports/alarm-watch.ts';
import type { Clock } from '../../ports/clock.ts';
import { EdgeQueue } from './edge-queue.ts';
import { Progress, type Stands } from './progress.ts';
import type { Slots } from './slots.ts';

export interface RecorderOptions {
  readonly clock: Clock;
  /** For recording, shared with the other targets. */
  readonly slots: Slots;
  readonly standsOf: (key: string) => StoredAlarm | undefined;
  /** Resolves when the change is recorded, or changes nothing. */
  readonly record: (name: AlarmName, change: ConditionChanged) => Promise<void>;
  readonly failed: (error: unknown) => void;
}

interface TargetOptions extends RecorderOptions {
  readonly target: string;
  /** The last message taken behind the low-water mark, and the time passed since. */
  readonly now: () => Stands;
  /** The last position of the stream, once everything stored has been taken. */
  readonly end: () => number | undefined;
  /** `recorded` is another place. */
  readonly advanced: () => void;
}

interface Change {
  readonly edge: AlarmEdge;
  /** When it happened; undefined: when the sample came that it is of. */
  readonly found?: number;
}

export class ChangeRecorder {
  readonly #options: TargetOptions;
  readonly #queue: EdgeQueue<Change>;
  #reported: AlarmEdge[] = [];
  #skipped: EvaluatedAt = { position: 0, at: 0 };
  #progress: Progress;

  constructor(options: TargetOptions) {
    this.#options = options;
    this.#progress = new Progress({ position: 0, at: 0, stored: 0 }, options.advanced);
    this.#queue = new EdgeQueue<Change>({
      slots: options.slots,
      waiting: ALARM_EDGES_WAITING,
      record: (key, change) => this.#record(key, change),
      failed: options.failed,
    });
  }

  /** Everything up to there was recorded before: what is reported of it is left out. */
  begin(stands: Stands): void {
    this.#progress = new Progress(stands, this.#options.advanced);
    this.#skipped = { position: stands.position, at: stands.at };
  }

  /** Where everything before is recorded. */
  get recorded(): Stands {
    return this.#progress.recorded;
  }

  /** Changes not recorded yet. */
  get size(): number {
    return this.#queue.size;
  }

  /** Alarms with changes not recorded yet. */
  get keys(): string[] {
    return this.#queue.keys;
  }

  /** Resolves when fewer wait than are too many; undefined when there is room now. */
  room(): Promise<void> | undefined {
    return this.#queue.room();
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  /** The evaluation reports a change; `take` takes it up. */
  report(edge: AlarmEdge): void {
    this.#reported.push(edge);
  }

  /**
   * Takes up what was reported since the last call (target-alarms.T1). What turned by time alone turned behind the last
   * message of the target, though the alarm may have been fed by an earlier one.
   */
  take(position: number): void {
    const edges = this.#reported;
    this.#reported = [];
    const placed = edges.map((edge) =>
      edge.evaluated.position >= position ? edge : { ...edge, evaluated: { ...edge.evaluated, position } },
    );
    this.#enqueue(
      placed.filter(({ evaluated }) => isAfter(evaluated, this.#skipped)).map((edge) => ({ edge })),
    );
  }

  /** Takes up what was found at that time and nobody reported. */
  takeFound(edges: readonly AlarmEdge[], found: number): void {
    this.#enqueue(edges.map((edge) => ({ edge, found })));
  }

  #enqueue(changes: readonly Change[]): void {
    const recorded = this.#progress.take(this.#options.now(), changes.length);
    for (const change of changes) this.#queue.put(alarmKey(this.#nameOf(change.edge)), change, recorded);
  }

  #nameOf({ component, instance, alarm }: AlarmEdge): AlarmName {
    const { target } = this.#options;
    return { target, component, alarm, ...(instance !== undefined && { instance }) };
  }

  /**
   * Sends the change to the alarm, unless its record shows that nothing changes by it: one that stays NORMAL costs no
   * cell.
   */
  async #record(key: string, { edge, found }: Change): Promise<void> {
    const { clock, standsOf, record } = this.#options;
    const before = standsOf(key);
    if (!wouldChange(edge, before)) return;
    const { severity, value, onRaise } = edge;
    const behind = this.#isOfGonePast(before) ? clock.now() : found;
    const evaluated = behind === undefined ? edge.evaluated : this.#behind(before, behind);
    if (before !== undefined && !isAfter(evaluated, before.evaluated)) return;
    await record(this.#nameOf(edge), {
      type: 'condition.changed',
      at: found ?? edge.evaluated.at,
      severity,
      evaluated,
      ...(value !== undefined && { value }),
      ...(onRaise !== undefined && { onRaise }),
    });
  }

  /** target-alarms.T9: everything stored has been taken, and the record knows of more. */
  #isOfGonePast(before: StoredAlarm | undefined): boolean {
    const end = this.#options.end();
    return end !== undefined && before !== undefined && before.evaluated.position > end;
  }

  /** A place behind everything the record knows of. */
  #behind(before: StoredAlarm | undefined, found: number): EvaluatedAt {
    const { position, at } = before?.evaluated ?? { position: 0, at: 0 };
    const now = this.#options.now();
    if (position < now.position) return { position: now.position, at: found };
    return { position, at: Math.max(found, at + 1) };
  }
}

function wouldChange({ severity }: AlarmEdge, before: StoredAlarm | undefined): boolean {
  const active = isActive(before?.record.state);
  return severity === null ? active : !active || before?.record.severity !== severity;
}
