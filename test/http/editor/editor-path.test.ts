/** Paths at the editor, as a property: what passes is read in one way by whoever reads it. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressAtEditor } from '../../../http/editor/editor-path.ts';

const BASE = new URL('http://127.0.0.1:8888/base');
const PIECES = [
  'a',
  '.',
  '..',
  '/',
  '//',
  '%',
  '%2e',
  '%2F',
  '%25',
  '%5C',
  '\\',
  ';',
  '#',
  '%00',
  '%c3%a9',
  ' ',
  '\n',
  'é',
  '&',
];
const QUERY = ['token', 'token=1', '%74oken=1', 'to+ken=1', 'a=1', '&', '=', 'a=token', 'TOKEN=1', '%', '+'];
const texts = (pieces: readonly string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(''));

describe('a path that passes', () => {
  it('stays below the configured address, and is the same path to a reader that normalises or decodes twice', () => {
    let passed = 0;
    fc.assert(
      fc.property(texts(PIECES), (rest) => {
        const address = addressAtEditor(`/v1/editor/${rest}`, '', BASE);
        if (!address.ok) return;
        passed += 1;
        expect(address.value).toBe(`/base/${rest}`);
        expect(new URL(address.value, BASE).pathname).toBe(address.value);
        let decoded = address.value;
        for (let times = 0; times < 3; times += 1) {
          decoded = decodedOnce(decoded);
          const segments = decoded.split('/');
          expect(segments).toHaveLength(address.value.split('/').length);
          expect(segments.some((segment) => /^\.{1,2}(;|$)/.test(segment))).toBe(false);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not come out of a path
          expect(decoded).not.toMatch(/[\\\u0000-\u001f\u007f]/);
        }
      }),
      { numRuns: 3_000 },
    );
    expect(passed).toBeGreaterThan(50);
  });

  it('keeps its query byte by byte, without what any reader calls token', () => {
    fc.assert(
      fc.property(texts(QUERY), (query) => {
        const address = addressAtEditor('/v1/editor/a', query, BASE);
        if (!address.ok) return;
        const kept = address.value.split('?')[1] ?? '';
        expect([...new URLSearchParams(kept).keys()]).not.toContain('token');
        const others = query.split('&').filter((part) => !/^(?:token|%74oken)(?:=|$)/.test(part));
        expect(kept).toBe(others.join('&'));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** What is no escape of UTF-8 stays. */
function decodedOnce(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}
