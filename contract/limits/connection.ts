/** Connections of clients: how many, how much waits in each, and what is read of a request that is refused. */

/** A WebSocket client that follows sends nothing; 1 KiB takes any control chatter. */
export const FOLLOW_MESSAGE_BYTES = 1024;
/** Bytes the kernel and uWebSockets.js may hold for one socket before the writer waits for `drain`. */
export const FOLLOW_BUFFER_BYTES = 64 * 1024;
/** A log follower further behind than this is closed with 4408 and resumes by replay (T3). */
export const FOLLOW_LOG_QUEUE_BYTES = 4 * 1024 * 1024;
/** Of a request: its headers and query. An access token with roles does not fit 4 KiB. */
export const HEAD_BYTES = 16_384;
/**
 * Of a body that is refused for its length so much beyond its bound is still read and dropped, so that a client that
 * sends before it reads finds the refusal; and how long one in chunks may pause before it is taken to wait for it.
 */
export const REFUSED_BODY_BYTES = 32 * 1024 * 1024;
export const REFUSED_BODY_QUIET_MS = 250;
/**
 * How often the rest of an answer is offered to a client that reads slowly: well below the 8 s at which uWebSockets.js
 * ends it. And how long none of it may be taken: a line that is away for a minute is worth asking again over.
 */
export const ANSWER_OFFER_MS = 4_000;
export const ANSWER_STALLED_MS = 60_000;
/** A larger answer is given to its socket as it takes it: the buffer of one holds some hundred KiB at first. */
export const ANSWER_AT_ONCE_BYTES = 128 * 1024;
/** A list with more items is written in slices of so many: some 100 KiB, in a millisecond or two. */
export const LIST_AT_ONCE = 1_000;
export const LIST_SLICE = 250;
/** Connections of a process, of all its ports: an idle one costs a few kB. Fewer where it may open fewer files. */
export const CONNECTIONS = 20_000;
/** Descriptors that connections leave to everything else: the bus, gateways, spooled uploads, modules. */
export const DESCRIPTORS_KEPT = 256;
/**
 * How long a client may keep a connection without a request, as each answer says: uWebSockets.js closes it after 8 to
 * 12 s, and a request that is sent in that moment is lost without an answer.
 */
export const KEEP_ALIVE_S = 7;
/** WebSockets of one address: a room of consoles behind one router has some hundreds. */
export const WEBSOCKETS_PER_ADDRESS = 2_000;
/** Of the connections of a process; the others are for requests. */
export const WEBSOCKETS_SHARE = 0.75;
/** Bodies of one address that have not come whole; each may hold 1 MiB. A client that sends a body at once has none. */
export const BODIES_PER_ADDRESS = 32;
/** The same of everybody: 128 MiB at most. */
export const BODIES_UNDER_WAY = 128;
/**
 * How long a driver or a gateway may take to say that it is alive before a run begins: it only answers, so two seconds
 * are a machine under full load, and a launch still fails at once for a person.
 */
export const READINESS_ANSWER_MS = 2_000;
