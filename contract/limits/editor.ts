/** The editor behind the API. */

/** Body of one request to the editor where the configuration states no other bound (section 4.9). */
export const EDITOR_BODY_BYTES = 64 * 1024 * 1024;
/** The largest bound that a configuration may state: nothing is held of a body, so this is a bound of time. */
export const EDITOR_BODY_BYTES_MOST = 4 * 1024 * 1024 * 1024;
/** How long the editor may take nothing of a request, and then say nothing, before it counts as not reachable. */
export const EDITOR_ANSWER_MS = 30_000;
/** One WebSocket message between a client and the editor, of either direction: a whole document, not a project. */
export const EDITOR_MESSAGE_BYTES = 16 * 1024 * 1024;
/** What may wait of one WebSocket until the editor takes it; a client cannot be held back, so beyond it is cut. */
export const EDITOR_WAITING_BYTES = 32 * 1024 * 1024;
/**
 * The same of all WebSockets of a process together, of both directions; and what one message costs while it waits,
 * beside its bytes.
 */
export const EDITOR_WAITING_ALL_BYTES = 256 * 1024 * 1024;
export const EDITOR_WAITING_MESSAGE_BYTES = 512;
/** So much may wait of one WebSocket whatever waits of others: who keeps up is not cut for those that do not. */
export const EDITOR_WAITING_OWN_BYTES = 16 * 1024;
/** How often the editor is asked over a WebSocket whether it lives; without an answer by the next time it is cut. */
export const EDITOR_PING_MS = 30_000;
/** Requests to the editor under way of one address, and of all: each may hold a megabyte or two. */
export const EDITOR_REQUESTS_PER_ADDRESS = 64;
export const EDITOR_REQUESTS = 256;
