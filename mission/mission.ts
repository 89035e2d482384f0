/**
 * A mission as the roles use it: the compiled configuration with its indexes and closures, frozen. `load()` makes it
 * from the configuration document of the bus; nothing here does I/O.
 *
 * M1. A mission is immutable; a new configuration is a new mission under a new revision.
 */

import type { ResolvedValue } from '../contract/telecommand.ts';
import type {
  ArchiveSettings,
  AuthConfiguration,
  DriverConfiguration,
  EnvironmentConfiguration,
  GatewayConfiguration,
  StationConfiguration,
  StreamSettings,
} from './configuration.ts';
import type { Platform } from './platform.ts';
import type { Library } from './procedure/procedure.ts';

export interface Mission {
  /** SHA-256 (hexadecimal) of the canonical configuration. */
  readonly revision: string;
  /** In the order of the topology: the last one of a target is its default. */
  readonly environments: ReadonlyMap<string, Environment>;
  readonly gateways: ReadonlyMap<string, Gateway>;
  readonly stations: ReadonlyMap<string, Station>;
  readonly drivers: ReadonlyMap<string, Driver>;
  readonly targets: ReadonlyMap<string, Target>;
  /** By `name@version`. */
  readonly platforms: ReadonlyMap<string, Platform>;
  /** By `name@version`. */
  readonly libraries: ReadonlyMap<string, Library>;
  readonly settings: Settings;
}

/** As the configuration says it. */
export type Environment = EnvironmentConfiguration;
export type Gateway = GatewayConfiguration;
export type Station = StationConfiguration;
export type Driver = DriverConfiguration;

export interface Target {
  readonly name: string;
  /** `name@version` as the topology names it. */
  readonly platformId: string;
  /** Absent when no document of that platform is in the configuration. */
  readonly platform: Platform | undefined;
  /** In the order of the topology. */
  readonly environments: readonly string[];
  /** In the order of the topology: the first is the default. */
  readonly modes: readonly string[];
  /** Values of parameters by mode; see section 2.5 for which one counts. */
  readonly parameters: readonly ParameterValues[];
  readonly links: ReadonlyMap<string, Link>;
  readonly defaultLink: string;
}

export interface ParameterValues {
  /** `component.parameter` or `component[instance].parameter`. */
  readonly key: string;
  /** Value by mode. */
  readonly values: Readonly<Record<string, ResolvedValue>>;
  /** Value by mode, by environment: it comes before `values`. */
  readonly environments: Readonly<Record<string, Readonly<Record<string, ResolvedValue>>>>;
}

export interface Link {
  readonly name: string;
  readonly isDefault: boolean;
  readonly driver: string | undefined;
  /** Components it carries; undefined carries all. */
  readonly components: ReadonlySet<string> | undefined;
  readonly transport: Readonly<Record<string, unknown>> | undefined;
  /** Whether its parameters differ by environment. */
  readonly byEnvironment: boolean;
  /** The parameters in an environment (of the link itself when it has none by environment). */
  parameters(environment: string | undefined): LinkParameters;
}

export interface LinkParameters {
  /** The gateway named by the link. */
  readonly gateway: string | undefined;
  /** What a gateway must carry when none is named. */
  readonly tags: readonly string[];
  /** bit/s */
  readonly rate: number | undefined;
}

export interface Settings {
  readonly maxSubmissionAgeMs: number;
  readonly leaderTtlMs: number;
  readonly replicas: number;
  /** What is stated otherwise for streams, by their names. */
  readonly streams: Readonly<Record<string, StreamSettings>>;
  /** A stream that is so full is reported. */
  readonly streamsWarnAt: number;
  readonly auth: AuthSettings;
  /** Who writes passes, by identity, and as which source (section 4.5). */
  readonly feeders: Readonly<Record<string, string>>;
  /** A run bound to a pass must end this long before its LOS. */
  readonly schedulerMarginMs: number;
  /** Longest shelving of an alarm. */
  readonly maxShelveMs: number;
  /** How long the transitions of alarms are kept. */
  readonly alarmRetentionMs: number;
  /** How long the content of a transfer is kept behind its last change. */
  readonly contentRetentionMs: number;
  /** Where the past is kept, and for how long. */
  readonly archive: ArchiveSettings;
  /** How long the alarm service may take to answer a command. */
  readonly alarmAnswerMs: number;
  /** Where requests below `/v1/editor/` go; undefined: nowhere (section 4.9). */
  readonly editorUrl?: string | undefined;
  /** How large their bodies may be. */
  readonly editorMaxBytes?: number;
}

/** Of the identity provider (section 5); what is absent is not configured. */
export type AuthSettings = AuthConfiguration;
