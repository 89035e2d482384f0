/**
 * Holds every answer and every message that a test receives against the interface description: status declared, content
 * type declared, body of the schema, code among those of its status. A violation fails the test it happened in.
 *
 * F1. What is on a WebSocket comes outside of the test's own calls, so violations are kept and thrown after each test
 *     (`each-file.ts`).
 * F2. A server with a route table of its own is held against the description of that table (`describedBy`).
 */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { AnyFollow } from '../../http/follow.ts';
import { follows, routes } from '../../http/front-end.ts';
import type { ServiceInterface } from '../../http/interface.ts';
import { openApiDocument } from '../../http/openapi.ts';
import type { AnyRoute } from '../../http/route.ts';
import { described, noteViolations } from './violations.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

interface Operation {
  readonly operationId: string;
  readonly 'x-message'?: object;
  readonly responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

export interface Received {
  readonly status: number;
  /** Empty when the answer has no body. */
  readonly contentType: string;
  /** Parsed when it is JSON. */
  readonly body: unknown;
}

const FORMATS = { 'date-time': DATE_TIME, uuid: UUID };
const DOCUMENT = 'openapi.json';

interface Described {
  readonly path: string;
  readonly pattern: RegExp;
  readonly operations: Record<string, Operation>;
}

/** What one server says of itself. */
export class Description {
  readonly #paths: readonly Described[];
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS });
  readonly #validators = new Map<string, ValidateFunction>();

  /** `of` is the service whose routes they are, mission control by default. */
  constructor(
    ownRoutes: readonly AnyRoute<never>[],
    ownFollows: readonly AnyFollow<never>[],
    of?: ServiceInterface<never>,
  ) {
    const document = openApiDocument(ownRoutes, ownFollows, of);
    const paths = document['paths'] as Record<string, Record<string, Operation>>;
    this.#paths = Object.entries(paths)
      .map(([path, operations]) => ({
        path,
        operations,
        pattern: patternOf(path),
      }))
      // A word in its place comes before a parameter, as the server has it.
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
    // Read once and as a whole: compiling each schema with all components would hold up the first answers of a test.
    this.#ajv.addSchema(document, DOCUMENT);
  }

  /** What the answer has that the description does not say. A path that is not described is not this one's business. */
  answerProblems(method: string, url: string, received: Received): string[] {
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    const path = this.#pathOf(url, name);
    const operation = path?.operations[name];
    if (path === undefined || operation === undefined) return [];
    const what = `${operation.operationId} ${received.status}`;
    const response = operation.responses[received.status];
    if (response === undefined) return [`${what}: a status that is not described`];
    const type = received.contentType.split(';')[0]!.trim();
    if (response.content === undefined)
      return type === '' && (received.body ?? '') === '' ? [] : [`${what}: content is not described`];
    const described = response.content?.[type];
    if (described === undefined) return [`${what}: content type ${type || 'none'} is not described`];
    if (method === 'HEAD' || described.schema === undefined) return [];
    const status = String(received.status);
    const place = ['paths', path.path, name, 'responses', status, 'content', type, 'schema'];
    return this.#problems(sharedBy(described.schema) ?? pointer(place), received.body, what);
  }

  /** What the message of a follow route has that the description does not say. */
  messageProblems(url: string, message: unknown): string[] {
    const path = this.#pathOf(url, 'get');
    const operation = path?.operations['get'];
    if (operation?.['x-message'] === undefined) return [`${url}: no follow route is described there`];
    const place = ['paths', path!.path, 'get', 'x-message'];
    return this.#problems(pointer(place), message, `${operation.operationId} message`);
  }

  #pathOf(url: string, method: string): Described | undefined {
    const { pathname } = new URL(url);
    return this.#paths.find(({ pattern, operations }) => pattern.test(pathname) && method in operations);
  }

  /** `place` is a pointer to the schema in the document. */
  #problems(place: string, value: unknown, what: string): string[] {
    const validate = this.#validators.get(place) ?? this.#ajv.compile({ $ref: `${DOCUMENT}${place}` });
    this.#validators.set(place, validate);
    return validate(value) ? [] : [`${what}: ${this.#ajv.errorsText(validate.errors)} in ${excerpt(value)}`];
  }
}

const service = new Description(routes, follows);

/** Says which description holds for the server at `url` instead of that of the service. */
export function describedBy(url: string, description: Description | undefined): void {
  described.set(new URL(url).host, description);
}

function descriptionOf(url: string): Description | undefined {
  const { host } = new URL(url);
  return described.has(host) ? (described.get(host) as Description | undefined) : service;
}

/** To be called with every answer; an upgrade that is refused is an answer. */
export function checkAnswer(method: string, url: string, received: Received): void {
  noteViolations(descriptionOf(url)?.answerProblems(method, url, received) ?? []);
}

/** To be called with every message. */
export function checkMessage(url: string, message: unknown): void {
  noteViolations(descriptionOf(url)?.messageProblems(url, message) ?? []);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]*')}$`);
}

/** Where a schema stands that many answers have, errors above all: it is compiled once. */
function sharedBy(schema: object): string | undefined {
  const { $ref, ...rest } = schema as { readonly $ref?: string };
  return Object.keys(rest).length === 0 ? $ref : undefined;
}

function pointer(place: readonly string[]): string {
  return `#${place.map(pointerSegment).join('')}`;
}

function pointerSegment(name: string): string {
  return `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`;
}

function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
