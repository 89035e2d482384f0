/** Runs of procedures and their programs. */

/** Parts the runs of a cell are shared out in among its executors: enough for eight of them, few to follow. */
export const RUN_SHARDS = 8;
/** Bytes of one answer to a run: a path, a value and a token, with room to spare; its log must be able to repeat it. */
export const RUN_ANSWER_BYTES = 64 * 1024;
/** How long an executor may take to answer a command to a run (section 8: 504 `run::timeout`). */
export const RUN_CONTROL_MS = 30_000;
/**
 * How long one asking of a command waits before it is repeated: a takeover lasts a few seconds, and the heir is asked
 * soon after.
 */
export const RUN_ASK_MS = 1_000;
/**
 * Pause before a command is asked again where an answer came at once that settles nothing: about one way to the bus and
 * back.
 */
export const RUN_ASK_PAUSE_MS = 100;
/** Commands of one shard whose answers are remembered for a repetition: half a minute of more than anybody types. */
export const RUN_CONTROL_KEPT = 1_000;
/**
 * How far the time of an identifier that a client drew for a run may be from this service's clock: runs are listed by
 * their identifiers. A clock in the wrong zone is no reason to refuse a launch.
 */
export const RUN_ID_OFF_MS = 24 * 3_600_000;
/** Runs in a list (section 8): by default, and at most. */
export const RUN_LIST_DEFAULT = 20;
export const RUN_LIST_MOST = 200;
/** Statements of one program, calls in place: a procedure that long has copied itself. */
export const PROGRAM_STATEMENTS = 10_000;
/**
 * Bytes of one program, about: a long procedure has some 300 a statement, so this leaves room for long inputs, and is
 * half of what the bus takes in one message.
 */
export const PROGRAM_BYTES = 4 * 1024 * 1024;
/** Depth of calls: procedures that call each other in a ring are refused before, so this bounds honest nesting. */
export const PROGRAM_DEPTH = 32;
/**
 * Characters of the path of a step: names of calls and of nested steps, far more than the depth of either allows in
 * practice.
 */
export const STEP_PATH_CHARACTERS = 16 * 1024;
/** Readbacks of a configure without `within`: two slow telemetry cadences. */
export const READBACK_WITHIN_MS = 60_000;
/** Freshness of a `check` that states none, as of `requires`. */
export const CHECK_MAX_AGE_MS = 60_000;
/** How often a dry run decides `replay` by itself (section 8). */
export const DRY_RUN_REPLAYS = 3;
/** Runs of one shard open at once; further ones wait in the stream. Most of them sleep, a few kB each. */
export const SHARD_OPEN_RUNS = 2_000;
/** Runs of a shard restored at the same time by a new owner: each reads its log. */
export const SHARD_RESTORES = 16;
/** Entries of one kind in the report of a run: what a person reads; its log has them all. */
export const RUN_REPORT_ENTRIES = 250;
/** Bytes of a report: below the 1 MiB a bus takes, with room for headers. */
export const RUN_REPORT_BYTES = 900 * 1024;
/** Pages of the log of events that are asked for the report of a run whose log has left the bus. */
export const RUN_REPORT_PAGES = 40;
/** Attempts of a step, and sendings of one telecommand: what fails a hundred times no repetition repairs. */
export const STEP_ATTEMPTS = 100;
/** Files of one run that its log names where the run stops. */
export const RUN_UPLOADS_SAID = 20;
/**
 * Longest time one statement of a procedure waits. Procedures last a pass or a test campaign of days; what is to happen
 * in weeks is a schedule, and a timer of Node holds 24 days.
 */
export const STATEMENT_LONGEST_MS = 7 * 24 * 3_600_000;
