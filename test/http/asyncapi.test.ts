/** The AsyncAPI document of the follow routes, held against the official schema of AsyncAPI 3.0. */

import schema from '@asyncapi/specs/schemas/3.0.0.json' with { type: 'json' };
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { asyncApiDocument } from '../../http/asyncapi.ts';
import { follows } from '../../http/front-end.ts';

interface Message {
  readonly payload: object;
  readonly examples: { payload: unknown }[];
}

interface Channel {
  readonly address: string;
  readonly messages: Record<string, { $ref: string }>;
  readonly parameters?: Record<string, object>;
  readonly bindings: { ws: { method: string; query: { properties: Record<string, object> } } };
}

interface Document {
  readonly channels: Record<string, Channel>;
  readonly operations: Record<
    string,
    { action: string; channel: { $ref: string }; messages: { $ref: string }[] }
  >;
  readonly components: { messages: Record<string, Message>; schemas: object; securitySchemes: object };
}

const document = asyncApiDocument(follows) as unknown as Document;
// The official schema brings its own copy of the schema of draft 07.
const ajv = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false });

/** What a JSON pointer within the document leads to. */
function resolve(reference: string): unknown {
  const names = reference.replace(/^#\//, '').split('/');
  return names.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
}

describe('the AsyncAPI document', () => {
  let isValid: (value: unknown) => boolean;
  beforeAll(() => {
    isValid = ajv.compile(schema as object) as typeof isValid;
  });

  it('is what the official schema of AsyncAPI 3.0 says', () => {
    expect(isValid(document), ajv.errorsText((isValid as { errors?: null }).errors)).toBe(true);
  });

  it.each([
    ['a channel without messages that are', { channels: { x: { messages: [] } } }],
    [
      'an action that is none',
      { operations: { x: { action: 'publish', channel: { $ref: '#/channels/x' } } } },
    ],
    ['a security scheme that is none', { components: { securitySchemes: { x: { type: 'magic' } } } }],
  ])('the official schema would refuse %s', (_what, change) => {
    expect(isValid({ ...document, ...change })).toBe(false);
  });

  it('has a channel and an operation for every follow route, seen from the service: it sends', () => {
    expect(Object.keys(document.channels)).toEqual(follows.map(({ operationId }) => operationId));
    for (const { operationId, path, params, query } of follows) {
      const channel = document.channels[operationId]!;
      expect(channel.address).toBe(path.replace(/:(\w+)/g, '{$1}'));
      expect(Object.keys(channel.parameters ?? {})).toEqual(Object.keys(params));
      expect(Object.keys(channel.bindings.ws.query.properties)).toEqual(Object.keys(query));
      expect(channel.bindings.ws.method).toBe('GET');
      const operation = document.operations[operationId]!;
      expect(operation.action).toBe('send');
      expect(operation.channel).toEqual({ $ref: `#/channels/${operationId}` });
    }
  });

  it('MC-BUS-019 each follow route carries the message that section 4 gives it', () => {
    const carried = follows.map(({ operationId }) => [
      operationId,
      Object.keys(document.channels[operationId]!.messages).join(),
    ]);
    expect(Object.fromEntries(carried)).toMatchObject({
      followTelecommand: 'TcEvent',
      watchTelecommands: 'TcEvent',
      watchValues: 'CurrentValue',
      followRun: 'RunEvent',
      watchAlarms: 'AlarmEvent',
      watchTransfers: 'Transfer',
    });
  });

  it('refers to nothing that is not there', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to!);
    expect(references.length).toBeGreaterThan(follows.length * 4);
    for (const to of references) expect(resolve(to), to).toBeDefined();
  });

  it('gives each message a payload that its example has', () => {
    const draft07 = new Ajv({ strict: false, validateFormats: false });
    for (const [name, { payload, examples }] of Object.entries(document.components.messages)) {
      const validate = draft07.compile({ ...payload, components: document.components });
      expect(examples, name).not.toHaveLength(0);
      for (const example of examples) expect(validate(example.payload), name).toBe(true);
    }
  });
});
