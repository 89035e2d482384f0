import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/**
 * Folders whose tests leave nothing behind in their process: their files share it, and the modules that are loaded
 * once. A process for each file would load them a hundred and fifty times.
 */
const SHARED = [
  'actors',
  'contract',
  'harness',
  'http',
  'identity',
  'links',
  'machines',
  'messaging',
  'mission',
  'protocol',
  'radio',
  'supervision',
  'telemetry',
].map((folder) => `test/${folder}/**/*.test.ts`);

// Three workers on the two cores of CI: half of what the suite does is waiting, for servers, processes and timers.
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/program-folder.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: { UWS_HTTP_MAX_HEADERS_SIZE: '16384' },
    projects: [
      { extends: true, test: { name: 'apart', include: ['test/**/*.test.ts'], exclude: SHARED } },
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
    ],
  },
});
