/**
 * One request from its checks to its answer, on no particular transport. Mission Control Service, sections 4 and 7.
 *
 * A1. There is always an answer: what a handler throws is an outage (503) or a defect (500, logged), never silence.
 */

import type { Stoppable } from '../ports/bus.ts';
import type { Caller } from './caller.ts';
import { check, type Incoming } from './check.ts';
import { defectReply, refusalOf, refusalReply } from './errors.ts';
import type { FollowRoute, FollowWriter } from './follow.ts';
import type { RoutePorts } from './ports.ts';
import type { Refusal, Reply } from './reply.ts';
import { declaredErrors, type Endpoint, type Route } from './route.ts';

/** The answer of a route to a request. */
export async function answer(route: Route, incoming: Incoming, ports: RoutePorts): Promise<Reply> {
  try {
    const checked = check(route, incoming, ports);
    const request = checked instanceof Promise ? await checked : checked;
    if (!request.ok) return refusal(route, request, ports);
    const handled = await route.handle(request.value, ports);
    return handled.ok ? handled.value : refusal(route, handled, ports);
  } catch (error) {
    return failure(route, error, ports);
  }
}

export interface OpenedFollow {
  readonly source: Stoppable;
  readonly caller: Caller;
}

/** What a follow route started for whom, or the answer that refuses the upgrade. */
export async function openFollow(
  route: FollowRoute,
  incoming: Incoming,
  ports: RoutePorts,
  writer: FollowWriter,
): Promise<OpenedFollow | { readonly reply: Reply }> {
  try {
    const checked = check(route, incoming, ports);
    const request = checked instanceof Promise ? await checked : checked;
    if (!request.ok) return { reply: refusal(route, request, ports) };
    const opened = await route.open(request.value, ports, writer);
    if (!opened.ok) return { reply: refusal(route, opened, ports) };
    return { source: opened.value, caller: request.value.caller };
  } catch (error) {
    return { reply: failure(route, error, ports) };
  }
}

/** An undeclared code (R1) is a defect of the table, not of the request: the caller still gets the true reason. */
function refusal(endpoint: Endpoint, refused: Refusal, ports: RoutePorts): Reply {
  const declared = declaredErrors(endpoint);
  const undeclared = refused.faults.filter(({ code }) => !declared.has(code));
  if (undeclared.length > 0) {
    ports.log.error(
      { route: endpoint.operationId, undeclared },
      'a route answered with a code it does not declare',
    );
  }
  return refusalReply(refused);
}

function failure(endpoint: Endpoint, error: unknown, ports: RoutePorts): Reply {
  const outage = refusalOf(error);
  if (outage !== undefined) return refusal(endpoint, outage, ports);
  const request = ports.newId();
  ports.log.error({ route: endpoint.operationId, request, err: error }, 'a request failed on a defect');
  return defectReply(request);
}
