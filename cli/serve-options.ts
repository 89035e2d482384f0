/** The options of `mcs serve` and `mcs demo`, read strictly: what cannot be meant is said, with what can. */

import { parseArgs } from 'node:util';
import {
  MEMBER_TTL_MS,
  MEMBER_TTL_MS_LEAST,
  MEMBER_TTL_MS_MOST,
  NAME_CHARACTERS,
} from '../contract/limits.ts';
import { isToken } from '../contract/token.ts';
import { ALL_ROLES, ROLES, type RoleName } from '../supervision/role.ts';

export interface ServeOptions {
  readonly mission: string | undefined;
  readonly port: number;
  readonly host: string;
  /** Names beside the loopback ones and `host` that clients call the process by. */
  readonly allowHosts: readonly string[];
  /** Of health and metrics beside the API, or without one; undefined: nowhere. */
  readonly metricsPort: number | undefined;
  /** Of the RF bench; undefined: the process has no bench. */
  readonly benchPort: number | undefined;
  readonly nats: string | undefined;
  readonly credentials: string | undefined;
  /** File of the account signing key of the given bus. */
  readonly signer: string | undefined;
  readonly state: string | undefined;
  readonly roles: readonly RoleName[];
  /** Name of the process among the members; undefined: one of its own. */
  readonly instance: string | undefined;
  /** Silence after which a member counts as dead. */
  readonly memberTtlMs: number;
}

/** From the most to the least. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** The options; throws a sentence on anything else. */
export function readServeOptions(
  args: string[],
  defaults: { port: number; benchPort?: number },
): ServeOptions {
  const { values } = parseArgs({
    args,
    options: {
      mission: { type: 'string' },
      port: { type: 'string' },
      host: { type: 'string' },
      'allow-host': { type: 'string', multiple: true },
      'metrics-port': { type: 'string' },
      'bench-port': { type: 'string' },
      nats: { type: 'string' },
      credentials: { type: 'string' },
      signer: { type: 'string' },
      state: { type: 'string' },
      roles: { type: 'string' },
    },
    strict: true,
  });
  const benchPort =
    values['bench-port'] === undefined ? defaults.benchPort : portOf(values['bench-port'], '--bench-port');
  const roles = values.roles === undefined ? rolesWith(benchPort) : rolesOf(values.roles);
  if (values['bench-port'] !== undefined && !roles.includes('bench'))
    throw new Error('--bench-port needs the role bench: add it to --roles, or leave --roles out');
  return {
    mission: values.mission,
    port: values.port === undefined ? defaults.port : portOf(values.port, '--port'),
    host: values.host ?? '127.0.0.1',
    allowHosts: allowedHosts(values['allow-host'] ?? [process.env.MCS_ALLOW_HOST ?? '']),
    metricsPort:
      values['metrics-port'] === undefined ? undefined : portOf(values['metrics-port'], '--metrics-port'),
    nats: values.nats ?? process.env.MCS_NATS,
    credentials: values.credentials ?? process.env.MCS_NATS_CREDENTIALS,
    signer: values.signer ?? process.env.MCS_NATS_SIGNER,
    state: values.state,
    benchPort: roles.includes('bench') ? (benchPort ?? 0) : undefined,
    roles,
    instance: instanceOf(process.env.MCS_INSTANCE),
    memberTtlMs: ttlOf(process.env.MCS_MEMBER_TTL_MS),
  };
}

/** `MCS_LOG_LEVEL`, or the default; throws a sentence on a level that there is not. */
export function logLevel(fallback = 'info'): string {
  const { MCS_LOG_LEVEL: level = fallback } = process.env;
  if (!LOG_LEVELS.includes(level))
    throw new Error(`MCS_LOG_LEVEL is one of ${LOG_LEVELS.join(', ')}, not ${JSON.stringify(level)}`);
  return level;
}

function instanceOf(name: string | undefined): string | undefined {
  if (name !== undefined && !isToken(name))
    throw new Error(
      `MCS_INSTANCE takes a name of letters, digits, - and _, at most ${NAME_CHARACTERS}, not ${JSON.stringify(name)}`,
    );
  return name;
}

function ttlOf(text: string | undefined): number {
  const ttlMs = text === undefined ? MEMBER_TTL_MS : Number(text);
  if (!Number.isInteger(ttlMs) || ttlMs < MEMBER_TTL_MS_LEAST || ttlMs > MEMBER_TTL_MS_MOST)
    throw new Error(
      `MCS_MEMBER_TTL_MS takes whole milliseconds from ${MEMBER_TTL_MS_LEAST} to ${MEMBER_TTL_MS_MOST}, not ${JSON.stringify(text)}`,
    );
  return ttlMs;
}

/** Each option may name several, with commas. */
function allowedHosts(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim());
  return names.filter((name) => name !== '');
}

function rolesWith(benchPort: number | undefined): readonly RoleName[] {
  return benchPort === undefined ? ROLES : ALL_ROLES;
}

function portOf(text: string, option: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new Error(`${option} takes a port from 0 to 65535, not ${JSON.stringify(text)}`);
  return port;
}

function rolesOf(text: string): RoleName[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !(ALL_ROLES as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw new Error(`--roles: unknown role ${unknown.join(', ')}; roles are ${ALL_ROLES.join(', ')}`);
  return names as RoleName[];
}
