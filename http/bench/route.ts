/**
 * How routes of the bench are defined, and the answers they have in common. RF Bench Service, section 4.
 *
 * R1. The bench decides: a route gives it the request and gives back its refusal as it is.
 */

import type { BenchErrorCode, BenchFault } from '../../contract/bench/errors.ts';
import type { Answered } from '../../ports/bench.ts';
import { type FollowRoute, followsOver } from '../follow.ts';
import { tokenInQuery } from '../parameters.ts';
import { type Handled, type Reply, refusal } from '../reply.ts';
import { type PathParameter, type Route, routesOver } from '../route.ts';
import type { BenchTag } from './dialect.ts';
import type { BenchPorts } from './ports.ts';

export type BenchRoute = Route<BenchPorts, BenchFault>;
export type BenchFollow = FollowRoute<BenchPorts, BenchFault>;
export type BenchPathParameter = PathParameter<BenchErrorCode>;
export type BenchHandled = Handled<Reply, BenchFault>;

export const defineBenchRoute = routesOver<BenchPorts, BenchFault, BenchTag>();
export const defineBenchFollow = followsOver<BenchPorts, BenchFault, BenchTag>({ token: tokenInQuery });

/** What asking the board may end with. */
export const BOARD_READ = ['unavailable', 'board_failed', 'timeout'] as const;
/** What reporting it may end with. */
export const BOARD_WRITE = [...BOARD_READ, 'board_busy'] as const;

/** 200 with the body. */
export function replied(body: unknown): BenchHandled {
  return { ok: true, value: { status: 200, body } };
}

/** What the bench answered, as the body of a reply with that status; or its refusal (R1). */
export async function asked<Value>(answer: Answered<Value>, status = 200): Promise<BenchHandled> {
  const outcome = await answer;
  return outcome.ok ? { ok: true, value: { status, body: outcome.value } } : outcome;
}

/** The same for bytes. */
export async function askedBytes(answer: Answered<Uint8Array>): Promise<BenchHandled> {
  const outcome = await answer;
  if (!outcome.ok) return outcome;
  return { ok: true, value: { status: 200, bytes: outcome.value, contentType: 'application/octet-stream' } };
}

/** 200 with what was found; 404 in words where it is undefined. */
export function found(value: unknown, what: string, name: string, where: string): BenchHandled {
  if (value !== undefined) return replied(value);
  return refusal('not_found', `no ${what} "${name}"`, { help: `${where} lists them.` });
}

/** The object without what is undefined. */
export function given<Fields extends object>(
  fields: Fields,
): {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
} {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
