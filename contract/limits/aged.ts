/** Records that are long over and lie in the archive of their days: passes, schedules, transfers. */

/** How often what is long over is looked for, and how soon again while there are more. */
export const AGEING_MS = 60_000;
export const AGEING_SOON_MS = 1_000;
/** Searches for a record that is long over which wait for their turn: each reads a year. */
export const AGED_SEARCHES_WAITING = 32;
/**
 * How long a record stands with those that are long over before it leaves the living: a server that loses power may
 * lose what it stored in the two minutes before (its `sync_interval`).
 */
export const AGED_REST_MS = 5 * 60_000;
/** Days of which records that are long over are kept: a year, and as many of records that came late. */
export const AGED_DAYS = 1_000;
/** Entries of records that are long over, read at once. */
export const AGED_READS = 32;
/** Days of such records read at once for a list that has not enough yet. */
export const AGED_DAYS_AT_ONCE = 8;
/** Bytes of one entry of such records, compressed: five thousand passes of one target on one day. */
export const AGED_ENTRY_BYTES = 512 * 1024;
/** Bytes of one that is read; what is larger was not written here. */
export const AGED_READ_BYTES = 64 * 1024 * 1024;
/** Entries of such records of which the log has said once that something is wrong with them. */
export const AGED_SAID = 1_000;
/** Rounds of a change of such records that others overtake, before it is left for later. */
export const AGED_ROUNDS = 8;
