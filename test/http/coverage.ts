/**
 * Remembers which answers of which route a test run has seen: a route, a status or a code that nobody provokes is a
 * promise that nobody checks. Whether the answers are as described is for `../support/conformance.ts`.
 */

import type { Dialect } from '../../http/dialect.ts';
import type { AnyFollow } from '../../http/follow.ts';
import { missionControlDialect } from '../../http/mission-control.ts';
import { type AnyEndpoint, type AnyRoute, declaredErrors } from '../../http/route.ts';
import type { Tag } from '../../http/tags.ts';
import { type Answer, call, type Followed, follow, post } from './fixture.ts';

/** Which file sees every answer of the routes of a tag, by its `missing()`. */
export const COVERED_BY: Readonly<Record<string, string>> = {
  Telecommands: 'routes.test.ts',
  Runs: 'run-routes.test.ts',
  Values: 'routes.test.ts',
  History: 'history-routes.test.ts',
  Modes: 'modes.test.ts',
  Alarms: 'alarm-routes.test.ts',
  Passes: 'pass-routes.test.ts',
  Schedules: 'schedule-routes.test.ts',
  Catalogue: 'routes.test.ts',
  Mission: 'mission.test.ts',
  Files: 'directory-routes.test.ts',
  Transfers: 'transfer-routes.test.ts',
  Links: 'routes.test.ts',
  Events: 'event-routes.test.ts',
  Units: 'units.test.ts',
  Connectors: 'connectors.test.ts',
  Simulation: 'simulation.test.ts',
  Inspection: 'inspect/inspect.test.ts',
  Identity: 'auth.test.ts',
  Uploads: 'uploads.test.ts',
  Editor: 'editor/coverage.test.ts',
  Service: 'routes.test.ts',
} satisfies Record<Tag, string>;

export class Coverage {
  readonly #seen = new Map<string, Set<string>>();
  readonly #routes: readonly AnyRoute<never>[];
  readonly #follows: readonly AnyFollow<never>[];
  readonly #dialect: Dialect<never>;

  constructor(
    routes: readonly AnyRoute<never>[],
    follows: readonly AnyFollow<never>[] = [],
    dialect: Dialect<never> = missionControlDialect,
  ) {
    this.#routes = routes;
    this.#follows = follows;
    this.#dialect = dialect;
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
    if (followed.refused !== undefined) this.#noteAnswer(route, followed.refused);
    else this.#see(route, '101');
    return followed;
  }

  /** `follow`, which must not be refused. */
  async open(url: string): Promise<Followed> {
    const followed = await this.follow(url);
    if (!followed.opened) throw new Error(`${url} was refused: ${JSON.stringify(followed.refused)}`);
    return followed;
  }

  /** An answer that was received in another way. */
  saw(url: string, method: string, answer: Pick<Answer, 'status' | 'body'>): void {
    const route = this.#routes.find((each) => each.method === method && matches(each.path, url));
    if (route !== undefined) this.#noteAnswer(route, answer);
  }

  /** `operation code` of everything the table declares and nobody saw. */
  missing(): string[] {
    const expected = (endpoint: AnyEndpoint, statuses: readonly string[]): string[] =>
      [...declaredErrors(endpoint, this.#dialect), ...statuses]
        .filter((item) => this.#seen.get(endpoint.operationId)?.has(item) !== true)
        .map((item) => `${endpoint.operationId} ${item}`);
    return [
      ...this.#routes.flatMap((route) => expected(route, Object.keys(route.replies))),
      ...this.#follows.flatMap((route) => expected(route, ['101'])),
    ];
  }

  #note(url: string, method: string, answer: Answer): Answer {
    this.saw(url, method, answer);
    return answer;
  }

  #noteAnswer(endpoint: AnyEndpoint, answer: Pick<Answer, 'status' | 'body'>): void {
    this.#see(endpoint, `${answer.status}`);
    for (const code of codesIn(answer.body)) this.#see(endpoint, code);
  }

  #see(endpoint: AnyEndpoint, item: string): void {
    const seen = this.#seen.get(endpoint.operationId) ?? new Set();
    this.#seen.set(endpoint.operationId, seen.add(item));
  }
}

/** The codes of an error answer, of either service. */
function codesIn(body: unknown): readonly string[] {
  const { errors, code } = (body ?? {}) as { errors?: { code: string }[]; code?: unknown };
  if (Array.isArray(errors)) return errors.map((each) => each.code);
  return typeof code === 'string' ? [code] : [];
}

function matches(path: string, url: string): boolean {
  const pattern = path.replace(/:(\w+)/g, '[^/]*');
  return new RegExp(`^${pattern}$`).test(new URL(url).pathname);
}
