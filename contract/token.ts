/**
 * Tokens and identifiers: the only characters that may become part of a bus subject or a key.
 *
 * K1. Nothing reaches a subject or a key without passing here: the bus client does not check it.
 */

import { NAME_CHARACTERS } from './limits/request.ts';
import { SCHEDULE_ID_CHARACTERS } from './limits/schedule.ts';

/** Letters, digits, `-`, `_` (Mission Control Service, "Conventions"). */
export const TOKEN_PATTERN = `^[A-Za-z0-9_-]{1,${NAME_CHARACTERS}}$`;
/** A ULID in Crockford's base 32; the first character keeps it inside 128 bits. */
export const ULID_PATTERN = '^[0-7][0-9A-HJKMNP-TV-Z]{25}$';

const TOKEN = new RegExp(TOKEN_PATTERN);
const ULID = new RegExp(ULID_PATTERN);

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The identifier of a schedule: that of a rule, `-` and that of a pass, where a rule makes it. */
export const SCHEDULE_ID_PATTERN = `^[A-Za-z0-9_-]{1,${SCHEDULE_ID_CHARACTERS}}$`;
const SCHEDULE_ID = new RegExp(SCHEDULE_ID_PATTERN);

export function isScheduleId(text: string): boolean {
  return SCHEDULE_ID.test(text);
}

export function isUlid(text: string): boolean {
  return ULID.test(text);
}

/** The segment of a component without instances in subjects and alarm keys (section 2.4; MC-ALM-003, MC-ALM-017). */
export const NO_INSTANCE = '_';

/** A part of a key of a bucket. */
export const KEY_TOKEN = '[A-Za-z0-9_=-]+';
const KEY = new RegExp(`^${KEY_TOKEN}(\\.${KEY_TOKEN})*$`);

/** Whether the text can be a key of a bucket: tokens, which may have `=` in them, with dots between. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}
