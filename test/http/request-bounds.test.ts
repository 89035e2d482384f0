/** Every text, list and mapping that a request or a document may hold has a bound, in both services. */

import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { BENCH_SCHEMA_KINDS, benchSchema } from '../../contract/bench/schema.ts';
import { VERB_BODIES } from '../../contract/bench/verb.ts';
import { benchFollows, benchRoutes } from '../../http/bench/front-end.ts';
import { follows, routes } from '../../http/front-end.ts';
import type { AnyEndpoint } from '../../http/route.ts';
import { DOCUMENT_KINDS, documentSchema } from '../../mission/document/schema.ts';
import { STATEMENT_SHAPES } from '../../mission/document/statement.ts';
import { unbounded } from '../support/unbounded.ts';

type Named = readonly [name: string, schema: object];

function schemasOf(endpoint: AnyEndpoint): Named[] {
  const { operationId, params, query, body } = endpoint;
  const { takes } = endpoint as { takes?: { message: object } };
  const parameters = Object.entries({ ...params, ...query }).map(
    ([name, { schema }]): Named => [`${operationId} ${name}`, schema],
  );
  const bodies = [body, takes?.message].flatMap((schema) =>
    schema === undefined ? [] : [[`${operationId} body`, schema] as const],
  );
  return [...parameters, ...bodies];
}

const requests = [...routes, ...follows, ...benchRoutes, ...benchFollows].flatMap((endpoint) =>
  schemasOf(endpoint),
);
const documents: readonly Named[] = [
  ...DOCUMENT_KINDS.map((kind): Named => [kind, documentSchema(kind)]),
  ...BENCH_SCHEMA_KINDS.map((kind): Named => [kind, benchSchema(kind)]),
  ...Object.entries(VERB_BODIES),
  ...Object.entries(STATEMENT_SHAPES),
];

const found = (schemas: readonly Named[]): string[] =>
  schemas.flatMap(([name, schema]) => unbounded(schema).map((place) => `${name}${place}`));

/** What may be anything is bounded by its reader: by the length and the nesting of a body or a document. */
const ANYTHING = /: (?:anything|further keys)$/;

it('every text, list and mapping of every request has a bound, in both services', () => {
  expect(requests.length).toBeGreaterThan(100);
  // Documents that are judged as such, whatever they are.
  expect(found(requests)).toEqual(['validateProfile body: anything', 'validateScenario body: anything']);
});

it('every text, list and mapping of every document has a bound', () => {
  expect(documents.length).toBeGreaterThan(20);
  expect(found(documents).filter((place) => !ANYTHING.test(place))).toEqual([]);
});

describe('what has no bound is found', () => {
  it.each([
    ['a text', Type.String(), [': text']],
    ['a text whose pattern repeats', Type.String({ pattern: '^[a-z]+$' }), [': text']],
    ['a text whose pattern is open at one end', Type.String({ pattern: '^[a-z]{1,3}' }), [': text']],
    ['a text with a bounded pattern', Type.String({ pattern: '^[a-z*+]{1,3}\\+$' }), []],
    ['a list', Type.Array(Type.Number()), [': list']],
    ['a text in a list', Type.Array(Type.String(), { maxItems: 3 }), ['[]: text']],
    ['an open mapping', Type.Object({ a: Type.Number() }), [': further keys']],
    ['anything', Type.Union([Type.Unknown(), Type.Null()]), [': anything']],
    [
      'a mapping by any name',
      Type.Record(Type.String(), Type.String({ maxLength: 1 })),
      [': further keys', ': mapping', ': names'],
    ],
  ])('%s', (_what, schema, places) => {
    expect(unbounded(schema)).toEqual(places);
  });
});
