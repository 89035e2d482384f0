/** Alarms and reactions. */

/** How long a reaction waits for the reaction of another alarm on its target (section 4.4 reaction rule 4). */
export const REACTION_WAIT_MS = 60_000;
/** How often it looks meanwhile: a second reaction begins right behind the first, for one small read each. */
export const REACTION_LOOK_MS = 200;
/**
 * How long a reaction that has its target waits until the run it took it from is suspended: that happens within a
 * second.
 */
export const REACTION_PREEMPT_MS = 1_000;
/** One ask of the executor of that run; a living one answers in milliseconds. */
export const REACTION_ASK_MS = 400;
/** Holds on one target that reactions took, remembered: what those runs had under way is long over behind so many. */
export const TAKEN_HOLDS = 32;
/** Text that an alarm shows as its value: the rest is cut off, so that its record fits into a message of the bus. */
export const ALARM_VALUE_CHARACTERS = 4_096;
/**
 * Alarms recorded at the same time, of all targets: enough to hide two bus writes each, and a command of a person waits
 * behind so many.
 */
export const ALARM_EDGES_UNDER_WAY = 64;
/** Changes of alarms of one target that wait to be recorded; its value stream is read on when fewer do. */
export const ALARM_EDGES_WAITING = 2_000;
/** Records whose last event is compared with the stream at the same time by a new alarm leader. */
export const ALARM_RECOVERIES = 64;
/** Writes of records that wait until those before them are covered (alarm/compared-mark.C1): seconds of a storm. */
export const ALARM_WRITES_NOT_COVERED = 10_000;
/** Targets that a new alarm leader takes up at the same time. */
export const ALARM_TARGETS_OPENING = 32;
/**
 * How long an alarm may take to record a change before it is reported again: several times what a bus write may wait.
 */
export const ALARM_SETTLE_MS = 20_000;
/** Commands of people that wait for their alarms; a person gives one at a time, a script some. */
export const ALARM_COMMANDS_WAITING = 1_000;
/**
 * An alarm that nothing happens to leaves the memory after this long: in a storm of ten thousand each comes round again
 * sooner, and need not be read again.
 */
export const ALARM_IDLE_MS = 30_000;
/**
 * Reactions of one alarm under way: one waits a minute for its target at most, so this is an alarm that raises every
 * second.
 */
export const ALARM_REACTIONS = 64;
/** Read before the span that a new alarm leader needs: samples are stored a little after their ground time. */
export const ALARM_REPLAY_MARGIN_MS = 10_000;
/**
 * How far back alarms are read beyond what their conditions look at: there the measures of a condition and what
 * `changes` compares with had their last samples, two slow telemetry cadences.
 */
export const ALARM_BASELINE_MS = 60_000;
/** How long a list of alarms waits for the watch to have the last write, which takes milliseconds; then it is read. */
export const ALARM_SEEN_MS = 500;
/**
 * How long the alarm service may take to answer a command, unless the configuration says otherwise: two bus writes,
 * with room for a takeover.
 */
export const ALARM_ANSWER_MS = 5_000;
