import { defineConfig } from 'vitest/config';

/** Two files in one process, as most files of the project are. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['{one,two}.fixture.ts'],
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    setupFiles: ['../each-file.ts'],
  },
});
