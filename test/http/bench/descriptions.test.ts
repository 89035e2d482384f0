/** The interface descriptions of the bench: complete for people and for generators, and true to their own schemas. */

import schema from '@asyncapi/specs/schemas/3.0.0.json' with { type: 'json' };
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { BENCH_ERRORS, type BenchErrorCode } from '../../../contract/bench/errors.ts';
import { asyncApiDocument } from '../../../http/asyncapi.ts';
import { benchInterface } from '../../../http/bench/dialect.ts';
import { benchFollows, benchRoutes } from '../../../http/bench/front-end.ts';
import { openApiDocument } from '../../../http/openapi.ts';
import { schemaProblems } from '../schema-problems.ts';

interface Content {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Record<string, { value: unknown }>;
}

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly tags?: string[];
  readonly requestBody?: { content: Record<string, Content> };
  readonly responses: Record<string, { content?: Record<string, Content> }>;
  readonly 'x-message'?: object;
}

const document = openApiDocument(benchRoutes, benchFollows, benchInterface) as unknown as {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: object; securitySchemes: object };
  readonly tags: { name: string }[];
  readonly security: unknown;
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const problemsOf = schemaProblems(document.components);

describe('the OpenAPI document of the bench', () => {
  it('has an operation for every route and feed', () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      [...benchRoutes, ...benchFollows].map(({ operationId }) => operationId).sort(),
    );
  });

  it('RB-GEN-009 takes a token everywhere and needs it where the configuration says so', () => {
    expect(document.security).toEqual([{}, { token: [] }]);
    expect(document.components.securitySchemes).toHaveProperty('token');
    const open = ['readHealth', 'readMetrics'];
    for (const { operationId, responses } of operations)
      expect([operationId, '401' in responses]).toEqual([operationId, !open.includes(operationId)]);
  });

  it.each(operations)(
    '$operationId says what it is for, and gives examples that its schemas allow',
    (operation) => {
      expect(operation.description).toMatch(/\w+ \w+/);
      expect(document.tags.map(({ name }) => name)).toContain(operation.tags?.[0]);
      const contents = [
        ...Object.values(operation.requestBody?.content ?? {}),
        ...Object.values(operation.responses).flatMap(({ content = {} }) => Object.values(content)),
      ];
      for (const { schema: shape, example, examples } of contents) {
        const values = examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);
        expect(problemsOf(shape, values)).toEqual([]);
      }
    },
  );

  it('RB-ERR-007 gives each code its own status', () => {
    for (const { responses, operationId } of operations) {
      for (const [status, { content }] of Object.entries(responses)) {
        for (const code of Object.keys(content?.['application/json']?.examples ?? {}))
          expect(BENCH_ERRORS[code as BenchErrorCode].status, `${operationId} ${code}`).toBe(Number(status));
      }
    }
  });
});

describe('the AsyncAPI document of the bench', () => {
  const following = asyncApiDocument(benchFollows, benchInterface) as unknown as {
    readonly channels: Record<string, { address: string; 'x-close-codes': object }>;
    readonly operations: Record<string, { action: string; messages: { $ref: string }[] }>;
    readonly components: {
      messages: Record<string, { contentType: string; payload: object; examples: { payload: unknown }[] }>;
    };
  };

  it('is what the official schema of AsyncAPI 3.0 says', () => {
    const official = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false });
    const isValid = official.compile(schema as object);
    expect(isValid(following), official.errorsText(isValid.errors)).toBe(true);
  });

  it('RB-LOG-008 has a channel for every feed, and what clients may send on one', () => {
    expect(Object.values(following.channels).map(({ address }) => address)).toEqual([
      '/ws/frames',
      '/ws/transmit',
      '/ws/spectrum',
      '/ws/constellation',
      '/ws/eye',
      '/ws/metrics',
    ]);
    const receiving = Object.entries(following.operations).filter(([, { action }]) => action === 'receive');
    expect(receiving.map(([name]) => name)).toEqual(['feedPacketsTaken']);
    expect(receiving[0]![1].messages).toEqual([{ $ref: '#/channels/feedPackets/messages/TransmitPacket' }]);
    expect(Object.keys(following.channels['feedPackets']!['x-close-codes'])).toContain('4429');
    expect(Object.keys(following.channels['followFrames']!['x-close-codes'])).not.toContain('4429');
  });

  it('gives each message a payload that its example has, and binary ones their type', () => {
    const draft07 = new Ajv({ strict: false, validateFormats: false });
    for (const [name, { payload, examples }] of Object.entries(following.components.messages)) {
      const validate = draft07.compile({ ...payload, components: following.components });
      for (const example of examples) expect(validate(example.payload), name).toBe(true);
    }
    expect(following.components.messages['FeedMessage']!.contentType).toBe('application/octet-stream');
    expect(following.components.messages['FrameDRO']!.contentType).toBe('application/json');
  });

  it('refers to nothing that is not there', () => {
    for (const [, to] of JSON.stringify(following).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = to!
        .split('/')
        .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], following);
      expect(found, to).toBeDefined();
    }
  });
});
