/** The inspector. */

import { SCHEDULE_ID_CHARACTERS } from './schedule.ts';

/** How long one process may take to answer the inspector: a person waits, and the others are shown at once after it. */
export const INSPECT_ANSWER_MS = 1_500;
/**
 * How often the tree is asked for while somebody looks at it: twice a second is live for an eye and cheap for a
 * process.
 */
export const INSPECT_TREE_MS = 500;
/** A tree that does not change is reported again this often, so that who looks can tell calm from a dead connection. */
export const INSPECT_STILL_MS = 5_000;
/** A process that is silent for this long has been replaced or taken down for good and is no longer listed. */
export const INSPECT_GONE_MS = 10 * 60_000;
/** A watch is renewed three times in its life: two renewals may be lost. */
export const INSPECT_RENEWALS = 3;
/** How often an entity that lives nowhere is looked for: about what a takeover lasts. */
export const INSPECT_SEARCH_MS = 1_000;
/** Characters of the id of an entity, as it is asked for: that of a schedule is the longest usual one. */
export const ENTITY_ID_CHARACTERS = SCHEDULE_ID_CHARACTERS;
/** Entities in one answer: more is no list a person reads. */
export const INSPECT_FOUND = 200;
/** Events of telecommands looked through for finished ones, newest first: a second or two of reading. */
export const INSPECT_EVENTS = 100_000;
/** A chart that is not laid out by then never will be; the largest here takes a second on a busy machine. */
export const CHART_LAYOUT_MS = 15_000;
/** Charts whose layout is kept: every kind in a few versions. */
export const CHART_LAYOUTS = 64;
/**
 * Frames of one watched entity are at least this far apart: 20 a second is all an eye follows, and all a page should
 * draw.
 */
export const INSPECT_FRAME_MS = 50;
/**
 * Entities watched in one process at once, by watcher: ten pages that show a hundred each. A watched cell is several
 * times slower.
 */
export const INSPECT_WATCHES = 1_000;
/**
 * How old a list of what is kept beside logs may be that the inspector shows: it is read once for everybody who asks.
 */
export const INSPECT_STORED_MS = 1_000;
/**
 * A list of it that took long is good for so many times as long, and for so long at most: 10,000 envelopes are some
 * thirty MB.
 */
export const INSPECT_STORED_SHARE = 20;
export const INSPECT_STORED_MOST_MS = 60_000;
/** Characters of one context shown by the inspector: a frame carries it twice and stays far below 1 MiB. */
export const INSPECT_CONTEXT_CHARACTERS = 64 * 1024;
/** Characters of the contexts of a whole history, shared by its steps: one reply, below the 1 MiB a bus takes. */
export const INSPECT_HISTORY_CHARACTERS = 384 * 1024;
/** Steps of a history that are shown, the newest: more than any telecommand has, and a long run is read in its log. */
export const INSPECT_HISTORY_STEPS = 1_000;
/** Characters of one text in a context; a frame of telemetry in hexadecimal is longer and says no more. */
export const INSPECT_TEXT_CHARACTERS = 1_000;
/** Children in trouble shown of one supervisor, and effects of one entity: past it the number says enough. */
export const INSPECT_LISTED = 200;
/** Dead letters in the tree: the stream holds the rest. */
export const INSPECT_DEAD_LETTERS = 20;
