/**
 * The named alarms of a platform, one for each instance of their component, each fed only what its condition reads.
 * Mission Control Service, sections 2.4 (naming) and 4.4 (evaluation).
 *
 * N1. A sample that no condition reads is not looked at.
 * N2. An alarm whose condition and measures are the same in the next catalogue goes on with its history; any other goes
 *     on from what was read for it, or begins again.
 */

import { meansTheSame } from '../../mission/measure-meaning.ts';
import type { NamedAlarm, Platform } from '../../mission/platform.ts';
import type { AlarmEdge, KnownSample } from '../../ports/alarm-watch.ts';
import { FollowedAlarm } from './followed-alarm.ts';

interface Reader {
  readonly followed: FollowedAlarm;
  /** The measure as the alarm knows it. */
  readonly ordinal: number;
}

export class NamedAlarms {
  readonly spanMs: number;
  /** Whether every alarm goes on from the earlier catalogue. */
  readonly whole: boolean;
  readonly #platform: Platform;
  readonly #followed = new Map<string, FollowedAlarm>();
  /** Those that may turn without a sample. */
  readonly #temporal: readonly FollowedAlarm[];
  /** By ordinal. */
  readonly #readers: (Reader[] | undefined)[];
  /** Fed in the moment in progress. */
  readonly #fed = new Set<FollowedAlarm>();
  /** Fed in the message in progress. */
  readonly #told = new Set<FollowedAlarm>();

  /** `filled` has read what is stored, under this platform. */
  constructor(platform: Platform, earlier?: NamedAlarms, filled?: NamedAlarms) {
    this.#platform = platform;
    this.#readers = new Array<Reader[] | undefined>(platform.measures.length).fill(undefined);
    this.spanMs = Math.max(0, ...platform.alarms.map(({ spanMs }) => spanMs));
    this.whole = platform.alarms
      .map((alarm) => this.#open(alarm, earlier, filled))
      .every((continued) => continued);
    this.#temporal = [...this.#followed.values()].filter(({ alarm }) => alarm.temporal);
  }

  /** Whether a condition reads the measure. */
  reads(ordinal: number): boolean {
    return this.#readers[ordinal] !== undefined;
  }

  /** Takes a sample of the moment in. */
  feed(ordinal: number, value: number | string | null, at: number, edges: AlarmEdge[]): void {
    for (const { followed, ordinal: own } of this.#readers[ordinal] ?? []) {
      if (!this.#fed.has(followed)) {
        followed.begin(at, edges);
        this.#fed.add(followed);
      }
      followed.feed(own, value, at);
    }
  }

  /** Takes the last sample of before, of a moment, in. */
  recall({ ordinal, value, at }: KnownSample): void {
    for (const { followed, ordinal: own } of this.#readers[ordinal] ?? []) {
      this.#fed.add(followed);
      followed.recall(own, value, at);
    }
  }

  /** Ends the moment. */
  settle(at: number, position: number, edges: AlarmEdge[]): void {
    for (const followed of this.#fed) {
      followed.judge(at, position, edges);
      this.#told.add(followed);
    }
    this.#fed.clear();
  }

  /** Ends the message. */
  end(edges: AlarmEdge[]): void {
    for (const followed of this.#told) followed.settleLate(edges);
    this.#told.clear();
  }

  pass(now: number, edges: AlarmEdge[]): void {
    for (const followed of this.#temporal) followed.pass(now, edges);
  }

  /** Infinite when nothing turns by itself. */
  get due(): number {
    let due = Number.POSITIVE_INFINITY;
    for (const followed of this.#temporal) due = Math.min(due, followed.due);
    return due;
  }

  *standing(): Iterable<AlarmEdge> {
    for (const { standing } of this.#followed.values()) if (standing !== undefined) yield standing;
  }

  /** Whether it goes on from the earlier catalogue, on every instance. */
  #open(alarm: NamedAlarm, earlier: NamedAlarms | undefined, filled: NamedAlarms | undefined): boolean {
    const instances = alarm.instances.length === 0 ? [undefined] : alarm.instances;
    let whole = true;
    for (const instance of instances) {
      const key = `${alarm.component}[${instance ?? ''}].${alarm.name}`;
      const kept = earlier?.kept(key, alarm, this.#platform);
      whole &&= kept !== undefined;
      const from = kept ?? filled?.kept(key, alarm, this.#platform);
      const followed = new FollowedAlarm(alarm, instance, this.#platform, from);
      this.#followed.set(key, followed);
      for (const { key: read, ordinal } of followed.reads) {
        const at = this.#platform.ordinal(read)!;
        this.#readers[at] = [...(this.#readers[at] ?? []), { followed, ordinal }];
      }
    }
    return whole;
  }

  /** What `alarm` of the platform `next` can go on from (N2). */
  kept(key: string, alarm: NamedAlarm, next: Platform): FollowedAlarm | undefined {
    const followed = this.#followed.get(key);
    if (followed === undefined || followed.alarm.when.source !== alarm.when.source) return undefined;
    const same = followed.reads.every((measure) => {
      const ordinal = next.ordinal(measure.key);
      return ordinal !== undefined && meansTheSame(next.measures[ordinal], measure);
    });
    return same ? followed : undefined;
  }
}
