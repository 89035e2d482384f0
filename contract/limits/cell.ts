/** Cells, the charts in them and what is kept of them. */

/** Events waiting in one cell. A cell that far behind is broken or flooded; the caller is informed (C6). */
export const CELL_INBOX = 1_000;
/** How long an entity that changes is not kept beside its log: what ends before that never is. */
export const KEPT_EVERY_MS = 1_000;
/** Writes of envelopes beside logs under way at once, of one kind in one process. */
export const KEPT_WRITES = 8;
/** An envelope beside a log; what is larger is not kept, and its entity is restored from the log alone. */
export const KEPT_ENVELOPE_BYTES = 512 * 1024;
/** Microsteps of one event: a chart that needs more has an endless `always` loop. */
export const CHART_MICROSTEPS = 64;
/** Dead letters kept in memory for the inspector, newest last; the stream keeps the rest. */
export const DEAD_LETTERS_SHOWN = 256;
