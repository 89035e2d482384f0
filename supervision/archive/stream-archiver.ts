/**
 * One stream that is archived: its segments opened, the stream read into them, and they looked after.
 *
 * A1. The archive takes a message when it has room: until then the next one is not asked for, and the stream keeps it.
 * A2. A message that cannot be read, or written, is a dead letter and a gap, and stops nothing.
 * A3. A stream that went back or was made again is another one from there on (continued.ts): the owner begins again.
 * A4. A disk that refuses stops nothing: the archive says so (`trouble`), waits, and goes on when there is room.
 * A5. One that is stopped while it is being opened is closed again before it counts as stopped: behind that nothing of
 *     it is opened, followed or listened to, beside the one that comes after it.
 */

import { Archive, type ArchiveOptions, type Continued } from '../../archive/archive.ts';
import type { UnwritableMessage } from '../../archive/gathered.ts';
import type { Retention } from '../../archive/maintenance.ts';
import type { Workshop } from '../../archive/workshop.ts';
import { FENCED } from '../../archive/writing-place.ts';
import type { ArchivedStreamState } from '../../contract/archive-wire.ts';
import type { StreamDefinition } from '../../contract/bus/streams.ts';
import { ARCHIVE_AGAIN_MS, ARCHIVE_MAINTAIN_MS } from '../../contract/limits/archive.ts';
import { Outage } from '../../contract/outage.ts';
import { pastIsGone } from '../../messaging/low-water-mark.ts';
import { pause } from '../../messaging/pause.ts';
import type { ArchiveSettings } from '../../mission/configuration.ts';
import type { Bus, Follower, FollowFrom, StreamMessage } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import type { DeadLetters } from '../cells/dead-letters.ts';
import { continuedStream, readFrom } from './continued.ts';

export interface StreamArchiverOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: MissionSource;
  readonly deadLetters: DeadLetters;
  readonly stream: StreamDefinition;
  /** Begins the threads of the archive, in its folder. */
  readonly workshop: () => Promise<Workshop>;
  readonly newId: () => string;
  /** The columns and bounds of what waits in memory; undefined: as the archive says. */
  readonly bounds: Pick<ArchiveOptions, 'openMs' | 'openSamples' | 'tailSamples'>;
  readonly retention: (settings: ArchiveSettings) => Retention;
  /** Gives the message to the archive; false where it cannot be read, undefined when it is over. */
  readonly give: (
    archive: Archive,
    message: StreamMessage,
    signal: AbortSignal,
  ) => Promise<boolean | undefined>;
  readonly holds: () => boolean;
  readonly failed: (error: unknown) => void;
}

interface Opened {
  readonly archive: Archive;
  readonly from: FollowFrom;
}

export class StreamArchiver {
  readonly #options: StreamArchiverOptions;
  readonly #ending = new AbortController();
  #archive: Archive | undefined;
  #follower: Follower | undefined;
  #forget: () => void = () => undefined;
  #maintaining: TimerHandle | undefined;
  #maintained: Promise<void> = Promise.resolve();
  #opening: Promise<void> = Promise.resolve();
  /** Why the disk did not let it be opened. */
  #refusal: string | undefined;
  #read = 0;
  #readAt: number | undefined;
  #pending = 0;
  #setAside = 0;

  constructor(options: StreamArchiverOptions) {
    this.#options = options;
  }

  /** Rejects with `Outage`. A disk that refuses is asked again and again, behind that (A4). */
  async start(): Promise<void> {
    const tried = this.#tried();
    this.#opening = tried.then(
      () => undefined,
      () => undefined,
    );
    if ((await tried) || this.#isOver) return;
    this.#opening = this.#openAgain().catch(this.#options.failed);
  }

  /** The archive; undefined before it is open. */
  get archive(): Archive | undefined {
    return this.#archive;
  }

  /** Why nothing is written; undefined where it is (A4). */
  get trouble(): string | undefined {
    return this.#refusal ?? this.#archive?.trouble;
  }

  /** Positions that are set aside because they cannot be read. */
  get damaged(): number {
    return this.#archive?.damaged.length ?? 0;
  }

  /** Messages that were left out because they cannot be written, since it began (A2). */
  get setAside(): number {
    return this.#setAside;
  }

  /** As it stands; undefined before it is open. */
  get state(): ArchivedStreamState | undefined {
    const archive = this.#archive;
    if (archive === undefined) return undefined;
    const { position, stream } = archive;
    const known = { stream, position, read: this.#read, pending: this.#pending };
    const readAt = this.#readAt === undefined ? {} : { readAt: this.#readAt };
    return Object.assign(known, archive.contents, readAt);
  }

  /** Resolves when nothing of it writes any more. */
  async stop(): Promise<void> {
    this.#ending.abort('stopped');
    if (this.#maintaining !== undefined) this.#options.clock.clearTimeout(this.#maintaining);
    // A5
    await this.#opening;
    this.#forget();
    // Lets go of a message that waits for room in memory, too.
    const closing = this.#archive?.close();
    await this.#follower?.stop();
    await closing;
    await this.#maintained;
  }

  /** Opens the archive and reads on; false where the disk refuses, or it is over (A5). */
  async #tried(): Promise<boolean> {
    const opened = await this.#openUnlessRefused();
    if (opened === undefined) return false;
    if (this.#isOver) await opened.archive.close();
    else await this.#begin(opened.archive, opened.from);
    return !this.#isOver;
  }

  async #openUnlessRefused(): Promise<Opened | undefined> {
    try {
      const opened = await this.#open();
      this.#refusal = undefined;
      return opened;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (error instanceof Outage || code === undefined || code === FENCED) throw error;
      if (this.#refusal !== message) this.#options.log.error({ err: error }, 'archive cannot be opened');
      this.#refusal = message;
      return undefined;
    }
  }

  async #openAgain(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await pause(clock, ARCHIVE_AGAIN_MS, signal);
      if (!signal.aborted && (await this.#tried())) return;
    }
  }

  async #begin(archive: Archive, from: FollowFrom): Promise<void> {
    const { bus, failed, stream, missions, retention } = this.#options;
    this.#archive = archive;
    this.#read = archive.position;
    this.#forget = missions.onChange(({ settings }) => archive.keep(retention(settings.archive)));
    const take = (message: StreamMessage): Promise<void> => this.#take(archive, message);
    const wentBack = (): void => {
      // What comes now is of another stream (A3).
      this.#ending.abort('the stream went back');
      failed(pastIsGone(stream));
    };
    this.#follower = await bus.follow(stream, stream.subjects[0]!, from, take, { wentBack });
    this.#maintainLater();
  }

  /** Undefined where it was over before the archive was touched (A5). */
  async #open(): Promise<Opened | undefined> {
    const { bus, clock, log, missions, newId, failed, workshop, stream, bounds, retention } = this.#options;
    const work = await workshop();
    if (this.#isOver) {
      await work.end();
      return undefined;
    }
    let continued: Continued | undefined;
    try {
      const archive = await Archive.open(work, {
        clock,
        stream: async (archived) => {
          continued = await continuedStream(bus, stream, archived, newId);
          const before = archived.at(-1);
          if (before !== undefined && before.stream !== continued.stream)
            log.warn({ before, stream: continued.stream }, `${stream.name} is another stream from here on`);
          return continued;
        },
        retention: missions.current === undefined ? {} : retention(missions.current.settings.archive),
        log: (message) => log.warn({}, message),
        lost: failed,
        setAside: (message) => this.#unwritable(message),
        ...bounds,
      });
      return { archive, from: readFrom(continued!, archive.readFrom) };
    } catch (error) {
      await work.end();
      throw error;
    }
  }

  async #take(archive: Archive, message: StreamMessage): Promise<void> {
    if (this.#isOver) return;
    const { seq, at, pending } = message;
    const given = await this.#options.give(archive, message, this.#ending.signal);
    if (given === undefined) return;
    if (!given) {
      this.#unreadable(message);
      await archive.skip(seq, at);
    }
    this.#read = seq;
    this.#readAt = at;
    this.#pending = pending;
  }

  /** A2 */
  #unreadable({ subject: on, seq, at, data }: StreamMessage): void {
    const { deadLetters, clock, stream } = this.#options;
    deadLetters.add({
      kind: 'archive',
      id: on.slice(on.lastIndexOf('.') + 1),
      at: clock.now(),
      event: { type: 'archive.unreadable', position: seq, stored: at, bytes: data.length } as never,
      error: `message ${seq} of ${stream.name} cannot be read: a gap in the archive`,
    });
  }

  /** A2 */
  #unwritable({ position, storedMs, target, reason }: UnwritableMessage): void {
    const { deadLetters, clock, stream } = this.#options;
    this.#setAside += 1;
    deadLetters.add({
      kind: 'archive',
      id: target,
      at: clock.now(),
      event: { type: 'archive.unwritable', position, stored: storedMs } as never,
      error: `message ${position} of ${stream.name} cannot be written, a gap in the archive: ${reason}`,
    });
  }

  get #isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  #maintainLater(): void {
    if (this.#isOver) return;
    this.#maintaining = this.#options.clock.setTimeout(() => {
      this.#maintained = this.#maintain()
        .catch((error: unknown) => this.#options.log.error({ err: error }, 'archive not looked after'))
        .then(() => this.#maintainLater());
    }, ARCHIVE_MAINTAIN_MS);
  }

  async #maintain(): Promise<void> {
    const { log, holds } = this.#options;
    while (!this.#isOver && holds()) {
      const done = await this.#archive?.maintain();
      if (done === undefined) return;
      log.info({}, `archive: ${done}`);
    }
  }
}
