/**
 * The owner of an archive: reads the values of every target and the log of events from their streams into it, answers
 * questions, and says how it stands. One process of those that share its folder.
 *
 * O1. Who was shut out of the archive by another process, or lost the lease, writes nothing (archive/archive.V6): the
 *     lease is looked at for who asks and who announces, never for what is written.
 * O2. It is a connector like others (`docs/connectors.md`): it reads by position, and reports what is on the disk, and
 *     beside it what is in memory and when that is written.
 */

import type { Archive } from '../../archive/archive.ts';
import type { Workshop } from '../../archive/workshop.ts';
import { ARCHIVE_READERS, type ArchiveState, archiveConnector } from '../../contract/archive-wire.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { ReadPosition } from '../../contract/connector-wire.ts';
import { ARCHIVE_OPEN_EVENTS, ARCHIVE_STATE_MS, ARCHIVE_TAIL_EVENTS } from '../../contract/limits/archive.ts';
import { Outage } from '../../contract/outage.ts';
import { ConnectorRegistration } from '../../messaging/connector-registration.ts';
import type { Bus, Stoppable } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import type { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';
import type { DeadLetters } from '../cells/dead-letters.ts';
import type { Worker, WorkerContext } from '../ownership/owned-worker.ts';
import { type AnswerOutcome, Answers } from './answers.ts';
import { ArchivedValues, giveEvents } from './archived.ts';
import type { ArchivePart } from './storage.ts';
import { StreamArchiver } from './stream-archiver.ts';

export interface OwnerOptions extends WorkerContext {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: MissionSource;
  readonly platforms: KnownPlatforms;
  readonly deadLetters: DeadLetters;
  readonly instance: string;
  /** Of the software. */
  readonly version: string;
  /** The identity of the archive. */
  readonly id: string;
  /** Begins the threads of a part of the archive, in its folder. */
  readonly workshop: (part: ArchivePart) => Promise<Workshop>;
  readonly newId: () => string;
  readonly count: (outcome: AnswerOutcome) => void;
  /** How long samples wait in memory until they are in a segment; undefined: as long as the archive says. */
  readonly archiveOpenMs?: number | undefined;
}

export class ArchiveOwner implements Worker {
  readonly #options: OwnerOptions;
  readonly #values: StreamArchiver;
  readonly #events: StreamArchiver;
  #answers: Answers | undefined;
  #registration: ConnectorRegistration | undefined;
  #wanted: Stoppable | undefined;
  #announcing: TimerHandle | undefined;
  #isOver = false;

  constructor(options: OwnerOptions) {
    this.#options = options;
    const { archiveOpenMs, workshop } = options;
    const openMs = archiveOpenMs === undefined ? {} : { openMs: archiveOpenMs };
    const values = new ArchivedValues(options);
    this.#values = new StreamArchiver({
      ...options,
      stream: streams.values,
      workshop: () => workshop('values'),
      bounds: openMs,
      retention: (settings) => settings,
      give: (archive, message, signal) => values.give(archive, message, signal),
    });
    this.#events = new StreamArchiver({
      ...options,
      stream: streams.events,
      workshop: () => workshop('events'),
      bounds: { ...openMs, openSamples: ARCHIVE_OPEN_EVENTS, tailSamples: ARCHIVE_TAIL_EVENTS },
      retention: ({ eventsMs }) =>
        eventsMs === undefined ? {} : { samplesMs: eventsMs, minutesMs: eventsMs },
      give: giveEvents,
    });
  }

  /** Rejects with `Outage`. */
  async start(): Promise<void> {
    const { bus, clock, log, id, holds, count } = this.#options;
    // Who opens the archive shuts the one before out: that is for the owner alone.
    if (!holds()) throw new Outage('bus.unavailable', 'the lease of the archive may be over');
    await Promise.all([this.#values.start(), this.#events.start()]);
    if (this.#isOver) return;
    const archives = {
      values: () => opened(this.#values),
      events: () => opened(this.#events),
    };
    this.#answers = new Answers({ bus, clock, log, id, archives, holds, count });
    this.#wanted = bus.subscribe(subject.archivesWanted, () => this.#announce());
    this.#registration = this.#registered();
    this.#announceLater();
  }

  /** O2 */
  #registered(): ConnectorRegistration {
    const { bus, clock, log, id, instance, version } = this.#options;
    const positions = (): Record<string, ReadPosition> => {
      const known: Record<string, ReadPosition> = {};
      for (const [reader, { archive }] of [
        [ARCHIVE_READERS.values, this.#values],
        [ARCHIVE_READERS.events, this.#events],
      ] as const)
        if (archive !== undefined) known[reader] = positionOf(archive);
      return known;
    };
    return new ConnectorRegistration({
      bus,
      clock,
      log,
      name: archiveConnector(id),
      instance,
      software: { name: 'archive', version },
      data: [
        { kind: 'values', consumer: ARCHIVE_READERS.values, by: 'position' },
        { kind: 'events', consumer: ARCHIVE_READERS.events, by: 'position' },
      ],
      state: () => ({
        health: this.trouble === undefined ? { state: 'ok' } : { state: 'degraded', reason: this.trouble },
        positions: positions(),
      }),
    });
  }

  /** Why nothing is written; undefined where it is. */
  get trouble(): string | undefined {
    return this.#values.trouble ?? this.#events.trouble;
  }

  /** As it stands; undefined before it is open. */
  get state(): ArchiveState | undefined {
    const values = this.#values.state;
    if (values === undefined) return undefined;
    const { id, instance, epoch } = this.#options;
    const [events, trouble] = [this.#events.state, this.trouble];
    return Object.assign({ archive: id, instance, epoch }, values, {
      ...(events !== undefined && { events }),
      ...(trouble !== undefined && { trouble }),
    });
  }

  /** Positions that are set aside because they cannot be read. */
  get damaged(): number {
    return this.#values.damaged + this.#events.damaged;
  }

  /** Messages that were left out because they cannot be written, since it began. */
  get setAside(): number {
    return this.#values.setAside + this.#events.setAside;
  }

  /** Resolves when nothing of it writes any more. */
  async stop(): Promise<void> {
    this.#isOver = true;
    if (this.#announcing !== undefined) this.#options.clock.clearTimeout(this.#announcing);
    await Promise.all([this.#wanted?.stop(), this.#answers?.stop(), this.#registration?.stop()]);
    await Promise.all([this.#values.stop(), this.#events.stop()]);
  }

  #announceLater(): void {
    if (this.#isOver) return;
    this.#announce();
    this.#announcing = this.#options.clock.setTimeout(() => this.#announceLater(), ARCHIVE_STATE_MS);
  }

  /** O1 */
  #announce(): void {
    const { bus, id, holds } = this.#options;
    const { state } = this;
    if (state === undefined || this.#isOver || !holds()) return;
    bus.publish(subject.archiveState(id), Buffer.from(JSON.stringify(state)));
  }
}

/** O2 */
function positionOf({ position, taken }: Archive): ReadPosition {
  const { position: seq, writesAt } = taken;
  return {
    seq: position,
    taken: { seq, ...(writesAt !== undefined && { stores_at: new Date(writesAt).toISOString() }) },
  };
}

/** Throws where the disk has not let it be opened yet. */
function opened({ archive, trouble }: StreamArchiver): Archive {
  if (archive === undefined) throw new Error(`the archive is not open: ${trouble ?? 'it is being opened'}`);
  return archive;
}
