/** The connector to PostgreSQL. */

/**
 * What the connector to PostgreSQL gathers for one transaction: rows, bytes of messages, messages, and for how long. At
 * 10,000 samples a second the second decides, and a commit costs as much as some hundred rows.
 */
export const POSTGRES_BATCH_ROWS = 50_000;
export const POSTGRES_BATCH_BYTES = 4 * 1024 * 1024;
export const POSTGRES_BATCH_MESSAGES = 10_000;
export const POSTGRES_BATCH_MS = 1_000;
/** How long it waits behind the first failure of the database, and behind many in a row. */
export const POSTGRES_AGAIN_MS_FIRST = 250;
export const POSTGRES_AGAIN_MS_MOST = 15_000;
/** How often an instance that waits for another one to end looks. */
export const POSTGRES_STANDBY_MS = 1_000;
/** How long connecting may take, and how long a connection may be silent before it is asked whether it is there. */
export const POSTGRES_CONNECT_MS = 10_000;
/** A statement without an answer for so long is given up with its connection: the slowest disk stores a batch in it. */
export const POSTGRES_STALLED_MS = 10 * 60_000;
/** Samples up to so many days back have a partition of their day: what was stored on board for a year comes down. */
export const POSTGRES_DAYS_BACK = 400;
/** How long the end of the connector waits for the batch that is being written. */
export const POSTGRES_STOP_MS = 5_000;
/** How often days that are to be kept no longer are dropped. */
export const POSTGRES_DROP_MS = 3_600_000;
/** How long a catalogue that a message names is waited for, before its measures are stored under their ordinals. */
export const POSTGRES_CATALOGUE_MS = 2_000;
