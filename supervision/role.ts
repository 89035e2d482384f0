/**
 * What a role of a process is to the supervision tree, and what it is given. A role is started whole, stopped whole
 * and, when it fails, started again from what the bus knows.
 */

import type { Registry } from 'prom-client';
import type { SpacecraftFactory } from '../links/simulated/spacecraft.ts';
import type { Books } from '../messaging/books.ts';
import type { PassBook } from '../messaging/pass-book.ts';
import type { Mission } from '../mission/mission.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { FileDirectory } from '../ports/file-directory.ts';
import type { StreamFill } from '../ports/fills.ts';
import type { FollowerCredentials } from '../ports/follower-credentials.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';
import type { Replication } from '../ports/replication.ts';
import type { AccessTokens } from '../ports/tokens.ts';
import type { UnitCredentials } from '../ports/unit-credentials.ts';
import type { RunningValueFeeds } from '../telemetry/value-feeds.ts';
import type { ArchiveWatch } from './archive/health.ts';
import type { ArchiveStorage } from './archive/storage.ts';
import type { DeadLetters } from './cells/dead-letters.ts';
import type { Kind } from './cells/kind.ts';
import type { LeadWork } from './ownership/leader.ts';
import type { PartitionRole } from './ownership/partition.ts';

/** Those of mission control. */
export const ROLES = [
  'api',
  'executor',
  'telemetry',
  'drivers',
  'gateways',
  'alarms',
  'reconciler',
  'scheduler',
  'transfers',
  'archive',
] as const;
/** With the daemon of an RF bench, of which there is one in a cell. */
export const ALL_ROLES = [...ROLES, 'bench'] as const;
export type RoleName = (typeof ALL_ROLES)[number];

export interface RoleContext {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly missions: MissionSource;
  /** Current values of every target, followed once per process. */
  readonly values: RunningValueFeeds;
  /** The on-board directory of every target. */
  readonly files: FileDirectory;
  /** The passes of every target, watched once per process. */
  readonly passes: PassBook;
  /** The same, with schedules and rules for those who need them. */
  readonly books: Books;
  /** Living members of the cell that have a role, as far as this process knows. */
  readonly living: (role: string) => string[];
  /** How long a member may be silent and still lives for the others. */
  readonly memberTtlMs: number;
  /** Who a bearer token speaks for, by the current mission. */
  readonly tokens: AccessTokens;
  /** Credentials for clients that follow on the bus itself. */
  readonly followers: FollowerCredentials;
  /** Credentials of units. */
  readonly units: UnitCredentials;
  readonly deadLetters: DeadLetters;
  readonly registry: Registry;
  readonly replication?: Replication | undefined;
  /** How full the streams of the bus are, as last looked at. */
  readonly fills: () => readonly StreamFill[];
  readonly silent: () => readonly string[];
  /** What the front end of this process says of its archive. */
  readonly archiveHealth: ArchiveWatch;
  /** Name of this process among the members. */
  readonly instance: string;
  /** Where the files that mission documents name are found. */
  readonly missionFolder: string | undefined;
  /** How long samples wait in memory until they are on the disk, ms; undefined: as long as the archive says. */
  readonly archiveOpenMs?: number | undefined;
  readonly archiveStorage: ArchiveStorage;
  /** What this process keeps beside the bus is in here; undefined: nothing is kept. */
  readonly stateFolder: string | undefined;
  /** Where simulated gateways find their spacecraft; undefined: each makes its own. */
  readonly spacecraft: SpacecraftFactory | undefined;
  /** Kills the process at this point, for tests; see `supervision/cells/failpoint.ts`. */
  readonly failpoint: string | undefined;
  /** The role cannot go on. */
  readonly failed: (reason: string) => void;
}

/** The part of a role that is shared out among the processes that have it. */
export interface SharedWork {
  readonly role: PartitionRole;
  /** Names of the partitions a mission has. */
  names(mission: Mission): Iterable<string>;
}

export interface Role {
  readonly shared: readonly SharedWork[];
  /** What one process of the cell does for all. */
  readonly leads?: readonly LeadWork[];
  /** Calls back with what one process does for all that is known only later; undefined: there is none. */
  leadLater?(lead: (work: LeadWork | undefined) => void): void;
  /** The entities it runs. */
  readonly kinds?: readonly Kind[];
  /**
   * What cannot wait for its turn when it has failed or the process ends: done first, in no time to speak of
   * (supervision/tree.T1). Asked for before its stop, maybe more than once.
   */
  halt?(): Promise<void>;
  stop(): Promise<void>;
}

export type RoleFactory = (context: RoleContext) => Promise<Role>;
