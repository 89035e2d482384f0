/**
 * The connector to PostgreSQL as a process: its line to the bus, the catalogues of the mission, its registration,
 * health and metrics. `docs/postgres.md`.
 */

import { Gauge, Registry } from 'prom-client';
import type { Credentials } from '../../bus/credentials.ts';
import { type NatsBus, openBus } from '../../bus/nats-bus.ts';
import { PostgresConnector, type PostgresStatus } from '../../connectors/postgres/connector.ts';
import { type PostgresKind, type Source, sourcesOf } from '../../connectors/postgres/source.ts';
import { CONNECTOR_TEXT_CHARACTERS } from '../../contract/limits/connector.ts';
import { identifierSource } from '../../http/identifier.ts';
import { INTERFACE_VERSION } from '../../http/mission-control.ts';
import { serveProbes } from '../../http/probes.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { MissionTokens } from '../../identity/mission-tokens.ts';
import { ConnectorRegistration, type ConnectorState } from '../../messaging/connector-registration.ts';
import { everyOutage, retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Stoppable } from '../../ports/bus.ts';
import type { Log } from '../../ports/log.ts';
import { realClock } from '../clock.ts';
import { BusMissionSource } from '../configuration.ts';
import { instanceName } from '../instance-name.ts';

export { POSTGRES_KINDS } from '../../connectors/postgres/source.ts';

export interface PostgresSettings {
  /** Of the connector, a token: under it others see it, and one of the same name takes its place. */
  readonly name: string;
  readonly nats: string;
  readonly credentials?: Credentials;
  /** File of the authorities that sign the certificates of the bus. */
  readonly ca?: string;
  /** A secret where it has a password. */
  readonly database: string;
  readonly schema: string;
  readonly kinds: readonly PostgresKind[];
  readonly targets: readonly string[] | undefined;
  readonly keepDays: number | undefined;
  /** Where a stream is begun of which nothing is stored. */
  readonly from: 'start' | 'now';
  readonly host: string;
  /** Undefined: health and metrics are nowhere. */
  readonly metricsPort: number | undefined;
  readonly log: Log;
}

export interface RunningPostgres extends Stoppable {
  readonly status: PostgresStatus;
  /** Base URL of health and metrics. */
  readonly metrics: string | undefined;
}

/** Starts it; it waits for bus and database by itself. */
export async function startPostgres(settings: PostgresSettings): Promise<RunningPostgres> {
  const process = new PostgresProcess(settings);
  await process.listen();
  process.start();
  return process;
}

class PostgresProcess implements RunningPostgres {
  readonly #settings: PostgresSettings;
  readonly #bus: NatsBus;
  readonly #missions: BusMissionSource;
  readonly #sources: readonly Source[];
  readonly #registry = new Registry();
  readonly #stopping = new AbortController();
  #starting: Promise<void> = Promise.resolve();
  #connector: PostgresConnector | undefined;
  #registration: ConnectorRegistration | undefined;
  #probes: FrontEnd | undefined;

  constructor(settings: PostgresSettings) {
    const { nats: url, credentials, ca, log, name, kinds, targets } = settings;
    this.#settings = settings;
    this.#bus = openBus({
      url,
      name,
      log,
      ...(credentials !== undefined && { credentials }),
      ...(ca !== undefined && { ca }),
    });
    this.#missions = new BusMissionSource(this.#bus, realClock, log);
    this.#sources = sourcesOf(kinds, targets);
    this.#measure();
  }

  get status(): PostgresStatus {
    return this.#connector?.status ?? NOT_STARTED;
  }

  get metrics(): string | undefined {
    return this.#probes?.url;
  }

  async listen(): Promise<void> {
    const { host, metricsPort: port, log } = this.#settings;
    if (port === undefined) return;
    const [bus, missions, clock, registry] = [this.#bus, this.#missions, realClock, this.#registry];
    const tokens = new MissionTokens({ missions, clock, log, fetch });
    const roles = () => ({ 'connector postgres': roleState(this.status) });
    const ports = { bus, missions, clock, log, registry, tokens, roles };
    this.#probes = await serveProbes({ host, port, ports, newId: identifierSource(clock) });
  }

  start(): void {
    this.#starting = this.#start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort('stopped');
    this.#probes?.drain();
    await this.#starting;
    await this.#connector?.stop();
    await this.#registration?.stop();
    await this.#missions.stop();
    await this.#bus.close();
    await this.#probes?.close();
  }

  async #start(): Promise<void> {
    const { signal } = this.#stopping;
    const waiting = { clock: realClock, signal, waitsFor: everyOutage, finishes: true };
    // Samples are named by the catalogue: without one they would be stored under their ordinals.
    const started = await retryWhileBusIsAway(waiting, () => this.#missions.start());
    if (started === undefined || signal.aborted) return;
    const { log, database: url, schema, keepDays, from } = this.#settings;
    this.#connector = new PostgresConnector({
      bus: this.#bus,
      missions: this.#missions,
      clock: realClock,
      log,
      database: { url, schema },
      sources: this.#sources,
      from,
      keepDays,
      changed: () => this.#register(),
    });
  }

  /** One that waits for another instance says nothing: the other one has the name. */
  #register(): void {
    const { name, targets, log } = this.#settings;
    if (this.status.phase === 'standby') {
      void this.#registration?.stop();
      this.#registration = undefined;
      return;
    }
    this.#registration ??= new ConnectorRegistration({
      bus: this.#bus,
      clock: realClock,
      log,
      name,
      instance: instanceName(),
      software: { name: 'mcs connector postgres', version: INTERFACE_VERSION },
      data: this.#sources.map(({ kind }) => ({ kind, consumer: `${name}-${kind}`, by: 'position' })),
      ...(targets !== undefined && { targets }),
      state: () => this.#state(),
    });
  }

  #state(): ConnectorState {
    const { trouble, positions, lost } = this.status;
    const reason = trouble?.message.slice(0, CONNECTOR_TEXT_CHARACTERS);
    const read = this.#sources.flatMap(({ kind, stream }) => {
      const seq = positions.get(stream.name);
      if (seq === undefined) return [];
      const missed = lost.get(stream.name);
      const since = missed && { messages: missed.messages, since: new Date(missed.since).toISOString() };
      return [[`${this.#settings.name}-${kind}`, { seq, ...(since !== undefined && { lost: since }) }]];
    });
    return {
      health: reason === undefined ? { state: 'ok' } : { state: 'degraded', reason },
      positions: Object.fromEntries(read),
    };
  }

  #measure(): void {
    const measures: Readonly<
      Record<string, readonly [help: string, read: (status: PostgresStatus) => number]>
    > = {
      mcs_postgres_writing: [
        'Whether the connector writes (1), or waits for the database or another instance (0).',
        ({ phase, trouble }) => (phase === 'writing' && trouble === undefined ? 1 : 0),
      ],
      mcs_postgres_rows: ['Rows stored since the start.', ({ rows }) => rows],
      mcs_postgres_batches: ['Transactions since the start.', ({ batches }) => batches],
      mcs_postgres_failures: ['Failures of the database since the start.', ({ failures }) => failures],
      mcs_postgres_gaps: ['Gaps of streams noticed since the start.', ({ gaps }) => gaps],
      mcs_postgres_unreadable: [
        'Messages since the start that could not be read.',
        ({ unreadable }) => unreadable,
      ],
    };
    for (const [name, [help, read]] of Object.entries(measures)) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers: [this.#registry],
        collect: () => gauge.set(read(this.status)),
      });
    }
  }
}

const ROLE_STATES = {
  starting: 'starting',
  writing: 'running',
  standby: 'starting',
  waiting: 'restarting',
} as const;

/** With a session and in trouble it stores nothing either: the trouble is over when a batch is stored. */
function roleState({ phase, trouble }: PostgresStatus) {
  return trouble === undefined ? ROLE_STATES[phase] : ROLE_STATES.waiting;
}

const NOT_STARTED: PostgresStatus = {
  phase: 'starting',
  trouble: undefined,
  positions: new Map(),
  lost: new Map(),
  rows: 0,
  batches: 0,
  gaps: 0,
  unreadable: 0,
  failures: 0,
};
