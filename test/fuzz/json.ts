/** JSON for fuzz tests: values made from a schema, and values with one part replaced, left out or added. */

import fc from 'fast-check';
import { noise } from './text.ts';

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema | readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Any JSON, small. */
export const anyJson = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }) as fc.Arbitrary<Json>;

/** JSON of the shape of the schema; texts come from `words`, so that many of them mean something. */
export function ofSchema(schema: object, words: readonly string[]): fc.Arbitrary<Json> {
  return made(schema as Schema, words);
}

function made(schema: Schema, words: readonly string[]): fc.Arbitrary<Json> {
  if (schema.const !== undefined) return fc.constant(schema.const as Json);
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as Json[]));
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => made(each, words)));
  switch (schema.type) {
    case 'string':
      return fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...words) }, noise);
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'integer':
      return fc.integer();
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(made((schema.items as Schema | undefined) ?? {}, words), { maxLength: 4 });
    case 'object':
      return madeObject(schema, words);
    default:
      return anyJson;
  }
}

function madeObject(schema: Schema, words: readonly string[]): fc.Arbitrary<Json> {
  const [ofAny] = Object.values(schema.patternProperties ?? {});
  if (ofAny !== undefined) {
    const name = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...words) }, noise);
    return fc.dictionary(name, made(ofAny, words), { maxKeys: 4, noNullPrototype: true });
  }
  const properties = Object.entries(schema.properties ?? {}).map(([name, each]) => [name, made(each, words)]);
  const model = Object.fromEntries(properties) as Record<string, fc.Arbitrary<Json>>;
  return fc.record(model, { requiredKeys: [...(schema.required ?? [])], noNullPrototype: true });
}

/** A value with one part changed: replaced by any JSON, left out, or with something beside it. */
export function damaged(values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .tuple(values, fc.nat(), anyJson, fc.constantFrom('replace', 'drop', 'add'))
    .map(([value, pick, other, how]) => damage(value, pick, other, how));
}

function damage(value: Json, pick: number, other: Json, how: string): Json {
  if (typeof value !== 'object' || value === null) return other;
  const keys = Object.keys(value);
  if (how === 'add' || keys.length === 0)
    return Array.isArray(value) ? [...value, other] : { ...value, [`x${pick % 7}`]: other };
  const key = keys[pick % keys.length]!;
  const inner = (value as Record<string, Json>)[key]!;
  const deeper = Math.floor(pick / keys.length);
  if (typeof inner === 'object' && inner !== null && deeper % 2 === 1)
    return withKey(value, key, damage(inner, deeper, other, how));
  return withKey(value, key, how === 'drop' ? undefined : other);
}

function withKey(value: Json, key: string, inner: Json | undefined): Json {
  if (Array.isArray(value)) return value.flatMap((each, at) => (String(at) === key ? (inner ?? []) : [each]));
  const { [key]: _gone, ...rest } = value as Record<string, Json>;
  return inner === undefined ? rest : { ...rest, [key]: inner };
}
