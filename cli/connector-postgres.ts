/**
 * `mcs connector postgres`: values and events into a PostgreSQL server. A process of its own, for as long as it is left
 * running. When it is up it prints one JSON line on stdout; logs go to stderr. `docs/postgres.md`.
 *
 * Q1. The URL of the database may have a password: it is never printed or logged, and an error of reading it repeats
 *     nothing of it.
 */

import { parseArgs } from 'node:util';
import { isToken } from '../contract/token.ts';
import { POSTGRES_KINDS, type PostgresSettings, startPostgres } from '../supervision/connector/postgres.ts';
import { busAccess } from './bus-access.ts';
import { POSTGRES_USAGE } from './connector-usage.ts';
import { openLog } from './open-log.ts';
import { untilItEnds } from './process-end.ts';

const OPTIONS = {
  nats: { type: 'string' },
  credentials: { type: 'string' },
  'nats-ca': { type: 'string' },
  database: { type: 'string' },
  schema: { type: 'string', default: 'mcs' },
  name: { type: 'string', default: 'postgres' },
  data: { type: 'string', default: POSTGRES_KINDS.join(',') },
  target: { type: 'string', multiple: true },
  keep: { type: 'string' },
  from: { type: 'string', default: 'start' },
  'metrics-port': { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
} as const;

/** What PostgreSQL takes as a name without quotes. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

export async function postgres(args: string[]): Promise<number> {
  const settings = settingsOf(args);
  if (typeof settings === 'string') {
    process.stderr.write(`mcs connector postgres: ${settings}\n\n${POSTGRES_USAGE}`);
    return 2;
  }
  const log = openLog();
  return untilItEnds(log, async () => {
    const running = await startPostgres(Object.assign({ log }, settings));
    process.stdout.write(
      `${JSON.stringify({ ready: true, connector: settings.name, metrics: running.metrics })}\n`,
    );
    return running;
  });
}

/** The settings, or what is wrong with the command line. */
function settingsOf(args: string[], env = process.env): Omit<PostgresSettings, 'log'> | string {
  const { values } = parseArgs({ args, options: OPTIONS, strict: true });
  const { nats = env.MCS_NATS, database = env.MCS_DATABASE, schema, name, host } = values;
  if (nats === undefined) return '--nats is missing: the address of the bus';
  if (database === undefined) return '--database is missing: the URL of the database';
  if (!isDatabase(database)) return '--database is not a URL postgres://[user@]host[:port]/database';
  if (!SCHEMA.test(schema)) return '--schema takes small letters, digits and _, at most 63';
  if (!isToken(name)) return '--name takes letters, digits, - and _';
  const kinds = listOf([values.data]);
  const strange = kinds.filter((kind) => !(POSTGRES_KINDS as readonly string[]).includes(kind));
  if (strange.length > 0 || kinds.length === 0) return `--data takes some of ${POSTGRES_KINDS.join(', ')}`;
  const targets = values.target && listOf(values.target);
  if (targets !== undefined && !(targets.length > 0 && targets.every(isToken)))
    return '--target takes names of targets, with commas between';
  const [keepDays, metricsPort] = [values.keep, values['metrics-port']].map(countOf);
  if (Number.isNaN(keepDays) || keepDays === 0) return '--keep takes whole days, at least 1';
  const { from } = values;
  if (from !== 'start' && from !== 'now') return '--from takes start or now';
  if (Number.isNaN(metricsPort) || (metricsPort ?? 0) > 65_535)
    return '--metrics-port takes a port, 0 to 65535';
  const { credentials = env.MCS_NATS_CREDENTIALS, 'nats-ca': ca = env.MCS_NATS_CA } = values;
  const access = busAccess({ credentials, ca }, env);
  return {
    name,
    nats,
    ...access,
    database,
    schema,
    kinds: kinds as PostgresSettings['kinds'],
    targets: targets && [...new Set(targets)],
    keepDays,
    from,
    host,
    metricsPort,
  };
}

/** Q1 */
function isDatabase(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);
}

function listOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',')).filter((text) => text !== '');
}

function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
}
