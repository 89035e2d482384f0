/** Files: directories, transfers, uploads, chunks, decoding. */

/** How long the command line waits for a listing that it asked for (section 8), and how often it looks. */
export const DIRECTORY_POLL_MS = 10_000;
export const DIRECTORY_LOOK_MS = 500;
/** Files of a listing in one bus message: with checksums of 32 bytes below the 1 MiB a bus server takes by default. */
export const FILES_PER_MESSAGE = 5_000;
/**
 * Files known of one target: a mass memory lists some thousands. Beyond it those are forgotten first whose last listing
 * is longest ago.
 */
export const DIRECTORY_FILES = 10_000;
/** Characters of the checksum of a file: SHA-256 in hexadecimal. */
export const FILE_CHECKSUM_CHARACTERS = 64;
/** Characters of the state of a transfer: the longest there is has ten. */
export const FILE_STATE_CHARACTERS = 32;
/** Content of one upload (section 8: 413 beyond). */
export const UPLOAD_BYTES = 256 * 1024 * 1024;
/** Uploads a process takes at once: each may fill a quarter of a gigabyte of the temporary folder. */
export const UPLOADS_AT_ONCE = 4;
/** An upload slower than this gives its place up when another one waits: below the slowest line an office has. */
export const UPLOAD_SLOWEST_BYTES_PER_S = 64 * 1024;
/** How long an upload may be slower before: a connection takes seconds to find its rate. */
export const UPLOAD_GRACE_MS = 10_000;
/**
 * Separate ranges of one file of which bytes are there: every second chunk of 1 KiB lost over 128 MiB. What would need
 * one more is dropped and asked for again, which costs time and no memory.
 */
export const BYTE_RANGES_MOST = 65_536;
/** Priority of a transfer: an int32 (section 2.8). */
export const TRANSFER_PRIORITY_MOST = 2 ** 31 - 1;
/** Transfers of one list: what a page shows and a reply of a few MB holds. */
export const TRANSFER_LIST_MOST = 5_000;
/** Lists of transfers that `mcs transfer list` reads one after the other. */
export const TRANSFER_LISTS_READ = 20;
/** How long who created a transfer waits until the lists of this process show it. */
export const TRANSFER_SEEN_MS = 5_000;
/** How long behind its last change a transfer that is over stays with those that every process holds. */
export const TRANSFER_LIVE_AFTER_END_MS = 24 * 3_600_000;
/** Content of a transfer is kept for so long behind its last change, at least and at most. */
export const TRANSFER_CONTENT_LEAST_MS = 24 * 3_600_000;
export const TRANSFER_CONTENT_MOST_MS = 366 * 24 * 3_600_000;
/** Transfers moved in one round. */
export const TRANSFERS_AGED_AT_ONCE = 1_000;
/** How far apart messages of one transfer are for one watcher: ten a second (section 4.7). */
export const TRANSFER_WATCH_MS = 100;
/** Bytes of a file in one message to whoever reads along: what a socket holds at once. */
export const CHUNK_MESSAGE_BYTES = 64 * 1024;
/** Bytes that came and wait for one reader; what does not fit is read from the store later. */
export const CHUNKS_WAITING_BYTES = 256 * 1024;
/**
 * Separate ranges of one transfer: with its record written once a second, no more than some hundred kB each time. A
 * chunk that would need one more is dropped and asked for again.
 */
export const TRANSFER_RANGES = 4_096;
/** The name of a transaction that brings a file. */
export const CHUNK_TRANSACTION_CHARACTERS = 160;
/** Earlier transactions of a download that are remembered: late chunks of these are known as such. */
export const TRANSFER_TRANSACTIONS_EARLIER = 16;
/** Ranges of an earlier transaction that its record remembers, to remove their parts; others leave with their age. */
export const TRANSFER_LEFT_RANGES = 64;
/** Characters of what a record says of why it does not go on. */
export const TRANSFER_REASON_CHARACTERS = 1_000;
/** How often requests are sent (section 4.7 rule 3). */
export const TRANSFER_TICK_MS = 250;
/** How long a request that was sent awaits its chunk before its range is asked again (section 4.7 rule 3). */
export const TRANSFER_CHUNK_WAIT_MS = 15_000;
/** How long a request without a final event is remembered (section 4.7 rule 3). */
export const TRANSFER_FORGOTTEN_MS = 60_000;
/** What is asked and not received stays below so much time of the rate (section 4.7 rule 3). */
export const TRANSFER_PIPELINE_MS = 2_000;
/**
 * How long requests may wait for their turn to leave. Less than `TRANSFER_FORGOTTEN_MS`, or what waits is asked again
 * before it has left.
 */
export const TRANSFER_QUEUE_MS = 15_000;
/** Requests of a full pipeline where a chunk could be larger: the next is asked while others are on their way. */
export const TRANSFER_PIPELINE_PARTS = 4;
/** Rate where nothing else says one, bit/s (section 4.7 rule 4). */
export const TRANSFER_RATE = 64_000;
/** How old a throughput measured by a gateway may be (section 4.7 rule 4). */
export const TRANSFER_MEASURED_MS = 15_000;
/** Behind failures of requests in a row the next waits twice as long each time, up to this. */
export const TRANSFER_FAILED_MS = 15_000;
/** How long a transfer waits before its record says why: a gateway reports every five seconds. */
export const TRANSFER_WAIT_MS = 6_000;
/** How far apart a record is given other reasons for which it waits. */
export const TRANSFER_REASON_MS = 15_000;
/** How long what is asked for stays away before that is a reason of its own. */
export const TRANSFER_NOTHING_CAME_MS = 60_000;
/** How long an upload whose run has ended stays among the open ones: a later listing may still supersede it. */
export const UPLOAD_ENDED_MS = 7 * 24 * 3_600_000;
/** Bytes that are gathered before they are stored as one object: few objects, and little to receive again. */
export const TRANSFER_PART_BYTES = 512 * 1024;
/**
 * Chunks of one file that a new leader reads again and remembers, for a part of the one before may begin there. More
 * than that comes only where nobody led for long: what nobody stored leaves nothing behind.
 */
export const TRANSFER_CHUNKS_READ_AGAIN = 65_536;
/** How long bytes are gathered, and how often a record is written at most. */
export const TRANSFER_GATHER_MS = 1_000;
/** Bytes that are gathered over all transfers; chunks wait in their stream where there are more. */
export const TRANSFER_GATHERED_BYTES = 16 * 1024 * 1024;
/** Parts that are stored at once. */
export const TRANSFER_STORES_AT_ONCE = 8;
/** Files that are assembled or checked at once: each reads and writes as fast as the bus lets it. */
export const TRANSFER_ASSEMBLIES_AT_ONCE = 2;
/** Parts that are removed at once. */
export const TRANSFER_REMOVALS_AT_ONCE = 16;
/** Bytes of an upload that are read at once and kept while they are written: a piece of the store. */
export const UPLOAD_WINDOW_BYTES = 128 * 1024;
/** Pieces of one upload that are kept: requests that go on at once read from two of them. */
export const UPLOAD_WINDOWS = 2;
/** Requests that write bytes and are on their way to the bus at once: each holds its bytes several times. */
export const UPLOAD_REQUESTS_AT_ONCE = 16;
/** Files of which a leader remembers when it dated their last state (actors/transfer/publication.P1). */
export const TRANSFER_FILES_DATED = 4_096;
/** How long an entry of the index of open transfers without a record is left to who writes them both. */
export const TRANSFER_INDEX_MS = 10 * 60_000;
/** How long behind a loss of the bus a leader that begins looks for open transfers whose entries went with it. */
export const TRANSFER_LOSS_MS = 86_400_000;
/** How often the leader looks whether one of its open transfers is still recorded: two questions that cost little. */
export const TRANSFER_LOOK_MS = 1_000;
/** Attempts of a creation that others overtake, before it counts as an outage. */
export const TRANSFER_WRITE_ROUNDS = 8;
/** How long a driver may decode a file, and how much later a file is offered again (section 4.7 rule 6). */
export const FILE_DECODE_MS = 5 * 60_000;
export const FILE_DECODE_AGAIN_MS = 30_000;
/** So much earlier than that a driver of ours answers how far it came: the reply has to be there in time. */
export const FILE_DECODE_MARGIN_MS = 10_000;
/**
 * Files that came down and wait for a driver that decodes them: each keeps a cell of some kB in the process that leads,
 * and whoever leads next begins with all of them.
 */
export const FILES_UNDECODED = 10_000;
/** Of those that did not fit, so many are offered again at once: three writes each. */
export const FILES_OFFERED_AGAIN = 1_000;
/**
 * Bytes of a file that a process decodes in a second: samples of the past share streams, owners and cores with those of
 * the present, and must take little of each. 75 MB are decoded in one offer.
 */
export const FILE_DECODE_BYTES_PER_S = 256 * 1024;
/** Bytes of a file that are decoded in one go, before whatever else waits in the process: well below a millisecond. */
export const FILE_DECODE_SLICE_BYTES = 4 * 1024;
/** The same where it was decoded before, and frames are only counted. */
export const FILE_PASS_SLICE_BYTES = 64 * 1024;
/** Samples, and bytes of frames, of one batch that is decoded of a file: about what live frames of a second have. */
export const FILE_DECODE_BATCH_SAMPLES = 4_000;
export const FILE_DECODE_BATCH_BYTES = 16 * 1024;
/** Files that wait in a process for the one that is being decoded; more are refused, and offered again. */
export const FILE_DECODES_WAITING = 64;
/** How often it is written down how far the decoding of a file came. */
export const FILE_DECODE_MARK_MS = 1_000;
