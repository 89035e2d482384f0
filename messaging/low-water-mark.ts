/**
 * What the owner of a partition has read of its streams and need not be read again: a position for each, kept in bucket
 * `mcs_members` with the epoch of the owner. Architecture, "Ownership".
 *
 * F1. A new owner writes the low-water mark before it reads, so an old one can write no more; one that was only asleep
 *     takes nothing from a newer one.
 * F2. It is written at most once a second: what lies between is read again, and is known by what it has led to. That of
 *     an owner that reports each change (`reportsMoves`) is compared once a second while it changes, and every ten
 *     seconds while it does not.
 * F3. Beside the positions it keeps the last messages that its owner knew. Where a stream does not hold them any more
 *     it was put back or lost its newest messages: its positions are used again and mean something else. `wentBack`
 *     says so to whoever takes the low-water mark, until it has gone past that. What this process knew of the streams
 *     counts too (`known-past.ts`): the bucket of the low-water mark may have gone back with them.
 * F5. An owner that stops says that it knew nothing more; behind one that died, messages of the next moments may have
 *     been read.
 * F4. The epoch of an owner is a revision of the same bucket, so one above the revision that the low-water mark was
 *     written with is of a past that is gone, as its owner is.
 * F6. A store goes back as a whole. Where a loss has been found anywhere on the bus, here or by another member of the
 *     cell (membership.E9), what was read until then may have been read by another owner, of whom nothing is left; the
 *     low-water mark remembers until when that has been dealt with. `lostUntil` counts what is found later too.
 * F8. Where no message of a stream is known, a position behind its end is of a past that is gone as well
 *     (mark-positions.M1). What was stored until the low-water mark was written may have been read.
 * F9. An owner that stops before it has dealt with what was lost leaves it as it took it: the next one finds the same
 *     loss, and what lies behind is read again (F2).
 * F7. A loss that is found while it is kept says so to its owner: what that one wrote behind its streams may be lost,
 *     and all of these be there.
 */

import { buckets } from '../contract/bus/buckets.ts';
import type { StreamDefinition } from '../contract/bus/streams.ts';
import { Outage } from '../contract/outage.ts';
import type { Bucket, Bus, Entry } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { Overtaken } from '../ports/overtaken.ts';
import { joinRounds } from '../ports/shared-rounds.ts';
import { type KnownIn, type KnownPast, seen } from './known-past.ts';
import { markBytes, markKey, markOf, NO_MARK, type Positions, type StoredMark } from './mark-entry.ts';
import { positionsOf } from './mark-positions.ts';

/** What does not hold any more of what the owner before knew. */
export interface WentBack {
  /** Names of streams. */
  readonly streams: ReadonlySet<string>;
  /** When the last message known was stored: what is stored later is new. */
  readonly since: number;
  /** What was stored until then may have been read before. */
  readonly until: number;
  /** Something of that time is lost, as this process knows, whatever of its own streams is still there. */
  readonly elsewhere?: true;
}

export interface LowWaterMarkOptions<Stands extends Positions> {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** `<prefix>.<partition>` */
  readonly name: string;
  readonly epoch: number;
  /** Where a partition begins that nobody has had. */
  readonly first: Stands;
  /** Where it stands now. */
  readonly stands: () => Stands;
  /** What it knows of its streams now (F3); default: nothing. */
  readonly known?: () => readonly KnownIn[];
  /** The streams it is about, and what this process knew of them before (F3); default: nothing. */
  readonly about?: readonly StreamDefinition[];
  readonly past?: KnownPast | undefined;
  /** Another owner wrote. */
  readonly lost: (error: Error) => void;
  /** Something of before is lost, as was found a moment ago (F7). */
  readonly lossFound?: () => void;
  /** `moved` is called whenever `stands` or `known` have changed (F2); default: both are looked at each second. */
  readonly reportsMoves?: true;
}

/** The outage of a worker whose follower found that: nobody's fault here, and it starts again from what is there. */
export function pastIsGone({ name }: { readonly name: string }): Outage {
  return new Outage('bus.unavailable', `${name} does not hold any more what was read of it`);
}

const WRITE_EVERY_MS = 1_000;
/** How often one that rests is looked at all the same. */
const REST_MS = 10_000;
/** Looks in a row that find nothing to write, before it rests: what moves it may end a moment behind. */
const QUIET_LOOKS = 3;
/**
 * A message taken behind the last write of a low-water mark was stored so much later than the last one known at most
 * (F5).
 */
const UNKNOWN_MS = 2 * WRITE_EVERY_MS;

export class LowWaterMark<Stands extends Positions> {
  readonly #options: LowWaterMarkOptions<Stands>;
  readonly #bucket: Bucket;
  readonly #key: string;
  #revision = 0;
  #written: Buffer | undefined;
  /** What it was when it was found written. */
  #looked: Looked | undefined;
  #wentBack: WentBack | undefined;
  /** What the owner before knew, until this one knows more. */
  #known: readonly KnownIn[] = [];
  /** The write under way: two at once would each refute the other. */
  #writing: Promise<void> = Promise.resolve();
  /** One of a round, not yet answered. */
  #isWriting = false;
  #leaveRounds: (() => void) | undefined;
  #isResting = false;
  #quietLooks = 0;
  #leave: (() => void) | undefined;
  #dealtWith = 0;
  /** The last loss that the owner knows of (F7). */
  #foundUntil = 0;
  #stopped = false;

  constructor(options: LowWaterMarkOptions<Stands>) {
    this.#options = options;
    this.#bucket = options.bus.bucket(buckets.members);
    this.#key = markKey(options.name);
  }

  /** Where to read on, from now on under this epoch; throws when another owner has it or takes it. */
  async take(): Promise<Stands> {
    const { bus, epoch, first, name } = this.#options;
    this.#foundUntil = bus.lostUntil ?? 0;
    const entry = await this.#bucket.get(this.#key);
    const before = entry === undefined ? NO_MARK : markOf(entry);
    const writtenAt = entry?.at ?? 0;
    const taken = new Overtaken(`another owner takes ${name}`, before.epoch);
    if (before.epoch > epoch && before.epoch < (entry?.revision ?? 0)) throw taken;
    this.#known = before.known;
    this.#dealtWith = before.dealtWith;
    this.#wentBack = this.#merged(
      await this.#compare(before, writtenAt),
      (await this.#options.past?.losses()) ?? [],
    );
    const stands = { ...first, ...before.stands };
    const value = this.#bytes(stands);
    const written = await this.#bucket.put(this.#key, value, entry?.revision ?? 0);
    if (written.outcome === 'conflict') throw taken;
    this.#revision = written.revision;
    this.#written = value;
    return stands;
  }

  /** Once taken: what its streams do not hold any more (F3). */
  get wentBack(): WentBack | undefined {
    return this.#wentBack;
  }

  /**
   * Until when something is lost of what was read, as far as is known now, whoever has dealt with it (F6); 0: nothing.
   */
  get lostUntil(): number {
    return Math.max(this.#dealtWith, this.#wentBack?.until ?? 0, this.#options.bus.lostUntil ?? 0);
  }

  /**
   * Whether nobody else has taken it. What was written under a later epoch while it is still this one's is of a past
   * that is gone (F4).
   */
  async isOwn(): Promise<boolean> {
    const entry = await this.#bucket.get(this.#key);
    return entry === undefined || markOf(entry).epoch === this.#options.epoch;
  }

  /**
   * When it was written last, by the clock of the bus: not before it was taken, and without end where it is gone.
   * Rejects with `Outage`.
   */
  async writtenAt(): Promise<number> {
    return (await this.#bucket.get(this.#key))?.at ?? Number.POSITIVE_INFINITY;
  }

  async #compare({ stands, whole }: StoredMark, writtenAt: number): Promise<WentBack | undefined> {
    const { bus, log, name } = this.#options;
    // A message says when it was stored; the mark may have been written again behind a loss.
    const isKnown = (stream: StreamDefinition): boolean =>
      this.#known.some((known) => known.stream.name === stream.name);
    const positions: readonly KnownIn[] = positionsOf(name, stands)
      .filter(({ stream }) => !isKnown(stream))
      .map(({ stream, read }) => ({ stream, seq: read, at: writtenAt }));
    const held = await Promise.all([
      ...this.#known.map((known) => bus.stillHolds(known.stream, seen(known))),
      // F8: only that the stream reaches so far.
      ...positions.map(({ stream, seq }) => bus.stillHolds(stream, { seq })),
    ]);
    const gone: readonly KnownIn[] = [...this.#known, ...positions].filter((_, n) => held[n] === false);
    if (gone.length === 0) return undefined;
    const lost = new Set(gone.map(({ stream }) => stream.name));
    const since = Math.max(...[...this.#known, ...gone].map(({ at }) => at));
    const until = since + (whole ? 0 : UNKNOWN_MS);
    if (positions.some((each) => gone.includes(each))) bus.lost?.(writtenAt);
    const fields = { mark: this.#key, streams: [...lost], until: new Date(until).toISOString() };
    log.error(fields, 'streams do not hold any more what was read of them: begun from what is there');
    return { streams: lost, since, until };
  }

  /** With what this process has lost of the streams of this low-water mark since it was written. */
  #merged(wentBack: WentBack | undefined, losses: readonly KnownIn[]): WentBack | undefined {
    const { about = [], bus } = this.#options;
    if (about.length === 0) return wentBack;
    const until = Math.max(wentBack?.until ?? 0, bus.lostUntil ?? 0, ...losses.map(({ at }) => at));
    if (until <= this.#seenUntil(wentBack)) return wentBack;
    const own = losses.filter(({ stream, at }) => about.includes(stream) && at > this.#dealtWith);
    // What the owner before had read of them is where reading goes on; what is read once more is known by what it has
    // led to.
    const from = own.map(({ stream }) => this.#known.find((known) => known.stream === stream)?.at ?? 0);
    return {
      streams: new Set([...(wentBack?.streams ?? []), ...own.map(({ stream }) => stream.name)]),
      since: Math.min(wentBack?.since ?? Number.POSITIVE_INFINITY, ...from),
      until,
      elsewhere: true,
    };
  }

  /** Nothing of before is lost that this low-water mark has not dealt with, or that was not written behind the loss. */
  #seenUntil(wentBack: WentBack | undefined): number {
    if (wentBack !== undefined) return wentBack.until;
    return Math.max(this.#dealtWith, ...this.#known.map(({ at }) => at));
  }

  /** Writes it again and again from now on: what was lost has been dealt with (F3). */
  keep(): void {
    const gone = this.#wentBack?.streams;
    if (gone !== undefined) this.#known = this.#known.filter(({ stream }) => !gone.has(stream.name));
    this.#dealtWith = Math.max(this.#dealtWith, this.#wentBack?.until ?? 0);
    const { past, lost } = this.#options;
    this.#leave = past?.join({
      known: () => mergedKnown(this.#known, this.#options.known?.() ?? []),
      pastIsGone: (stream) => lost(pastIsGone(stream)),
    });
    this.#lookEvery(WRITE_EVERY_MS);
  }

  /** What it says of where it stands has changed (F2). */
  moved(): void {
    this.#quietLooks = 0;
    if (this.#isResting) this.#lookEvery(WRITE_EVERY_MS);
  }

  #lookEvery(periodMs: number): void {
    if (this.#stopped) return;
    this.#leaveRounds?.();
    this.#isResting = periodMs === REST_MS;
    this.#leaveRounds = joinRounds(this.#options.clock, periodMs, () => this.#look());
  }

  #look(): void {
    this.#lookForLosses();
    if (this.#isWriting) return;
    // Thousands rest: none of them makes a promise each second.
    if (this.#rests()) return this.#wasQuiet();
    this.moved();
    this.#isWriting = true;
    void this.#write()
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error, mark: this.#key }, 'low-water mark not written');
      })
      .then(() => {
        this.#isWriting = false;
      });
  }

  #wasQuiet(): void {
    this.#quietLooks += 1;
    if (this.#options.reportsMoves && !this.#isResting && this.#quietLooks >= QUIET_LOOKS)
      this.#lookEvery(REST_MS);
  }

  /** F7 */
  #lookForLosses(): void {
    const until = this.#options.bus.lostUntil ?? 0;
    if (until <= this.#foundUntil) return;
    this.#foundUntil = until;
    this.#options.lossFound?.();
  }

  /** Writes it a last time, where it was kept (F9). */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#leave?.();
    if (this.#leaveRounds === undefined) return;
    this.#leaveRounds();
    await this.#write().catch(() => undefined);
  }

  #write(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#writeNow());
    return this.#writing;
  }

  async #writeNow(): Promise<void> {
    if (this.#revision === 0 || (!this.#stopped && this.#rests())) return;
    const now = this.#options.known?.() ?? [];
    const stands = this.#options.stands();
    this.#known = mergedKnown(this.#known, now);
    const value = this.#bytes(stands, this.#stopped);
    if (this.#written?.equals(value)) {
      this.#looked = { stands: { ...stands }, now: [...now] };
      return;
    }
    let written = await this.#bucket.put(this.#key, value, this.#revision);
    if (written.outcome === 'conflict') {
      const entry = await this.#bucket.get(this.#key);
      if (!this.#isMine(entry)) return;
      written = await this.#bucket.put(this.#key, value, entry?.revision ?? 0);
    }
    if (written.outcome === 'conflict') return;
    this.#revision = written.revision;
    this.#written = value;
    this.#looked = { stands: { ...stands }, now: [...now] };
  }

  /** Whether it is written as it stands. */
  #rests(): boolean {
    const { stands, known } = this.#options;
    return this.#looked !== undefined && isAsBefore(this.#looked, { stands: stands(), now: known?.() ?? [] });
  }

  /** What stands in the way: one's own write whose answer an outage took, nothing, or another owner's (F1). */
  #isMine(entry: Entry | undefined): boolean {
    const { epoch, name, lost } = this.#options;
    if (entry === undefined || markOf(entry).epoch === epoch) return true;
    lost(new Error(`another owner wrote the low-water mark of ${name}`));
    return false;
  }

  #bytes(stands: Positions, whole = false): Buffer {
    const { epoch } = this.#options;
    return markBytes({ epoch, stands, known: this.#known, whole, dealtWith: this.#dealtWith });
  }
}

interface Looked {
  readonly stands: Positions;
  readonly now: readonly KnownIn[];
}

function isAsBefore(before: Looked, { stands, now }: Looked): boolean {
  if (before.now.length !== now.length) return false;
  for (const name in stands) if (stands[name] !== before.stands[name]) return false;
  return now.every(({ stream, seq, at }, n) => {
    const known = before.now[n]!;
    return known.seq === seq && known.at === at && known.stream === stream;
  });
}

function mergedKnown(before: readonly KnownIn[], now: readonly KnownIn[]): readonly KnownIn[] {
  const names = new Set(now.map(({ stream }) => stream.name));
  return [...now, ...before.filter(({ stream }) => !names.has(stream.name))];
}
