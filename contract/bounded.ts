/**
 * Schema pieces with their bounds, for what comes from outside: a text, list or mapping without one is refused by a
 * test that walks every schema of a request and of a document.
 */

import Type, { type TSchema } from 'typebox';
import { DOCUMENT_ENTRIES, DOCUMENT_TEXT_CHARACTERS } from './limits/mission.ts';
import { NAME_CHARACTERS, PATH_CHARACTERS, QUANTITY_CHARACTERS, REQUEST_ENTRIES } from './limits/request.ts';

/** Bounds of a name, spread into the schema of the text. */
export const nameBound = { maxLength: NAME_CHARACTERS } as const;
/** Of what is made of a few names: `component[instance].name`. */
export const pathBound = { maxLength: PATH_CHARACTERS } as const;
/** Of a quantity, a duration or a unit. */
export const quantityBound = { maxLength: QUANTITY_CHARACTERS } as const;

const NAMED = `^[\\s\\S]{0,${NAME_CHARACTERS}}$`;

/** A mapping of a request by names that only its handler can judge. */
export function named<Value extends TSchema>(value: Value, options: { readonly description?: string } = {}) {
  return Type.Record(Type.String({ pattern: NAMED }), value, {
    ...options,
    additionalProperties: false,
    maxProperties: REQUEST_ENTRIES,
  });
}

/** What TypeBox writes for a mapping by any name. */
const BY_ANY_NAME = '^.*$';

/** What a schema may hold, as JSON Schema says it. */
interface Plain {
  readonly type?: string;
  readonly maxLength?: number;
  readonly items?: Plain | readonly Plain[];
  readonly maxItems?: number;
  readonly anyOf?: readonly Plain[];
  readonly properties?: Readonly<Record<string, Plain>>;
  readonly patternProperties?: Readonly<Record<string, Plain>>;
  readonly maxProperties?: number;
}

/**
 * The schema of a document with a bound wherever it states none: documents have too many texts to bound each by hand.
 */
export function bounded<Schema extends TSchema>(schema: Schema): Schema {
  return withBounds(schema as Plain) as Schema;
}

function withBounds(schema: Plain): Plain {
  if (schema.anyOf !== undefined) return { ...schema, anyOf: schema.anyOf.map(withBounds) };
  if (schema.type === 'string') return { maxLength: DOCUMENT_TEXT_CHARACTERS, ...schema };
  if (schema.type === 'array') return withListBounds(schema);
  return schema.type === 'object' ? withMappingBounds(schema) : schema;
}

function withListBounds(schema: Plain): Plain {
  const { items } = schema;
  if (isTuple(items)) return { ...schema, items: items.map(withBounds) };
  return { maxItems: DOCUMENT_ENTRIES, ...schema, ...(items !== undefined && { items: withBounds(items) }) };
}

function isTuple(items: Plain['items']): items is readonly Plain[] {
  return Array.isArray(items);
}

function withMappingBounds(schema: Plain): Plain {
  const { properties, patternProperties } = schema;
  return {
    ...(patternProperties !== undefined && { maxProperties: DOCUMENT_ENTRIES }),
    ...(patternProperties?.[BY_ANY_NAME] !== undefined && { additionalProperties: false }),
    ...schema,
    ...(properties !== undefined && { properties: each(properties) }),
    ...(patternProperties !== undefined && { patternProperties: each(patternProperties) }),
  };
}

function each(schemas: Readonly<Record<string, Plain>>): Record<string, Plain> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name === BY_ANY_NAME ? NAMED : name,
      withBounds(schema),
    ]),
  );
}
