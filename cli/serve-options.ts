/** The options of `mcs serve` and `mcs demo`, read strictly: what cannot be meant is said, with what can. */

import { BUS_SILENCE_MS, BUS_SILENCE_MS_LEAST, BUS_SILENCE_MS_MOST } from '../contract/limits/bus.ts';
import { MEMBER_TTL_MS, MEMBER_TTL_MS_LEAST, MEMBER_TTL_MS_MOST } from '../contract/limits/membership.ts';
import { NAME_CHARACTERS } from '../contract/limits/request.ts';
import { isToken } from '../contract/token.ts';
import { ALL_ROLES, ROLES, type RoleName } from '../supervision/role.ts';
import type { ValuesOf } from './command.ts';
import { placeWords, readCommandLine, WrongUsage } from './command-line.ts';

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
  /** Where the embedded bus listens; undefined: on a free port of loopback. */
  readonly natsListen: { readonly host: string; readonly port: number } | undefined;
  /** File of the authorities that sign the certificate of the given bus; undefined: those of the system. */
  readonly natsCa: string | undefined;
  readonly credentials: string | undefined;
  /** File of the account signing key of the given bus. */
  readonly signer: string | undefined;
  readonly state: string | undefined;
  readonly roles: readonly RoleName[];
  /** Name of the process among the members; undefined: one of its own. */
  readonly instance: string | undefined;
  /** Silence after which a member counts as dead. */
  readonly memberTtlMs: number;
  /** Silence after which an embedded bus is started again. */
  readonly busSilenceMs: number;
}

/** From the most to the least. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** For `defineCommand`. */
export const SERVE_OPTIONS = {
  mission: { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  'metrics-port': { type: 'string' },
  'bench-port': { type: 'string' },
  nats: { type: 'string' },
  'nats-listen': { type: 'string' },
  'nats-ca': { type: 'string' },
  credentials: { type: 'string' },
  signer: { type: 'string' },
  state: { type: 'string' },
  roles: { type: 'string' },
} as const;

interface Defaults {
  readonly port: number;
  readonly benchPort?: number;
}

/** The options of a command line; throws a sentence on anything else. */
export function readServeOptions(args: readonly string[], defaults: Defaults): ServeOptions {
  const { words, values } = readCommandLine(args, SERVE_OPTIONS);
  placeWords(words, { names: [], rest: undefined });
  return serveOptions(values as ValuesOf<typeof SERVE_OPTIONS>, defaults);
}

export function serveOptions(values: ValuesOf<typeof SERVE_OPTIONS>, defaults: Defaults): ServeOptions {
  const benchPort =
    values['bench-port'] === undefined ? defaults.benchPort : portOf(values['bench-port'], '--bench-port');
  const roles = values.roles === undefined ? rolesWith(benchPort) : rolesOf(values.roles);
  if (values['bench-port'] !== undefined && !roles.includes('bench'))
    throw new WrongUsage('--bench-port needs the role bench: add it to --roles, or leave --roles out');
  const nats = values.nats ?? process.env.MCS_NATS;
  const natsListen = values['nats-listen'] ?? process.env.MCS_NATS_LISTEN;
  if (natsListen !== undefined && nats !== undefined)
    throw new WrongUsage(
      '--nats-listen is for the embedded bus, and --nats gives another one: leave one of them out',
    );
  return {
    mission: values.mission,
    port: values.port === undefined ? defaults.port : portOf(values.port, '--port'),
    host: values.host ?? '127.0.0.1',
    allowHosts: allowedHosts(values['allow-host'] ?? [process.env.MCS_ALLOW_HOST ?? '']),
    metricsPort:
      values['metrics-port'] === undefined ? undefined : portOf(values['metrics-port'], '--metrics-port'),
    nats,
    natsListen: natsListen === undefined ? undefined : listenAddress(natsListen),
    natsCa: values['nats-ca'] ?? process.env.MCS_NATS_CA,
    credentials: values.credentials ?? process.env.MCS_NATS_CREDENTIALS,
    signer: values.signer ?? process.env.MCS_NATS_SIGNER,
    state: values.state,
    benchPort: roles.includes('bench') ? (benchPort ?? 0) : undefined,
    roles,
    instance: instanceOf(process.env.MCS_INSTANCE),
    memberTtlMs: millisecondsOf('MCS_MEMBER_TTL_MS', MEMBER_TTL_MS, MEMBER_TTL_MS_LEAST, MEMBER_TTL_MS_MOST),
    busSilenceMs: millisecondsOf(
      'MCS_BUS_SILENCE_MS',
      BUS_SILENCE_MS,
      BUS_SILENCE_MS_LEAST,
      BUS_SILENCE_MS_MOST,
    ),
  };
}

/** `MCS_LOG_LEVEL`, or the default; throws a sentence on a level that there is not. */
export function logLevel(fallback = 'info'): string {
  const { MCS_LOG_LEVEL: level = fallback } = process.env;
  if (!LOG_LEVELS.includes(level))
    throw new WrongUsage(`MCS_LOG_LEVEL is one of ${LOG_LEVELS.join(', ')}, not ${JSON.stringify(level)}`);
  return level;
}

function instanceOf(name: string | undefined): string | undefined {
  if (name !== undefined && !isToken(name))
    throw new WrongUsage(
      `MCS_INSTANCE takes a name of letters, digits, - and _, at most ${NAME_CHARACTERS}, not ${JSON.stringify(name)}`,
    );
  return name;
}

/** A variable of the environment, or its default. */
function millisecondsOf(variable: string, usual: number, least: number, most: number): number {
  const text = process.env[variable];
  const ms = text === undefined ? usual : Number(text);
  if (!Number.isInteger(ms) || ms < least || ms > most)
    throw new WrongUsage(
      `${variable} takes whole milliseconds from ${least} to ${most}, not ${JSON.stringify(text)}`,
    );
  return ms;
}

/** A port of loopback, or an address and a port. */
function listenAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = '127.0.0.1', port = ''] =
    /^(?:(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === '' || Number(port) < 1 || Number(port) > 65_535)
    throw new WrongUsage(
      `--nats-listen takes a port or an address and a port, like 4222 or 192.168.1.5:4222, not ${JSON.stringify(text)}`,
    );
  return { host, port: Number(port) };
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
    throw new WrongUsage(`${option} takes a port from 0 to 65535, not ${JSON.stringify(text)}`);
  return port;
}

function rolesOf(text: string): RoleName[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !(ALL_ROLES as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw new WrongUsage(`--roles: unknown role ${unknown.join(', ')}; roles are ${ALL_ROLES.join(', ')}`);
  return names as RoleName[];
}
