/** Canonical JSON and the revisions made from it. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, revisionOf } from '../../mission/canonical.ts';

/** The same value with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, each]) => [key, reversed(each)]),
  );
}

describe('canonical JSON', () => {
  it('means the value, and is the same whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
    );
  });

  it('sorts keys and leaves out what is undefined', () => {
    expect(canonicalJson({ b: 1, a: [{ d: undefined, c: null }] })).toBe('{"a":[{"c":null}],"b":1}');
  });

  it('the revision is the SHA-256 of it', () => {
    expect(revisionOf({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
    expect(revisionOf({ a: 1 })).not.toBe(revisionOf({ a: 2 }));
  });
});
