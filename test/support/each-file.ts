/**
 * What is done in each test file. Files share a process and the modules that are loaded once: a hook that a module
 * registers as it is loaded is that of the first file that loads it, and of no other.
 */

import { afterAll, afterEach } from 'vitest';
import { described, failOnViolations } from './violations.ts';

afterEach(failOnViolations);
afterAll(() => {
  // The port of a server that is gone is that of another one in the next file.
  described.clear();
  // What arrived after the last test.
  failOnViolations();
});
