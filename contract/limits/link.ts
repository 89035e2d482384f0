/** Drivers, gateways and frames. */

/** How long a driver may take before 504 `driver::no-answer` (MC-ENC-025). */
export const DRIVER_ANSWER_MS = 5_000;
/**
 * How long behind its submission a telecommand waits for a driver that nobody serves, out of the time that the driver
 * may take: one that a new configuration brings, or whose process is started again, is there a moment later.
 */
export const DRIVER_COMES_MS = 3_000;
/** Pause between two questions to it. */
export const DRIVER_RETRY_MS = 250;
/**
 * Silence of the process that was given a question to a driver before each process of the driver is asked: it encodes
 * within milliseconds, and one that sleeps holds up a lane for this long.
 */
export const DRIVER_SILENT_MS = 500;
/** How long a gateway may take to accept a frame before the sending counts as failed. */
export const GATEWAY_ANSWER_MS = 10_000;
/** Frames a gateway puts in one bus message: one message per turn, never one per sample (T1). */
export const FRAMES_PER_MESSAGE = 256;
/** Largest frame a gateway takes: a space packet is at most 65,542 bytes. */
export const FRAME_BYTES = 65_542;
/** Sent frames a gateway remembers by their key, so that a repeated request is answered and not sent again (O2). */
export const GATEWAY_SENT_KEYS = 10_000;
/**
 * And for how long: whoever asks again does so within seconds of a takeover. A cell of 500 gateways would else keep
 * five million of them.
 */
export const GATEWAY_SENT_MS = 600_000;
/** Those it remembers however old they are: who asks may have been without a bus for hours. */
export const GATEWAY_SENT_KEYS_LEAST = 256;
/** How long a gateway that is given back goes on with what is on its way: a frame of a slow radio has a second. */
export const GATEWAY_LEAVES_MS = 1_000;
/** Frames that wait in a gateway for the bus, 64 full messages; the oldest are dropped and counted past it. */
export const GATEWAY_QUEUE_FRAMES = 16_384;
/** The same bound in bytes: the queue holds minutes of telemetry and never a serious part of the memory. */
export const GATEWAY_QUEUE_BYTES = 64 * 1024 * 1024;
/** Bytes of frames in one bus message: below the 1 MiB a bus server takes by default, with room for headers. */
export const FRAME_MESSAGE_BYTES = 512 * 1024;
/** Frames that could not be read are reported in one log line this often. */
export const FRAME_FAULT_LOG_MS = 1_000;
/** Fences that a gateway remembers, one for each run and target: the runs of an hour of a large mission. */
export const GATEWAY_FENCES = 10_000;
/**
 * Characters of a pattern or template of a text line: instruments answer in lines a person reads on one screen row or
 * two.
 */
export const LINE_PATTERN_CHARACTERS = 256;
/** Patterns of one platform: each line is tried against each, and each pair is compared when documents are compiled. */
export const LINE_PATTERNS = 256;
/** Longest line of a text protocol, written or read: four times what the longest known answers of instruments have. */
export const LINE_BYTES = 4_096;
/** Characters of a line that matched nothing, as logged. */
export const LINE_SHOWN_CHARACTERS = 80;
/**
 * An answer may be stamped this much before its sending: both stamps are of one clock in whole milliseconds, and a peer
 * on the same machine answers within one. The answer to the telecommand before is older by several writes to the bus.
 */
export const ANSWER_STAMP_MS = 1;
/**
 * Wait before a lost connection of a gateway is tried again, doubling with each failure: a modem that restarts is back
 * soon.
 */
export const LINK_RETRY_FIRST_MS = 250;
/** Longest wait between two tries: an operator who repairs a cable looks at the state for about as long. */
export const LINK_RETRY_LONGEST_MS = 30_000;
/** A connection that held this long was a good one: the next loss is tried again at once. */
export const LINK_STABLE_MS = 10_000;
/** How long a connection may take to be made; a network that is there answers in a second or two. */
export const LINK_CONNECT_MS = 10_000;
/** Silence of a TCP peer before the kernel asks whether it is there; it asks ten times, a second apart. */
export const LINK_KEEPALIVE_MS = 10_000;
/**
 * How often it is looked whether a stream stands still, while bytes wait that may be noise before a frame. Radios send
 * a frame in one go, and TCP repeats what was lost after 0.2 s.
 */
export const LINK_STILL_LOOK_MS = 250;
/**
 * How long a frame may take to leave, waiting included. Below half of `GATEWAY_ANSWER_MS`: whoever asked gets the
 * answer before it asks again.
 */
export const LINK_SEND_MS = 4_000;
/** Frames that wait to leave one gateway: lanes send one at a time, so this is 64 targets behind one antenna. */
export const LINK_SEND_QUEUE = 64;
/** What the kernel is asked to hold of UDP for us: two seconds of a fast S-band downlink; it grants what it allows. */
export const UDP_RECEIVE_BYTES = 4 * 1024 * 1024;
export const UDP_RECEIVE_BYTES_LEAST = 4_096;
export const UDP_RECEIVE_BYTES_MOST = 1024 * 1024 * 1024;
/** How often it is looked at what the kernel dropped. */
export const UDP_DROPS_LOOK_MS = 1_000;
/**
 * A gateway reports its throughput this often: it counts as current for 15 s (section 4.7 rule 4), so two may be lost.
 */
export const GATEWAY_METRICS_MS = 5_000;
/** How long a received frame waits for its samples before it is shown without: a decoder is done in milliseconds. */
export const FRAME_DECODED_MS = 500;
/** Frames of one watcher that wait for their samples; more are skipped and counted. */
export const FRAME_WATCH_QUEUE = 4_096;
/** Samples shown of one frame; the rest is counted. */
export const FRAME_WATCH_SAMPLES = 256;
/** Bytes shown of a frame when the whole is not asked for: enough for every header we know. */
export const FRAME_HEAD_BYTES = 16;
/** Bytes of one reply of another process: twice what a bus message holds by default. */
export const REPLY_BYTES = 2 * 1024 * 1024;
/**
 * Levels of one reply: charts and contexts shown by the inspector have some dozens; whoever walks thousands loses its
 * stack.
 */
export const REPLY_DEPTH = 256;
/** How long a gateway may take to say how its link is. */
export const GATEWAY_STATE_MS = 1_000;
/** How long a driver or a gateway may take to keep a binding of a link: it only remembers it. */
export const BIND_ANSWER_MS = 2_000;
/** Bindings in one delivery; a driver has those of thousands of targets. */
export const BINDINGS_AT_ONCE = 64;
/** Characters of them, each up to three bytes: a tenth of what a bus message holds by default. */
export const BINDINGS_CHARACTERS = 32 * 1024;
/**
 * Bindings of links are delivered again this often: whoever lost one without a word has it back before a pass begins.
 */
export const BINDINGS_AGAIN_MS = 30_000;
/**
 * At most so many of these in a second: a hundredth of a core. Those of 2,000 targets, for their drivers and gateways,
 * take 100 s.
 */
export const BINDINGS_AGAIN_PER_S = 40;
