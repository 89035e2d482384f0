/**
 * Remembers which answers of which route a test run has seen, and holds every answer against the OpenAPI document the
 * service gives of itself.
 */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FollowRoute } from '../../http/follow.ts';
import { openApiDocument } from '../../http/openapi.ts';
import { declaredErrors, type Endpoint, type Route } from '../../http/route.ts';
import { type Answer, call, type Followed, follow, post } from './fixture.ts';

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

interface Operation {
  readonly 'x-message'?: object;
  readonly responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

export class Coverage {
  readonly #seen = new Map<string, Set<string>>();
  readonly #routes: readonly Route[];
  readonly #follows: readonly FollowRoute[];
  readonly #document: { paths: Record<string, Record<string, Operation>>; components: object };
  readonly #ajv = new Ajv2020({ strict: false, formats: { 'date-time': DATE_TIME } });
  readonly #validators = new Map<object, ValidateFunction>();
  /** What an answer or a message had that the document does not say. */
  readonly problems: string[] = [];

  constructor(routes: readonly Route[], follows: readonly FollowRoute[]) {
    this.#routes = routes;
    this.#follows = follows;
    this.#document = openApiDocument(routes, follows) as never;
  }

  async call(url: string, init: Parameters<typeof call>[1] = {}): Promise<Answer> {
    return this.#note(url, init?.method ?? 'GET', await call(url, init));
  }

  async post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#note(url, 'POST', await post(url, body, headers));
  }

  async follow(url: string, headers: Record<string, string> = {}): Promise<Followed> {
    const followed = await follow(url, headers);
    const route = this.#follows.find(({ path }) => matches(path, url));
    if (route === undefined) return followed;
    if (followed.refused !== undefined) this.#noteAnswer(route, 'get', followed.refused);
    else this.#see(route, '101');
    followed.socket.on('message', (data) => this.#checkMessage(route, data.toString()));
    return followed;
  }

  /** `follow`, which must not be refused. */
  async open(url: string): Promise<Followed> {
    const followed = await this.follow(url);
    if (!followed.opened) throw new Error(`${url} was refused: ${JSON.stringify(followed.refused)}`);
    return followed;
  }

  /** `operation code` of everything the table declares and nobody saw. */
  missing(): string[] {
    const expected = (endpoint: Endpoint, statuses: readonly string[]): string[] =>
      [...declaredErrors(endpoint), ...statuses]
        .filter((item) => this.#seen.get(endpoint.operationId)?.has(item) !== true)
        .map((item) => `${endpoint.operationId} ${item}`);
    return [
      ...this.#routes.flatMap((route) => expected(route, Object.keys(route.replies))),
      ...this.#follows.flatMap((route) => expected(route, ['101'])),
    ];
  }

  #note(url: string, method: string, answer: Answer): Answer {
    const route = this.#routes.find((each) => each.method === method && matches(each.path, url));
    if (route !== undefined) this.#noteAnswer(route, method.toLowerCase(), answer);
    return answer;
  }

  #noteAnswer(endpoint: Endpoint, method: string, answer: Answer): void {
    this.#see(endpoint, `${answer.status}`);
    for (const { code } of (answer.body as { errors?: { code: string }[] }).errors ?? [])
      this.#see(endpoint, code);
    const { responses } = this.#operation(endpoint, method);
    const response = responses[answer.status];
    if (response === undefined)
      this.problems.push(`${endpoint.operationId}: undocumented status ${answer.status}`);
    const schema = response?.content?.['application/json']?.schema;
    if (schema !== undefined) this.#validate(schema, answer.body, `${endpoint.operationId} ${answer.status}`);
  }

  #checkMessage(route: FollowRoute, text: string): void {
    this.#validate(
      this.#operation(route, 'get')['x-message']!,
      JSON.parse(text),
      `${route.operationId} message`,
    );
  }

  #operation(endpoint: Endpoint, method: string): Operation {
    return this.#document.paths[endpoint.path.replace(/:(\w+)/g, '{$1}')]![method]!;
  }

  #validate(schema: object, value: unknown, what: string): void {
    const validate =
      this.#validators.get(schema) ?? this.#ajv.compile({ ...schema, components: this.#document.components });
    this.#validators.set(schema, validate);
    if (!validate(value)) this.problems.push(`${what}: ${this.#ajv.errorsText(validate.errors)}`);
  }

  #see(endpoint: Endpoint, item: string): void {
    const seen = this.#seen.get(endpoint.operationId) ?? new Set();
    this.#seen.set(endpoint.operationId, seen.add(item));
  }
}

function matches(path: string, url: string): boolean {
  const pattern = path.replace(/:(\w+)/g, '[^/]*');
  return new RegExp(`^${pattern}$`).test(new URL(url).pathname);
}
