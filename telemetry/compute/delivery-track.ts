/**
 * Derived measures computed from the samples of one delivery, real-time or deferred: the last sample of each input, the
 * evaluations that read it, and the order in which they follow each other. Mission Control Service, sections 2.2 and
 * 4.4.
 *
 * S1. The ground time of a derived sample is that of its oldest input; its `time` is the latest of its inputs, whether
 *     they are dated on board or not, so that it follows the one before as they follow theirs. It is dated where that
 *     is not the ground time.
 * S2. A derived measure has no sample before each of its inputs has had one.
 * S3. An input that never had a sample of this delivery borrows the last one of the other; only pure measures take it,
 *     and are deferred by it.
 * S4. What becomes unknown is published once, as null.
 * S5. A measure is computed after everything it reads, once a moment.
 * S6. The sample fed last is the one that counts: it became the current value. Where its ground time is before that of
 *     the last of its measure (two stations whose clocks differ), it counts as of then.
 * S7. A sample derived in real time is never older than the one before of its measure, or the current values would not
 *     show what the current inputs give. Its `time` stands still, or goes on by a millisecond, where that of the inputs
 *     falls: an input was received earlier than the one before it, or its clock was set back. It stands still for
 *     `CLOCK_STEP_MS` at most: what falls by more follows as it is (sample-order.V5).
 */

import type { Derived, Platform } from '../../mission/platform.ts';
import { timeOf } from '../reading/instant.ts';
import { isOlderBy } from '../sample-order.ts';
import { Computed, sameComputed, sameMeasure } from './computed.ts';
import type { DerivedBlocks } from './derived-blocks.ts';

/** Where computed samples go, by their delivery. */
export interface Output {
  readonly realtime: DerivedBlocks;
  readonly deferred: DerivedBlocks;
}

type InputValue = number | string | null;

interface Reader {
  readonly computed: Computed;
  /** The ordinal its evaluation knows the measure by. */
  readonly as: number;
}

interface TrackOptions {
  readonly platform: Platform;
  readonly derived: readonly Derived[];
  readonly isRealtime: boolean;
  readonly earlier?: DeliveryTrack | undefined;
  /** Has learned what is stored, under this catalogue: what does not go on from `earlier` goes on from it. */
  readonly filled?: DeliveryTrack | undefined;
}

const NONE = 0;
const BORROWED = 1;
const OWN = 2;

/** Why a measure is looked at. */
const FED = 1;
const DUE = 2;

export class DeliveryTrack {
  readonly platform: Platform;
  readonly computed: readonly Computed[];
  /** Whether everything that has a history goes on from an earlier side. */
  readonly whole: boolean;
  readonly #isRealtime: boolean;
  /** By ordinal. */
  readonly #readers: (Reader[] | undefined)[];
  readonly #byOrdinal: (Computed | undefined)[];
  /** 1 where samples of the measure are read or computed here. */
  readonly #wanted: Uint8Array;
  readonly #temporal: readonly Computed[];
  readonly #values: InputValue[];
  readonly #ground: Float64Array;
  readonly #onboard: Float64Array;
  /** When the last sample counts from (S6). */
  readonly #moment: Float64Array;
  readonly #standing: Uint8Array;
  /** By place in the order; `#low` to `#high` are those that may be set. */
  readonly #open: Uint8Array;
  #low = Number.POSITIVE_INFINITY;
  #high = -1;
  /** Nothing is due before. */
  #nextDue = Number.POSITIVE_INFINITY;
  #now = Number.NEGATIVE_INFINITY;

  constructor({ platform, derived, isRealtime, earlier, filled }: TrackOptions) {
    const size = platform.measures.length;
    this.platform = platform;
    this.#isRealtime = isRealtime;
    const kept = derived.map((each) => earlier && sameComputed(each, platform, earlier));
    this.whole = derived.every(({ temporal }, index) => !temporal || kept[index] !== undefined);
    this.computed = derived.map(
      (each, index) => new Computed(each, index, platform, kept[index] ?? filled?.computed[index]),
    );
    this.#temporal = this.computed.filter((each) => each.derived.temporal);
    this.#readers = new Array<Reader[] | undefined>(size).fill(undefined);
    this.#byOrdinal = new Array<Computed | undefined>(size).fill(undefined);
    this.#wanted = new Uint8Array(size);
    this.#values = new Array<InputValue>(size).fill(null);
    this.#ground = new Float64Array(size);
    this.#onboard = new Float64Array(size);
    this.#moment = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
    this.#standing = new Uint8Array(size);
    this.#open = new Uint8Array(derived.length);
    for (const computed of this.computed) this.#connect(computed);
    // Where both know an input, that of the side in use counts.
    if (filled !== undefined) this.#adopt(filled);
    if (earlier !== undefined) this.#adopt(earlier);
  }

  /** Whether samples of the measure are read or computed here. */
  wants(ordinal: number): boolean {
    return this.#wanted[ordinal] === 1;
  }

  computes(ordinal: number): boolean {
    return this.#byOrdinal[ordinal] !== undefined;
  }

  /** Takes a sample; `lent` when it is of the other delivery (S3). */
  feed(ordinal: number, value: InputValue, groundMs: number, onboardMs: number, borrowed: boolean): void {
    const readers = this.#readers[ordinal];
    if (readers === undefined || (borrowed && this.#standing[ordinal] === OWN)) return;
    this.#keep(ordinal, value, groundMs, onboardMs, borrowed ? BORROWED : OWN);
    const moment = borrowed ? groundMs : Math.max(groundMs, this.#moment[ordinal]!);
    if (!borrowed) this.#moment[ordinal] = moment;
    if (groundMs > this.#now) this.#now = groundMs;
    for (const { computed, as } of readers) {
      const { temporal } = computed.derived;
      if (temporal && borrowed) continue;
      // What is pure has no history: its inputs count in the order they come.
      computed.evaluation.feed(as, value, temporal ? moment : this.#now);
      this.#look(computed.index, FED);
    }
  }

  /** Computes what samples of a moment changed; without `out` nothing is published. */
  settle(at: number, out: Output | undefined): void {
    this.#now = Math.max(this.#now, at);
    this.#compute(out);
  }

  /** Leaves what was fed to whoever computed it, up to `atMs`. */
  pass(atMs = Number.NEGATIVE_INFINITY): void {
    this.#now = Math.max(this.#now, atMs);
    this.#open.fill(0);
    this.#high = -1;
    this.#low = Number.POSITIVE_INFINITY;
  }

  /** Goes on to the first moment up to `limitMs` at which time alone changed something, and returns it. */
  turn(limitMs: number, out: Output): number | undefined {
    while (this.#nextDue <= limitMs) {
      const at = this.deadline();
      if (at === undefined || at > limitMs) return undefined;
      this.#now = Math.max(this.#now, at);
      for (const { due, index } of this.#temporal) if (due <= at) this.#look(index, DUE);
      this.#nextDue = Number.POSITIVE_INFINITY;
      const published = this.#compute(out);
      this.deadline();
      if (published) return at;
    }
    return undefined;
  }

  /** The next moment at which time alone may change something. */
  deadline(): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    for (const { due } of this.#temporal) if (due < next) next = due;
    this.#nextDue = next;
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  /** What was published of a derived measure last. */
  published(ordinal: number, value: InputValue, groundMs: number, onboardMs: number, lent: boolean): void {
    const computed = this.#byOrdinal[ordinal];
    if (computed === undefined) return;
    computed.last = typeof value === 'number' ? value : Number.NaN;
    if (!lent) computed.dated(timeOf(onboardMs, groundMs), groundMs);
  }

  /** Takes a current sample that was known before, if it knows none itself. */
  restore(ordinal: number, value: InputValue, groundMs: number, onboardMs: number, lent: boolean): void {
    if (this.#byOrdinal[ordinal]?.kept === false) this.published(ordinal, value, groundMs, onboardMs, lent);
    if (this.#standing[ordinal] !== OWN) this.feed(ordinal, value, groundMs, onboardMs, lent);
    this.pass();
  }

  /** Looks at everything that follows time again, as of the newest sample. */
  resume(): void {
    if (!Number.isFinite(this.#now)) return;
    for (const computed of this.#temporal) computed.due = this.#now;
    this.#nextDue = this.#now;
  }

  /** Lends the inputs that never had a sample of this delivery the last of the other (S3). */
  borrow(from: DeliveryTrack): void {
    this.#readers.forEach((readers, ordinal) => {
      if (readers === undefined || this.#standing[ordinal] === OWN || this.computes(ordinal)) return;
      if (from.#standing[ordinal] !== OWN) return;
      const ground = from.#ground[ordinal]!;
      if (this.#standing[ordinal] === BORROWED && ground <= this.#ground[ordinal]!) return;
      this.feed(ordinal, from.#values[ordinal]!, ground, from.#onboard[ordinal]!, true);
    });
    this.#compute(undefined);
  }

  #connect(computed: Computed): void {
    const { derived, known } = computed;
    this.#byOrdinal[derived.ordinal] = computed;
    this.#wanted[derived.ordinal] = 1;
    derived.reads.forEach((ordinal, at) => {
      this.#wanted[ordinal] = 1;
      this.#readers[ordinal] = [...(this.#readers[ordinal] ?? []), { computed, as: known[at]! }];
    });
  }

  /** Takes up the inputs of a side of another catalogue; evaluations that are not kept begin with them. */
  #adopt(earlier: DeliveryTrack): void {
    this.#now = Math.max(this.#now, earlier.#now);
    this.#readers.forEach((readers, ordinal) => {
      if (readers === undefined) return;
      const before = earlier.platform.ordinal(this.platform.measures[ordinal]!.key);
      if (before === undefined || earlier.#standing[before] === NONE) return;
      if (!sameMeasure(before, earlier.platform, ordinal, this.platform)) return;
      const standing = earlier.#standing[before]!;
      const value = earlier.#values[before]!;
      this.#keep(ordinal, value, earlier.#ground[before]!, earlier.#onboard[before]!, standing);
      this.#moment[ordinal] = Math.max(this.#moment[ordinal]!, earlier.#moment[before]!);
      for (const { computed, as } of readers) {
        if (computed.kept || (computed.derived.temporal && standing === BORROWED)) continue;
        const moment = standing === OWN ? earlier.#moment[before]! : earlier.#ground[before]!;
        computed.evaluation.feed(as, value, moment);
      }
    });
    this.deadline();
  }

  #keep(ordinal: number, value: InputValue, groundMs: number, onboardMs: number, standing: number): void {
    this.#values[ordinal] = value;
    this.#ground[ordinal] = groundMs;
    this.#onboard[ordinal] = onboardMs;
    this.#standing[ordinal] = standing;
  }

  #look(index: number, why: number): void {
    if (this.#open[index] !== FED) this.#open[index] = why;
    if (index < this.#low) this.#low = index;
    if (index > this.#high) this.#high = index;
  }

  /** Computes what is to be looked at, and what that changes in turn (S5); whether something is to be published. */
  #compute(out: Output | undefined): boolean {
    let published = false;
    for (let index = this.#low; index <= this.#high; index += 1) {
      const why = this.#open[index];
      if (why === 0) continue;
      this.#open[index] = 0;
      const computed = this.computed[index]!;
      const value = why === FED ? computed.afterSample(this.#now) : computed.afterTime(this.#now);
      if (value !== undefined && this.#publish(computed, value, out)) published = true;
      if (computed.due < this.#nextDue) this.#nextDue = computed.due;
    }
    this.#low = Number.POSITIVE_INFINITY;
    this.#high = -1;
    return published;
  }

  /** S7: when a sample is dated whose newest input is of `time`. */
  #following({ time: before, ground: groundBefore }: Computed, time: number, ground: number): number {
    if (!this.#isRealtime || !isOlderBy(time - before, ground - groundBefore, 0, 0)) return time;
    return ground < groundBefore ? before + 1 : before;
  }

  /** S1, S2, S3 */
  #publish(computed: Computed, value: number, out: Output | undefined): boolean {
    const { ordinal, reads, temporal } = computed.derived;
    let oldest = Number.POSITIVE_INFINITY;
    let latest = Number.NEGATIVE_INFINITY;
    let lent = false;
    for (const read of reads) {
      const standing = this.#standing[read];
      if (standing === NONE || (temporal && standing === BORROWED)) return false;
      const ground = this.#ground[read]!;
      if (standing === BORROWED) lent = true;
      if (ground < oldest) oldest = ground;
      latest = Math.max(latest, timeOf(this.#onboard[read]!, ground));
    }
    const time = lent ? latest : this.#following(computed, latest, oldest);
    const onboard = time === oldest ? Number.NaN : time;
    if (!lent) computed.dated(time, oldest);
    computed.last = value;
    const blocks = lent ? out?.deferred : out?.realtime;
    blocks?.push(ordinal, value, oldest, onboard);
    this.feed(ordinal, Number.isNaN(value) ? null : value, oldest, onboard, lent);
    return true;
  }
}
