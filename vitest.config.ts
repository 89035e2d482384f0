import { availableParallelism, totalmem } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/**
 * Files with a process each: benchmarks measure theirs. All others share one per worker, and the modules that are loaded
 * once: loading the service costs two seconds of a core, which four hundred files would pay each. So no test leaves
 * anything behind in its process: what it starts it ends, what it changes of the environment or the clock it puts back.
 */
const APART = ['test/benchmark/**/*.test.ts'];

/**
 * Two for each core: half of what a test does is waiting, for servers, processes and timers. Each takes up to 1.5 GB
 * with the processes that it starts, and loads everything once for itself.
 */
const WORKERS = Math.max(2, Math.min(2 * availableParallelism(), Math.floor(totalmem() / 1.5e9), 8));

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: WORKERS,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/program-folder.ts'],
    setupFiles: ['test/support/property-seed.ts', 'test/support/each-file.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { UWS_HTTP_MAX_HEADERS_SIZE: '65536' },
    projects: [
      { extends: true, test: { name: 'apart', include: APART } },
      {
        extends: true,
        test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: APART, isolate: false },
      },
    ],
  },
});
