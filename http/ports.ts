/**
 * What the front end is given, and what a route may reach. Mission Control Service, section 1 (10): the service keeps
 * no state of its own between requests; everything here is the bus, or a cache fed by it.
 */

import type { Registry } from 'prom-client';
import type { ChildState } from '../contract/inspection.ts';
import type { Books } from '../messaging/books.ts';
import type { PassWriter } from '../messaging/pass-writes.ts';
import type { PassesOver } from '../messaging/passes-over.ts';
import type { SchedulesOver } from '../messaging/schedules-over.ts';
import type { TransfersOver } from '../messaging/transfers-over.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { FollowerCredentials } from '../ports/follower-credentials.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';
import type { Replication } from '../ports/replication.ts';
import type { Tokens } from '../ports/tokens.ts';
import type { RunningValueFeeds } from '../telemetry/value-feeds.ts';
import type { ChunkFeeds } from './chunks/chunk-feeds.ts';
import type { Holds } from './holds.ts';
import type { Inspector } from './inspect/inspector.ts';
import type { RunIndex } from './run-index.ts';

export interface FrontEndPorts extends Books {
  readonly bus: Bus;
  readonly missions: MissionSource;
  readonly values: RunningValueFeeds;
  readonly log: Log;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly tokens: Tokens;
  readonly followers: FollowerCredentials;
  /** Undefined where nobody looks after the copies of the streams. */
  readonly replication?: Replication | undefined;
  /** The roles of this process, and how each of them stands. */
  readonly roles: () => Readonly<Record<string, ChildState>>;
}

export interface RoutePorts extends FrontEndPorts {
  readonly holds: Holds;
  readonly inspector: Inspector;
  readonly runs: RunIndex;
  readonly passesOver: PassesOver;
  readonly schedulesOver: SchedulesOver;
  readonly transfersOver: TransfersOver;
  readonly chunkFeeds: ChunkFeeds;
  readonly passWriter: PassWriter;
  /** Whether the current values stored before the start are known. */
  readonly valuesLoaded: () => boolean;
  /** A fresh ULID. */
  readonly newId: () => string;
  /** Whether the process is on its way out. */
  readonly draining: () => boolean;
}
