/**
 * The recorder: turns what happens into the log of events. One process of the cell; whoever takes over goes on behind
 * the last event of each source. Ours (decision 51).
 *
 * R1. A source that cannot be read fails the recorder, which begins again; what was recorded stands.
 * R2. Up to where each source is recorded is kept beside the log as well: a log that was emptied, or whose events left
 *     it by their age, is not filled again with what an archive has.
 * R3. It is a connector like others (`docs/connectors.md`): how far it is behind is in the connector view.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { ConnectorRegistration } from '../../messaging/connector-registration.ts';
import { LowWaterMark } from '../../messaging/low-water-mark.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StreamFill } from '../../ports/fills.ts';
import type { Log } from '../../ports/log.ts';
import type { DeadLetters } from '../cells/dead-letters.ts';
import type { Worker, WorkerContext } from '../ownership/owned-worker.ts';
import { readAlarm } from './alarm-events.ts';
import { FillSource } from './fill-source.ts';
import { LinkSource } from './link-source.ts';
import { LogWriter } from './log-writer.ts';
import {
  configurationChanges,
  connectorChanges,
  modeChanges,
  passChanges,
  scheduleChanges,
  transferChanges,
  unitChanges,
} from './record-events.ts';
import { RecordSource } from './record-source.ts';
import { runEvents } from './run-events.ts';
import { StreamSource } from './stream-source.ts';
import { telecommandEvents } from './telecommand-events.ts';

export interface RecorderOptions extends WorkerContext {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly deadLetters: DeadLetters;
  readonly instance: string;
  /** Of the software. */
  readonly version: string;
  readonly newId: () => string;
  /** How full the streams of the bus are, as last looked at. */
  readonly fills: () => readonly StreamFill[];
}

const STREAMS = ['telecommands', 'runs', 'alarms'] as const;
type StreamName = (typeof STREAMS)[number];

/** In front of the name of a stream that fills up (fill-source.L1). */
const FILLING = 'filling ';

/** Of each source its position, and under its name with `At` when that was stored; 1 for what fills up. */
type Positions = Readonly<Record<string, number>>;

const RECORDS = {
  modes: { bucket: buckets.modes, filter: '>', read: modeChanges },
  passes: { bucket: buckets.passes, filter: '>', read: passChanges },
  schedules: { bucket: buckets.schedules, filter: '>', read: scheduleChanges },
  transfers: { bucket: buckets.transfers, filter: '>', read: transferChanges },
  units: { bucket: buckets.units, filter: '>', read: unitChanges },
  connectors: { bucket: buckets.connectors, filter: '>', read: connectorChanges },
  configuration: { bucket: buckets.config, filter: 'current', read: configurationChanges },
} as const;

export class Recorder implements Worker {
  readonly #options: RecorderOptions;
  readonly #ending = new AbortController();
  readonly #streams = new Map<StreamName, StreamSource>();
  readonly #others: Worker[] = [];
  readonly #writers = new Map<string, LogWriter>();
  #mark: LowWaterMark<Positions> | undefined;
  #registration: ConnectorRegistration | undefined;
  #fills: FillSource | undefined;
  #stands: Positions = {};

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Rejects with `Outage`. */
  async start(): Promise<void> {
    const { bus, clock, log, epoch, failed } = this.#options;
    this.#mark = new LowWaterMark({
      bus,
      clock,
      log,
      name: 'recorder',
      epoch,
      first: {},
      stands: () => this.#position(),
      lost: failed,
    });
    this.#stands = await this.#mark.take();
    await this.#startStreams();
    for (const [source, record] of Object.entries(RECORDS)) {
      const records = new RecordSource({ bus, failed, writer: this.#writer(source), ...record });
      this.#others.push(records);
      await records.start();
    }
    const links = new LinkSource({ bus, failed, writer: this.#writer('links') });
    this.#others.push(links);
    await links.start();
    await this.#startFills();
    this.#mark.keep();
    this.#registration = this.#registered();
  }

  async #startFills(): Promise<void> {
    const { clock, fills, failed } = this.#options;
    const known = Object.entries(this.#stands).flatMap(([name, is]) =>
      name.startsWith(FILLING) && is === 1 ? [name.slice(FILLING.length)] : [],
    );
    this.#fills = new FillSource({ clock, fills, failed, known, writer: this.#writer('fills') });
    this.#others.push(this.#fills);
    await this.#fills.start();
  }

  async #startStreams(): Promise<void> {
    const { bus, clock, deadLetters, failed } = this.#options;
    const read = { telecommands: telecommandEvents(bus), runs: runEvents(bus), alarms: readAlarm };
    const defined = { telecommands: streams.telecommandEvents, runs: streams.runs, alarms: streams.alarms };
    for (const name of STREAMS) {
      const source = new StreamSource({
        bus,
        clock,
        deadLetters,
        failed,
        stream: defined[name],
        read: read[name],
        writer: this.#writer(name),
      });
      this.#streams.set(name, source);
      await source.start();
    }
  }

  /** Resolves when nothing of it writes any more. */
  async stop(): Promise<void> {
    this.#ending.abort('stopped');
    await this.#registration?.stop();
    await Promise.all([...this.#streams.values(), ...this.#others].map((each) => each.stop()));
    await this.#mark?.stop();
  }

  #writer(source: string): LogWriter {
    const { bus, clock, newId } = this.#options;
    const { [source]: seq = 0, [`${source}At`]: at = 0 } = this.#stands;
    const known = seq === 0 ? undefined : { seq, at };
    const writer = new LogWriter({ bus, clock, source, known, newId, signal: this.#ending.signal });
    this.#writers.set(source, writer);
    return writer;
  }

  /** R2 */
  #position(): Positions {
    const now = [...this.#writers].flatMap(([source, { upTo }]) =>
      upTo === undefined ? [] : [[source, upTo.seq] as const, [`${source}At`, upTo.at] as const],
    );
    const filling = [...(this.#fills?.filling ?? [])].map((name) => [FILLING + name, 1] as const);
    const stands = Object.entries(this.#stands).filter(
      ([name]) => this.#fills === undefined || !name.startsWith(FILLING),
    );
    return Object.fromEntries([...stands, ...now, ...filling]);
  }

  /** R3 */
  #registered(): ConnectorRegistration {
    const { bus, clock, log, instance, version } = this.#options;
    const reader = (name: StreamName): string => `recorder-${name}`;
    return new ConnectorRegistration({
      bus,
      clock,
      log,
      name: 'recorder',
      instance,
      software: { name: 'recorder', version },
      data: STREAMS.map((kind) => ({ kind, consumer: reader(kind), by: 'position' })),
      state: () => ({
        health: { state: 'ok' },
        positions: Object.fromEntries(
          [...this.#streams].map(([name, { position }]) => [reader(name), position]),
        ),
      }),
    });
  }
}
