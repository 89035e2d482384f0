/**
 * A mission as the roles use it: the compiled configuration with its indexes and closures, frozen. `load()` makes it
 * from the configuration document of the bus; nothing here does I/O.
 *
 * M1. A mission is immutable; a new configuration is a new mission under a new revision.
 */

import type { ResolvedValue } from '../contract/telecommand.ts';
import type { Endpoint } from './endpoint.ts';
import type { Platform } from './platform.ts';
import type { Library } from './procedure/procedure.ts';

export interface Mission {
  /** SHA-256 (hexadecimal) of the canonical configuration. */
  readonly revision: string;
  /** In the order of the topology: the last one of a target is its default. */
  readonly environments: ReadonlyMap<string, Environment>;
  readonly gateways: ReadonlyMap<string, Gateway>;
  readonly drivers: ReadonlyMap<string, Driver>;
  readonly targets: ReadonlyMap<string, Target>;
  /** By `name@version`. */
  readonly platforms: ReadonlyMap<string, Platform>;
  /** By `name@version`. */
  readonly libraries: ReadonlyMap<string, Library>;
  readonly settings: Settings;
}

export interface Environment {
  readonly name: string;
  readonly kind?: 'in_orbit';
  readonly identity: 'declared' | 'jwt';
  readonly humanOrchestration: boolean;
  readonly hazardousConfirmation: readonly string[];
  readonly hazardousRequiresPlan: boolean;
  readonly drafts: boolean;
}

export interface Gateway {
  readonly name: string;
  readonly kind: 'simulated' | 'recording' | 'udp' | 'tcp' | 'external';
  readonly tags: readonly string[];
  readonly echo: boolean;
  /** Faults a simulated gateway knows. */
  readonly faults: readonly string[];
  /** Everything else the document says of it, for the gateway itself. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Of a gateway over UDP or TCP. */
  readonly endpoint?: Endpoint;
}

export interface Driver {
  readonly name: string;
  readonly protocol: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

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
  readonly auth: AuthSettings;
  /** A run bound to a pass must end this long before its LOS. */
  readonly schedulerMarginMs: number;
  /** Longest shelving of an alarm. */
  readonly maxShelveMs: number;
  /** How long the transitions of alarms are kept. */
  readonly alarmRetentionMs: number;
  /** How long the alarm service may take to answer a command. */
  readonly alarmAnswerMs: number;
}

/** Of the identity provider (section 5); what is absent is not configured. */
export interface AuthSettings {
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
