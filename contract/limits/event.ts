/** The log of events. */

/** Events of one page of the log, and of one where nobody says how many. */
export const EVENT_PAGE = 1_000;
export const EVENT_PAGE_USUAL = 100;
/** Characters of the sentence of an event, and of what it names; what is longer is cut. */
export const EVENT_TEXT_CHARACTERS = 500;
/** Characters of the document that an event keeps; a longer one is left out. */
export const EVENT_DATA_CHARACTERS = 16 * 1024;
/** Events, and characters of them, in one message of the log: far below the million bytes that a message may have. */
export const EVENT_BATCH = 200;
export const EVENT_BATCH_CHARACTERS = 256 * 1024;
/** Events of one message of the log that anybody takes. */
export const EVENT_BATCH_MOST = 10_000;
/** Values that one filter of the log may list. */
export const EVENT_FILTER_VALUES = 100;
/** Telecommands and runs whose first event a recorder remembers, to say the name of each with every later one. */
export const RECORDER_KNOWN = 20_000;
/** How long before the last event recorded of a record its changes are compared with those that stand in the log. */
export const RECORDER_AGAIN_MS = 10_000;
/** Events of requests that wait for the bus; with more than that the oldest are counted and left out. */
export const REQUEST_EVENTS_WAITING = 10_000;
