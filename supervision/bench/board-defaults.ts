/** What is so of an iiod where a configuration of a bench says nothing. */

export const IIOD_DEFAULTS = { port: 30_431, deadlineMs: 3_000 } as const;
