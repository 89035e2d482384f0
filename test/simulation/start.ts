/** When every simulated run begins: 1 March 2026, noon. */

export const START_MS = Date.UTC(2026, 2, 1, 12);
