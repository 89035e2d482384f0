/** Samples, current values and derived measures. */

/** Value batches of one target on their way to the bus: enough to hide its latency, little to redo after a crash. */
export const VALUE_APPENDS = 64;
/**
 * Value batches before the end of their stream of which a new owner knows each: several owners may have died with
 * theirs on the way.
 */
export const VALUE_TAIL = 16 * VALUE_APPENDS;
/**
 * A value batch without an acknowledgement for so long may be lost: those behind it wait. Well above the way to a bus
 * and back, well below the second between two frames of most missions.
 */
export const VALUE_APPEND_LATE_MS = 250;
/** Current values are written to the bus at most this often (T5). */
export const VALUES_CHECKPOINT_MS = 1_000;
/** Bytes of a value batch with files: below the 1 MiB a bus server takes by default, with room for headers. */
export const VALUE_MESSAGE_BYTES = 1_000_000;
/**
 * A derived number that changes without a sample, because others leave its window, is reported at whole seconds: a
 * person sees it move, and samples that come as regularly as others leave report it themselves.
 */
export const DERIVED_TELL_MS = 1_000;
/**
 * How far before its windows a new owner reads values back: what held before the oldest sample of a window began with
 * the sample before, and telemetry cadences of small missions are 1 s to 30 s.
 */
export const DERIVED_REBUILD_MS = 60_000;
/** How long samples of an unknown catalogue wait for its configuration to arrive; drivers may take it up first. */
export const CATALOGUE_WAIT_MS = 2_000;
