/** Requests made to be dear, for any route of any service: from its schemas, so that a new field is tried by itself. */

import type { AnyEndpoint } from '../../http/route.ts';
import { DOCUMENT_SHARE, SHARE, type Subject } from './cost.ts';

interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly maxLength?: number;
  readonly maxProperties?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly examples?: readonly unknown[];
}

/** Bytes of a body at a scale of 1, and of what stands in the head of a request. */
const BODY = 48 * 1024;
/** Characters of a document at a scale of 1. */
const TEXT = 5 * 1024;
const HEAD = 3 * 1024;
const NAME = 120;
/** What texts are made of: letters, digits, what opens, what separates, and what looks like a quantity. */
const TEXTS = ['x', '9', '([', 'a.', '1e9 '];

const filled = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Requests to the endpoint whose parts grow, each with its name. */
export function dearRequests(endpoint: AnyEndpoint): Subject[] {
  const method = 'method' in endpoint ? String(endpoint.method) : 'GET';
  const isFollow = !('method' in endpoint);
  const heads = headsOf(endpoint).map(
    ([name, target]): Subject => ({
      name: `${method} ${endpoint.path} ${name}`,
      input: (scale) => request(method, target(scale * HEAD), '', isFollow),
    }),
  );
  const path = pathWith(endpoint, () => undefined);
  const bodies = bodiesOf(endpoint).map(
    ([name, body]): Subject => ({
      name: `${method} ${endpoint.path} ${name}`,
      share: takesDocument(endpoint) ? DOCUMENT_SHARE : SHARE,
      input: (scale) => request(method, path, body(scale), false),
      example: request(method, path, JSON.stringify(exampleOf(endpoint)), false),
    }),
  );
  return [...heads, ...bodies];
}

/** Bytes that are read as text, for all we know. */
function takesDocument(endpoint: AnyEndpoint): boolean {
  return 'bytes' in endpoint || 'content' in endpoint;
}

function request(method: string, target: string, body: string, upgrade: boolean): Buffer {
  const handshake =
    'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';
  const bytes = Buffer.from(body);
  const length = body === '' ? '' : `Content-Length: ${bytes.length}\r\n`;
  const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Mcs-User: ada\r\n${upgrade ? handshake : ''}${length}\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

function pathWith({ path, params }: AnyEndpoint, value: (name: string) => string | undefined): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const schema = params[name]?.schema as Schema | undefined;
    return encodeURIComponent(value(name) ?? String(schema?.examples?.[0] ?? 'sat1'));
  });
}

type Target = readonly [name: string, target: (length: number) => string];

function headsOf(endpoint: AnyEndpoint): Target[] {
  const path = pathWith(endpoint, () => undefined);
  const inPath = Object.keys(endpoint.params).flatMap((name) =>
    TEXTS.map(
      (piece): Target => [
        `path ${name} of ${piece}`,
        (length) => pathWith(endpoint, (each) => (each === name ? filled(piece, length / 3) : undefined)),
      ],
    ),
  );
  const inQuery = Object.keys(endpoint.query).flatMap((name) =>
    [...TEXTS, ',', 'a,', 'a.b,'].map(
      (piece): Target => [
        `query ${name} of ${piece}`,
        (length) => `${path}?${name}=${encodeURI(filled(piece, length / 2))}`,
      ],
    ),
  );
  const unknown: Target = ['unknown query parameters', (length) => `${path}?${filled('a&bc=1&', length)}`];
  return [...inPath, ...inQuery, unknown];
}

type Body = readonly [name: string, body: (scale: 1 | 4) => string];

function bodiesOf(endpoint: AnyEndpoint): Body[] {
  const { body } = endpoint as { body?: Schema };
  if (body === undefined) {
    return takesDocument(endpoint) ? [...documents] : [];
  }
  const base = exampleOf(endpoint);
  const fields = Object.entries(body.properties ?? {}).flatMap(([name, schema]) =>
    fieldsOf(name, schema, base),
  );
  return [...anyBody(base), ...fields];
}

function exampleOf(endpoint: AnyEndpoint): Record<string, unknown> {
  const { body } = endpoint as { body?: Schema };
  return (body?.examples?.[0] ?? {}) as Record<string, unknown>;
}

/** What no schema has to do with. */
function anyBody(base: object): Body[] {
  const [first = 'a'] = Object.keys(base);
  const without = JSON.stringify(base).slice(0, -1);
  const comma = without === '{' ? '' : ',';
  const beside = (text: string): string => `${without}${comma}${text}}`;
  return [
    ['unknown fields', (scale) => beside(entries((scale * BODY) / 12))],
    ['a field that stands often', (scale) => beside(filled('"a":1,', scale * BODY).replace(/,?[^,]*$/, ''))],
    [
      'lists within one another',
      (scale) => `{"${first}":${'['.repeat(scale * BODY)}${']'.repeat(scale * BODY)}}`,
    ],
    [
      'mappings within one another',
      (scale) => '{"a":'.repeat((scale * BODY) / 5).concat('1', '}'.repeat((scale * BODY) / 5)),
    ],
    ['a number of many digits', (scale) => beside(`"b":${'9'.repeat(scale * BODY)}`)],
    ['an exponent of many digits', (scale) => `{"${first}":1e${'9'.repeat(scale * BODY)}}`],
    ['no JSON', (scale) => '('.repeat(scale * BODY)],
    ['quotes', (scale) => filled('"\\', scale * BODY)],
  ];
}

function entries(count: number, value = '"x"', nameLength = 0): string {
  return Array.from(
    { length: Math.floor(count) },
    (_, n) => `"k${String(n).padStart(6 + nameLength, 'x')}":${value}`,
  ).join();
}

/** Each text, mapping and list of the body, past its bound and just within it. */
function fieldsOf(name: string, schema: Schema, base: object): Body[] {
  const own = schema.anyOf ?? [schema];
  const withField = (text: string): string =>
    JSON.stringify({ ...base, [name]: 0 }).replace(`"${name}":0`, () => `"${name}":${text}`);
  return own.flatMap((each): Body[] => {
    if (each.type === 'string') return textsOf(name, each, withField);
    if (each.type === 'array') return listsOf(name, each, withField);
    return each.patternProperties === undefined ? [] : mappingsOf(name, each, withField);
  });
}

function textsOf(name: string, { maxLength = BODY }: Schema, withField: (text: string) => string): Body[] {
  return TEXTS.flatMap((piece): Body[] => [
    [`${name} of ${piece}`, (scale) => withField(JSON.stringify(filled(piece, scale * BODY)))],
    [
      `${name} of ${piece} within its bound`,
      (scale) => withField(JSON.stringify(filled(piece, (scale * Math.min(maxLength, 4 * BODY)) / 4))),
    ],
  ]);
}

function listsOf(name: string, { maxItems = 1, items }: Schema, withField: (text: string) => string): Body[] {
  const item = JSON.stringify(
    items?.examples?.[0] ?? Object.fromEntries(Object.keys(items?.properties ?? {}).map((key) => [key, 'x'])),
  );
  const list = (count: number): string => `[${Array.from({ length: Math.floor(count) }, () => item).join()}]`;
  return [
    [`${name} of many`, (scale) => withField(list((scale * BODY) / item.length))],
    [`${name} of as many as may be`, (scale) => withField(list((scale * maxItems) / 4))],
  ];
}

function mappingsOf(
  name: string,
  { maxProperties = 1 }: Schema,
  withField: (text: string) => string,
): Body[] {
  return [
    [`${name} of many names`, (scale) => withField(`{${entries((scale * BODY) / 12)}}`)],
    [
      `${name} of as many long names as may be`,
      (scale) => withField(`{${entries((scale * maxProperties) / 4, '"x"', NAME - 7)}}`),
    ],
    [`${name} with a long name`, (scale) => withField(`{"${'x'.repeat(scale * BODY)}":1}`)],
    ...TEXTS.map(
      (piece): Body => [
        `${name} with a value of ${piece}`,
        (scale) => withField(`{"a":${JSON.stringify(filled(piece, scale * 30_000))}}`),
      ],
    ),
  ];
}

/** Documents, as text: what YAML and JSON have to be dear with. */
export const documents: readonly Body[] = [
  ['lists within one another', (scale) => `name: ${'['.repeat(scale * TEXT)}`],
  ['blocks within one another', (scale) => `name:\n  ${'- '.repeat((scale * TEXT) / 2)}`],
  ['keys that are mappings', (scale) => '? '.repeat((scale * TEXT) / 2)],
  ['unknown keys', (scale) => Array.from({ length: (scale * TEXT) / 12 }, (_, n) => `key${n}: 1`).join('\n')],
  ['a key that stands often', (scale) => 'key: 1\n'.repeat((scale * TEXT) / 7)],
  ['many documents', (scale) => '---\na: 1\n'.repeat((scale * TEXT) / 9)],
  ['a long text', (scale) => `name: ${'x'.repeat(scale * TEXT)}`],
  ['a quoted text', (scale) => `name: "${'\\x41'.repeat((scale * TEXT) / 4)}"`],
  ['a folded text', (scale) => `name: >\n${'  a\n\n'.repeat((scale * TEXT) / 5)}`],
  ['many spaces', (scale) => `name:${' '.repeat(scale * TEXT)}a`],
  ['many comments', (scale) => '# a\n'.repeat((scale * TEXT) / 4)],
  ['digits', (scale) => `name: ${'9'.repeat(scale * TEXT)}`],
  ['an exponent', (scale) => `name: 1e${'9'.repeat(scale * TEXT)}`],
  ['anchors', (scale) => Array.from({ length: (scale * TEXT) / 14 }, (_, n) => `k${n}: &a${n} 1`).join('\n')],
  ['aliases of one anchor', (scale) => `a: &a 1\nb: [${'*a, '.repeat((scale * TEXT) / 4)}]`],
  ['tags', (scale) => `name: ${'!a '.repeat((scale * TEXT) / 3)}`],
  [
    'faults of one kind',
    (scale) =>
      `steps: [${'{id: 1}, '.repeat((scale * TEXT) / 9)}]\ntimeline: [${'{do: x}, '.repeat((scale * TEXT) / 9)}]`,
  ],
];
