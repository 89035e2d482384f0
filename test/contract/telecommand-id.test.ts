import { decodeTime, ulid } from 'ulid';
import { expect, it } from 'vitest';
import { drawnAt, telecommandIdOf } from '../../contract/telecommand-id.ts';

it.each([1, Date.UTC(2026, 2, 1, 12, 0, 0, 123), 2 ** 48 - 1])(
  'an identifier says when it was drawn: %i',
  (at) => {
    for (const id of [ulid(at), telecommandIdOf('01KJMM9S0GAAAAAAAAAAAAAAAA', 7, at)]) {
      expect(drawnAt(id)).toBe(at);
      expect(drawnAt(id)).toBe(decodeTime(id));
    }
  },
);
