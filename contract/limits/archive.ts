/** The archive and questions about the past. */

/**
 * Samples that wait in memory until they are a segment of the archive: five minutes of 10,000 a second. With more than
 * that nothing is taken until there is room; the stream keeps it.
 */
export const ARCHIVE_OPEN_SAMPLES = 3_000_000;
export const ARCHIVE_TAIL_SAMPLES = 8_000_000;
/** How long samples wait in memory at most: so much is read from the stream again after a crash. */
export const ARCHIVE_OPEN_MS = 5 * 60_000;
/**
 * Messages of one segment, whatever they hold: the index of what is in memory stays small; and with how many nothing
 * more is taken.
 */
export const ARCHIVE_OPEN_MESSAGES = 200_000;
export const ARCHIVE_TAIL_MESSAGES = 400_000;
/**
 * Bytes of the messages of one segment, of samples or of events, and with how many nothing more is taken: 3,000,000
 * samples have 50 to 100 MB.
 */
export const ARCHIVE_OPEN_BYTES = 128 * 1024 * 1024;
export const ARCHIVE_TAIL_BYTES = 256 * 1024 * 1024;
/** Messages that are left out of one segment because nothing can be written that has them. */
export const ARCHIVE_SET_ASIDE = 64;
/** Measures of one row in a file of the archive; what has more is kept sample by sample. */
export const ARCHIVE_COLUMNS = 4_000;
/** Rows of one shape from which on they have columns: below, the description of the columns is larger than they. */
export const ARCHIVE_ROWS_LEAST = 8;
/** Files of one segment: 2,000 targets that send what nobody else sends do not make 2,000 files each minute. */
export const ARCHIVE_SEGMENT_FILES = 256;
/** Values of one row group: what is in memory at once while a file is written or compacted. */
export const ARCHIVE_GROUP_VALUES = 4_000_000;
/** Columns of all row groups of one file: its footer describes each with some 100 bytes. */
export const ARCHIVE_FILE_CHUNKS = 100_000;
/** Rows of one row group of samples that have no columns: one measure of one target is found in one or two of them. */
export const ARCHIVE_LONG_ROWS = 16_384;
/** Bytes of the description of one segment, and of one shape: thousands of targets with hundreds of shapes. */
export const ARCHIVE_MANIFEST_BYTES = 64 * 1024 * 1024;
/** Descriptions of segments, and shapes, that a thread keeps once it has read them. */
export const ARCHIVE_MANIFESTS_KEPT = 64;
export const ARCHIVE_SHAPES_KEPT = 4_000;
/** Of decoded columns, in the thread that answers. */
export const ARCHIVE_COLUMN_BYTES_KEPT = 64 * 1024 * 1024;
/** Measures of one question about the past: what a page draws. */
export const HISTORY_MEASURES = 100;
/** Points of one measure in one answer: twice what a wide screen has; and of all its measures together. */
export const HISTORY_POINTS = 4_000;
export const HISTORY_POINTS_OF_ALL = 40_000;
/** Samples of one page of the past. */
export const HISTORY_PAGE = 10_000;
/** Gaps that one answer lists; of more, those with the least time between them are given as one. */
export const HISTORY_GAPS = 1_000;
/** Samples of one time and position that a cursor may say were given: what one message can have of so many measures. */
export const HISTORY_CURSOR_GIVEN = 100_000;
/** Samples of a page where nobody says how many. */
export const HISTORY_PAGE_USUAL = 1_000;
/** Answers about the past that one process sends row by row at once: each holds a page. */
export const HISTORY_STREAMS = 32;
/** Rows that are written as text before the loop serves others: about a millisecond. */
export const HISTORY_ROWS_SLICE = 500;
/** Bytes of a row group, as a sender of Parquet gives them to a socket. */
export const HISTORY_PIECE_BYTES = 64 * 1024;
/** Buckets from so long on are made of minutes that were counted before (archive/minutes.ts). */
export const HISTORY_MINUTES_FROM_MS = 2 * 60_000;
/** Samples in memory that a question looks at before the loop serves others: some milliseconds. */
export const HISTORY_SLICE = 4_000;
/** Questions about the past that wait for a thread; one more is refused. */
export const HISTORY_WAITING = 64;
/** How long the answer to a question about the past may take; then another archive is asked. */
export const HISTORY_ANSWER_MS = 20_000;
/** Bytes of one answer on the bus, below the million that a message may have. */
export const HISTORY_ANSWER_BYTES = 900_000;
/** Points of all measures in one answer on the bus, with a text for each: what has more is asked for in parts. */
export const HISTORY_ANSWER_POINTS = 5_000;
/** Characters of the last text of a bucket, where an answer would be too long with the whole of it. */
export const HISTORY_BUCKET_TEXT = 40;
/** Bytes of a question about the past, and of what an archive says of itself. */
export const HISTORY_CALL_BYTES = 64 * 1024;
/** How often the owner of an archive says that it is there; one that is silent for three times that is asked last. */
export const ARCHIVE_STATE_MS = 2_000;
/** How long a question waits for the first archive that says that it is there. */
export const ARCHIVE_FOUND_MS = 1_000;
/** Archives of one cell that a process knows: a few on machines of their own, and those of machines that are gone. */
export const ARCHIVES_KNOWN = 100;
/** The shortest time that samples are kept: a day is compacted whole before anything of it is deleted. */
export const ARCHIVE_KEPT_LEAST_MS = 24 * 3_600_000;
/** How often the owner of the archive looks whether something is to be compacted or deleted. */
export const ARCHIVE_MAINTAIN_MS = 60_000;
/** Samples of one page on the bus: some 900 kB at most where their values are numbers. */
export const HISTORY_ANSWER_SAMPLES = 5_000;
/** How long a failed write of the archive is left before it is tried again: a disk is not emptied faster. */
export const ARCHIVE_AGAIN_MS = 5_000;
/** Rows of one row group of events in the archive: what a page reads at least. */
export const ARCHIVE_EVENT_ROWS = 4_096;
/** Row groups that one question about events looks through; the page says where the next one goes on. */
export const ARCHIVE_EVENT_GROUPS = 64;
/** Events that wait in memory until they are a segment, and with how many nothing more is taken. */
export const ARCHIVE_OPEN_EVENTS = 50_000;
export const ARCHIVE_TAIL_EVENTS = 200_000;
/** So many followers of one stream in a process read it together; fewer have a consumer each. */
export const TAIL_FROM = 32;
/** What a follower that is read for together with others keeps while its handler is busy; behind it, it reads alone. */
export const TAIL_KEPT_MESSAGES = 256;
export const TAIL_KEPT_BYTES = 1024 * 1024;
