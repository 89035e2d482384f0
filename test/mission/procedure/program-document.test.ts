/** How large a program is reported to be before it is written out. */

import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../mission/canonical.ts';
import { programBytes } from '../../../mission/procedure/program-document.ts';

const MOST = 4_000_000;

describe('the size of a program', () => {
  it.each([
    ['plain text', 'a'.repeat(1_000)],
    ['control characters', '\u0001'.repeat(1_000)],
    ['quotes', '"\\'.repeat(1_000)],
    ['letters of several bytes', 'Ł'.repeat(1_000)],
    ['half of a letter of two', '\ud800'.repeat(1_000)],
  ])('is never reported smaller than it is: %s', (_, text) => {
    const program = { inputs: { text }, steps: [{ text, path: 'a/b', ok: true, ms: 10, none: null }, []] };
    const written = Buffer.byteLength(canonicalJson(program));
    expect(programBytes(program, MOST)).toBeGreaterThanOrEqual(written);
    expect(programBytes(program, MOST)).toBeLessThan(written + 100);
  });

  it('is not reported to its end when it is past what it may be', () => {
    let read = 0;
    const step = {
      get text() {
        read += 1;
        return 'a'.repeat(1_000);
      },
    };
    const steps = Array.from({ length: 1_000 }, () => step);
    expect(programBytes({ steps }, 10_000)).toBeGreaterThan(10_000);
    expect(read).toBeLessThan(20);
  });
});
