/** Simulated spacecraft and channels. */

/**
 * How long a gateway may take to answer a question of simulation control (504 `sim::timeout`): it only looks at its own
 * memory, so this is the way there and back with room, and a person at a console still waits for it.
 */
export const SIM_ANSWER_MS = 5_000;
/** Files that a simulated spacecraft shows of its memory: their hashes stay below 1 MiB. */
export const SIM_FILES_SHOWN = 4_000;
/**
 * A run that ends waits for a fault that is due so soon, and switches it off: it could no longer be called back in
 * time.
 */
export const FAULT_AT_END_MS = 1_000;
/** Switches of runs that a gateway knows to be over: a request is on its way for seconds, and runs switch a few. */
export const SWITCHES_OVER_KEPT = 1_000;
/** Request identifiers a simulated spacecraft counts: one for each sequence count of its APID. */
export const SPACECRAFT_REQUESTS = 16_384;
/** The longest delay of a simulated radio channel, one way: as far as ten million kilometres. */
export const CHANNEL_DELAY_MS = 60_000;
/** Frames on their way through it, each way; what is more is lost. */
export const CHANNEL_FRAMES = 16_384;
