/**
 * The error answers of an endpoint in its description: one response per status, the codes it may carry as an
 * enumeration, an example of each. Mission Control Service, section 7.
 */

import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import { ErrorItem } from './errors.ts';
import { declaredErrors, type Endpoint } from './route.ts';
import type { Json, SchemaComponents } from './schema-components.ts';

/**
 * What any request may be answered before or instead of its handler: a head that cannot be trusted (400), a page of
 * another origin (403), a defect (500).
 */
const OF_THE_LAYER: readonly ErrorCode[] = ['api::invalid-body', 'api::foreign-origin', 'api::internal'];

/** Responses by status; `more` are codes that only this kind of endpoint has. */
export function errorResponses(
  endpoint: Endpoint,
  schemas: SchemaComponents,
  more: readonly ErrorCode[] = [],
): Json {
  const item = schemas.reference(ErrorItem);
  const responses = [...codesByStatus(endpoint, more)].map(([status, codes]) => [
    status,
    response(codes, item),
  ]);
  return Object.fromEntries(responses);
}

/** The statuses a code may have on an endpoint: a path parameter takes the 404 of its two. */
function codesByStatus(endpoint: Endpoint, more: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const inPath = new Set(Object.values(endpoint.params).map(({ code }) => code));
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...declaredErrors(endpoint), ...OF_THE_LAYER, ...more])) {
    const usual = [inPath.has(code) ? 404 : ERRORS[code].status[0]];
    for (const status of endpoint.statuses?.[code] ?? usual) {
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
  }
  return byStatus;
}

function response(codes: readonly ErrorCode[], item: Json): Json {
  const coded = { allOf: [item, { type: 'object', properties: { code: { enum: codes } } }] };
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['errors'],
    properties: { errors: { type: 'array', minItems: 1, items: coded } },
  };
  const description = codes.map((code) => `\`${code}\`: ${ERRORS[code].cause}`).join('; ');
  const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleBody(code) }]));
  return { description, content: { 'application/json': { schema, examples } } };
}

function exampleBody(code: ErrorCode): Json {
  return { errors: [{ code, message: ERRORS[code].cause }] };
}
