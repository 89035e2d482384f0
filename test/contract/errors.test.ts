import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../contract/errors.ts';

/** What was published with version 0.1.0: lines are only ever added. */
const published = JSON.parse(
  readFileSync(new URL('errors.published.json', import.meta.url), 'utf8'),
) as Record<string, number[]>;

describe('error codes', () => {
  it('MC-GEN-028 MC-ERR-003 no published code has gone or changed its status', () => {
    const now = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, [...status]]));
    expect(now).toMatchObject(published);
  });

  it('MC-ERR-002 MC-ERR-005 each is <domain>::<name> with a status of its family', () => {
    for (const [code, { status }] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[a-z]+::[a-z-]+$/);
      // 416 is of HTTP itself, about parts of content (RFC 9110, section 14).
      for (const each of status)
        expect([400, 401, 403, 404, 409, 413, 416, 422, 431, 500, 501, 502, 503, 504]).toContain(each);
    }
  });
});
