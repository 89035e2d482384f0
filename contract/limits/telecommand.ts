/** Telecommands and the lanes that take them to their spacecraft. */

import { GATEWAY_ANSWER_MS } from './link.ts';
import { CLOCK_SKEW_MS } from './membership.ts';

/** A direct telecommand older than this at take-up is rejected rather than sent late (MC-TC-059). */
export const TC_MAX_AGE_MS = 5 * 60_000;
/** Freshness of a `requires` condition that states none: telemetry cadences of small missions are 1 s to 30 s. */
export const REQUIRES_MAX_AGE_MS = 60_000;
/** Telecommands of one target in progress at once; further ones wait in the stream, in order. */
export const LANE_OPEN_TELECOMMANDS = 1_000;
/**
 * Reading what is over from the log as a whole. A lane with `from` submissions ahead of it takes part; lanes that start
 * together have `gatherMs` to join. Reading an event costs a hundredth of a millisecond, a question to a large stream
 * some tenths, so reading up to `eventsForEach` events for each submission pays. Most telecommands end within
 * `usuallyOverMs`. At most `kept` identifiers are held, about a hundred bytes each.
 */
export const FINISHED_BEFORE = {
  from: 100,
  gatherMs: 1_000,
  eventsForEach: 20,
  usuallyOverMs: 60_000,
  kept: 200_000,
} as const;
/** Events of a lane looked for at once, where some are lost. */
export const EVENTS_LOOKED_AT_ONCE = 32;
/**
 * Telecommands of a lane taken up before it is their turn: enough to hide one bus write, few to continue after a crash.
 */
export const LANE_AHEAD = 8;
/**
 * How long a frame that was encoded before the turn of its telecommand may wait for it: drivers of others may write a
 * time into it, or ask something of the moment.
 */
export const ENCODED_AHEAD_MS = 2_000;
/** Time after which a telecommand no longer awaits its echo. */
export const ECHO_WAIT_MS = 60_000;
/**
 * How late after it was asked for a frame may leave: whoever asks waits for half of `GATEWAY_ANSWER_MS`, and what
 * leaves after it has given up leaves behind its final state.
 */
export const SEND_WITHIN_MS = GATEWAY_ANSWER_MS / 2 - CLOCK_SKEW_MS;
/**
 * How long a gateway goes by the holds of a target as it has read them: a read takes a millisecond, and a gateway that
 * slept for longer than this reads again. Below `FENCE_REACTION_MS`.
 */
export const HOLD_READ_MS = 600;
/**
 * How long a run that gives its targets back waits for a gateway that does not say what of it may still leave: behind
 * it every frame is past its `notAfter`.
 */
export const FENCE_MS = SEND_WITHIN_MS + CLOCK_SKEW_MS;
/**
 * How long a reaction waits for that: it suspends the run within a second (section 4.4 reaction rule 5). What a gateway
 * of this service has read by then is too old to send by (`HOLD_READ_MS`).
 */
export const FENCE_REACTION_MS = 700;
/**
 * Counted in the longest duration of a run for each telecommand beside its driver, its gateway and its verification:
 * the judgement of its requirements, a turn behind another telecommand of the lane, and its events on the bus.
 */
export const TELECOMMAND_MARGIN_MS = 5_000;
/**
 * Where the archives are looked through for a telecommand, ms before and behind the drawing of its identifier: clocks
 * of clients may be ahead, most of it is there within minutes, `submitted` is how late it may be submitted, and the
 * last one is longer than a telecommand lives.
 */
export const TC_PAST_WINDOWS = {
  before: 3_600_000,
  behind: [600_000, 7_200_000, 26 * 3_600_000],
  submitted: 7_200_000,
} as const;
/** Questions to the archives for each of these: enough for 50 telecommands a second. */
export const TC_PAST_QUESTIONS = 128;
