/**
 * The lags of every connector, computed from the bus, for those that live, are dead or behind. Mission Control Service,
 * section 2.11.
 *
 * G1. They are computed at most every `CONNECTOR_LAGS_KEPT_MS`, all at once, however many ask, with at most
 *     `CONNECTOR_LAGS_ASKED` questions on their way; and every `CONNECTOR_LAGS_LOOK_MS` when nobody asks: what is at
 *     risk is in the log before anything is lost.
 * G2. What is found is said and recorded (connector-findings.ts).
 * G3. A stream is asked for once for all of its readers, before them: a reader is never ahead of what it is compared
 *     with by more than it read meanwhile.
 * G4. The position of a living connector is as old as its heartbeat: it counts for a loss only where a heartbeat that
 *     came behind an earlier look says the same.
 */

import { CONNECTOR_DATA, type ConnectorRead } from '../contract/connector-wire.ts';
import {
  CONNECTOR_LAGS_ASKED,
  CONNECTOR_LAGS_KEPT_MS,
  CONNECTOR_LAGS_LOOK_MS,
} from '../contract/limits/connector.ts';
import { Outage } from '../contract/outage.ts';
import { type LostMessages, ofConsumer } from '../contract/stored-connector.ts';
import type { Stoppable } from '../ports/bus.ts';
import type { TimerHandle } from '../ports/clock.ts';
import type { StreamLevel, StreamLevels } from '../ports/stream-levels.ts';
import { ConnectorFindings } from './connector-findings.ts';
import {
  beforeOf,
  type ConnectorLag,
  type LagInput,
  lagOf,
  lostNow,
  type ReaderBefore,
} from './connector-lag.ts';
import { consumerState, positionState, type ReaderState } from './connector-readers.ts';
import { takenOf } from './connector-taken.ts';
import type { Connector, Connectors } from './connectors.ts';
import { inTurns } from './in-turns.ts';
import type { BookTools } from './registered-book.ts';
import { Advances, rateOf } from './stream-rates.ts';

interface Options extends BookTools {
  readonly connectors: Pick<Connectors, 'all' | 'live' | 'book'>;
}

const SEP = ' ';

export class ConnectorLags implements Stoppable {
  readonly #options: Options;
  readonly #streams = new Advances();
  readonly #readers = new Advances();
  /** How readers stood at the look before. */
  readonly #before = new Map<string, ReaderBefore>();
  /** What is lost and may not be recorded yet. */
  readonly #found = new Map<string, LostMessages>();
  /** Positions of living connectors, with when they were first seen (G4). */
  readonly #floors = new Map<string, { readonly floor: number; readonly at: number }>();
  readonly #findings: ConnectorFindings;
  #kept: { readonly at: number; readonly lags: Promise<readonly ConnectorLag[]> } | undefined;
  #last: readonly ConnectorLag[] = [];
  #timer: TimerHandle | undefined;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
    this.#findings = new ConnectorFindings(options);
  }

  start(): void {
    this.#later();
  }

  /** As they were computed last, without a question; empty before the first look. */
  get last(): readonly ConnectorLag[] {
    return this.#last;
  }

  /** G1. Throws `Outage`. */
  lags(): Promise<readonly ConnectorLag[]> {
    const now = this.#options.clock.monotonic();
    if (this.#kept !== undefined && now - this.#kept.at <= CONNECTOR_LAGS_KEPT_MS) return this.#kept.lags;
    const lags = this.#compute();
    const kept = { at: now, lags };
    this.#kept = kept;
    lags.catch(() => {
      if (this.#kept === kept) this.#kept = undefined;
    });
    return lags;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    await this.#kept?.lags.catch(() => undefined);
  }

  #later(): void {
    this.#timer = this.#options.clock.setTimeout(() => {
      void this.#look().finally(() => {
        if (!this.#stopped) this.#later();
      });
    }, CONNECTOR_LAGS_LOOK_MS);
  }

  async #look(): Promise<void> {
    const { bus, connectors, log } = this.#options;
    if (!bus.connected || !connectors.live || connectors.book.size === 0) return;
    try {
      await this.lags();
    } catch (error) {
      if (!(error instanceof Outage)) log.error({ err: error }, 'lags of connectors could not be computed');
    }
  }

  async #compute(): Promise<readonly ConnectorLag[]> {
    const { bus, connectors, clock } = this.#options;
    const { levels } = bus;
    if (levels === undefined)
      throw new Outage('bus.unavailable', 'the bus does not say how full its streams are');
    const all = connectors.all();
    const named = new Set(all.flatMap(({ document }) => document.connector.data.map(streamName)));
    const stands = new Map(
      await inTurns(
        [...named],
        CONNECTOR_LAGS_ASKED,
        async (name) => [name, await levels.stream(name)] as const,
      ),
    );
    const at = clock.monotonic();
    for (const [name, level] of stands) if (level !== undefined) this.#streams.note(name, level.lastSeq, at);
    const reads = all.flatMap((connector) =>
      connector.document.connector.data.map((read) => ({ connector, read })),
    );
    const lags = await inTurns(reads, CONNECTOR_LAGS_ASKED, ({ connector, read }) =>
      this.#lagOf(levels, connector, read, stands.get(streamName(read))),
    );
    await this.#concluded(lags);
    return lags;
  }

  async #lagOf(
    levels: StreamLevels,
    connector: Connector,
    read: ConnectorRead,
    level: StreamLevel | undefined,
  ): Promise<ConnectorLag> {
    const definition = CONNECTOR_DATA[read.kind];
    if (level === undefined)
      return this.#unknown(connector, read, `there is no stream ${definition.name}`, true);
    if (read.by === 'consumer') {
      const state = await consumerState(levels, definition, level, read.consumer);
      const missing = `stream ${definition.name} has no consumer ${read.consumer}`;
      return state === undefined
        ? this.#unknown(connector, read, missing, true)
        : this.#known(connector, read, level, state);
    }
    const position = ofConsumer(connector.positions, read.consumer);
    if (position === undefined)
      return this.#unknown(connector, read, 'it has not said yet how far it is', false);
    const { seq } = position;
    const { targets } = connector.document.connector;
    const reader = await positionState(levels, read.kind, definition, level, { seq, targets });
    const at = connector.alive ? connector.lastHeard : this.#options.clock.now();
    const taken = await takenOf(levels, definition, level, position, { reader, at });
    return { ...this.#known(connector, read, level, reader), taken };
  }

  #known(connector: Connector, read: ConnectorRead, level: StreamLevel, reader: ReaderState): ConnectorLag {
    const { clock } = this.#options;
    const { name, alive } = connector;
    const stream = streamName(read);
    const key = keyOf(connector, read);
    this.#readers.note(key, reader.floor, clock.monotonic());
    const found = this.#lostOf(connector, read, level, reader);
    const input: LagInput = {
      stream,
      level,
      rate: rateOf(level, this.#streams.perS(stream)),
      reader,
      readsPerS: this.#readers.perS(key),
      alive,
      lost: found,
      now: clock.now(),
    };
    const lag = lagOf(input);
    const { pending, unacked, oldest } = reader;
    return {
      connector: name,
      read,
      stream,
      active: alive,
      at: input.now,
      pending,
      unacked,
      oldestAt: oldest?.at,
      lag,
      atRisk: lag.atRisk,
      reason: lag.reason,
      isMeasured: this.#streams.perS(stream) !== undefined,
      lost: found,
    };
  }

  #unknown(connector: Connector, read: ConnectorRead, reason: string, atRisk: boolean): ConnectorLag {
    return {
      connector: connector.name,
      read,
      stream: streamName(read),
      active: false,
      at: this.#options.clock.now(),
      pending: 0,
      unacked: 0,
      oldestAt: undefined,
      lag: undefined,
      atRisk,
      reason,
      isMeasured: false,
      lost: ofConsumer(connector.lost, read.consumer),
    };
  }

  /** What is known to be lost by now: recorded before, found at this look, or said by the connector itself. */
  #lostOf(
    connector: Connector,
    read: ConnectorRead,
    level: StreamLevel,
    reader: ReaderState,
  ): LostMessages | undefined {
    const key = keyOf(connector, read);
    const known = larger(ofConsumer(connector.lost, read.consumer), this.#found.get(key));
    const input = { level, reader, lost: known, now: this.#options.clock.now() };
    const counts = this.#isStanding(connector, read, reader.floor);
    const found = (counts ? lostNow(input, this.#before.get(key)) : undefined) ?? known;
    this.#before.set(key, beforeOf(level, reader));
    const said = ofConsumer(connector.positions, read.consumer)?.lost;
    const lost = larger(found, said && { ...said, through: found?.through ?? 0 });
    if (lost !== undefined) this.#found.set(key, lost);
    return lost;
  }

  /** G4 */
  #isStanding(
    { name, alive, lastHeard }: Connector,
    { consumer, by }: ConnectorRead,
    floor: number,
  ): boolean {
    if (by === 'consumer' || !alive) return true;
    const key = name + SEP + consumer;
    const before = this.#floors.get(key);
    if (before?.floor !== floor) this.#floors.set(key, { floor, at: this.#options.clock.now() });
    return before?.floor === floor && lastHeard > before.at;
  }

  async #concluded(lags: readonly ConnectorLag[]): Promise<void> {
    const keys = new Set(lags.map(({ connector, read }) => connector + SEP + read.consumer));
    this.#readers.keepOnly(keys);
    for (const known of [this.#before, this.#found, this.#floors])
      for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    this.#last = lags;
    await this.#findings.note(lags);
  }
}

function streamName({ kind }: ConnectorRead): string {
  return CONNECTOR_DATA[kind].name;
}

function larger(one: LostMessages | undefined, other: LostMessages | undefined): LostMessages | undefined {
  return other !== undefined && other.messages > (one?.messages ?? 0) ? other : one;
}

function keyOf({ name }: Connector, { consumer }: ConnectorRead): string {
  return name + SEP + consumer;
}
