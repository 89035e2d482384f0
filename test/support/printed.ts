/** What a command of this process prints, kept instead of shown: for a whole test file, empty before each test. */

import { afterEach, beforeEach, vi } from 'vitest';

export interface Printed {
  out: string;
  err: string;
}

export function keepPrinted(): Printed {
  const printed: Printed = { out: '', err: '' };
  const keep =
    (stream: keyof Printed) =>
    (text: string | Uint8Array): boolean => {
      printed[stream] += String(text);
      return true;
    };
  beforeEach(() => {
    printed.out = '';
    printed.err = '';
    vi.spyOn(process.stdout, 'write').mockImplementation(keep('out'));
    vi.spyOn(process.stderr, 'write').mockImplementation(keep('err'));
  });
  afterEach(() => void vi.restoreAllMocks());
  return printed;
}
