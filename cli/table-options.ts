/** What every command that prints times, in a table or as JSON, takes beside its own options. */

import { WrongUsage } from './command-line.ts';
import { SERVICE_OPTIONS } from './service.ts';

/** Of a command that asks the service and prints what it says. */
export const JSON_OPTIONS = { ...SERVICE_OPTIONS, json: { type: 'boolean' } } as const;

/** The same with times. */
export const TABLE_OPTIONS = {
  ...JSON_OPTIONS,
  utc: { type: 'boolean' },
  local: { type: 'boolean' },
} as const;

export const TIME_USAGE = 'TIME: 2026-01-02, from 00:00 UTC, or 2026-01-02T03:04Z\n';

interface TableValues {
  readonly json?: boolean | undefined;
  readonly utc?: boolean | undefined;
  readonly local?: boolean | undefined;
}

export interface Shape {
  readonly json: boolean;
  /** Times in the zone of the machine; otherwise in UTC. */
  readonly local: boolean;
}

/** How to print. */
export function shapeOf({ json = false, utc = false, local = false }: TableValues): Shape {
  if (utc && local) throw new WrongUsage('--utc and --local exclude each other');
  return { json, local };
}
