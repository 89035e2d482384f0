/**
 * Why the database does not take what is given to it, in words that say what to do. Nothing is lost by any of it: the
 * stream keeps what is not stored, and it is tried again.
 *
 * W1. No password is in any of it: what may hold one is never repeated.
 */

import { POSTGRES_AGAIN_MS_FIRST, POSTGRES_AGAIN_MS_MOST } from '../../contract/limits/postgres.ts';

export type TroubleKind = 'away' | 'full' | 'refused' | 'altered' | 'other';

export interface Trouble {
  readonly kind: TroubleKind;
  readonly message: string;
}

/** Another instance writes: nobody's fault, and said less loudly. */
export class WrittenByAnother extends Error {
  constructor(schema: string) {
    super(`another instance writes to the schema ${schema}; this one waits to take over`);
    this.name = 'WrittenByAnother';
  }
}

/** The tables are not as they are written. */
export class SchemaAltered extends Error {}

const AWAY = new Set(['57P01', '57P02', '57P03', '08000', '08001', '08003', '08004', '08006', '25006']);
const FULL = new Set(['53100', '53200', '53300', '53400', '54000']);
const SYSTEM = /^E[A-Z]+$/;

/** What an error of the database or of the way there means. */
export function troubleOf(error: unknown): Trouble {
  const {
    code = '',
    message = String(error),
    detail,
  } = error as {
    readonly code?: string;
    readonly message?: string;
    readonly detail?: string;
  };
  const said = detail === undefined || code.startsWith('28') ? message : `${message} (${detail})`;
  if (error instanceof SchemaAltered || /^(42|22|23|0A)/.test(code))
    return {
      kind: 'altered',
      message: `the database does not take rows, its tables were altered: ${said}; put back what is missing (docs/postgres.md, "Schema"), and the connector goes on by itself`,
    };
  if (code.startsWith('28') || code === '3D000')
    return {
      kind: 'refused',
      message: `the database refuses the connector: ${said}; check user, password and database of the URL, of PGPASSWORD and of the password file`,
    };
  if (FULL.has(code))
    return { kind: 'full', message: `the database has no room: ${said}; the connector waits until it has` };
  if (AWAY.has(code) || SYSTEM.test(code) || /terminated|timeout|closed|ended/i.test(message))
    return { kind: 'away', message: `the database is not reached: ${said}; the connector waits for it` };
  return { kind: 'other', message: `the database does not take rows: ${said}; it is tried again` };
}

/** How long to wait behind so many failures in a row, from 0 on. */
export function againAfterMs(failures: number): number {
  return Math.min(POSTGRES_AGAIN_MS_FIRST * 2 ** Math.min(failures, 16), POSTGRES_AGAIN_MS_MOST);
}
