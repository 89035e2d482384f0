/** Modes of the simulated spacecraft, `ObcMode` of `missions/demo/README.md`. */

export const MODE = { BOOT: 0, SAFE: 1, NOMINAL: 2 } as const;
