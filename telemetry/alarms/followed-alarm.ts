/**
 * The condition of one named alarm on one instance, followed. Mission Control Service, section 4.4: evaluated on
 * real-time samples with the history and the deadlines of the compute stage.
 *
 * C1. The truth is asked once for each moment: when its samples have all been fed, and when it turns by itself. Samples
 *     of one message that come late, at or before the moment asked about last, count for that moment, together.
 * C2. What turned by itself is placed behind the message that fed the condition last, at the moment it was due: so a
 *     new leader that reads the same messages finds the same place, whenever anybody looked.
 * C3. Unknown changes nothing. The first truth known is reported too: the record of the alarm may say otherwise.
 * C4. The sample fed last is the one that counts: where its ground time is before that of the last of its measure, it
 *     counts as of then.
 */

import type { EvaluatedAt } from '../../contract/alarm.ts';
import type { Evaluation } from '../../mission/condition/condition.ts';
import type { Measure, NamedAlarm, Platform } from '../../mission/platform.ts';
import type { AlarmEdge } from '../../ports/alarm-watch.ts';

export class FollowedAlarm {
  readonly alarm: NamedAlarm;
  readonly instance: string | undefined;
  readonly #evaluation: Evaluation;
  /** The one its condition was opened with; its ordinals are those the condition knows. */
  readonly #platform: Platform;
  /** When the last sample of each measure counts from (C4). */
  readonly #lastAt: Map<number, number>;
  #truth: boolean | undefined;
  /** The moment asked about last. */
  #judgedAt = Number.NEGATIVE_INFINITY;
  /** Of the message that fed it last. */
  #position = 0;
  /** Late samples have been fed that it was not asked about yet. */
  #late = false;
  /** When it may turn by itself; infinite: never. */
  #due = Number.POSITIVE_INFINITY;

  /** With `earlier` it goes on from there: its condition must be the same, on measures that mean the same. */
  constructor(alarm: NamedAlarm, instance: string | undefined, platform: Platform, earlier?: FollowedAlarm) {
    this.alarm = alarm;
    this.instance = instance;
    if (earlier === undefined) {
      this.#platform = platform;
      this.#evaluation = alarm.when.open({ instance });
      this.#lastAt = new Map();
      return;
    }
    this.#platform = earlier.#platform;
    this.#evaluation = earlier.#evaluation;
    this.#lastAt = earlier.#lastAt;
    this.#truth = earlier.#truth;
    this.#judgedAt = earlier.#judgedAt;
    this.#position = earlier.#position;
    this.#due = earlier.#due;
  }

  /** The measures it reads. */
  get reads(): readonly Measure[] {
    return this.#evaluation.reads.map((ordinal) => this.#platform.measures[ordinal]!);
  }

  get due(): number {
    return this.#due;
  }

  /** A moment begins: what came before it is asked about, so that its samples come first (C1). */
  begin(at: number, edges: AlarmEdge[]): void {
    if (at > this.#judgedAt) this.settleLate(edges);
    while (this.#due < at) this.#ask(this.#due, edges);
  }

  /** Takes a sample of the moment `at` in; `ordinal` as in `reads`. */
  feed(ordinal: number, value: number | string | null, at: number): void {
    this.#evaluation.feed(ordinal, value, this.#momentOf(ordinal, at));
  }

  /** Takes the last sample of before in, as `feed` does. */
  recall(ordinal: number, value: number | string | null, at: number): void {
    this.#evaluation.recall(ordinal, value, this.#momentOf(ordinal, at));
  }

  /** The samples of the moment have all been fed. */
  judge(at: number, position: number, edges: AlarmEdge[]): void {
    this.#position = position;
    if (at > this.#judgedAt) this.#ask(at, edges);
    else this.#late = true;
  }

  /** The message ends, or its moments have come past the one asked about last. */
  settleLate(edges: AlarmEdge[]): void {
    if (this.#late) this.#ask(this.#judgedAt, edges);
    this.#late = false;
  }

  /** Lets time pass up to `until`, and asks whenever something was due. */
  pass(until: number, edges: AlarmEdge[]): void {
    while (this.#due <= until) this.#ask(this.#due, edges);
  }

  /** How it stands, once that is known. */
  get standing(): AlarmEdge | undefined {
    if (this.#truth === undefined) return undefined;
    return this.#edge(this.#truth, { position: this.#position, at: this.#judgedAt });
  }

  /** C4 */
  #momentOf(ordinal: number, at: number): number {
    const moment = Math.max(at, this.#lastAt.get(ordinal) ?? at);
    this.#lastAt.set(ordinal, moment);
    return moment;
  }

  #ask(moment: number, edges: AlarmEdge[]): void {
    const truth = this.#evaluation.truth(moment);
    this.#judgedAt = moment;
    const due = this.#evaluation.deadline(moment);
    this.#due = due !== undefined && due > moment ? due : Number.POSITIVE_INFINITY;
    if (truth === null || truth === this.#truth) return;
    this.#truth = truth;
    edges.push(this.#edge(truth, { position: this.#position, at: moment }));
  }

  #edge(truth: boolean, evaluated: EvaluatedAt): AlarmEdge {
    const { component, name, severity, onRaise } = this.alarm;
    return {
      component,
      ...(this.instance !== undefined && { instance: this.instance }),
      alarm: name,
      severity: truth ? severity : null,
      ...(onRaise !== undefined && { onRaise }),
      evaluated,
    };
  }
}
