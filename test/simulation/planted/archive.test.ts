/** Every checker of archives shown to fail: by a defect between an archive and its disk, its threads or its bus. */

import { describe, expect, it } from 'vitest';
import { attemptSeed } from '../trial.ts';
import { PLANTED_IN_ARCHIVES } from './archive-defects.ts';

const LONG_MS = 120_000;

describe('a checker of archives finds', () => {
  it.each(PLANTED_IN_ARCHIVES.map((each) => [each.what, each] as const))(
    '%s',
    async (_, { options, checker, seed }) => {
      const { violations } = await attemptSeed(seed, options, 'archive');
      expect(violations.map((violation) => violation.checker)).toContain(checker);
    },
    LONG_MS,
  );
});
