/**
 * What the front end is given, and what a route may reach. Mission Control Service, section 1 (10): the service keeps
 * no state of its own between requests; everything here is the bus, or a cache fed by it.
 */

import type { Registry } from 'prom-client';
import type { ChildState } from '../contract/inspection.ts';
import type { Books } from '../messaging/books.ts';
import type { ConnectorLags } from '../messaging/connector-lags.ts';
import type { Connectors } from '../messaging/connectors.ts';
import type { Fleet } from '../messaging/fleet.ts';
import type { HistoryAsker } from '../messaging/history-asker.ts';
import type { PassWriter } from '../messaging/pass-writes.ts';
import type { PassesOver } from '../messaging/passes-over.ts';
import type { RuleViews } from '../messaging/rule-views.ts';
import type { SchedulesOver } from '../messaging/schedules-over.ts';
import type { TransfersOver } from '../messaging/transfers-over.ts';
import type { ArchiveHealth } from '../ports/archive-health.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { StreamFill } from '../ports/fills.ts';
import type { FollowerCredentials } from '../ports/follower-credentials.ts';
import type { HistoryTables } from '../ports/history-tables.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';
import type { Replication } from '../ports/replication.ts';
import type { AccessTokens } from '../ports/tokens.ts';
import type { UnitCredentials } from '../ports/unit-credentials.ts';
import type { RunningValueFeeds } from '../telemetry/value-feeds.ts';
import type { ChunkFeeds } from './chunks/chunk-feeds.ts';
import type { HistoryStreams } from './history/streams.ts';
import type { Holds } from './holds.ts';
import type { Inspector } from './inspect/inspector.ts';
import type { Act } from './request-events.ts';
import type { RunIndex } from './run-index.ts';
import type { UnitGateways } from './unit-gateways.ts';

export interface FrontEndPorts extends Books {
  readonly bus: Bus;
  readonly missions: MissionSource;
  readonly values: RunningValueFeeds;
  readonly log: Log;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly tokens: AccessTokens;
  readonly followers: FollowerCredentials;
  /** Default: units are given no credentials. */
  readonly units?: UnitCredentials;
  /** Undefined where nobody looks after the copies of the streams. */
  readonly replication?: Replication | undefined;
  /** How full the streams of the bus are, as last looked at; undefined where nobody looks. */
  readonly fills?: (() => readonly StreamFill[]) | undefined;
  /** Streams of the bus that do not answer. */
  readonly silent?: (() => readonly string[]) | undefined;
  /** Default: the archives of the cell. */
  readonly historySource?: History['source'];
  /** Default: the past is not answered as Parquet. */
  readonly historyTables?: HistoryTables | undefined;
  /** Undefined where there is no archive to look after. */
  readonly archiveHealth?: ArchiveHealth | undefined;
  /** The roles of this process, and how each of them stands. */
  readonly roles: () => Readonly<Record<string, ChildState>>;
  /** Whether all that its roles share out with others is done by somebody; default: it is. */
  readonly settled?: () => boolean;
}

/** The past: who is asked about it, and what answers need. */
export interface History {
  readonly source: Pick<HistoryAsker, 'samples' | 'buckets' | 'events' | 'archives'>;
  readonly tables: HistoryTables | undefined;
  readonly streams: HistoryStreams;
}

export interface RoutePorts extends FrontEndPorts {
  readonly holds: Holds;
  readonly inspector: Inspector;
  readonly history: History;
  readonly runs: RunIndex;
  readonly passesOver: PassesOver;
  readonly schedulesOver: SchedulesOver;
  readonly ruleViews: RuleViews;
  readonly transfersOver: TransfersOver;
  readonly chunkFeeds: ChunkFeeds;
  readonly fleet: Fleet;
  readonly unitGateways: UnitGateways;
  readonly connectors: Connectors;
  readonly connectorLags: ConnectorLags;
  readonly passWriter: PassWriter;
  /** Whether the current values stored before the start are known. */
  readonly valuesLoaded: () => boolean;
  /** A fresh ULID. */
  readonly newId: () => string;
  /** Records a call for the log of events. */
  readonly acted: (act: Act) => void;
  /** Origin of the identity provider of the current configuration. */
  readonly signInAt: () => string | undefined;
  /** Whether the process is on its way out. */
  readonly draining: () => boolean;
}
