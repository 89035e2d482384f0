/**
 * The named schemas of an interface description. TypeBox schemas are JSON Schema and stand in a document nearly as they
 * are; those with a title become components, described once and referred to.
 *
 * N1. A title names one schema: two schemas under one title are a defect of the table and throw.
 */

import type { TSchema } from 'typebox';

export type Json = Record<string, unknown>;

export class SchemaComponents {
  readonly byTitle: Record<string, unknown> = {};
  readonly #titled = new Map<string, TSchema>();
  readonly #dialect: (schema: unknown) => unknown;

  /** `dialect` turns a schema as TypeBox writes it into one of the document's JSON Schema version. */
  constructor(dialect: (schema: unknown) => unknown) {
    this.#dialect = dialect;
  }

  /** A reference to the component of a schema with a title, else the schema itself. */
  reference(schema: TSchema): Json {
    const { title } = schema as { title?: string };
    if (title === undefined) return this.#dialect(schema) as Json;
    if ((this.#titled.get(title) ?? schema) !== schema) {
      throw new TypeError(`two schemas are called ${title}`);
    }
    if (!this.#titled.has(title)) this.byTitle[title] = this.#dialect(schema);
    this.#titled.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  }
}

/**
 * TypeBox writes tuples as drafts before 2020-12 did, with a list under `items`; from 2020-12 on that is `prefixItems`.
 */
export function draft2020(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(draft2020);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, draft2020(value)]));
  if (!Array.isArray(parts['items'])) return parts;
  const { items, additionalItems, ...rest } = parts;
  return { ...rest, prefixItems: items, items: additionalItems ?? true };
}

/** TypeBox writes nothing that draft 07 reads otherwise. */
export function draft07(schema: unknown): unknown {
  return schema;
}

/** The first example a schema gives of its values. */
export function exampleOf(schema: TSchema): unknown {
  return (schema as { examples?: readonly unknown[] }).examples?.[0];
}

/** `/v1/tc/:target` becomes `/v1/tc/{target}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}
