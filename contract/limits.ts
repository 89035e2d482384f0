/**
 * Every bound of the service with the reason for its number. A queue, loop, retry, body or subscription without a
 * name here is a defect.
 */

/** JSON bodies: the largest telecommand or run request is a few kB; 1 MiB leaves room for bytes arguments. */
export const JSON_BODY_BYTES = 1024 * 1024;
/** A WebSocket client that follows sends nothing; 1 KiB takes any control chatter. */
export const FOLLOW_MESSAGE_BYTES = 1024;
/** Bytes the kernel and uWebSockets.js may hold for one socket before the writer waits for `drain`. */
export const FOLLOW_BUFFER_BYTES = 64 * 1024;
/** A log follower further behind than this is closed with 4408 and resumes by replay (T3). */
export const FOLLOW_LOG_QUEUE_BYTES = 4 * 1024 * 1024;
/** How long a driver may take before 504 `driver::no-answer` (MC-ENC-025). */
export const DRIVER_ANSWER_MS = 5_000;
/** How long a gateway may take to accept a frame before the sending counts as failed. */
export const GATEWAY_ANSWER_MS = 10_000;
/** How long one attempt of a bus write waits for its acknowledgement; short, so that a request answers 503 fast. */
export const BUS_ATTEMPT_MS = 2_000;
/** How long a request from outside may wait for the bus over all attempts. */
export const BUS_REQUEST_MS = 2_500;
/** A direct telecommand older than this at take-up is rejected rather than sent late (MC-TC-059). */
export const TC_MAX_AGE_MS = 5 * 60_000;
/** Freshness of a `requires` condition that states none: telemetry cadences of small missions are 1 s to 30 s. */
export const REQUIRES_MAX_AGE_MS = 60_000;
/** Telecommands of one target in progress at once; further ones wait in the stream, in order. */
export const LANE_OPEN_TELECOMMANDS = 1_000;
/** Events waiting in one cell. A cell that far behind is broken or flooded; the caller is told (C6). */
export const CELL_INBOX = 1_000;
/** Commits of one cell under way at once: transitions may run ahead of durability, not without bound. */
export const CELL_COMMITS = 64;
/** Microsteps of one event: a chart that needs more has an endless `always` loop. */
export const CHART_MICROSTEPS = 64;
/** Dead letters kept in memory for the inspector, newest last; the stream keeps the rest. */
export const DEAD_LETTERS_SHOWN = 256;
/** Frames a gateway puts in one bus message: one message per turn, never one per sample (T1). */
export const FRAMES_PER_MESSAGE = 256;
/** Largest frame a gateway takes: a space packet is at most 65,542 bytes. */
export const FRAME_BYTES = 65_542;
/** Sent frames a gateway remembers by their key, so that a repeated request is answered and not sent again (O2). */
export const GATEWAY_SENT_KEYS = 10_000;
/** Time after which a telecommand no longer awaits its echo. */
export const ECHO_WAIT_MS = 60_000;
/** A process whose heartbeat has not moved for this long is dead for the others (single bus server). */
export const MEMBER_TTL_MS = 3_000;
/** Value batches of one target on their way to the bus: enough to hide its latency, little to redo after a crash. */
export const VALUE_APPENDS = 64;
/** Current values are written to the bus at most this often (T5). */
export const VALUES_CHECKPOINT_MS = 1_000;
/** How long samples of an unknown catalogue wait for its configuration to arrive; drivers may take it up first. */
export const CATALOGUE_WAIT_MS = 2_000;
/** Pause before the bus is asked again by a role that has nobody to report the failure to. */
export const BUS_RETRY_MS = 500;
/** Counts a driver reserves at once: one bus write per 256 telecommands; a crash leaves at most that gap of 16,384. */
export const COUNTER_BLOCK = 256;
/** Attempts to reserve counts against other processes of the same driver; each loses to at most every other once. */
export const COUNTER_RESERVATION_ATTEMPTS = 16;
/** Frames that wait in a gateway for the bus, 64 full messages; the oldest are dropped and counted past it. */
export const GATEWAY_QUEUE_FRAMES = 16_384;
/** The same bound in bytes: the queue holds minutes of telemetry and never a serious part of the memory. */
export const GATEWAY_QUEUE_BYTES = 64 * 1024 * 1024;
/** Bytes of frames in one bus message: below the 1 MiB a bus server takes by default, with room for headers. */
export const FRAME_MESSAGE_BYTES = 512 * 1024;
/** Frames that could not be read are told of in one log line this often. */
export const FRAME_FAULT_LOG_MS = 1_000;
/** Request identifiers a simulated spacecraft counts: one for each sequence count of its APID. */
export const SPACECRAFT_REQUESTS = 16_384;
/**
 * A real-time sample whose on-board time is this far from the one before shows that the clock on board was set. Frames of
 * one link overtake each other by seconds at most.
 */
export const CLOCK_STEP_MS = 10 * 60_000;
/**
 * How far the clocks of two machines of a cell may differ. Machines that keep time by NTP differ by milliseconds; two seconds
 * is where an alarm of the operator's own would have rung long ago.
 */
export const CLOCK_SKEW_MS = 2_000;
