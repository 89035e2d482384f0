/** Passes: lists, snapshots, checks of their gateways. */

/** Passes of one snapshot: three weeks of a target over thirty stations. */
export const SNAPSHOT_PASSES = 5_000;
/** Bytes of a snapshot: a pass with every field has some 400. */
export const SNAPSHOT_BODY_BYTES = 4 * 1024 * 1024;
/**
 * Passes of one target that are not long over: who writes one reads them all. A month of a low orbit over thirty
 * stations has five thousand.
 */
export const PASSES_OF_TARGET = 20_000;
/** How long after its LOS a pass stays among those that every process holds: the day's work looks back as far. */
export const PASS_LIVE_AFTER_LOS_MS = 24 * 3_600_000;
/**
 * A contribution to a time before so long ago is matched against the passes that are long over as well: half of the
 * above, so that clocks of processes need not agree.
 */
export const PASS_REACH_MS = 12 * 3_600_000;
/** Passes of a target that are on their way to the bus at once: some 20 ms of it. */
export const PASS_WRITES_AT_ONCE = 128;
/** Passes moved in one round: a second of the bus. */
export const PASSES_AGED_AT_ONCE = 1_000;
/** Passes of one list: what a page shows and a reply of 4 MB holds. */
export const PASS_LIST_MOST = 5_000;
/** Lists of passes that one `mcs pass list` reads: 100,000 passes are more than a person reads. */
export const PASS_LISTS_READ = 20;
/** How long who wrote a pass waits until the lists of this process show it. */
export const PASS_SEEN_MS = 5_000;
/** How long who writes a pass waits until this process has what stands, before it asks the bus for it. */
export const PASS_CATCH_UP_MS = 100;
/** From when on before its AOS the gateway of a pass is checked (section 4.5). */
export const PASS_CHECK_AHEAD_MS = 10 * 60_000;
/** So long before AOS and after LOS what the station receives counts as of the target: predictions are not exact. */
export const PASS_RECEIVE_MARGIN_MS = 60_000;
/** How often the pass of a run with a plan is looked at where nothing changes. */
export const PLAN_LOOK_MS = 10_000;
/** How often the gateways of passes are checked where nothing changes. */
export const PASS_CHECK_MS = 5_000;
/** Changes of so long are checked together: a snapshot changes hundreds of passes in a moment. */
export const PASS_CHECK_SOON_MS = 250;
/** Bytes of one entry of the journal of passes of a target, compressed: half of what the bus takes as one message. */
export const PASS_JOURNAL_BYTES = 512 * 1024;
/** Rounds of a write of passes that others keep overtaking, before it is given up with 503. */
export const PASS_WRITE_ROUNDS = 64;
