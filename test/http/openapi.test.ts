/**
 * The OpenAPI document: complete for people and for generators. Its style is for the linter (`npm run lint:openapi`).
 */

import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { defineFollow } from '../../http/follow.ts';
import { describedRoutes, follows } from '../../http/front-end.ts';
import { openApiDocument } from '../../http/openapi.ts';
import { defineRoute } from '../../http/route.ts';
import { schemaProblems } from './schema-problems.ts';

interface Content {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Record<string, { value: unknown }>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: string[];
  readonly requestBody?: { content: Record<string, Content> };
  readonly responses: Record<string, { description: string; content?: Record<string, Content> }>;
  readonly 'x-message'?: object;
  readonly 'x-policy'?: string;
}

const document = openApiDocument(describedRoutes, follows) as unknown as {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, { examples?: unknown[] }> };
  readonly tags: { name: string; description: string }[];
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const problemsOf = schemaProblems(document.components);

describe('the OpenAPI document', () => {
  it('MC-GEN-001 has an operation for every route and every follow route, under one base address', () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      [...describedRoutes, ...follows].map(({ operationId }) => operationId).sort(),
    );
    for (const path of Object.keys(document.paths))
      expect(path).toMatch(/^\/(v1\/|healthz$|readyz$|metrics$)/);
  });

  it.each(operations)(
    '$operationId says what it is for, where it belongs and what it answers',
    (operation) => {
      expect(operation.description).toMatch(/\w+ \w+/);
      expect(document.tags.map(({ name }) => name)).toContain(operation.tags?.[0]);
      const good = Object.keys(operation.responses).filter((status) => /^[12]/.test(status));
      // Content is answered in part as well.
      if (good.includes('206')) good.splice(good.indexOf('206'), 1);
      expect(good).toHaveLength(1);
      expect(good[0] === '101').toBe(operation['x-message'] !== undefined);
    },
  );

  it.each(operations)('$operationId gives examples that are what their schemas say', (operation) => {
    const contents = [
      ...Object.values(operation.requestBody?.content ?? {}),
      ...Object.values(operation.responses).flatMap(({ content = {} }) => Object.values(content)),
    ];
    for (const { schema, example, examples } of contents) {
      const values = examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);
      expect(values.length).toBeGreaterThan(0);
      expect(problemsOf(schema, values)).toEqual([]);
    }
    // Bytes have no example in JSON.
    if (operation['x-message'] !== undefined && operation['x-policy'] !== 'held') {
      const [, example] = /```json\n([\s\S]*)\n```/.exec(operation.description!)!;
      expect(problemsOf(operation['x-message'], [JSON.parse(example!)])).toEqual([]);
    }
  });

  it('MC-ERR-005 gives each code its own status, with an example', () => {
    for (const { responses, operationId } of operations) {
      for (const [status, { content }] of Object.entries(responses)) {
        for (const code of Object.keys(content?.['application/json']?.examples ?? {})) {
          const statuses: readonly number[] = ERRORS[code as ErrorCode].status;
          expect(statuses, `${operationId} ${code}`).toContain(Number(status));
        }
      }
    }
  });

  it('refuses a table with two schemas under one title', () => {
    const answering = (title: string, path: string) =>
      defineRoute({
        method: 'GET',
        path,
        operationId: path,
        summary: 'x',
        replies: { 200: Type.Object({}, { title }) },
        errors: [],
        handle: () => ({ ok: true, value: { status: 200 } }),
      });
    expect(() => openApiDocument([answering('A', '/a'), answering('A', '/b')], [])).toThrow(/two schemas/);
    expect(openApiDocument([answering('A', '/a'), answering('B', '/b')], [])).toHaveProperty('paths./a.get');
  });

  it('takes the code of a parameter as 404 also where a body has it as 400', () => {
    const follow = follows.find(({ operationId }) => operationId === 'followTelecommand')!;
    const described = openApiDocument(
      [],
      [defineFollow({ ...follow, params: follow.params, query: {} } as never)],
    );
    const { responses } = (described as unknown as typeof document).paths['/v1/tc/{target}/{id}/events']![
      'get'
    ]!;
    expect(Object.keys(responses['404']!.content!['application/json']!.examples!)).toContain(
      'api::invalid-id',
    );
    expect(Object.keys(responses['400']!.content!['application/json']!.examples!)).toEqual([
      'api::invalid-body',
    ]);
  });
});
