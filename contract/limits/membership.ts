/** Processes: who is alive, who owns what, and how clocks may differ. */

/** A process whose heartbeat has not moved for this long is dead for the others (single bus server). */
export const MEMBER_TTL_MS = 3_000;
/** What an installation may set in its place: shorter and a pause of the machine takes work from the living. */
export const MEMBER_TTL_MS_LEAST = 500;
export const MEMBER_TTL_MS_MOST = 3_600_000;
/**
 * How long a process may take to claim what a dead or leaving one had and to begin it, beyond the time to live: claims
 * are paced, and a machine under full load starts a gateway in seconds.
 */
export const TAKEOVER_MS = 4_000;
/** Longest wait for another process to serve a gateway, however long members live: people wait for the telecommand. */
export const HAND_OVER_MS_MOST = 60_000;
/** Pause behind the first look at what nobody serves; a process that gives one over takes some tens of ms. */
export const HAND_OVER_LOOK_MS = 25;
/**
 * How long a gateway that nobody has taken is known to be absent, behind the last look: no process begins one and gives
 * it back in less, and a lane that is full of telecommands looks again within it.
 */
export const ABSENCE_KNOWN_MS = 1_000;
/**
 * Silence after which the key of a dead member is removed, in times to live: a process that wakes after it writes a new
 * one.
 */
export const MEMBER_FORGOTTEN_TTLS = 10;
/** Keys of dead members removed at each heartbeat: 20,000 are gone in five minutes, at a cost nobody notices. */
export const MEMBERS_FORGOTTEN_AT_ONCE = 64;
/**
 * Partitions of one kind that a process takes or gives back at once: hides the way to the bus, and leaves room between
 * them for everything else the process does.
 */
export const PARTITION_MOVES = 32;
/**
 * Partitions of one kind that a process gives to others at once, until they are taken: each is away for as long as
 * those before it take, and telecommands wait for what is done with all of them in a turn. With two a joining process
 * waits for the bus, with sixteen p99 doubles. And how long one that nobody takes keeps its place.
 */
export const PARTITIONS_GIVEN = 4;
export const PARTITION_TAKEN_MS = 2_000;
/**
 * How long a process that is given other partitions waits for one before it asks the bus who owns it, and between two
 * such questions: longer than two thousand take to be given.
 */
export const PARTITION_PATIENCE_MS = 30_000;
/**
 * How long the start of a worker keeps the place of its partition among those: one that waits for something lets others
 * go on.
 */
export const PARTITION_START_MS = 2_000;
/**
 * How long an answer of the bus about a silent member is good for (membership.E4): many partitions are taken from one
 * dead owner.
 */
export const MEMBER_SILENT_MS = 250;
/** A process whose name another one bears looks for so long whether that one lives: longer than between two heartbeats. */
export const NAMESAKE_MS = 2_000;
export const NAMESAKE_LOOK_MS = 250;
/**
 * A real-time sample whose on-board time is this far from the one before shows that the clock on board was set. Frames
 * of one link overtake each other by seconds at most.
 */
export const CLOCK_STEP_MS = 10 * 60_000;
/**
 * How far the clocks of two machines of a cell may differ. Machines that keep time by NTP differ by milliseconds; two
 * seconds is where an alarm of the operator's own would have rung long ago.
 */
export const CLOCK_SKEW_MS = 2_000;
