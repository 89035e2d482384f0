/** Connectors and their lags. */

/** Bytes of one message of a connector: that of one that names 2,000 targets fits. */
export const CONNECTOR_MESSAGE_BYTES = 256 * 1024;
/** How often a connector of this project says that it lives, and what others may choose. */
export const CONNECTOR_PERIOD_MS = 2_000;
export const CONNECTOR_PERIOD_MS_LEAST = 200;
export const CONNECTOR_PERIOD_MS_MOST = 600_000;
/** How long a connector waits before it registers again, and for the answer when it says that it leaves. */
export const CONNECTOR_AGAIN_MS = 2_000;
export const CONNECTOR_LEAVE_MS = 1_000;
/** Connectors that are registered, alive or not: four times the largest number in sight. */
export const CONNECTORS_MOST = 200;
/** Consumers and positions of one connector: each is asked for wherever the lags are shown. */
export const CONNECTOR_READS = 32;
/** Targets that a connector may name; one that takes all of them names none. */
export const CONNECTOR_TARGETS = 2_000;
/** What the bus takes as the name of a consumer, with room for prefixes in subjects. */
export const CONNECTOR_CONSUMER_CHARACTERS = 128;
/** Lags are computed again at most this often, however many ask, and this often when nobody does. */
export const CONNECTOR_LAGS_KEPT_MS = 3_000;
export const CONNECTOR_LAGS_LOOK_MS = 15_000;
/** Questions about consumers and streams that are on their way at once. */
export const CONNECTOR_LAGS_ASKED = 16;
/** Targets of a reader by position that are asked for one by one; of more, all of the stream is what it may read. */
export const CONNECTOR_FILTERS = 16;
/** A connector is at risk when less of the time that its stream keeps messages is left to it. */
export const CONNECTOR_RISK_SHARE = 0.5;
/** Characters of what a connector says for people. */
export const CONNECTOR_TEXT_CHARACTERS = 400;
