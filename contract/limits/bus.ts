/** The message bus: streams, room, attempts, the embedded server. */

/** The least that a stream is given which is made for a rate; where this is refused, it is refused. */
export const STREAM_BYTES_LEAST = 16 * 1024 * 1024;
/** For how long a stream may be made to keep; streams of samples may be shorter. */
export const STREAM_RETENTION_LEAST_MS = 86_400_000;
export const STREAM_SAMPLES_LEAST_MS = 10 * 60_000;
export const STREAM_RETENTION_MOST_MS = 3_660 * 86_400_000;
/** A stream or an account that is so full is reported, unless the configuration says otherwise. */
export const STREAM_WARN_AT = 0.8;
/** How often a process looks how full the streams are. */
export const STREAM_FILLS_LOOK_MS = 10_000;
/** What `mcs bus check` lists of one kind; the rest is counted. */
export const BUS_CHECK_FINDINGS = 1_000;
/** A bus in use changes while it is read: what does not fit is looked at again after this time. */
export const BUS_CHECK_AGAIN_MS = 2_000;
/** Streams that are asked about at once. */
export const STREAMS_ASKED = 4;
/** Rates of streams and readers are those of this time, from looks that are at least so far apart. */
export const STREAM_RATE_MS = 60_000;
export const STREAM_RATE_LEAST_MS = 1_000;
/** How long one attempt of a bus write waits for its acknowledgement; short, so that a request answers 503 fast. */
export const BUS_ATTEMPT_MS = 2_000;
/** A server that says of a stream that there is none has removed its files so much later; they take milliseconds. */
export const BUS_REMOVAL_MS = 1_000;
/** An id that a leader has refused for so long as being stored was lost by an election; one that is stored takes ms. */
export const BUS_STUCK_MS = 2_000;
/** How often a process may ask the leader of one stream to hand over for that reason. */
export const BUS_HAND_OVER_AGAIN_MS = 10_000;
/** Ids that are refused so at once, of which each is looked at. */
export const BUS_STUCK_IDS = 1_000;
/** Content of the bus that is larger is compressed, and this is the most that it may be when it is read back. */
export const COMPRESS_BYTES = 256 * 1024;
export const INFLATED_BYTES = 256 * 1024 * 1024;
/** A configuration is stored in parts of this, below what a bus takes in one message by default. */
export const CONFIGURATION_PART_BYTES = 512 * 1024;
export const CONFIGURATION_PARTS = 256;
/** How often whoever runs an embedded bus looks at it and at its disk. */
export const BUS_LOOK_MS = 500;
/** Silence of JetStream after which an embedded server counts as standing still; a busy machine answers in seconds. */
export const BUS_SILENCE_MS = 15_000;
export const BUS_SILENCE_MS_LEAST = 2_000;
export const BUS_SILENCE_MS_MOST = 600_000;
/** Of the disk of an embedded bus, kept free: nothing is written to the bus beyond. The lesser of both. */
export const DISK_KEPT_BYTES = 256 * 1024 * 1024;
export const DISK_KEPT_SHARE = 0.05;
/** For how long it holds what was last said of the disk. */
export const DISK_HEARD_MS = 5_000;
/** How long a request from outside may wait for the bus over all attempts. */
export const BUS_REQUEST_MS = 2_500;
/**
 * How long a list of a bucket may take in all while its entries keep coming, none later than `BUS_REQUEST_MS` behind
 * the one before: a slow machine reads a million in this time, and whoever asked over HTTP is still answered.
 */
export const BUS_LIST_MS = 60_000;
/**
 * How often whoever watches a bucket that keeps for a time looks what has left it; one that keeps for less is looked at
 * as often as it keeps. Keys are shown as removed within two of these.
 */
export const BUS_AGED_LOOK_MS = 3_600_000;
/**
 * How often the copies of all streams are looked at where more than one is wanted: a cluster is repaired in minutes.
 */
export const REPLICAS_LOOK_MS = 15_000;
/** The same while some are missing. */
export const REPLICAS_SHORT_LOOK_MS = 3_000;
/** A copy is missing where so many looks in a row, so long apart, did not find it: busy ones are behind for moments. */
export const REPLICAS_SURE_LOOKS = 3;
export const REPLICAS_SURE_MS = 500;
/** Streams asked about at once, of some thirty. */
export const REPLICAS_ASKED = 4;
/**
 * Pause before the bus is asked again while it is away, whoever waits for it. Each asking already waits inside the bus
 * for the connection; this bounds what a bus that refuses at once (without room, without a leader) is asked: four times
 * a second by each who waits, and well inside the 3 s of a takeover.
 */
export const BUS_RETRY_MS = 250;
/** The longest of those pauses that double, where what is tried again may be what the bus has too much of. */
export const BUS_RETRY_LONGEST_MS = 4_000;
/** How often the server of the bus is asked whether it is there, and how many of these it may leave open. */
export const BUS_BEAT_MS = 1_000;
export const BUS_SILENT_BEATS = 3;
/**
 * A server over which nothing of JetStream was answered for the first time, or no write for the second, is left for
 * another one: elections take 4 to 9 s, and whoever is at the side of the leaders has an answer of some meanwhile.
 */
export const BUS_CUT_OFF_MS = 3_000;
export const BUS_UNWRITTEN_MS = 5_000;
/** How long the server behind one that was left is given, and the most that this grows to while none answers. */
export const BUS_LEFT_AGAIN_MS = 10_000;
export const BUS_LEFT_AGAIN_MS_MOST = 60_000;
/** Counts a driver reserves at once: one bus write per 256 telecommands; a crash leaves at most that gap of 16,384. */
export const COUNTER_BLOCK = 256;
/** Attempts to reserve counts against other processes of the same driver; each loses to at most every other once. */
export const COUNTER_RESERVATION_ATTEMPTS = 16;
