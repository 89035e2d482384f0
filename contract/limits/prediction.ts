/** Predictions of passes from orbital elements. */

/** Characters of a file of orbital elements: every active satellite in OMM as JSON has some nine million. */
export const ELEMENTS_CHARACTERS = 16 * 1024 * 1024;
/** Element sets of one file: the active satellites, and as many again. */
export const ELEMENT_SETS = 30_000;
/** Days of one prediction: SGP4 is seconds off after a week, and worth nothing after a month. */
export const PREDICTION_DAYS = 31;
/** Satellites times stations times days of one prediction: 2,000 targets over five stations for three days. */
export const PREDICTION_PAIR_DAYS = 30_000;
/** Passes of one target in one prediction: what the service takes as one snapshot. */
export const PREDICTED_PASSES = 5_000;
/** How often predictions are fed again: more often is load without news, and after a week the first are worthless. */
export const PREDICTION_FEED_MS_LEAST = 10_000;
export const PREDICTION_FEED_MS_MOST = 7 * 86_400_000;
