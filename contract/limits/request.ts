/** What a request from outside may hold, and what a refusal lists. */

import { FRAME_BYTES } from './link.ts';

/** JSON bodies: the largest telecommand or run request is a few kB; 1 MiB leaves room for bytes arguments. */
export const JSON_BODY_BYTES = 1024 * 1024;
/** Lists and objects of a body within one another: those that mean anything have half a dozen. */
export const BODY_DEPTH = 64;
/** Characters of a name or token: people write some twenty, and a key of the bus holds five of them. */
export const NAME_CHARACTERS = 128;
/** Characters of `component[instance].name`, and of what else is made of a few names. */
export const PATH_CHARACTERS = 512;
/** Characters of a quantity, a duration or a unit: `-1.7976931348623157e+308 kg m^2 s^-3 A^-1` has forty. */
export const QUANTITY_CHARACTERS = 256;
/** Characters of the selectors of one watcher: what a request line has room for. */
export const SELECTORS_CHARACTERS = 12 * 1024;
/**
 * Entries of a mapping or list of a request: arguments of a telecommand, inputs and roles of a run, faults of a
 * simulation.
 */
export const REQUEST_ENTRIES = 256;
/** Characters of a time in RFC 3339: `2026-01-02T03:04:05.123456789+01:00` has 35. */
export const INSTANT_CHARACTERS = 40;
/** Characters of a condition: a page of text; what is longer is a derived measure not yet named. */
export const CONDITION_CHARACTERS = 4_096;
/** Known names that an unknown one is compared with: the measures of a large platform. */
export const NEAR_NAMES = 10_000;
/** Faults of one refusal that are listed; nobody corrects more at once. How many more there are is said. */
export const ERRORS_LISTED = 100;
/** Characters of the message of one fault, and of its help: what it repeats of a request is cut to fit. */
export const ERROR_CHARACTERS = 2_000;
/** Characters of all messages of one refusal: a hundred ordinary faults have half of it. */
export const ERRORS_CHARACTERS = 32 * 1024;
/** Characters of a frame as a client writes it: two digits and a space for each byte. */
export const FRAME_CHARACTERS = 3 * FRAME_BYTES;
/** Characters of one value of a request: an argument of bytes that fills a frame, `0x` in front. */
export const VALUE_CHARACTERS = 2 * FRAME_BYTES + 2;
/** Longest pause between two heartbeats, however long members live: an election of the bus takes 4 to 9 s of what is left. */
export const HEARTBEAT_MS_MOST = 1_500;
