/** Finds what a schema leaves without a bound: texts, lists, mappings, and what may be anything. */

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly items?: Schema | readonly Schema[];
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly maxProperties?: number;
}

/** The places of the schema that have no bound, as paths. */
export function unbounded(schema: object, path = ''): string[] {
  const { anyOf, allOf, const: only, enum: choices, type } = schema as Schema;
  const alternatives = anyOf ?? allOf;
  if (alternatives !== undefined) return alternatives.flatMap((each) => unbounded(each, path));
  if (only !== undefined || choices !== undefined) return [];
  if (type === 'string') return ofText(schema as Schema) ? [] : [`${path}: text`];
  if (type === 'array') return ofList(schema as Schema, path);
  if (type === 'object') return ofMapping(schema as Schema, path);
  return type === undefined ? [`${path}: anything`] : [];
}

function ofText({ maxLength, pattern }: Schema): boolean {
  return maxLength !== undefined || (pattern !== undefined && boundsLength(pattern));
}

/**
 * Whether what fits the pattern cannot be of any length: anchored at both ends, and nothing in it repeats without end.
 */
export function boundsLength(pattern: string): boolean {
  const plain = pattern
    .replaceAll(/\\./g, 'x')
    .replaceAll(/\[[^\]]*\]/g, 'x')
    // What must not follow has no length of its own.
    .replaceAll(/\(\?![^)]*\)/g, '');
  return /^\^.*\$$/s.test(plain) && !/[*+]|\{\d+,\}/.test(plain) && !plain.includes('|$');
}

function ofList({ items, maxItems }: Schema, path: string): string[] {
  if (Array.isArray(items))
    return (items as Schema[]).flatMap((each, at) => unbounded(each, `${path}[${at}]`));
  const own = maxItems === undefined ? [`${path}: list`] : [];
  return [...own, ...unbounded((items ?? {}) as Schema, `${path}[]`)];
}

function ofMapping(schema: Schema, path: string): string[] {
  const { properties = {}, patternProperties = {}, additionalProperties, maxProperties } = schema;
  const inner = Object.entries(properties).flatMap(([name, each]) => unbounded(each, `${path}.${name}`));
  const patterns = Object.entries(patternProperties);
  const values = patterns.flatMap(([, each]) => unbounded(each, `${path}.*`));
  const names = patterns.some(([pattern]) => !boundsLength(pattern)) ? [`${path}: names`] : [];
  const open = additionalProperties !== false ? [`${path}: further keys`] : [];
  const many = patterns.length > 0 && maxProperties === undefined ? [`${path}: mapping`] : [];
  return [...open, ...many, ...names, ...inner, ...values];
}
