/**
 * Whether a part of a body has more entries than its schema lets it have. The check of a shape looks at each entry of
 * what is wrong, at ten times the cost of one that is right.
 *
 * Z1. It looks at no entry of what is too large: what is refused costs no more than what is taken.
 */

import { ERRORS_LISTED } from '../contract/limits/request.ts';

interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly maxProperties?: number;
  readonly additionalProperties?: unknown;
}

export interface TooLarge {
  readonly path: string;
  readonly entries: number;
  readonly most: number;
}

/** The first part that is too large; undefined: none is. An object may have as many unknown fields as are listed. */
export function tooLarge(value: unknown, schema: Schema, path = ''): TooLarge | undefined {
  if (isScalar(value)) return undefined;
  if (schema.anyOf !== undefined) return inEach(value, schema.anyOf, path);
  return Array.isArray(value) ? inList(value, schema, path) : inObject(value, schema, path);
}

/** Too large for each alternative that may be such a value at all. */
function inEach(value: object, alternatives: readonly Schema[], path: string): TooLarge | undefined {
  const type = Array.isArray(value) ? 'array' : 'object';
  const found = alternatives
    .filter((each) => each.type === type || each.anyOf !== undefined)
    .map((each) => tooLarge(value, each, path));
  return found.includes(undefined) ? undefined : found[0];
}

function inList(
  list: readonly unknown[],
  { items, maxItems: most }: Schema,
  path: string,
): TooLarge | undefined {
  if (most !== undefined && list.length > most) return { path, entries: list.length, most };
  if (items === undefined || Array.isArray(items)) return undefined;
  return first(list.entries(), ([index, each]) =>
    isScalar(each) ? undefined : tooLarge(each, items, `${path}/${index}`),
  );
}

function inObject(value: object, schema: Schema, path: string): TooLarge | undefined {
  const { properties = {}, patternProperties = {}, maxProperties, additionalProperties } = schema;
  const entries = Object.keys(value).length;
  const isClosed = additionalProperties === false && Object.keys(patternProperties).length === 0;
  const known = Object.keys(properties).length;
  if (isClosed && entries > known + ERRORS_LISTED) return { path, entries, most: known };
  if (maxProperties !== undefined && entries > maxProperties) return { path, entries, most: maxProperties };
  const [ofAny = {}] = Object.values(patternProperties);
  return first(Object.entries(value), ([name, each]) =>
    isScalar(each)
      ? undefined
      : tooLarge(each, Object.hasOwn(properties, name) ? properties[name]! : ofAny, `${path}/${name}`),
  );
}

function isScalar(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null;
}

function first<Item>(
  items: Iterable<Item>,
  look: (item: Item) => TooLarge | undefined,
): TooLarge | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
