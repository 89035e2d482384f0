/** Identity: keys, tokens, credentials of the bus. */

/** Keys of an identity provider are read again this often (section 5 rule 2). */
export const AUTH_KEYS_MS = 3_600_000;
/**
 * A token that names an unknown key makes them be read again, at most this often: strangers could name new ones all
 * day.
 */
export const AUTH_KEYS_AGAIN_MS = 30_000;
/** Pause after keys could not be read: a provider that restarts is back within it a few times. */
export const AUTH_KEYS_RETRY_MS = 5_000;
/** How long an identity provider may take to answer: a person waits at the first token. */
export const AUTH_FETCH_MS = 5_000;
/** Metadata or keys of an identity provider: large ones have some tens of kB. */
export const AUTH_DOCUMENT_BYTES = 512 * 1024;
/** Difference of clocks that a token is not refused for: machines that keep time differ by less. */
export const AUTH_CLOCK_TOLERANCE_MS = 5_000;
/** Characters of a token: with groups and roles real ones have a few thousand. */
export const AUTH_TOKEN_CHARACTERS = 16 * 1024;
/** Characters of a subject (OpenID Connect Core 1.0, section 2). */
export const AUTH_SUBJECT_CHARACTERS = 255;
/** Verified tokens kept: more people than a mission has, a few MB at the very most. */
export const AUTH_TOKENS_KEPT = 1_000;
/** How long credentials of the bus hold where the settings say nothing (section 8). */
export const AUTH_NATS_TTL_MS = 3_600_000;
/** The shortest time they may hold: their end is a whole second. */
export const AUTH_NATS_TTL_LEAST_MS = 1_000;
/** The longest, a leap year: they cannot be withdrawn. */
export const AUTH_NATS_TTL_MOST_MS = 366 * 86_400_000;
