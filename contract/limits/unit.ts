/** Bench units: registration, credentials, fleet. */

/** How long a unit may take to answer a verb (504 `unit::timeout`, section 8). */
export const UNIT_ANSWER_MS = 30_000;
/** A unit is dead when nothing came from it for so many of its periods (MC-UNIT-021). */
export const UNIT_PERIODS = 3;
/** What a unit may choose as its heartbeat period: 500 units at the least of it are 2,500 messages a second. */
export const UNIT_PERIOD_MS_LEAST = 200;
export const UNIT_PERIOD_MS_MOST = 600_000;
/** Gateways of one unit: a bench has a few radios. */
export const UNIT_GATEWAYS = 32;
/** Units that are registered or enrolled: four times the largest fleet in sight. */
export const UNITS_MOST = 2_000;
/** Bytes of one message of a unit: its self-test report is the largest. The bus enforces it. */
export const UNIT_MESSAGE_BYTES = 64 * 1024;
/** Subscriptions of a unit: its verbs and its inbox, with room. */
export const UNIT_SUBSCRIPTIONS = 10;
/** Within this a unit has to register with the credential that enrolled it. */
export const UNIT_ENROLMENT_MS = 7 * 24 * 3_600_000;
/** How long the credential of a registered unit holds: as long as a bench stays switched off and comes back alone. */
export const UNIT_CREDENTIAL_MS = 90 * 24 * 3_600_000;
/** A unit that registered so long ago is asked to register again, which renews its credential. */
export const UNIT_RENEWAL_MS = 7 * 24 * 3_600_000;
/**
 * Units asked to register in one second: each costs a signature, some milliseconds, and a lost bucket loses them all.
 */
export const UNIT_ASKED_PER_S = 20;
/** The same registration within this gets the answer of the one before. */
export const UNIT_REPEATED_MS = 10_000;
/** How often the fleet is looked at for units that fell silent. */
export const UNIT_LOOK_MS = 250;
/** When something last came from a unit is recorded this often, for processes that start later. */
export const UNIT_RECORD_MS = 60_000;
/** Attempts to write the record of a unit against others that write it. */
export const UNIT_WRITE_ROUNDS = 5;
/** How long after a write whoever made it waits to see it itself. */
export const UNIT_SEEN_MS = 1_000;
/** What gateways of units said of themselves is taken again for so long, however many ask for the fleet. */
export const UNIT_GATEWAY_KEPT_MS = 2_000;
/** Gateways of units that are asked at once. */
export const UNIT_GATEWAYS_ASKED = 64;
/** Characters of what a unit says for people: reasons, phases, names of checks. */
export const UNIT_TEXT_CHARACTERS = 400;
/** Characters of the address of an image. */
export const UNIT_IMAGE_CHARACTERS = 2_048;
