import { defineConfig } from 'vitest/config';

// Two workers: the suite starts real nats-servers and real processes, and CI has two cores.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    globalSetup: ['test/support/program-folder.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: { UWS_HTTP_MAX_HEADERS_SIZE: '16384' },
  },
});
