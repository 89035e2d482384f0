/** CFDP entities and the transfers that use them. */

/**
 * Fields of type, length and value in one PDU of CFDP: a metadata PDU with every proxy message and override has thirty.
 */
export const CFDP_TLVS_MOST = 64;
/**
 * Bytes of a file that a sender asks its caller for at once: a link of 8 Mbit/s sends them in a sixteenth of a second.
 */
export const CFDP_CONTENT_BYTES = 64 * 1024;
/** Ranges that one sender keeps as asked for again; what does not fit the receiver asks for another time. */
export const CFDP_REPEAT_RANGES = 16_384;
/** Bytes of one transaction kept while its metadata is awaited: a round trip of 600 ms at 3 Mbit/s. */
export const CFDP_EARLY_BYTES = 256 * 1024;
/** NAKs without an answer that one receiver tells apart; later ones count as part of the last. */
export const CFDP_NAKS_OPEN = 1_024;
/** Transactions of one entity at a time, of either direction: each holds some megabytes at worst. */
export const CFDP_TRANSACTIONS = 64;
/** Transactions that are over and still answered for, and how long: the other entity may repeat its last words. */
export const CFDP_CLOSED_KEPT = 1_024;
export const CFDP_CLOSED_MS = 120_000;
/** Acknowledgements that wait for the link without a transaction of their own; what is more is repeated anyway. */
export const CFDP_REPLIES_WAITING = 64;
/** Downloads of one entity that are asked for and not over. */
export const CFDP_DOWNLOADS = 32;
/**
 * How often the driver is asked for a file that goes by CFDP, and how long it may take to answer (section 4.7 rule 7).
 */
export const CFDP_ASK_MS = 5_000;
/** Such questions at once for one target. */
export const CFDP_ASKED_AT_ONCE = 64;
/** A file that a driver is not asked for this long stands still: three questions did not come. */
export const CFDP_UNASKED_MS = 15_000;
/** And this long: it is given up. Another leader of the transfers asks again well before. */
export const CFDP_GIVEN_UP_MS = 10 * 60_000;
/** How long `completed` is answered before a download that is asked for still begins again. */
export const CFDP_COMPLETED_MS = 60_000;
/** How long a process that was asked waits for the one that has the files: below `CFDP_ASK_MS`, so that it answers. */
export const CFDP_FORWARD_MS = 4_000;
/** How often such a process looks at its links and transactions at least, while there are any. */
export const CFDP_TURN_MS = 250;
/**
 * How much time of the rate PDUs may be ahead of the transmitter: so long a telecommand waits behind them in a modem at
 * most, beside the frame that is leaving.
 */
export const CFDP_AHEAD_MS = 100;
/** How much time of the rate one request to the gateway holds at least while there is enough to send. */
export const CFDP_BATCH_MS = 20;
/** PDUs of one request to a gateway, and their bytes: far below what a message of the bus holds. */
export const CFDP_BATCH_PDUS = 256;
export const CFDP_BATCH_BYTES = 128 * 1024;
/** Requests that wait in a gateway: each of its workers has one under way, also one that was replaced. */
export const CFDP_BATCHES_WAITING = 4;
/** How long PDUs may take to leave; what is late is sent again by the protocol. */
export const CFDP_SEND_MS = 2_000;
/** Longest pause behind PDUs that a gateway did not take. */
export const CFDP_REFUSED_MS = 2_000;
/** Bytes of chunks that one gateway has received and the bus has not stored yet. */
export const CFDP_CHUNKS_WAITING_BYTES = 8 * 1024 * 1024;
/** Chunks being stored at once, per gateway. */
export const CFDP_CHUNKS_UNDER_WAY = 16;
/** How long frames wait for the store before file data is dropped: the spacecraft is asked for it again. */
export const CFDP_STORE_WAIT_MS = 1_000;
/** Groups of gateways whose latest worker a gateway knows: it is of one at a time. */
export const CFDP_GROUPS_KNOWN = 8;
