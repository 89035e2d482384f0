/**
 * The shape check says what a JSON Schema validator says, only better: both judge mutated documents alike (shape.H1).
 */

import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkShape } from '../../../contract/shape.ts';
import { FaultList } from '../../../mission/document/fault.ts';
import {
  DOCUMENT_KINDS,
  type DocumentKind,
  documentSchema,
  kindOf,
} from '../../../mission/document/schema.ts';
import { demoDocuments } from '../documents.ts';

const nowhere = { file: 'x', position: () => ({ line: 1, column: 1 }) };

const library = {
  library: 'ops',
  version: '1.0.0',
  imports: ['box@1.0.0'],
  procedures: {
    go: {
      roles: { sat: 'box' },
      allowed_in: ['bench'],
      inputs: { x: { type: 'u8' } },
      steps: [{ wait: '1 s' }],
    },
  },
};
const documents: readonly object[] = [...demoDocuments().map(({ text }) => parse(text) as object), library];

const ajv = new Ajv({ strict: false });
const validators = new Map(DOCUMENT_KINDS.map((kind) => [kind, ajv.compile(documentSchema(kind))]));

const accepts = (kind: DocumentKind, value: unknown): boolean =>
  checkShape(documentSchema(kind), value, new FaultList().at(nowhere));

/** The document with one place of it replaced, removed or extended. */
function mutated(value: unknown, steps: readonly number[], change: (at: unknown) => unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== 'object' || value === null) return change(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return change(value);
  const [key] = entries[step % entries.length]!;
  const next = entries.map(
    ([name, each]) => [name, name === key ? mutated(each, rest, change) : each] as const,
  );
  const kept = next.filter(([, each]) => each !== undefined);
  return Array.isArray(value) ? kept.map(([, each]) => each) : Object.fromEntries(kept);
}

const replacement = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    '',
    'x',
    '1',
    'a.b',
    -1,
    0,
    1.5,
    300,
    1e9,
    [],
    {},
    [1, 2],
    ['a', null],
  ),
  fc.constant({ extra: 1 }),
  fc.string({ maxLength: 5 }),
);

describe('the shape of documents', () => {
  it('shape.H1 is judged as a JSON Schema validator judges it, wherever a document is changed', () => {
    let refusals = 0;
    fc.assert(
      fc.property(
        fc.nat({ max: documents.length - 1 }),
        fc.array(fc.nat({ max: 60 }), { maxLength: 7 }),
        replacement,
        fc.boolean(),
        (index, steps, other, extends_) => {
          const change = (at: unknown): unknown =>
            extends_ && typeof at === 'object' && at !== null && !Array.isArray(at)
              ? { ...at, extra: other ?? 1 }
              : other;
          const value = mutated(documents[index], steps, change);
          if (typeof value !== 'object' || value === null) return;
          const kind = kindOf(value);
          const expected = validators.get(kind)!(value);
          if (!expected) refusals += 1;
          expect(accepts(kind, value), JSON.stringify(value).slice(0, 500)).toBe(expected);
        },
      ),
      { numRuns: 2_000 },
    );
    expect(refusals).toBeGreaterThan(200);
  });

  it('every demo document has the shape of its kind', () => {
    for (const document of documents) expect(accepts(kindOf(document), document)).toBe(true);
  });

  it('every fault has a message; all of one document come together', () => {
    const list = new FaultList();
    const value = {
      platform: 5,
      version: '1',
      components: { a: { measures: { m: { typ: 'u8' } } } },
      more: 1,
    };
    checkShape(documentSchema('platform'), value, list.at(nowhere));
    expect(list.faults.map(({ path }) => path).toSorted()).toEqual([
      'components.a.measures.m',
      'components.a.measures.m.typ',
      'more',
      'platform',
      'version',
    ]);
  });

  it('more faults than a general validator reports are all said', () => {
    const list = new FaultList();
    const measures = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`m${n}`, { type: 5 }]));
    checkShape(
      documentSchema('platform'),
      { platform: 'a', version: '1.0.0', components: { a: { measures } } },
      list.at(nowhere),
    );
    expect(list.faults).toHaveLength(100);
  });

  it('each kind has a JSON Schema that names its dialect', () => {
    for (const kind of DOCUMENT_KINDS) {
      expect(documentSchema(kind)).toMatchObject({
        $schema: expect.stringContaining('draft-07'),
        type: 'object',
      });
    }
  });
});
