/**
 * The compiled configuration: one plain JSON document, everything normalised, published on the bus and named by its
 * revision. Lists carry what has an order; canonical JSON sorts keys. Mission Control Service, section 1 item 10.
 *
 * G1. Quantities are numbers in the unit of what they belong to, durations ms, rates bit/s; a default of an argument
 *     stays as written.
 * G2. Every name it refers to is in it, but for platforms of targets: those may be absent.
 */

import type { LibraryDocument } from './document/library.ts';
import type { Endpoint } from './endpoint.ts';
import type { FileDirectory } from './file-directory.ts';
import type { EncodingConfiguration } from './layout/encoding.ts';
import type { LayoutConfiguration } from './layout/layout.ts';

export type IntervalConfiguration = readonly [number | null, number | null];

export interface Configuration {
  /** Form of this document; another form is another number. */
  readonly format: 1;
  /** Sorted by `name@version`. */
  readonly platforms: readonly PlatformConfiguration[];
  readonly topology: TopologyConfiguration;
  /** Sorted by `name@version`; procedures as written, their steps not yet compiled. */
  readonly libraries: readonly LibraryDocument[];
  readonly settings: SettingsConfiguration;
}

export interface PlatformConfiguration {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly enums: readonly EnumConfiguration[];
  readonly components: readonly ComponentConfiguration[];
  readonly files?: FilesConfiguration;
  readonly packets: readonly LayoutConfiguration[];
  /** Absent when the platform has none. */
  readonly lines?: readonly LineConfiguration[];
}

/** A line of text that is read: its pattern as written, and the measure of each place that has one. */
export interface LineConfiguration {
  readonly name: string;
  readonly match: string;
  readonly to: readonly (readonly [place: string, measure: string])[];
}

/** The lines that answer a telecommand; patterns as written. */
export interface AnswerConfiguration {
  readonly ok: string;
  readonly error?: string;
  readonly withinMs: number;
}

export interface EnumConfiguration {
  readonly name: string;
  readonly values: readonly (readonly [name: string, number: number])[];
}

export interface ComponentConfiguration {
  readonly name: string;
  readonly description?: string;
  readonly instances: readonly string[];
  readonly files: boolean;
  readonly measures: readonly MeasureConfiguration[];
  readonly parameters: readonly ParameterConfiguration[];
  readonly telecommands: readonly TelecommandConfiguration[];
  readonly alarms: readonly AlarmConfiguration[];
}

export interface CalibrationConfiguration {
  readonly polynomial?: readonly number[];
  readonly points?: readonly (readonly [raw: number, value: number])[];
  readonly covers?: readonly [number, number];
}

export interface MeasureConfiguration {
  readonly name: string;
  readonly description?: string;
  readonly type: string;
  readonly unit?: string;
  readonly raw?: string;
  readonly calibration?: CalibrationConfiguration;
  readonly soft?: IntervalConfiguration;
  readonly hard?: IntervalConfiguration;
  readonly derived?: string;
}

export interface ParameterConfiguration {
  readonly name: string;
  readonly description?: string;
  readonly type: string;
  readonly unit?: string;
  readonly set?: { readonly component: string; readonly telecommand: string; readonly argument: string };
  readonly readback?: { readonly component: string; readonly measure: string };
}

export interface ArgumentConfiguration {
  readonly name: string;
  readonly description?: string;
  readonly type: string;
  readonly unit?: string;
  /** Of a text or bytes argument: bounds of its length. */
  readonly range?: IntervalConfiguration;
  readonly default?: string | number | boolean;
}

export interface TelecommandConfiguration {
  readonly name: string;
  readonly description?: string;
  readonly args: readonly ArgumentConfiguration[];
  readonly changesState: boolean;
  readonly hazardous: boolean;
  readonly requires: readonly { readonly that: string; readonly maxAgeMs: number }[];
  readonly verify?: {
    readonly expect?: string;
    readonly fail?: string;
    readonly reports?: 'acceptance' | 'completion';
    /** The reports are lines: the telecommand is one itself. */
    readonly answer?: AnswerConfiguration;
    readonly withinMs: number;
  };
  readonly encode?: EncodingConfiguration;
  /** In the files component: it names one file, whose identifier is at most `maxId` where it is a number. */
  readonly file?: { readonly maxId?: number };
}

export interface AlarmConfiguration {
  readonly name: string;
  readonly description?: string;
  readonly when: string;
  readonly severity: 'warning' | 'critical';
  /** The procedure run as a reaction. */
  readonly onRaise?: string;
}

export type FilesConfiguration = FileDirectory;

export interface TopologyConfiguration {
  readonly name: string;
  readonly environments: readonly EnvironmentConfiguration[];
  readonly stations: readonly StationConfiguration[];
  readonly gateways: readonly GatewayConfiguration[];
  readonly drivers: readonly DriverConfiguration[];
  readonly targets: readonly TargetConfiguration[];
}

export interface EnvironmentConfiguration {
  readonly name: string;
  readonly kind?: 'in_orbit';
  readonly identity: 'declared' | 'jwt';
  readonly humanOrchestration: boolean;
  readonly hazardousConfirmation: readonly string[];
  readonly hazardousRequiresPlan: boolean;
  readonly drafts: boolean;
}

export interface StationConfiguration {
  readonly name: string;
  readonly latitudeDeg?: number;
  readonly longitudeDeg?: number;
  readonly altitudeM?: number;
  readonly minElevationDeg?: number;
}

export interface GatewayConfiguration {
  readonly name: string;
  readonly kind: 'simulated' | 'recording' | 'udp' | 'tcp' | 'external';
  readonly tags: readonly string[];
  readonly echo: boolean;
  /** Faults a simulated gateway knows. */
  readonly faults: readonly string[];
  /** Of a simulated gateway `model` and its settings; of a recording `file`, `rate`, `as_fast_as_possible`, `loop`. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Of a gateway over UDP or TCP. */
  readonly endpoint?: Endpoint;
}

export interface DriverConfiguration {
  readonly name: string;
  readonly protocol: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface LinkParametersConfiguration {
  readonly gateway?: string;
  readonly tags?: readonly string[];
  readonly rate?: number;
}

export interface LinkConfiguration extends LinkParametersConfiguration {
  readonly name: string;
  readonly driver?: string;
  readonly transport?: Readonly<Record<string, unknown>>;
  readonly components?: readonly string[];
  readonly environments: readonly (LinkParametersConfiguration & { readonly name: string })[];
}

export type ParameterValue = number | boolean | string;

export interface TargetConfiguration {
  readonly name: string;
  readonly platform: string;
  readonly environments: readonly string[];
  readonly modes: readonly string[];
  readonly links: readonly LinkConfiguration[];
  readonly defaultLink: string;
  readonly parameters: readonly {
    /** `component.parameter` or `component[instance].parameter`. */
    readonly key: string;
    readonly values: Readonly<Record<string, ParameterValue>>;
    readonly environments: Readonly<Record<string, Readonly<Record<string, ParameterValue>>>>;
  }[];
}

export interface SettingsConfiguration {
  readonly maxSubmissionAgeMs: number;
  readonly leaderTtlMs: number;
  readonly replicas: number;
  /** By the names of streams; absent: as declared. */
  readonly streams?: Readonly<Record<string, StreamSettings>>;
  readonly streamsWarnAt?: number;
  readonly auth: AuthConfiguration;
  readonly feeders: Readonly<Record<string, string>>;
  readonly maxShelveMs: number;
  readonly alarmRetentionMs: number;
  readonly alarmAnswerMs?: number;
  readonly schedulerMarginMs: number;
  readonly contentRetentionMs?: number;
  readonly archive?: ArchiveSettings;
  readonly connectors: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly editorUrl?: string;
  readonly editorMaxBytes?: number;
}

/** What is stated otherwise for a stream. */
export interface StreamSettings {
  readonly maxAgeMs?: number;
  readonly bytesPerS?: number;
  readonly maxBytes?: number;
}

/** Of the archive; what is absent is as `docs/archive.md` says. */
export interface ArchiveSettings {
  /** Absolute, or relative to the state folder of its process. */
  readonly archiveFolder?: string;
  /** How long samples are kept, and their minutes; absent: for ever. */
  readonly samplesMs?: number;
  readonly minutesMs?: number;
  /** How long the log of events is kept; absent: for ever. */
  readonly eventsMs?: number;
}

/** Of the identity provider (section 5); what is absent is not configured. */
export interface AuthConfiguration {
  readonly issuer?: string;
  /** Default: the client ids. */
  readonly audience?: string;
  readonly jwks_url?: string;
  /** Absolute, or relative to the mission folder; default of both: where the metadata of the issuer says. */
  readonly jwks_file?: string;
  /** A path with dots may lead to it; default `roles` and `scope`. */
  readonly roles_claim?: string;
  readonly roles_prefix?: string;
  readonly required?: boolean;
  readonly client_id?: string;
  readonly cli_client_id?: string;
  readonly organization?: string;
  readonly scopes?: readonly string[];
  readonly nats_ttl_ms?: number;
}
