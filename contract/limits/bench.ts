/** The RF bench service. */

/** A line of the iiod protocol: commands and numbers; iiod itself keeps 1 KiB for one. */
export const IIOD_LINE_BYTES = 1024;
/** Value of an attribute over iiod, and all values of a device in one answer: iiod itself keeps 64 KiB for them. */
export const IIOD_VALUE_BYTES = 64 * 1024;
/** Description of an IIO context: that of a board with an AD9361 has 60 kB, the largest known some hundred. */
export const IIOD_XML_BYTES = 4 * 1024 * 1024;
/** Elements within one another in it: its format has three. */
export const IIOD_XML_DEPTH = 16;
/** One read or write of a buffer: four times the 4096 blocks of the largest capture. */
export const IIOD_TRANSFER_BYTES = 64 * 1024 * 1024;
/** One block of a buffer, which a server holds whole. */
export const IIOD_BLOCK_BYTES = 16 * 1024 * 1024;
/** Blocks of a buffer that a client may have the driver hold: the kernel itself has 4 unless it is asked for others. */
export const IIOD_BUFFERS_COUNT = 64;
/** Received and not yet taken by the one who reads a connection: a socket hands over 64 KiB at a time. */
export const IIOD_UNREAD_BYTES = 1024 * 1024;
/** Questions that wait for their turn on one connection with iiod: a bench asks some tens at once. */
export const IIOD_QUESTIONS_WAITING = 1_000;
/** Clients of the iiod server at the same time: people with tools, three connections each. */
export const IIOD_CLIENTS = 32;
/** A client of the iiod server that takes nothing of its answer for so long is dropped, for it holds a buffer. */
export const IIOD_SEND_MS = 10_000;
/**
 * How long the opening of a buffer waits for who held it before: the end of a connection may arrive behind the
 * beginning of the next one. iiod itself waits as long.
 */
export const IIOD_RELEASE_MS = 50;
/**
 * Time of a server's buffer where a client asks for none (0 means without end): as iiod has it before any `TIMEOUT`.
 */
export const IIOD_TIMEOUT_MS = 1_000;
/** Longest such time; a buffer is waited for as long only while its client is there. */
export const IIOD_TIMEOUT_LONGEST_MS = 24 * 3_600_000;
/** Payload of a measurement: 256 blocks repeat often enough, and tables of its four-byte pieces stay below 20 MB. */
export const MEASURE_PAYLOAD_BYTES = 1024 * 1024;
/** Text of a profile, scenario or campaign: a timeline of a thousand steps has about 150 kB. */
export const BENCH_DOCUMENT_CHARACTERS = 256 * 1024;
/**
 * Open collections and keys while such a text is read: packets in a step, the deepest there are, need a quarter of it.
 */
export const BENCH_DOCUMENT_NESTING = 64;
/**
 * Words, signs and spaces of such a text: a timeline of a thousand steps has 65,000. A million take seconds to read.
 */
export const BENCH_DOCUMENT_PIECES = 100_000;
/** Tags, anchors and aliases in it: each takes as long as fifty words, and documents of the bench need hardly any. */
export const BENCH_DOCUMENT_PROPERTIES = 250;
/** Commas without anything before them, and further documents behind the first, that are counted before it is left. */
export const BENCH_DOCUMENT_FAULTS = 16;
/** Faults of one document of the bench that are reported: nobody repairs more at once. */
export const BENCH_FAULTS_LISTED = 100;
/** How long a scenario may run that states no `timeout_s`: the longest that people wait for at a bench. */
export const SCENARIO_TIMEOUT_S = 600;
/** Points of a sweep: a waterfall has some tens; each is a measurement of seconds. */
export const SWEEP_POINTS = 1_000;
/** Packets of one transmit request: with the smallest slot they fill sixteen blocks. */
export const TRANSMIT_PACKETS = 4_096;
/** Blocks of one capture: 16 MiB, which the reply holds whole. */
export const CAPTURE_BLOCKS = 4_096;
/** Events of the bench that are kept: months of a bench in daily use. */
export const BENCH_EVENTS_KEPT = 10_000;
/** Lines of the log of the daemon that `GET /api/v1/logs` can show. */
export const BENCH_LOG_LINES_KEPT = 2_000;
/** Captured blocks that are kept: 4 MiB, twice that as text. */
export const BENCH_FRAMES_KEPT = 1_024;
/** Items of a list of the bench where none is asked for; the most there are. */
export const BENCH_LIST_LIMIT = 100;
export const BENCH_LIST_MOST = 10_000;
/** Runs of scenarios and campaigns that are kept, the newest of each. */
export const BENCH_RUNS_KEPT = 1_000;
/**
 * Readings of one scenario run that its report keeps: each is some 80 bytes, and a record has to fit into a message.
 */
export const BENCH_SAMPLES_KEPT = 8_000;
/** Commands that wait for the board. */
export const BENCH_COMMANDS_WAITING = 100;
/**
 * How long what stops the transmitter waits for an access to the board that is under way: some round trips to a board
 * nearby.
 */
export const BENCH_URGENT_MS = 50;
/** How often a board is looked at for what other tools do to it: some eighty attributes and registers each time. */
export const BENCH_LOOK_MS = 1_000;
/** Applies of one profile that its revisions report. */
export const BENCH_REVISIONS_KEPT = 100;
/** Applies of all profiles that are kept: they are in the record of the radio, which each command writes. */
export const BENCH_REVISIONS_IN_ALL = 1_000;
/** A board that is away is asked for again after so long, and then each time after twice that. */
export const BOARD_RETRY_FIRST_MS = 1_000;
export const BOARD_RETRY_LARGEST_MS = 30_000;
/** Profiles that are registered at one time: each may be a document of its own. */
export const BENCH_PROFILES_KEPT = 1_000;
/** Pictures that a feed makes each second at most. */
export const FEED_RATE_HZ = 20;
/** Readings of the board that a feed makes each second: each asks some twenty attributes. */
export const FEED_READINGS_HZ = 4;
/** How long a step of a scenario that was asked to end may go on: a board that does not answer is given up by then. */
export const BENCH_ABORT_MS = 15_000;
/** How long they may take when the daemon ends: supervisors wait for some ten seconds before they kill. */
export const BENCH_STOP_MS = 5_000;
/** How long the actions at the end of a scenario may take together: some commands, each waiting for the board. */
export const BENCH_ENDING_MS = 120_000;
/** A report as text: a message of the bus holds a megabyte. */
export const BENCH_REPORT_BYTES = 900_000;
/** A campaign that rests is put away after this long without a request. */
export const BENCH_CELL_IDLE_MS = 60_000;
/** How long a request waits for its campaign to be recorded. */
export const BENCH_RECORD_MS = 5_000;
/** Attempts of one campaign run, with every rerun: its record has to fit into a message. */
export const CAMPAIGN_ATTEMPTS = 3_000;
/**
 * Points of sweeps that the record of a campaign run keeps: each is some 130 bytes, and a record has to fit into a
 * message.
 */
export const CAMPAIGN_POINTS = 20_000;
/** Characters that an attempt or an event of a run says of itself: the reason of a board with its attribute. */
export const BENCH_DETAIL_CHARACTERS = 300;
/** One message of `/ws/transmit`: the largest space packet as hexadecimal text in JSON is 130 kB. */
export const TRANSMIT_FEED_MESSAGE_BYTES = 256 * 1024;
/** Packets of one `/ws/transmit` that wait for the board; one more is refused. */
export const TRANSMIT_FEED_WAITING = 64;
/** Messages of one `/ws/transmit` without an answer, refused ones among them; one more ends the socket. */
export const TRANSMIT_FEED_UNANSWERED = 1_024;
