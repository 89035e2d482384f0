/** Schedules and recurring rules. */

import { NAME_CHARACTERS } from './request.ts';

/** Characters of the identifier of a schedule: what a rule makes is named `<rule>-<pass>`. */
export const SCHEDULE_ID_CHARACTERS = 2 * NAME_CHARACTERS + 1;
/** Schedules of one list: what a page shows and a reply of a few MB holds. */
export const SCHEDULE_LIST_MOST = 5_000;
/** Lists of schedules that `mcs schedule list` reads one after the other. */
export const SCHEDULE_LISTS_READ = 20;
/** Schedules of one pass that are not cancelled or missed: each of them is compared with the others. */
export const SCHEDULES_OF_PASS = 200;
/** Schedules on other passes that a schedule is said to meet, and how many of a target are looked at for it. */
export const SCHEDULE_MEETINGS = 10;
export const SCHEDULE_MEETINGS_LOOKED = 200;
/** Schedules that are not final: fifty for each of 2,000 targets. */
export const SCHEDULES_OPEN = 100_000;
/** How long who wrote a schedule or a rule waits until the lists of this process show it. */
export const SCHEDULE_SEEN_MS = 5_000;
/** Changes of state that the record of a schedule remembers. */
export const SCHEDULE_CHANGES_KEPT = 16;
/** Reasons of one schedule, and characters of each, where a schedule that was read back is posted. */
export const SCHEDULE_REASONS = 1_000;
export const SCHEDULE_REASON_CHARACTERS = 4_096;
/** Characters of `start`: `aos + ` and a duration. */
export const SCHEDULE_START_CHARACTERS = 80;
/** How far behind AOS a run may start: no pass of a spacecraft that moves is longer. */
export const SCHEDULE_OFFSET_MS_MOST = 31 * 86_400_000;
/** How often every schedule that is due and not final is looked at again (section 8). */
export const SCHEDULE_TICK_MS = 1_000;
/** For each scheduler that ranks before it, how much later a scheduler does what another should have done. */
export const SCHEDULE_STANDBY_MS = 50;
/**
 * How old a reading of its pass is at most when a schedule is fired, missed or cancelled by it, and how long its write
 * is tried.
 */
export const SCHEDULE_FRESH_MS = 1_000;
/** How often the pass is asked for again where answers take longer, before it counts as an outage. */
export const SCHEDULE_FRESH_ROUNDS = 5;
/** How often a cell of a schedule with another record is given what was found before it begins again. */
export const SCHEDULE_IDLE_LOOKS = 5;
/** Revisions of configurations that a scheduler knows it has had. */
export const CONFIGURATIONS_KNOWN = 64;
/** Schedules judged before others have their turn: some milliseconds of work. */
export const SCHEDULE_SLICE = 64;
/** Attempts of a write that others keep overtaking, before it is refused with `schedule::changed`. */
export const SCHEDULE_WRITE_ROUNDS = 8;
/** How long the cell of a schedule that is not final stays behind its last change. */
export const SCHEDULE_IDLE_MS = 5_000;
/** How long behind its end, and its last change, a final schedule stays with those that every process holds. */
export const SCHEDULE_LIVE_AFTER_END_MS = 7 * 86_400_000;
/** Schedules moved in one round. */
export const SCHEDULES_AGED_AT_ONCE = 1_000;
/** Entries of one day of schedules that are long final: each holds some thousand. */
export const SCHEDULE_GROUPS = 32;
/** Recurring rules of a cell, each compared with every pass of its target: two for each of 2,000 targets, and more. */
export const SCHEDULE_RULES = 5_000;
/** Passes that one rule after the other is compared with before others have their turn: a millisecond of work. */
export const RULE_PAIRS_SLICE = 2_000;
/** Refusals that the view of a rule shows, those of the earliest passes. */
export const RULE_REFUSALS_SHOWN = 100;
/** Schedules that rules create at once; the others wait for their turn. */
export const RULE_CREATIONS = 16;
