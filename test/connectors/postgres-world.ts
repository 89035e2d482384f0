/** The connector to PostgreSQL in this process, on a real bus and a real server. */

import type { NatsBus } from '../../bus/nats-bus.ts';
import { PostgresConnector, type PostgresOptions } from '../../connectors/postgres/connector.ts';
import { POSTGRES_KINDS, sourcesOf } from '../../connectors/postgres/source.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Platform } from '../../mission/platform.ts';
import { realClock } from '../../supervision/clock.ts';
import { TestMissions } from '../support/missions.ts';
import { type KeptLog, keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

/** One measure of each type; the last one is calibrated. */
const TYPES = ['f64', 'f32', 'u8', 'i64', 'u64', 'bool', 'string', 'bytes', 'mode', 'u16'] as const;

const LABELS = new Map([
  ['SAFE', 0],
  ['NOMINAL', 1],
  ['BOOT', 7],
]);

const calibrate = (raw: number): number => raw * 0.001;

/** A catalogue of all types of values, and a mission that has it. */
export const PLATFORM = {
  digest: 'digest-1',
  files: { component: 'storage' },
  measures: [
    ...TYPES.map((type) => ({
      key: `power.${type}`,
      definition: {
        type,
        unit: type === 'u16' ? 'V' : undefined,
        enumeration:
          type === 'mode'
            ? { names: [...LABELS.keys()], numberOf: (label: string) => LABELS.get(label) }
            : undefined,
        calibrate: type === 'u16' ? calibrate : undefined,
      },
    })),
    { key: 'power.charge', definition: { type: 'u64', unit: 'C', calibrate } },
  ],
} as unknown as Platform;

export const MISSION = {
  revision: 'r1',
  platforms: new Map([[PLATFORM.digest, PLATFORM]]),
} as unknown as Mission;

export const ORDINALS = TYPES.map((_, ordinal) => ordinal);
/** A calibrated measure of integers that may be past 2^53. */
export const CHARGE = TYPES.length;

export interface Connected {
  readonly connector: PostgresConnector;
  readonly log: KeptLog;
  /** Resolves when so many rows are stored in this life of it. */
  stored(rows: number): Promise<void>;
}

export function connect(
  bus: NatsBus,
  database: PostgresOptions['database'],
  more: Partial<PostgresOptions> & { readonly targets?: readonly string[] } = {},
): Connected {
  const log = keptLog();
  const { targets, ...options } = more;
  const connector = new PostgresConnector(
    Object.assign(
      {
        bus,
        missions: new TestMissions(MISSION),
        clock: realClock,
        log,
        database,
        batchMs: 50,
        sources: sourcesOf(POSTGRES_KINDS, targets),
        keepDays: undefined,
      },
      options,
    ),
  );
  return {
    connector,
    log,
    stored: async (rows) =>
      void (await until(() => connector.status.rows >= rows, {
        timeoutMs: 20_000,
        what: `${rows} rows stored, of which ${connector.status.rows} are`,
      }).catch((error: unknown) => {
        throw new Error(`${String(error)}; ${JSON.stringify([connector.status, log.said])}`);
      })),
  };
}
