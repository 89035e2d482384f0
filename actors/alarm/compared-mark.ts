/**
 * Up to where records of alarms and the stream of their events are known to say the same: a new leader compares only
 * what is later (`record-comparison.ts`). Kept as a low-water mark (messaging/low-water-mark.ts).
 *
 * C1. A record is covered once its transition is published and every record written before it is covered: what was
 *     written and is not accounted for here, by whoever it was, holds it back, and the next leader looks at it.
 * C2. An event is covered if every write of a record that was under way before it, or is not covered, has begun behind
 *     it: so the record of a covered event is covered.
 * C3. What waits is bounded: behind so many the mark stands still until the next leader.
 * C4. A record that is written gets a revision above all that are covered. One below shows that the bucket was emptied
 *     or went back under its leader, which starts again and finds what is lost.
 */

import { alarmNamed } from '../../contract/alarm-name.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { ALARM_WRITES_NOT_COVERED } from '../../contract/limits/alarm.ts';
import type { KnownIn } from '../../messaging/known-past.ts';
import { LowWaterMark, pastIsGone } from '../../messaging/low-water-mark.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { KnownHead } from './alarm-event.ts';

export const COMPARED_MARK = 'alarm-records.all';

/** What is covered. */
export type Covered = {
  /** Revision of the bucket of records. */
  readonly records: number;
  /** Position in the stream of events. */
  readonly events: number;
  /** Until when events were lost out of the stream, as was known then, ms since 1970; 0: none. */
  readonly holes: number;
};

const NOTHING_COVERED: Covered = { records: 0, events: 0, holes: 0 };

/** What a new leader finds. */
export interface Taken {
  /** Later ones are to be compared: all of them, where something of before is lost. */
  readonly since: Pick<Covered, 'records' | 'events'>;
  /** The bucket does not hold any more what was recorded. */
  readonly recordsLost: boolean;
}

/** A write of a record, or its comparison, from before it begins. */
export interface Writing {
  /** The record stands under this revision and its last event at `head`; without one: nothing is known of it. */
  ended(revision?: number, head?: KnownHead): void;
}

/** A write under way, or behind one. */
interface Begun {
  readonly key: string;
  /** Position of the newest event when it began. */
  readonly behind: number;
  /** Revision that was covered when it began. */
  readonly above: number;
}

interface ComparedMarkOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly epoch: number;
  /** Another leader wrote, or the bucket went back (C4). */
  readonly lost: (error: Error) => void;
}

export class ComparedMark {
  readonly #bus: Bus;
  readonly #lost: (error: Error) => void;
  readonly #mark: LowWaterMark<Covered>;
  #covered: Covered = NOTHING_COVERED;
  #newest: KnownIn | undefined;
  /** Writes of cells that have not ended, by key. */
  readonly #underWay = new Map<string, Begun>();
  /** Writes and comparisons that are not covered, the oldest first. */
  readonly #open = new Set<Begun>();
  /** Those of them that have ended, by revision. */
  readonly #ended = new Map<number, Begun>();
  #standsStill = false;

  constructor({ bus, ...options }: ComparedMarkOptions) {
    this.#bus = bus;
    this.#lost = options.lost;
    this.#mark = new LowWaterMark({
      ...options,
      bus,
      name: COMPARED_MARK,
      first: NOTHING_COVERED,
      stands: () => this.#stands(),
      known: () => (this.#newest === undefined ? [] : [this.#newest]),
      about: [streams.alarms],
    });
  }

  /**
   * What the leader before has covered, from now on under this epoch. Rejects with `Outage`, and where another leader
   * takes it.
   */
  async take(): Promise<Taken> {
    const [position, holes = 0] = await Promise.all([
      this.#bus.bucket(buckets.alarms).position(),
      this.#bus.holesUntil(streams.alarms),
    ]);
    const before = await this.#mark.take();
    const recordsLost = position < before.records;
    const isWhole = !recordsLost && this.#mark.wentBack === undefined && holes <= before.holes;
    this.#covered = { ...NOTHING_COVERED, holes };
    return { since: isWhole ? before : NOTHING_COVERED, recordsLost };
  }

  /** So much is compared: it is kept from now on. */
  keep({ records, events }: Pick<Covered, 'records' | 'events'>): void {
    this.#covered = { ...this.#covered, records, events };
    for (const [revision, begun] of this.#ended) if (revision <= records) this.#close(revision, begun);
    this.#cover();
    this.#mark.keep();
  }

  /** The cell of an alarm writes its record; a write of before that has not ended will not end any more. */
  writing(key: string): Writing {
    const left = this.#underWay.get(key);
    if (left !== undefined) this.#open.delete(left);
    const begun = this.#begin(key);
    this.#underWay.set(key, begun);
    return {
      ended: (revision, head) => {
        if (this.#underWay.get(key) === begun) this.#underWay.delete(key);
        if (revision !== undefined && revision <= begun.above) this.#lost(pastIsGone(buckets.alarms));
        this.#ends(begun, revision, head);
      },
    };
  }

  /** A record is compared with its last event, and one of them written where that is missing. */
  comparing(key: string): Writing {
    const begun = this.#begin(key);
    return { ended: (revision, head) => this.#ends(begun, revision, head) };
  }

  #begin(key: string): Begun {
    const { records, events } = this.#covered;
    const begun: Begun = { key, behind: Math.max(events, this.#newest?.seq ?? 0), above: records };
    this.#open.add(begun);
    return begun;
  }

  async stop(): Promise<void> {
    await this.#mark.stop();
  }

  #ends(begun: Begun, revision: number | undefined, head: KnownHead | undefined): void {
    if (head !== undefined && head.position > (this.#newest?.seq ?? 0)) {
      const named = subject.alarmEvent(alarmNamed(begun.key)!);
      this.#newest = { stream: streams.alarms, seq: head.position, at: head.at, subject: named };
    }
    if (this.#standsStill || revision === undefined || revision <= this.#covered.records) {
      this.#open.delete(begun);
      return;
    }
    this.#ended.set(revision, begun);
    this.#cover();
    if (this.#ended.size > ALARM_WRITES_NOT_COVERED) this.#standStill();
  }

  /** C1 */
  #cover(): void {
    let { records } = this.#covered;
    for (
      let begun = this.#ended.get(records + 1);
      begun !== undefined;
      begun = this.#ended.get(records + 1)
    ) {
      records += 1;
      this.#close(records, begun);
    }
    this.#covered = { ...this.#covered, records };
  }

  #close(revision: number, begun: Begun): void {
    this.#ended.delete(revision);
    this.#open.delete(begun);
  }

  /** C3 */
  #standStill(): void {
    this.#covered = this.#stands();
    this.#standsStill = true;
    this.#open.clear();
    this.#ended.clear();
  }

  /** C2 */
  #stands(): Covered {
    if (this.#standsStill) return this.#covered;
    const [oldest] = this.#open;
    const { events: compared } = this.#covered;
    const events = oldest?.behind ?? Math.max(compared, this.#newest?.seq ?? 0);
    return { ...this.#covered, events };
  }
}
