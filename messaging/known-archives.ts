/**
 * The archives of the cell, by what their owners say of them (contract/archive-wire.ts).
 *
 * A1. An archive is there while its owner said so within three of its periods, by time this process attended to.
 * A2. Of two that say they own the same folder, the one of the later term counts, while it is there.
 * A3. The one that is asked first has the longest past; of those that begin in the same hour, the one that has read
 *     the most; what writes nothing comes behind what does.
 * A4. Where nobody said so within the time that a question waits, the questions of the next period do not wait.
 * A5. Behind a cursor of the log of events the one that is there and writes that stream comes first.
 */

import { type ArchiveState, readArchiveState } from '../contract/archive-wire.ts';
import { subject } from '../contract/bus/subjects.ts';
import type { EventPlace } from '../contract/event-query.ts';
import { ARCHIVE_STATE_MS, ARCHIVES_KNOWN } from '../contract/limits/archive.ts';
import { MEMBER_TTL_MS } from '../contract/limits/membership.ts';
import type { Bus, Stoppable } from '../ports/bus.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import { AttendedTime } from './attended-time.ts';

const PERIODS = 3;
const HOUR_MS = 3_600_000;

export interface KnownArchive extends ArchiveState {
  /** Whether its owner is there (A1). */
  readonly alive: boolean;
}

export type ArchiveBus = Pick<Bus, 'connected' | 'onConnection' | 'publish' | 'request' | 'subscribe'>;

export class KnownArchives implements Stoppable {
  readonly #bus: ArchiveBus;
  readonly #clock: Clock;
  readonly #attended: AttendedTime;
  readonly #known = new Map<string, { readonly state: ArchiveState; readonly at: number }>();
  readonly #following: Stoppable;
  readonly #forget: () => void;
  readonly #waiting = new Set<() => void>();
  /** When a question waited in vain last, by own monotonic time. */
  #vainAt = Number.NEGATIVE_INFINITY;
  #timer: TimerHandle | undefined;

  constructor(bus: ArchiveBus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
    this.#attended = new AttendedTime({ clock, lookMs: ARCHIVE_STATE_MS, returnMs: MEMBER_TTL_MS });
    this.#following = bus.subscribe(subject.archiveState(), ({ data }) => this.#said(data));
    this.#forget = bus.onConnection((connected) => {
      if (connected) this.want();
    });
    this.#look();
    this.want();
  }

  /** Those that are there first, in the order in which they are asked (A3, A5). */
  list(before?: EventPlace): KnownArchive[] {
    const gave = ({ alive, events }: KnownArchive): boolean =>
      before !== undefined && alive && events?.stream === before.stream;
    return [...this.#known.values()]
      .map(({ state, at }) => Object.assign({ alive: this.#isRecent(at) }, state))
      .sort((one, other) => Number(gave(other)) - Number(gave(one)) || inOrder(one, other));
  }

  /** Asks every owner to say what it has. */
  want(): void {
    this.#bus.publish(subject.archivesWanted, new Uint8Array());
  }

  /** Resolves when some owner is there, at the latest after that time (A4). */
  async some(withinMs: number): Promise<void> {
    if (this.list().some(({ alive }) => alive)) return;
    if (this.#clock.monotonic() - this.#vainAt < ARCHIVE_STATE_MS) return;
    this.want();
    await new Promise<void>((resolve) => {
      const found = (): void => {
        this.#clock.clearTimeout(timer);
        resolve();
      };
      const timer = this.#clock.setTimeout(() => {
        this.#waiting.delete(found);
        this.#vainAt = this.#clock.monotonic();
        resolve();
      }, withinMs);
      this.#waiting.add(found);
    });
  }

  async stop(): Promise<void> {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#forget();
    this.#wake();
    await this.#following.stop();
  }

  #said(data: Uint8Array): void {
    const state = readArchiveState(data);
    if (state === undefined) return;
    const before = this.#known.get(state.archive);
    if (before !== undefined && before.state.epoch > state.epoch && this.#isRecent(before.at)) return;
    // Those that said something last stand last; what is beyond the bound is longest silent.
    this.#known.delete(state.archive);
    this.#known.set(state.archive, { state, at: this.#attended.now() });
    for (const oldest of this.#known.keys())
      if (this.#known.size > ARCHIVES_KNOWN) this.#known.delete(oldest);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #isRecent(at: number): boolean {
    return this.#attended.now() - at <= PERIODS * ARCHIVE_STATE_MS;
  }

  #look(): void {
    this.#attended.look(this.#bus.connected);
    this.#timer = this.#clock.setTimeout(() => this.#look(), ARCHIVE_STATE_MS);
  }
}

/** A1, A3 */
function inOrder(one: KnownArchive, other: KnownArchive): number {
  const rank = ({ alive, trouble }: KnownArchive): number =>
    (alive ? 0 : 2) + (trouble === undefined ? 0 : 1);
  const beginning = ({ begins }: KnownArchive): number =>
    begins === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(begins / HOUR_MS);
  return (
    rank(one) - rank(other) ||
    beginning(one) - beginning(other) ||
    one.pending - other.pending ||
    (one.archive < other.archive ? -1 : 1)
  );
}
