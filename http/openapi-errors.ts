/**
 * The error answers of an endpoint in its description: one response per status, the codes it may carry as an
 * enumeration, an example of each. Mission Control Service, section 7.
 */

import type { Dialect } from './dialect.ts';
import { type AnyEndpoint, declaredErrors } from './route.ts';
import type { Json, SchemaComponents } from './schema-components.ts';

/** Responses by status; `more` are codes that only this kind of endpoint has. */
export function errorResponses<Ports>(
  endpoint: AnyEndpoint,
  schemas: SchemaComponents,
  dialect: Dialect<Ports>,
  more: readonly string[] = [],
): Json {
  const responses = [...codesByStatus(endpoint, dialect, more)].map(([status, codes]) => [
    status,
    response(codes, schemas, dialect),
  ]);
  return Object.fromEntries(responses);
}

/** The statuses a code may have on an endpoint: a path parameter takes the 404 of its two. */
function codesByStatus<Ports>(
  endpoint: AnyEndpoint,
  dialect: Dialect<Ports>,
  more: readonly string[],
): Map<number, string[]> {
  const inPath = new Set(Object.values(endpoint.params).map(({ code }) => code));
  const byStatus = new Map<number, string[]>();
  for (const code of new Set([
    ...declaredErrors(endpoint, dialect),
    ...ofTheLayer(endpoint, dialect),
    ...more,
  ])) {
    const usual = [inPath.has(code) ? 404 : dialect.describe(code).statuses[0]!];
    for (const status of endpoint.statuses?.[code] ?? usual) {
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
  }
  return byStatus;
}

/**
 * What any request may be answered before or instead of its handler: a head that cannot be trusted (400) or is too
 * large (431), a page of another origin or another host (403), too much of one address (503), a defect (500).
 */
function ofTheLayer<Ports>(endpoint: AnyEndpoint, { codes }: Dialect<Ports>): readonly string[] {
  const mayBeTooMany = endpoint.body !== undefined || 'bytes' in endpoint || 'policy' in endpoint;
  return [
    codes.invalid,
    codes.headTooLarge,
    codes.foreignOrigin,
    codes.foreignHost,
    codes.internal,
    ...(mayBeTooMany ? [codes.tooMany] : []),
  ];
}

function response<Ports>(
  codes: readonly string[],
  schemas: SchemaComponents,
  { describe, errorSchema, reply }: Dialect<Ports>,
): Json {
  const schema = errorSchema(codes, (each) => schemas.reference(each));
  const description = codes.map((code) => `\`${code}\`: ${describe(code).cause}`).join('; ');
  const examples = codes.map((code) => {
    const { body } = reply({ ok: false, faults: [{ code, message: describe(code).cause }] });
    return [code, { value: body }];
  });
  return { description, content: { 'application/json': { schema, examples: Object.fromEntries(examples) } } };
}
