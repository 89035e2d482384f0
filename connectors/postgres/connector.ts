/**
 * The connector `postgres`: values, alarms, events of telecommands and of runs from the streams of the bus into tables
 * of a PostgreSQL server, each once. `docs/postgres.md` is its guide; decision 48.
 *
 * G1. What is stored and how far it is stored are one transaction: a crash of anybody at any moment leaves both or
 *     neither (session.S2), and reading goes on behind what is stored.
 * G2. While the database does not take rows nothing is read, and the streams keep what comes; what it is and for how
 *     long is said in the log, in the health that the connector reports, and in its metrics.
 * G3. A message that cannot be read is stored as it came, apart, and no other waits for it. A database that refuses
 *     rows is waited for: no row is left out to get on.
 * G4. One instance writes; others wait until it ends.
 */

import { POSTGRES_DROP_MS, POSTGRES_STANDBY_MS, POSTGRES_STOP_MS } from '../../contract/limits/postgres.ts';
import { pause } from '../../messaging/pause.ts';
import { everyOutage, retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Stoppable } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';
import { store, type Writing } from './batch.ts';
import { Dictionary } from './dictionary.ts';
import { Inbox, type Received } from './inbox.ts';
import { Partitions } from './partitions.ts';
import { type DatabaseOptions, Session } from './session.ts';
import type { Source } from './source.ts';
import { placeNow, type ReaderBus, StreamReader } from './stream-reader.ts';
import { againAfterMs, type Trouble, troubleOf, WrittenByAnother } from './trouble.ts';

export interface PostgresOptions {
  readonly bus: ReaderBus;
  readonly missions: MissionSource;
  readonly clock: Clock;
  readonly log: Log;
  readonly database: Omit<DatabaseOptions, 'clock'>;
  readonly sources: readonly Source[];
  /** Days of samples that are kept; undefined: all. */
  readonly keepDays: number | undefined;
  /** Where a stream is begun of which nothing is stored; default: its beginning. */
  readonly from?: 'start' | 'now';
  /** How long a batch is gathered; default `POSTGRES_BATCH_MS`. */
  readonly batchMs?: number;
  /** Called whenever `status` is another one. */
  readonly changed?: () => void;
}

/** What the messages of a stream that were lost have been, in this life of the connector. */
export interface Lost {
  readonly messages: number;
  /** When it was noticed first, ms since 1970. */
  readonly since: number;
}

export interface PostgresStatus {
  /** `standby`: another instance writes. */
  readonly phase: 'starting' | 'writing' | 'standby' | 'waiting';
  readonly trouble: Trouble | undefined;
  /** By stream, of the last message that is stored; streams of which that is not known yet are left out. */
  readonly positions: ReadonlyMap<string, number>;
  readonly lost: ReadonlyMap<string, Lost>;
  readonly rows: number;
  readonly batches: number;
  readonly gaps: number;
  readonly unreadable: number;
  readonly failures: number;
}

export class PostgresConnector implements Stoppable {
  readonly #options: PostgresOptions;
  readonly #platforms: KnownPlatforms;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #lost = new Map<string, Lost>();
  #positions: ReadonlyMap<string, number> = new Map();
  #phase: PostgresStatus['phase'] = 'starting';
  #trouble: Trouble | undefined;
  #rows = 0;
  #batches = 0;
  #gaps = 0;
  #unreadable = 0;
  #failures = 0;
  /** Failures since a batch was stored. */
  #inVain = 0;
  #session: Session | undefined;
  #droppedAt = Number.NEGATIVE_INFINITY;

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#platforms = new KnownPlatforms(options.missions, options.clock);
    this.#running = this.#run();
  }

  get status(): PostgresStatus {
    return {
      phase: this.#phase,
      trouble: this.#trouble,
      positions: this.#positions,
      lost: this.#lost,
      rows: this.#rows,
      batches: this.#batches,
      gaps: this.#gaps,
      unreadable: this.#unreadable,
      failures: this.#failures,
    };
  }

  /**
   * Ends behind the batch that is being written, or after `POSTGRES_STOP_MS` without it; what was read and not stored is
   * read again by the next.
   */
  async stop(): Promise<void> {
    this.#stopping.abort('stopped');
    const { clock } = this.#options;
    const timer = clock.setTimeout(() => this.#session?.leave(), POSTGRES_STOP_MS);
    await this.#running;
    clock.clearTimeout(timer);
    this.#platforms.stop();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { clock, database } = this.#options;
    while (!signal.aborted) {
      let session: Session | undefined;
      try {
        session = await Session.open(Object.assign({ clock }, database));
        this.#session = session;
        await this.#work(session);
        await session.end();
      } catch (error) {
        session?.leave();
        if (!signal.aborted) await this.#waitBehind(error);
      }
    }
  }

  /** G2 */
  async #waitBehind(error: unknown): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stopping;
    if (error instanceof WrittenByAnother) {
      if (this.#phase !== 'standby') log.info({}, error.message);
      this.#say('standby', undefined);
      return pause(clock, POSTGRES_STANDBY_MS, signal);
    }
    const trouble = troubleOf(error);
    const afterMs = againAfterMs(this.#inVain);
    this.#inVain += 1;
    this.#failures += 1;
    const fields = { trouble: trouble.kind, again_ms: afterMs };
    // Once for each reason: the same one again is no news.
    if (trouble.message !== this.#trouble?.message) log.error(fields, trouble.message);
    else log.debug(fields, trouble.message);
    this.#say('waiting', trouble);
    await pause(clock, afterMs, signal);
  }

  #say(phase: PostgresStatus['phase'], trouble: Trouble | undefined): void {
    this.#phase = phase;
    this.#trouble = trouble;
    this.#options.changed?.();
  }

  /** Reads and writes until it is stopped, or a stream is another one; rejects with whatever the database has. */
  async #work(session: Session): Promise<void> {
    const { clock, log, sources, keepDays } = this.#options;
    const writing: Writing = {
      session,
      dictionary: new Dictionary(session),
      partitions: await Partitions.open(session, clock, keepDays, log),
      positions: new Map(await session.take(sources.map(({ stream }) => stream.name))),
    };
    this.#showPositions(writing);
    // What a batch met is over when a batch is stored.
    const isReached = this.#trouble?.kind === 'away' || this.#trouble?.kind === 'refused';
    this.#isWriting(isReached ? undefined : this.#trouble);
    const inbox = new Inbox(clock, this.#options.batchMs);
    const ending = new AbortController();
    const end = (): void => {
      ending.abort('ended');
      inbox.flush();
    };
    this.#stopping.signal.addEventListener('abort', end, { once: true });
    if (this.#stopping.signal.aborted) end();
    const opening = this.#readers(writing, inbox, ending);
    try {
      await Promise.race([this.#writeAll(writing, inbox, ending.signal), session.broken, failureOf(opening)]);
    } finally {
      end();
      inbox.close();
      this.#stopping.signal.removeEventListener('abort', end);
      for (const reader of await opening.catch(() => [])) await reader.stop();
    }
  }

  async #readers(writing: Writing, inbox: Inbox, ending: AbortController): Promise<StreamReader[]> {
    const { bus, clock, sources } = this.#options;
    const changed = (): void => {
      ending.abort('a stream is another one');
      inbox.flush();
    };
    if (this.#options.from === 'now') await this.#beginNow(writing, ending.signal);
    const opened = await Promise.all(
      sources.map((source) =>
        StreamReader.open({
          bus,
          clock,
          source,
          stored: writing.positions.get(source.stream.name)!,
          platforms: this.#platforms,
          push: (message) => inbox.push(message),
          changed,
          signal: ending.signal,
        }),
      ),
    );
    return opened.filter((reader) => reader !== undefined);
  }

  /** Decided once for each stream, and stored: the next start goes on from there (stream-reader.R4). */
  async #beginNow(writing: Writing, signal: AbortSignal): Promise<void> {
    const { session, positions } = writing;
    const { bus, clock, sources } = this.#options;
    for (const { stream } of sources) {
      const stored = positions.get(stream.name)!;
      if (stored.at !== undefined) continue;
      const waiting = { clock, signal, waitsFor: everyOutage };
      const place = await retryWhileBusIsAway(waiting, () => placeNow(bus, stream, clock.now()));
      if (place === undefined) return;
      await session.move(stream.name, stored, place.value);
      positions.set(stream.name, place.value);
    }
    this.#showPositions(writing);
  }

  async #writeAll(writing: Writing, inbox: Inbox, signal: AbortSignal): Promise<void> {
    for (;;) {
      await inbox.due();
      const batch = inbox.take();
      // What was read of a stream that is another one by now is in no stream any more: it is stored first.
      if (batch.length > 0) await this.#store(writing, batch);
      if (signal.aborted) return;
      await this.#drop(writing);
    }
  }

  async #store(writing: Writing, batch: readonly Received[]): Promise<void> {
    this.#rows += await store(writing, batch);
    this.#batches += 1;
    for (const received of batch) this.#note(received);
    this.#showPositions(writing);
    this.#inVain = 0;
    this.#isWriting(undefined);
  }

  #isWriting(trouble: Trouble | undefined): void {
    if (this.#trouble !== undefined && trouble === undefined)
      this.#options.log.info({}, 'the database takes rows again');
    this.#say('writing', trouble);
  }

  #note({ stream, gap, content, position }: Received): void {
    const { log, clock } = this.#options;
    if (content.kind === 'unreadable') {
      this.#unreadable += 1;
      const fields = { stream, position: position.position, reason: content.reason };
      log.error(fields, 'message cannot be read: kept in the table unreadable');
    }
    if (gap === undefined) return;
    this.#gaps += 1;
    const { kind, first, last, detail } = gap;
    log.warn({ stream, kind, first, last, detail }, 'stream lost messages before they were stored');
    const { messages, since } = this.#lost.get(stream) ?? { messages: 0, since: clock.now() };
    const more = first === undefined || last === undefined ? 0 : last - first + 1;
    this.#lost.set(stream, { messages: messages + more, since });
  }

  #showPositions({ positions }: Writing): void {
    this.#positions = new Map([...positions].map(([stream, { position }]) => [stream, position]));
  }

  async #drop({ partitions }: Writing): Promise<void> {
    const { keepDays, clock, log } = this.#options;
    const now = clock.monotonic();
    if (keepDays === undefined || now - this.#droppedAt < POSTGRES_DROP_MS) return;
    this.#droppedAt = now;
    const dropped = await partitions.drop(keepDays);
    if (dropped.length > 0) log.info({ dropped }, 'dropped samples that are kept no longer');
  }
}

/** Rejects as it does, and resolves never: what opens well is no end. */
function failureOf(opening: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => void opening.catch(reject));
}
